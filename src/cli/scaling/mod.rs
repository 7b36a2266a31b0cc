//! `chronos scale`: how a program scales, from predictions, from a file of times, or by a model's parameters.

mod analytic_model;
mod predicted;

use super::args::{Format, HoldChoice, ScaleArgs};
use super::codes;
use super::exit::Exit;
use super::output::Terminal;
use chronos_base::diag::Diagnostic;
use chronos_base::span::SourceFiles;
use chronos_pipeline::{DiagnosticSet, times_file};
use chronos_report::json;
use chronos_report::model::Prediction;
use chronos_report::scaling::model::{CallData, Origin, Series};
use chronos_report::scaling::{self, ScalingReport};
use chronos_scaling::class::{Collected, Hold};
use chronos_scaling::study::{Questions, Study};
use chronos_scaling::{Point, Priors};

/// Up to so many tasks it is extrapolated where nobody says otherwise.
const TO: usize = 1024;

pub fn run(options: &ScaleArgs, terminal: &Terminal) -> Exit {
    let writable = |()| terminal.writable(options.html.as_deref());
    if let Err(error) = terminal.writable(options.output.file()).and_then(writable).and_then(|()| check(options)) {
        return terminal.report(&[error], &SourceFiles::default());
    }
    if let Some(model) = options.model {
        return analytic_model::run(model, options, terminal);
    }
    let found = match options.from.as_deref() {
        Some(file) => times_file::read(file)
            .and_then(|series| ScalingInput::of_file(series, options))
            .map_err(|error| terminal.report(&[error], &SourceFiles::default())),
        None => predicted::predicted(options, terminal),
    };
    found.map_or_else(|exit| exit, |found| finish(options, found, terminal))
}

/// What there is to do.
fn check(options: &ScaleArgs) -> Result<(), Diagnostic> {
    let error = |message: &str, help: &str| Err(Diagnostic::error(&codes::NOTHING_TO_FIT, message).help(help));
    let other = options.from.is_some() || options.model.is_some();
    if other && options.has_program() {
        return error("--from and --model take no program", "leave the C files out");
    }
    if let Some(option) = option_of_predictions(options).filter(|_| other) {
        let message = format!("{option} changes predictions, of which --from and --model make none");
        return error(&message, "leave it out, or name a program");
    }
    if !other && !options.has_program() {
        let help = "name its C files, or a file of times with --from, or a model with --model flat --r 100";
        return error("no program is given", help);
    }
    if !options.front_end.symbolic.is_empty() {
        let help = "give values: --sweep NAME=100,200";
        return error("--symbolic gives expressions, which models cannot be fitted to", help);
    }
    let largest = options.points.tasks().iter().max().filter(|_| !other);
    verified_already(options).or_else(|| not_beyond(options, *largest?)).map_or(Ok(()), Err)
}

/// Extrapolation to what is known already.
fn not_beyond(options: &ScaleArgs, largest: usize) -> Option<Diagnostic> {
    let to = options.to.filter(|&to| to <= largest)?;
    let message = format!("--to {to}: there is a time with {largest} tasks already");
    Some(Diagnostic::error(&codes::NOTHING_TO_FIT, message).help("give a larger number of tasks, or leave it out"))
}

/// An option that is given and that only predictions heed.
fn option_of_predictions(options: &ScaleArgs) -> Option<&'static str> {
    let (program, systems) = (&options.front_end, &options.systems);
    let given = [
        ("--sweep", !options.points.sweeps.is_empty()),
        ("--scale", !systems.factors.is_empty()),
        ("--cost-model", systems.cost_model.cost_model.is_some()),
        ("--machine", !systems.machines.is_empty()),
        ("--platform", !systems.platforms.is_empty()),
        ("--network", systems.network != chronos_machine::network::DEFAULT),
        ("--mpi-library", systems.mpi_library.is_some()),
        ("--tasks-per-node", systems.tasks_per_node != 1),
        ("--set", !program.settings.is_empty()),
        ("--threads", program.threads.is_some()),
        ("--omp-schedule", program.omp_schedule.is_some()),
        ("--prob", !program.probabilities.is_empty()),
        ("--iterations", !program.iterations.is_empty()),
        ("-- ARGS", !program.arguments.is_empty()),
        ("--resume", options.work.resume.is_some()),
    ];
    given.into_iter().find_map(|(name, is_given)| is_given.then_some(name))
}

/// What a model is fitted to verifies nothing.
fn verified_already(options: &ScaleArgs) -> Option<Diagnostic> {
    let verify = options.verify.as_ref().filter(|_| options.from.is_none())?;
    let both = verify.0.iter().find(|tasks| options.points.tasks().contains(tasks))?;
    let message = format!("--verify {both}: models are fitted to the prediction for {both} tasks");
    Some(Diagnostic::error(&codes::NOTHING_TO_FIT, message).help("verify other numbers of tasks than those of -n"))
}

/// The points of one series, and what else is known of it.
#[derive(Default)]
struct SeriesInput {
    origin: Origin,
    /// Points that models are fitted to.
    known: Vec<Point>,
    /// Points that fits may not see.
    verify: Vec<Point>,
    /// What the parts are a priori.
    priors: Priors,
    /// Calls as expressions of the number of tasks.
    calls: Vec<CallData>,
    collected: Collected,
}

impl SeriesInput {
    /// What is asked of its study.
    fn questions(&self, options: &ScaleArgs) -> Questions {
        let hold = options.hold.map(|choice| match choice {
            HoldChoice::Work => Hold::Work,
            HoldChoice::WorkPerTask => Hold::WorkPerTask,
        });
        let (verify, priors) = (self.verify.clone(), self.priors.clone());
        Questions { hold, to: options.to.unwrap_or(TO), verify, priors, collected: self.collected.clone() }
    }
}

/// All series.
struct ScalingInput {
    series: Vec<SeriesInput>,
    told: DiagnosticSet,
    exit: Exit,
}

impl Default for ScalingInput {
    fn default() -> Self {
        Self { series: Vec::new(), told: DiagnosticSet::default(), exit: Exit::Done }
    }
}

impl ScalingInput {
    /// Points with the numbers of tasks of `--verify` are kept from the fits.
    fn of_file(series: Vec<(Origin, Vec<Point>)>, options: &ScaleArgs) -> Result<Self, Diagnostic> {
        let verify = options.verify.as_ref().map_or(&[][..], |counts| &counts.0);
        let has = |tasks: usize| series.iter().any(|(_, points)| points.iter().any(|point| point.tasks == tasks));
        if let Some(missing) = verify.iter().find(|&&tasks| !has(tasks)) {
            let message = format!("--verify {missing}: the file has no time with {missing} tasks");
            let help = "name numbers of tasks that it has; they are kept from the fits";
            return Err(Diagnostic::error(&codes::NOTHING_TO_FIT, message).help(help));
        }
        let largest = series.iter().flat_map(|(_, points)| points).map(|point| point.tasks).max();
        if let Some(error) = largest.and_then(|largest| not_beyond(options, largest)) {
            return Err(error);
        }
        let split = |(origin, points): (Origin, Vec<Point>)| {
            let (verify, known) = points.into_iter().partition(|point| verify.contains(&point.tasks));
            SeriesInput { origin, known, verify, ..SeriesInput::default() }
        };
        Ok(Self { series: series.into_iter().map(split).collect(), ..Self::default() })
    }

    /// The position of its series.
    fn add(&mut self, origin: Origin, point: Point, is_known: bool) -> usize {
        let at = self.series.iter().position(|series| series.origin == origin).unwrap_or_else(|| {
            self.series.push(SeriesInput { origin, ..SeriesInput::default() });
            self.series.len() - 1
        });
        let series = &mut self.series[at];
        if is_known {
            series.known.push(point);
        } else {
            series.verify.push(point);
        }
        at
    }
}

/// `None` where the prediction is incomplete.
fn point_of(prediction: &Prediction) -> Option<Point> {
    times_file::point_of(prediction.tasks_count, prediction.total_s, &prediction.tasks)
}

fn finish(options: &ScaleArgs, found: ScalingInput, terminal: &Terminal) -> Exit {
    terminal.report_all(&found.told);
    let study = |input: SeriesInput| {
        let questions = input.questions(options);
        let study = Study::new(input.known, &questions)?;
        let mut series = Series::new(input.origin, &study);
        series.calls = input.calls;
        Some(series)
    };
    let mut report = ScalingReport::new(found.series.into_iter().filter_map(study).collect());
    report.diagnostics.clone_from(&found.told.data);
    if report.series.is_empty() {
        let (message, help) = match (&options.from, &options.verify) {
            (Some(_), Some(_)) => (
                "--verify keeps all times of the file from the fits",
                "leave two numbers of tasks at least to fit models to",
            ),
            _ => (
                "there is no complete prediction to fit a model to",
                "the diagnostics above say what is missing; `chronos check FILE` says more",
            ),
        };
        let nothing = Diagnostic::error(&codes::NOTHING_TO_FIT, message).help(help);
        return terminal.report(&[nothing], &SourceFiles::default()).max(Exit::Incomplete);
    }
    let wrong = if found.told.has_errors() { Exit::Incomplete } else { Exit::Done };
    let text = render(options, &report, terminal);
    let written = terminal.write(&text, options.output.file());
    let page = options.html.as_deref().map(|file| terminal.write(&scaling::html(&report), Some(file)));
    found.exit.max(wrong).max(written).max(page.unwrap_or(Exit::Done))
}

fn render(options: &ScaleArgs, report: &ScalingReport, terminal: &Terminal) -> String {
    let width = options.output.width(terminal.width());
    match options.output.format {
        Format::Table => scaling::table(report, width),
        Format::Json => json(report),
        Format::Csv => scaling::csv(report).unwrap_or_default(),
    }
}
