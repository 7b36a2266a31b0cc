//! Building the benchmark with an MPI compiler and running it with a launcher.

use super::options::Options;
use super::output::{Printed, parse};
use crate::build::no_temporary;
use crate::codes;
use chronos_base::children;
use chronos_base::diag::{Diagnostic, system_cause};
use chronos_base::temporary::Folder;
use std::path::PathBuf;
use std::process::{Command, Output};

const SOURCE: &str = include_str!("../../microbench/mpi/network.c");

/// The program, in a directory that lives as long.
pub struct Benchmark {
    _directory: Folder,
    path: PathBuf,
}

/// What a run measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    All,
    Collectives,
    Messages,
}

impl Benchmark {
    /// # Errors
    /// No temporary directory, no compiler, or it refuses the source.
    pub fn build(mpicc: &str) -> Result<Self, Diagnostic> {
        let directory = Folder::new().map_err(|error| no_temporary(&error))?;
        let source = directory.path().join("network.c");
        std::fs::write(&source, SOURCE).map_err(|error| no_temporary(&error))?;
        let path = directory.path().join("network");
        let mut words = mpicc.split_whitespace();
        let command = words.next().unwrap_or("mpicc");
        let mut compiler = Command::new(command);
        compiler.args(words).args(["-O2", "-w", "-o"]).arg(&path).arg(&source).arg("-lm");
        let output = children::output(&mut compiler).map_err(|error| {
            let message = format!("cannot start the MPI compiler `{mpicc}`: {}", system_cause(&error));
            Diagnostic::error(&codes::NO_COMPILER, message)
                .help("install an MPI library with its compiler, or name the compiler with --mpicc")
        })?;
        if output.status.success() {
            return Ok(Self { _directory: directory, path });
        }
        let complaint = complaint(&output);
        let message = format!("`{mpicc}` does not compile the benchmark of networks: {complaint}");
        Err(Diagnostic::error(&codes::BUILD_FAILED, message).help("name the MPI library's C compiler with --mpicc"))
    }

    /// Runs it on so many tasks. The launcher is a shell command in which `{n}` stands for the number of tasks.
    ///
    /// # Errors
    /// The launcher fails, or the output is not that of the benchmark.
    pub fn run(&self, options: &Options, tasks: u32, part: Part) -> Result<Printed, Diagnostic> {
        let part = match part {
            Part::All => "all",
            Part::Collectives => "collectives",
            Part::Messages => "p2p",
        };
        let launcher = options.mpirun.replace("{n}", &tasks.to_string());
        let seconds = options.effort.seconds_of_point();
        let program = self.path.display();
        let command = format!("{launcher} '{program}' {seconds} {} {part}", options.largest.0);
        let output = children::output(children::launcher(Command::new("sh").args(["-c", &command])));
        let output = output.map_err(|error| failed(&launcher, &system_cause(&error)))?;
        if !output.status.success() {
            return Err(failed(&launcher, &format!("{}: {}", output.status, complaint(&output))));
        }
        parse(&String::from_utf8_lossy(&output.stdout))
    }
}

fn failed(launcher: &str, why: &str) -> Diagnostic {
    Diagnostic::error(&codes::LAUNCH_FAILED, format!("`{launcher}` did not run the benchmark: {why}"))
        .help("try the launcher with a program of your own; all nodes must see the temporary directory (TMPDIR)")
}

/// The first line that says what is wrong.
fn complaint(output: &Output) -> String {
    let text = [&output.stderr[..], &output.stdout[..]].concat();
    let text = String::from_utf8_lossy(&text);
    let telling = |line: &&str| line.chars().any(char::is_alphabetic);
    let line = text.lines().find(|line| line.contains("rror")).or_else(|| text.lines().find(telling));
    line.unwrap_or("no message").trim().to_owned()
}
