//! `chronos scale`: how a program scales, from predictions, from a file of times, or by a model's parameters.

mod analytic_model;

use super::args::{Format, HoldChoice, ScaleArgs};
use super::codes;
use super::exit::Exit;
use super::output::Terminal;
use super::progress::TerminalProgress;
use chronos_base::diag::Diagnostic;
use chronos_base::span::SourceFiles;
use chronos_pipeline::{self as pipeline, DiagnosticSet, PredictOptions, SweepPlan, times_file};
use chronos_report::json;
use chronos_report::model::Prediction;
use chronos_report::scaling::model::{Origin, Series};
use chronos_report::scaling::{self, ScalingReport};
use chronos_scaling::Point;
use chronos_scaling::class::Hold;
use chronos_scaling::study::{Questions, Study};

pub fn run(options: &ScaleArgs, terminal: &Terminal) -> Exit {
    if let Err(error) = terminal.writable(options.output.file()).and_then(|()| check(options)) {
        return terminal.report(&[error], &SourceFiles::default());
    }
    if let Some(model) = options.model {
        return analytic_model::run(model, options, terminal);
    }
    let found = match options.from.as_deref() {
        Some(file) => times_file::read(file)
            .map(ScalingInput::of_file)
            .map_err(|error| terminal.report(&[error], &SourceFiles::default())),
        None => predicted(options, terminal),
    };
    found.map_or_else(|exit| exit, |found| finish(options, found, terminal))
}

/// What there is to do.
fn check(options: &ScaleArgs) -> Result<(), Diagnostic> {
    let error = |message: &str, help: &str| Err(Diagnostic::error(&codes::NOTHING_TO_FIT, message).help(help));
    let other = options.from.is_some() || options.model.is_some();
    match options.front_end.files.len() {
        1.. if other => error("--from and --model take no program", "leave the C files out"),
        0 if !other => error(
            "no program is given",
            "name its C files, or a file of times with --from, or a model with --model flat --r 100",
        ),
        _ if !options.front_end.symbolic.is_empty() => {
            error("--symbolic gives expressions, which models cannot be fitted to", "give values: --sweep NAME=100,200")
        }
        _ => Ok(()),
    }
}

/// Points of each series, with those that fits may not see.
struct ScalingInput {
    series: Vec<(Origin, Vec<Point>, Vec<Point>)>,
    told: DiagnosticSet,
    exit: Exit,
}

impl ScalingInput {
    fn of_file(series: Vec<(Origin, Vec<Point>)>) -> Self {
        let series = series.into_iter().map(|(origin, points)| (origin, points, Vec::new())).collect();
        Self { series, told: DiagnosticSet::default(), exit: Exit::Done }
    }

    fn add(&mut self, origin: Origin, point: Point, is_known: bool) {
        let at = self.series.iter().position(|(other, _, _)| *other == origin).unwrap_or_else(|| {
            self.series.push((origin, Vec::new(), Vec::new()));
            self.series.len() - 1
        });
        let (_, known, verified) = &mut self.series[at];
        if is_known { known.push(point) } else { verified.push(point) }
    }
}

fn predicted(options: &ScaleArgs, terminal: &Terminal) -> Result<ScalingInput, Exit> {
    let verify = options.verify.as_ref().map_or(&[][..], |counts| &counts.0);
    let fitted = |tasks: usize| options.points.tasks.0.contains(&tasks);
    let tasks: Vec<usize> =
        options.points.tasks.0.iter().copied().chain(verify.iter().copied().filter(|&n| !fitted(n))).collect();
    let progress = TerminalProgress::new(terminal);
    let plan = SweepPlan::new(predict_options(options, tasks), &progress).map_err(|r| terminal.refuse(&r))?;
    let mut found = ScalingInput { series: Vec::new(), told: DiagnosticSet::default(), exit: Exit::Done };
    plan.read().for_each(|(files, diagnostics)| found.told.add(diagnostics, files));
    let made = plan.run(&progress, |sweep_point, result| {
        found.told.add(&result.diagnostics, plan.files(sweep_point));
        let (tasks, system) = (sweep_point.tasks, plan.system_name(sweep_point));
        progress.suspend(|| terminal.tell(|| format!("-n {tasks} on {system}: {:.3?}", result.took)));
        match point(&result.prediction) {
            Some(point) => found.add(origin(options, &result.prediction), point, fitted(tasks)),
            None => found.exit = found.exit.max(Exit::Incomplete),
        }
    });
    drop(progress);
    made.map_err(|refused| terminal.refuse(&refused))?;
    Ok(found)
}

fn predict_options(options: &ScaleArgs, tasks: Vec<usize>) -> PredictOptions {
    let common = options.systems.predict_options(vec![options.front_end.program()], &options.points);
    PredictOptions { tasks, run: options.work.options(), ..common }
}

fn name(options: &ScaleArgs) -> String {
    pipeline::info(&options.front_end.program()).files.join(" ")
}

fn origin(options: &ScaleArgs, prediction: &Prediction) -> Origin {
    let values = prediction.sweep.iter().map(|value| format!(", {} = {}", value.name, value.value));
    let name = std::iter::once(name(options)).chain(values).collect();
    let platform = &prediction.platform;
    Origin { name, machine: Some(platform.machine.clone()), network: Some(platform.network.clone()) }
}

/// `None` where the prediction is incomplete.
fn point(prediction: &Prediction) -> Option<Point> {
    times_file::point_of(prediction.tasks_count, prediction.total_s, &prediction.tasks)
}

fn finish(options: &ScaleArgs, found: ScalingInput, terminal: &Terminal) -> Exit {
    terminal.report_all(&found.told);
    let hold = options.hold.map(|choice| match choice {
        HoldChoice::Work => Hold::Work,
        HoldChoice::WorkPerTask => Hold::WorkPerTask,
    });
    let study = |(origin, points, verify): (Origin, Vec<Point>, Vec<Point>)| {
        let study = Study::new(points, &Questions { hold, to: options.to, verify })?;
        Some(Series::new(origin, &study))
    };
    let mut report = ScalingReport::new(found.series.into_iter().filter_map(study).collect());
    report.diagnostics = found.told.data.clone();
    if report.series.is_empty() {
        let nothing = Diagnostic::error(&codes::NOTHING_TO_FIT, "there is no complete prediction to fit a model to")
            .help("the diagnostics above say what is missing; `chronos check FILE` says more");
        return terminal.report(&[nothing], &SourceFiles::default()).max(Exit::Incomplete);
    }
    let wrong = if found.told.has_errors() { Exit::Incomplete } else { Exit::Done };
    let text = render(options, &report, terminal);
    found.exit.max(wrong).max(terminal.write(&text, options.output.file()))
}

fn render(options: &ScaleArgs, report: &ScalingReport, terminal: &Terminal) -> String {
    let width = options.output.width(terminal);
    match options.output.format {
        Format::Table => scaling::table(report, width),
        Format::Json => json(report),
        Format::Csv => scaling::csv(report).unwrap_or_default(),
    }
}
