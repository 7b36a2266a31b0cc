//! The command line: flags to configuration, files, progress, exit codes.
//!
//! The only module that touches the terminal, the arguments and the environment.

mod args;
mod build;
mod calibrate;
mod check;
mod codes;
mod compare;
mod compilers;
mod count;
mod cube;
mod dump;
mod exit;
mod explain;
mod explain_code;
mod extra_p;
mod folders;
mod help;
mod instrument;
mod job_array;
mod limits;
mod lsp;
mod machine;
mod made_input;
mod manual;
mod memory;
mod native;
mod network_fit;
mod output;
mod predict;
mod progress;
mod project;
mod record;
mod replay;
mod report;
mod run;
mod scaling;
mod schema;
mod timeline;
mod trace;
mod validate;
mod values;
mod whatif;

use args::{Arguments, Command};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
pub use exit::Exit;
pub use explain::all as diagnostic_codes;
use std::io::Write as _;
use std::process::{ExitCode, Termination as _};

/// All commands and options, for documentation that is made from them.
pub fn commands() -> clap::Command {
    Arguments::command()
}

/// What the process was started for: a command, or a compiler's call in a build that a command runs.
pub fn main() -> ExitCode {
    build::as_wrapper().unwrap_or_else(|| command().report())
}

/// Parses the arguments, runs the command and says how it ended.
fn command() -> Exit {
    match Arguments::try_parse() {
        Ok(mut arguments) => {
            let terminal = output::Terminal::new(&arguments);
            let limits = limits::Limits::of(&arguments);
            limits::governed(limits, &terminal, || prepared(&mut arguments, &terminal).unwrap_or_else(|exit| exit))
        }
        Err(error) => usage(&help::as_written(error, Arguments::command)),
    }
}

/// Runs the command after what it takes from the machine at hand: a build, and the processor.
fn prepared(arguments: &mut Arguments, terminal: &output::Terminal) -> Result<Exit, Exit> {
    // The database of the build stays until the command has ended.
    let _build = build::captured(&mut arguments.command, terminal)?;
    project::named(&mut arguments.command, terminal)?;
    native::name_machines(&mut arguments.command, terminal)?;
    Ok(run(arguments, terminal))
}

fn run(arguments: &Arguments, terminal: &output::Terminal) -> Exit {
    match &arguments.command {
        Command::Predict(options) => predict::run(options, terminal),
        Command::Compare(options) => compare::run(options, terminal),
        Command::Scale(options) => scaling::run(options, terminal),
        Command::WhatIf(options) => whatif::run(options, terminal),
        Command::Replay(options) => replay::run(options, terminal),
        Command::Report(options) => report::run(options, terminal),
        Command::Check(options) => check::run(options, terminal),
        Command::Count(options) => count::run(options, terminal),
        Command::Validate(options) => validate::run(options, terminal),
        Command::Instrument(options) => instrument::run(options, terminal),
        Command::Trace(options) => trace::run(options, terminal),
        Command::Run(options) => run::run(options, terminal),
        Command::Record(options) => record::run(options, terminal),
        Command::Calibrate(options) => calibrate::run(options, terminal),
        Command::Machine(options) => machine::machines(options, terminal),
        Command::Network(options) => machine::networks(options, terminal),
        Command::Dump(options) => dump::run(options, terminal),
        Command::Explain(options) => explain::run(options, terminal),
        Command::ExplainCode(options) => explain_code::run(options, terminal),
        Command::Lsp(options) => lsp::run(options, terminal),
        Command::Schema(options) => schema::run(options, terminal),
        Command::Header => terminal.print(chronos_frontend::headers::CHRONOS),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Arguments::command(), "chronos", &mut script);
            terminal.print(&String::from_utf8_lossy(&script))
        }
        Command::Manual(options) => manual::run(options, terminal),
    }
}

/// `--help` and `--version` are no errors; a closed pipe is none either.
fn usage(error: &clap::Error) -> Exit {
    let _ = error.print();
    let words: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some(tip) = tip(error.kind(), &words) {
        let _ = writeln!(std::io::stderr(), "\ntip: {tip}");
    }
    if error.use_stderr() { Exit::Usage } else { Exit::Done }
}

/// What somebody meant who types as for a compiler or for mpirun.
fn tip(kind: ErrorKind, words: &[String]) -> Option<String> {
    let number = words.iter().position(|word| word == "-np").and_then(|at| words.get(at + 1));
    let tasks = number.map_or("4", String::as_str);
    match words.first() {
        Some(file) if kind == ErrorKind::InvalidSubcommand && file.ends_with(".c") => {
            Some(format!("chronos predict {file} -n {tasks}"))
        }
        _ if words.iter().any(|word| word == "-np") => Some(format!("the number of tasks is -n {tasks}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::tip;
    use clap::error::ErrorKind;

    fn check(kind: ErrorKind, line: &str, expected: Option<&str>) {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        assert_eq!(tip(kind, &words).as_deref(), expected);
    }

    #[test]
    fn who_types_as_for_a_compiler_or_mpirun_is_told_the_command() {
        check(ErrorKind::InvalidSubcommand, "pi.c", Some("chronos predict pi.c -n 4"));
        check(ErrorKind::InvalidSubcommand, "pi.c -np 8", Some("chronos predict pi.c -n 8"));
        check(ErrorKind::ValueValidation, "predict pi.c -np 8", Some("the number of tasks is -n 8"));
        check(ErrorKind::InvalidSubcommand, "predikt pi.c", None);
    }
}
