//! The command line: flags to configuration, files, progress, exit codes.
//!
//! The only module that touches the terminal, the arguments and the environment.

mod args;
mod calibrate;
mod check;
mod codes;
mod compare;
mod compilers;
mod count;
mod dump;
mod exit;
mod explain;
mod explain_code;
mod instrument;
mod limits;
mod machine;
mod manual;
mod native;
mod output;
mod predict;
mod progress;
mod replay;
mod report;
mod scaling;
mod timeline;
mod trace;
mod validate;
mod values;
mod whatif;

use args::{Arguments, Command};
use clap::{CommandFactory, Parser};
pub use exit::Exit;
pub use explain::all as diagnostic_codes;

/// All commands and options, for documentation that is made from them.
pub fn commands() -> clap::Command {
    Arguments::command()
}

/// Parses the arguments, runs the command and says how it ended.
pub fn main() -> Exit {
    match Arguments::try_parse() {
        Ok(mut arguments) => {
            let terminal = output::Terminal::new(&arguments);
            if let Err(exit) = native::name_machines(&mut arguments.command, &terminal) {
                return exit;
            }
            limits::governed(&arguments, &terminal, || run(&arguments, &terminal))
        }
        Err(error) => usage(&error),
    }
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
        Command::Calibrate(options) => calibrate::run(options, terminal),
        Command::Machine(options) => machine::machines(options, terminal),
        Command::Network(options) => machine::networks(options, terminal),
        Command::Dump(options) => dump::run(options, terminal),
        Command::Explain(options) => explain::run(options, terminal),
        Command::ExplainCode(options) => explain_code::run(options, terminal),
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
    if error.use_stderr() { Exit::Usage } else { Exit::Done }
}
