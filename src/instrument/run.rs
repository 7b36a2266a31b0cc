//! Compiles instrumented sources and runs them.

use super::codes;
use crate::diag::{Diagnostic, system_cause};
use crate::source::split_command;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

/// How to compile.
#[derive(Clone, Debug)]
pub struct Build<'a> {
    /// The compiler with its flags.
    pub compiler: &'a str,
    pub flags: Vec<String>,
    /// Behind the sources.
    pub link: &'a str,
}

/// How to run.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// What starts the tasks, `{n}` for their number; `None` where the program is started as it is.
    pub launcher: Option<&'a str>,
    pub tasks: usize,
    pub arguments: &'a [String],
    pub stdin: Option<&'a Path>,
    /// Where the trace goes.
    pub folder: &'a Path,
}

/// Compiles `sources` of `folder`; the path of the program.
///
/// # Errors
/// What the compiler said, or why it could not be run.
pub fn compile(folder: &Path, sources: &[String], build: &Build<'_>) -> Result<PathBuf, Box<Diagnostic>> {
    let program = folder.join("traced-program");
    let mut command = started(build.compiler)?;
    command.args(&build.flags).arg("-w").arg("-I").arg(folder);
    command.args(sources.iter().map(|name| folder.join(name)));
    command.arg("-o").arg(&program).args(split_command(build.link).unwrap_or_default());
    let output = command.stdin(Stdio::null()).output().map_err(|error| {
        let message = format!("`{}` cannot be run: {}", build.compiler, system_cause(&error));
        let help = "install it, or name another compiler with its flags: --cc for sequential programs, --mpicc for MPI";
        Box::new(Diagnostic::error(&codes::COMPILATION, message).help(help))
    })?;
    if output.status.success() {
        return Ok(program);
    }
    let said = String::from_utf8_lossy(&output.stderr).replace(&format!("{}/", folder.display()), "");
    let said: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).take(8).collect();
    let message = format!("`{}` refuses the instrumented sources:\n{}", build.compiler, said.join("\n"));
    Err(Box::new(Diagnostic::error(&codes::COMPILATION, message).help("see `chronos explain C1003`")))
}

/// Runs the program to its end; its output is the user's.
///
/// # Errors
/// Where it cannot be started.
pub fn execute(program: &Path, run: &Run<'_>) -> Result<ExitStatus, Box<Diagnostic>> {
    let mut command = match run.launcher {
        Some(launcher) => {
            let mut command = started(&launcher.replace("{n}", &run.tasks.to_string()))?;
            command.arg(program);
            command
        }
        None => Command::new(program),
    };
    command.args(run.arguments).env("CHRONOS_TRACE", run.folder);
    if let Some(stdin) = run.stdin {
        let file = std::fs::File::open(stdin).map_err(|error| not_started(&stdin.to_string_lossy(), &error))?;
        command.stdin(file);
    }
    command.status().map_err(|error| not_started(run.launcher.unwrap_or("the traced program"), &error))
}

fn not_started(what: &str, error: &std::io::Error) -> Box<Diagnostic> {
    let message = format!("the traced program cannot be started with `{what}`: {}", system_cause(error));
    let help = "install an MPI, or name what starts its tasks: --mpirun \"mpirun -np {n}\"";
    Box::new(Diagnostic::error(&codes::RUN_FAILED, message).help(help))
}

fn started(command: &str) -> Result<Command, Box<Diagnostic>> {
    let words = split_command(command).filter(|words| !words.is_empty()).ok_or_else(|| {
        let message = format!("`{command}` is no command: it is empty or a quote stays open");
        Box::new(
            Diagnostic::error(&codes::COMPILATION, message).help("give a program and its flags, quoted as for a shell"),
        )
    })?;
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    Ok(command)
}

/// The warning for a program that ended with an error.
pub fn failed(status: ExitStatus) -> Option<Diagnostic> {
    if status.success() {
        return None;
    }
    let message = format!("the traced program ended with an error ({status})");
    Some(
        Diagnostic::warning(&codes::RUN_FAILED, message)
            .help("its trace holds what it did; check that the original runs"),
    )
}
