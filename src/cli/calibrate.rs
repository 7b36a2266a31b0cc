//! `chronos calibrate`.

use super::args::CalibrateArgs;
use super::exit::Exit;
use super::output::Terminal;
use super::{codes, native};
use chronos_base::diag::Diagnostic;
use chronos_base::span::SourceFiles;
use chronos_base::units::Bytes;
use chronos_calibrate::{self as calibrate, Effort, Options, Progress};
use chronos_machine::Machine;
use chronos_machine::choice::Surroundings;
use chronos_predict::library_costs::{self, FunctionCost};
use chronos_predict::suite_residuals;
use indicatif::{ProgressBar, ProgressStyle};
use std::path::{Path, PathBuf};

pub fn run(arguments: &CalibrateArgs, terminal: &Terminal) -> Exit {
    if let Err(error) = terminal.writable(arguments.output.as_deref()) {
        return terminal.report(&[error], &SourceFiles::default());
    }
    match (&arguments.mpirun, &arguments.blas, &arguments.output) {
        (Some(mpirun), ..) => network(arguments, mpirun, terminal),
        (None, Some(link), _) => blas(arguments, link, terminal),
        (None, None, Some(output)) => measured(&options(arguments), output, terminal),
        (None, None, None) => kept(options(arguments), terminal).0,
    }
}

/// Measures a BLAS into a file of library costs.
fn blas(arguments: &CalibrateArgs, link: &str, terminal: &Terminal) -> Exit {
    let options = calibrate::blas::Options {
        compiler: words(&arguments.cc),
        link: shlex::split(link).unwrap_or_else(|| words(link)),
        effort: effort(arguments),
    };
    let bar = bar(terminal);
    let costs = calibrate::blas::measure(&options, &mut |step| show(&bar, step));
    bar.finish_and_clear();
    match costs {
        Ok(costs) => {
            let functions = costs.into_iter().map(|cost| (cost.name.clone(), function_cost(&cost))).collect();
            terminal.write(&library_costs::to_json(functions), arguments.output.as_deref())
        }
        Err(error) => terminal.report(&[error], &SourceFiles::default()).max(Exit::Usage),
    }
}

fn function_cost(cost: &calibrate::blas::Cost) -> FunctionCost {
    FunctionCost {
        arguments: cost.function.arguments.iter().map(|&argument| argument.to_owned()).collect(),
        work: Some(cost.function.work.to_owned()),
        ns_per_call: cost.per_call,
        ns_per_work: Some(cost.per_work),
        work_per_ns: None,
    }
}

/// The machine file that a brief calibration leaves for `--machine native`; `None` where there is none, which was told.
pub fn brief(surroundings: &Surroundings, terminal: &Terminal) -> Option<PathBuf> {
    let compiler = words(&surroundings.build.levelled_command());
    let options = Options { compiler, name: None, effort: Effort::Brief, allow_noise: true };
    kept(options, terminal).1
}

/// Measures into the folder of kept machine files.
fn kept(mut options: Options, terminal: &Terminal) -> (Exit, Option<PathBuf>) {
    let name = native::of_compiler(Some(options.compiler.clone())).short();
    let path = match native::place(&name) {
        Ok(path) => path,
        Err(error) => return (terminal.report(&[error], &SourceFiles::default()), None),
    };
    options.name.get_or_insert(name);
    match measured(&options, &path, terminal) {
        Exit::Done => {
            let message = format!("kept for --machine native: {}", path.display());
            terminal.report(&[Diagnostic::note(&codes::KEPT_MACHINE, message)], &SourceFiles::default());
            (Exit::Done, Some(path))
        }
        exit => (exit, None),
    }
}

fn measured(options: &Options, output: &Path, terminal: &Terminal) -> Exit {
    let bar = bar(terminal);
    let (machine, diagnostics) = calibrate::run(options, &mut |step| show(&bar, step));
    bar.finish_and_clear();
    let reported = terminal.report(&diagnostics, &SourceFiles::default());
    match machine {
        Some(machine) => {
            let text = with_residuals(machine, terminal).to_json() + "\n";
            terminal.write(&text, Some(output))
        }
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
        Some(text) => terminal.write(&(text + "\n"), arguments.output.as_deref()),
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

fn bar(terminal: &Terminal) -> ProgressBar {
    if !terminal.shows_progress() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}").unwrap_or(ProgressStyle::default_bar());
    ProgressBar::new(1).with_style(style)
}

fn options(arguments: &CalibrateArgs) -> Options {
    Options {
        compiler: words(&arguments.cc),
        name: name(arguments),
        effort: effort(arguments),
        allow_noise: arguments.allow_noise,
    }
}

fn words(command: &str) -> Vec<String> {
    command.split_whitespace().map(str::to_owned).collect()
}

/// The file's name where no other is given.
fn name(arguments: &CalibrateArgs) -> Option<String> {
    let stem = || arguments.output.as_ref()?.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    arguments.name.clone().or_else(stem)
}

fn effort(arguments: &CalibrateArgs) -> Effort {
    match arguments {
        CalibrateArgs { trial: true, .. } => Effort::Trial,
        CalibrateArgs { brief: true, .. } => Effort::Brief,
        CalibrateArgs { quick: true, .. } => Effort::Quick,
        _ => Effort::Full,
    }
}
