//! `chronos calibrate`.

use super::args::CalibrateArgs;
use super::exit::Exit;
use super::output::Terminal;
use crate::calibrate::{self, Effort, Options, Progress};
use crate::machine::Machine;
use crate::span::SourceFiles;
use crate::suite;
use indicatif::{ProgressBar, ProgressStyle};

pub fn run(arguments: &CalibrateArgs, terminal: &Terminal) -> Exit {
    if let Err(error) = terminal.writable(Some(&arguments.output)) {
        return terminal.report(&[error], &SourceFiles::default());
    }
    let options = options(arguments);
    let bar = bar(terminal);
    let mut progress = |step: Progress| {
        bar.set_length(step.total.into());
        bar.set_position(step.done.into());
        bar.set_message(step.what);
    };
    let (machine, diagnostics) = calibrate::run(&options, &mut progress);
    bar.finish_and_clear();
    let reported = terminal.report(&diagnostics, &SourceFiles::default());
    match machine {
        Some(machine) => write(&with_residuals(machine, terminal), arguments, terminal),
        None => reported.max(Exit::Usage),
    }
}

/// With how well the model `source` predicts the suite; without, where the suite cannot be predicted.
fn with_residuals(mut machine: Machine, terminal: &Terminal) -> Machine {
    match suite::residuals(&machine) {
        Ok(residuals) => machine.residuals_source = Some(residuals),
        Err(errors) => terminal.tell(|| {
            let messages: Vec<String> = errors.iter().map(|error| error.message.clone()).collect();
            format!("the suite was not predicted: {}", messages.join("; "))
        }),
    }
    machine
}

fn write(machine: &Machine, arguments: &CalibrateArgs, terminal: &Terminal) -> Exit {
    let text = machine.to_json() + "\n";
    terminal.write(&text, Some(&arguments.output))
}

fn bar(terminal: &Terminal) -> ProgressBar {
    if !terminal.shows_progress() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}").unwrap_or(ProgressStyle::default_bar());
    ProgressBar::new(1).with_style(style)
}

fn options(arguments: &CalibrateArgs) -> Options {
    let stem = arguments.output.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    Options {
        compiler: arguments.cc.split_whitespace().map(str::to_owned).collect(),
        name: arguments.name.clone().or(stem),
        effort: effort(arguments),
        allow_noise: arguments.allow_noise,
    }
}

fn effort(arguments: &CalibrateArgs) -> Effort {
    match (arguments.trial, arguments.quick) {
        (true, _) => Effort::Trial,
        (false, true) => Effort::Quick,
        (false, false) => Effort::Full,
    }
}
