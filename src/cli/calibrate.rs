//! `chronos calibrate`.

use super::args::CalibrateArgs;
use super::exit::Exit;
use super::output::Terminal;
use chronos_base::span::SourceFiles;
use chronos_base::units::Bytes;
use chronos_calibrate::{self as calibrate, Effort, Options, Progress};
use chronos_machine::Machine;
use chronos_predict::suite_residuals;
use indicatif::{ProgressBar, ProgressStyle};

pub fn run(arguments: &CalibrateArgs, terminal: &Terminal) -> Exit {
    if let Err(error) = terminal.writable(Some(&arguments.output)) {
        return terminal.report(&[error], &SourceFiles::default());
    }
    if let Some(mpirun) = &arguments.mpirun {
        return network(arguments, mpirun, terminal);
    }
    let bar = bar(terminal);
    let (machine, diagnostics) = calibrate::run(&options(arguments), &mut |step| show(&bar, step));
    bar.finish_and_clear();
    let reported = terminal.report(&diagnostics, &SourceFiles::default());
    match machine {
        Some(machine) => write(&with_residuals(machine, terminal), arguments, terminal),
        None => reported.max(Exit::Usage),
    }
}

fn show(bar: &ProgressBar, step: Progress) {
    bar.set_length(step.total.into());
    bar.set_position(step.done.into());
    bar.set_message(step.what);
}

fn network(arguments: &CalibrateArgs, mpirun: &str, terminal: &Terminal) -> Exit {
    let options = calibrate::network::Options {
        mpirun: mpirun.to_owned(),
        mpicc: arguments.mpicc.clone(),
        tasks: arguments.tasks.clone(),
        largest: Bytes(arguments.largest),
        name: name(arguments),
        library: arguments.mpi_library.clone(),
        rest: arguments.rest.clone(),
        effort: effort(arguments),
        allow_noise: arguments.allow_noise,
    };
    let bar = bar(terminal);
    let (network, diagnostics) = calibrate::network::run(&options, &mut |step| show(&bar, step));
    bar.finish_and_clear();
    let reported = terminal.report(&diagnostics, &SourceFiles::default());
    let text = network.and_then(|network| serde_json::to_string_pretty(&network).ok());
    match text {
        Some(text) => terminal.write(&(text + "\n"), Some(&arguments.output)),
        None => reported.max(Exit::Usage),
    }
}

/// With how well the model `source` predicts the suite; without, where the suite cannot be predicted.
fn with_residuals(machine: Machine, terminal: &Terminal) -> Machine {
    suite_residuals::with_residuals(machine.clone()).unwrap_or_else(|errors| {
        terminal.tell(|| {
            let messages: Vec<String> = errors.iter().map(|error| error.message.clone()).collect();
            format!("the suite was not predicted: {}", messages.join("; "))
        });
        machine
    })
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
    Options {
        compiler: arguments.cc.split_whitespace().map(str::to_owned).collect(),
        name: name(arguments),
        effort: effort(arguments),
        allow_noise: arguments.allow_noise,
    }
}

/// The file's name where no other is given.
fn name(arguments: &CalibrateArgs) -> Option<String> {
    let stem = || arguments.output.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    arguments.name.clone().or_else(stem)
}

fn effort(arguments: &CalibrateArgs) -> Effort {
    match (arguments.trial, arguments.quick) {
        (true, _) => Effort::Trial,
        (false, true) => Effort::Quick,
        (false, false) => Effort::Full,
    }
}
