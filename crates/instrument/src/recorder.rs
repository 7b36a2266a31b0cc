//! A recorder of the times of MPI calls, in front of MPI: compiled with the sources of a program, or as a library that is
//! loaded before an executable. Sources and executable stay what they are.

use super::bundled;
use super::codes;
use super::output::{CALLS, FILES, HEADER, NEIGHBOURS, WINDOWS};
use super::run::{Launcher, no_compiler, not_started, started};
use chronos_base::children;
use chronos_base::diag::Diagnostic;
use chronos_frontend::split_command;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

/// The environment variable that names the folder of the record.
const FOLDER: &str = "CHRONOS_RECORD";

const RECORDER: [(&str, &str); 2] = [
    ("chronos_record.c", include_str!("../runtime/chronos_record.c")),
    ("chronos_record_messages.c", include_str!("../runtime/chronos_record_messages.c")),
];

fn texts() -> impl Iterator<Item = (&'static str, &'static str)> {
    [HEADER, NEIGHBOURS, WINDOWS, FILES].into_iter().chain(RECORDER).chain(CALLS)
}

/// Names and texts of its files, and of the bundled MPI where the program runs on that.
pub fn files(bundled_mpi: bool) -> Vec<(String, String)> {
    let own = texts().map(|(name, text)| (name.to_owned(), text.to_owned()));
    own.chain(bundled::files().filter(|_| bundled_mpi)).collect()
}

/// How a program is compiled.
#[derive(Clone, Debug)]
pub struct Build<'a> {
    /// The compiler with its flags.
    pub compiler: &'a str,
    /// Further flags, in front of the sources.
    pub flags: &'a [String],
    /// The sources of the program.
    pub sources: &'a [PathBuf],
    /// Behind the sources.
    pub link: &'a str,
    /// With the bundled MPI, which stands in the folder as well.
    pub bundled_mpi: bool,
}

/// Compiles a program with the recorder that [`files`] wrote to `folder`; the path of the program.
///
/// # Errors
/// What the compiler said, or why it could not be run.
pub fn compile(folder: &Path, build: &Build<'_>) -> Result<PathBuf, Box<Diagnostic>> {
    let program = folder.join("recorded-program");
    let headers = build.bundled_mpi.then(|| folder.join(bundled::FOLDER));
    let recorder = objects(folder, build.compiler, headers.as_deref(), &[])?;
    let mut command = started(build.compiler)?;
    if let Some(headers) = &headers {
        command.arg("-I").arg(headers);
    }
    // In front of the user's files and of MPI: of two weak functions the linker takes the first. Lines of calls are found by -g.
    command.args(build.flags).args(["-g", "-w"]).args(recorder).args(build.sources);
    if build.bundled_mpi {
        command.args(bundled::compile(folder, build.compiler)?);
    }
    command.arg("-o").arg(&program).args(split_command(build.link).unwrap_or_default());
    done(&mut command, build.compiler, "the program with its recorder").map(|()| program)
}

/// Compiles the recorder as a library that is loaded before an executable; its path.
///
/// # Errors
/// What the compiler said, or why it could not be run.
pub fn library(folder: &Path, compiler: &str) -> Result<PathBuf, Box<Diagnostic>> {
    let library = folder.join("libchronos-record.so");
    let recorder = objects(folder, compiler, None, &["-fPIC"])?;
    let mut command = started(compiler)?;
    command.arg("-shared").args(recorder).arg("-o").arg(&library);
    done(&mut command, compiler, "the recorder").map(|()| library)
}

fn objects(
    folder: &Path,
    compiler: &str,
    headers: Option<&Path>,
    flags: &[&str],
) -> Result<Vec<PathBuf>, Box<Diagnostic>> {
    let sources: Vec<&str> = texts().map(|(name, _)| name).filter(|name| name.ends_with(".c")).collect();
    let mut command = started(compiler)?;
    if let Some(headers) = headers {
        command.arg("-I").arg(headers);
    }
    // Behind the user's flags, so that a language standard or a sanitiser of theirs is not meant for it.
    command.args(["-std=gnu11", "-O2", "-w", "-fno-sanitize=all", "-DCHRONOS_WITH_MPI", "-DCHRONOS_RECORD"]);
    command.args(flags).arg("-c").args(&sources).current_dir(folder);
    done(&mut command, compiler, "the recorder")?;
    Ok(sources.iter().map(|name| folder.join(name).with_extension("o")).collect())
}

fn done(command: &mut Command, compiler: &str, what: &str) -> Result<(), Box<Diagnostic>> {
    let output = children::output(command).map_err(|error| no_compiler(compiler, &error))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let said: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).take(8).collect();
    let message = format!("`{compiler}` refuses {what}:\n{}", said.join("\n"));
    Err(Box::new(Diagnostic::error(&codes::NOT_LINKED, message).help("see `chronos explain C1005`")))
}

/// How a program is run.
#[derive(Clone, Debug)]
pub struct RecordedRun<'a> {
    /// Who starts the tasks.
    pub launcher: Launcher<'a>,
    /// Number of tasks.
    pub tasks: usize,
    /// Arguments of the program.
    pub arguments: &'a [String],
    /// The file that is its standard input.
    pub stdin: Option<&'a Path>,
    /// Where the record goes.
    pub folder: &'a Path,
    /// The recorder, where the program is not linked with it.
    pub library: Option<&'a Path>,
}

/// Runs the program to its end; its output is the user's.
///
/// # Errors
/// Where it cannot be started.
pub fn execute(program: &Path, run: &RecordedRun<'_>) -> Result<ExitStatus, Box<Diagnostic>> {
    let (mut command, what) = match run.launcher {
        Launcher::Command(launcher) => {
            let mut command = started(&launcher.replace("{n}", &run.tasks.to_string()))?;
            children::launcher(&mut command).args(environment(run)).arg(program);
            (command, launcher)
        }
        Launcher::Alone | Launcher::Bundled => {
            let mut command = Command::new(program);
            command.env(FOLDER, run.folder).env(bundled::TASKS, run.tasks.to_string());
            (command, "the recorded program")
        }
    };
    command.args(run.arguments);
    if let Some(stdin) = run.stdin {
        let file = std::fs::File::open(stdin).map_err(|error| not_started(&stdin.to_string_lossy(), &error))?;
        command.stdin(file);
    } else if std::io::stdin().is_terminal() {
        // A group of its own may not read from the terminal.
        command.stdin(Stdio::piped());
    }
    children::status(&mut command).map_err(|error| not_started(what, &error))
}

/// The program alone is told, on whatever node: the launcher is not to load the recorder.
fn environment(run: &RecordedRun<'_>) -> Vec<String> {
    let library = run.library.map(|library| format!("LD_PRELOAD={}", library.display()));
    let folder = format!("{FOLDER}={}", run.folder.display());
    ["env".to_owned(), folder].into_iter().chain(library).collect()
}
