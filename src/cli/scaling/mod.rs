//! `chronos scale`: how a program scales, from predictions, from a file of times, or by a model's parameters.

mod chosen;
mod from;

use super::args::{Format, HoldChoice, ScaleArgs};
use super::cells::{Collected, Plan, ProgramRequest, Request};
use super::exit::Exit;
use super::output::Terminal;
use super::{codes, front_end};
use crate::diag::Diagnostic;
use crate::report::model::{Prediction, Task};
use crate::report::scaling::model::{Origin, Series};
use crate::report::scaling::{self, ScalingReport};
use crate::scaling::class::Hold;
use crate::scaling::study::{Questions, Study};
use crate::scaling::{Parts, Point};
use crate::span::SourceFiles;
use crate::units::Seconds;

pub fn run(options: &ScaleArgs, terminal: &Terminal) -> Exit {
    if let Err(error) = terminal.writable(options.output.as_deref()).and_then(|()| check(options)) {
        return terminal.report(&[error], &SourceFiles::default());
    }
    if let Some(model) = options.model {
        return chosen::run(model, options, terminal);
    }
    let found = match options.from.as_deref() {
        Some(file) => {
            from::read(file).map(Found::of_file).map_err(|error| terminal.report(&[error], &SourceFiles::default()))
        }
        None => predicted(options, terminal),
    };
    found.map_or_else(|exit| exit, |found| finish(options, found, terminal))
}

/// What there is to do.
fn check(options: &ScaleArgs) -> Result<(), Diagnostic> {
    let error = |message: &str, help: &str| Err(Diagnostic::error(&codes::NOTHING_TO_FIT, message).help(help));
    let (files, machines) = (options.front_end.files.len(), options.machines.len() + options.platforms.len());
    let other = options.from.is_some() || options.model.is_some();
    match (files, machines) {
        (1.., _) if other => error("--from and --model take no program", "leave the C files out"),
        (0, _) if !other => error(
            "no program is given",
            "name its C files, or a file of times with --from, or a model with --model flat --r 100",
        ),
        (_, 0) if !other => {
            error("no machine is given", "name one: --machine NAME; `chronos machine list` shows the shipped ones")
        }
        _ if !options.front_end.symbolic.is_empty() => {
            error("--symbolic gives expressions, which models cannot be fitted to", "give values: --sweep NAME=100,200")
        }
        _ => Ok(()),
    }
}

/// Points of each series, with those that fits may not see.
struct Found {
    series: Vec<(Origin, Vec<Point>, Vec<Point>)>,
    told: Collected,
    exit: Exit,
}

impl Found {
    fn of_file(series: Vec<(Origin, Vec<Point>)>) -> Self {
        let series = series.into_iter().map(|(origin, points)| (origin, points, Vec::new())).collect();
        Self { series, told: Collected::default(), exit: Exit::Done }
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

fn predicted(options: &ScaleArgs, terminal: &Terminal) -> Result<Found, Exit> {
    let verify = options.verify.as_ref().map_or(&[][..], |counts| &counts.0);
    let fitted = |tasks: usize| options.tasks.0.contains(&tasks);
    let tasks: Vec<usize> =
        options.tasks.0.iter().copied().chain(verify.iter().copied().filter(|&n| !fitted(n))).collect();
    let plan = Plan::new(request(options, &tasks), terminal)?;
    let mut found = Found { series: Vec::new(), told: Collected::default(), exit: Exit::Done };
    plan.read().for_each(|(files, diagnostics)| found.told.add(diagnostics, files));
    let made = plan.run(terminal, |cell, done| {
        found.told.add(&done.diagnostics, plan.files(cell));
        terminal.tell(|| format!("-n {} on {}: {:.3?}", cell.tasks, plan.place(cell).name(), done.took));
        match point(&done.prediction) {
            Some(point) => found.add(origin(options, &done.prediction), point, fitted(cell.tasks)),
            None => found.exit = found.exit.max(Exit::Incomplete),
        }
    });
    made.map_err(|(cell, errors)| terminal.report(&errors, plan.files(&plan.cells[cell])))?;
    Ok(found)
}

fn request<'a>(options: &'a ScaleArgs, tasks: &'a [usize]) -> Request<'a> {
    let program = ProgramRequest { name: name(options), front_end: options.front_end.clone() };
    Request {
        programs: vec![program],
        machines: &options.machines,
        platforms: &options.platforms,
        factors: &options.factors,
        network: &options.network,
        mpi_library: None,
        recorded: None,
        tasks_per_node: options.tasks_per_node,
        jump_ahead: true,
        cost_model: options.cost_model,
        tasks,
        sweep: &options.sweep,
        trace: None,
        sensitivity: false,
        timelines: &[],
        timeline_room: 0,
        function: None,
    }
}

fn name(options: &ScaleArgs) -> String {
    front_end::info(&options.front_end).files.join(" ")
}

fn origin(options: &ScaleArgs, prediction: &Prediction) -> Origin {
    let values = prediction.sweep.iter().map(|value| format!(", {} = {}", value.name, value.value));
    let name = std::iter::once(name(options)).chain(values).collect();
    let platform = &prediction.platform;
    Origin { name, machine: Some(platform.machine.clone()), network: Some(platform.network.clone()) }
}

/// `None` where the prediction is incomplete.
fn point(prediction: &Prediction) -> Option<Point> {
    point_of(prediction.tasks_count, prediction.total_s, &prediction.tasks)
}

/// The total with its parts, as means over the tasks.
fn point_of(count: usize, total: Option<f64>, tasks: &[Task]) -> Option<Point> {
    let total = total.filter(|&total| total > 0.0)?;
    let mean = |part: &dyn Fn(&Task) -> f64| tasks.iter().map(part).sum::<f64>() / tasks.len().max(1) as f64;
    let parts = Parts {
        compute: Seconds(mean(&|t| t.compute_s)),
        messages: Seconds(mean(&|t| t.send_s + t.recv_s)),
        collective: Seconds(mean(&|t| t.collective_s)),
        idle: Seconds(mean(&|t| t.idle_s)),
        end: Seconds(total - mean(&|t| t.total_s)),
    };
    Some(Point { tasks: count, total: Seconds(total), parts: (!tasks.is_empty()).then_some(parts) })
}

fn finish(options: &ScaleArgs, found: Found, terminal: &Terminal) -> Exit {
    found.told.report(terminal);
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
    found.exit.max(wrong).max(terminal.write(&text, options.output.as_deref()))
}

fn render(options: &ScaleArgs, report: &ScalingReport, terminal: &Terminal) -> String {
    let width = terminal.width().filter(|_| options.output.is_none());
    match options.format {
        Format::Table => scaling::table(report, width),
        Format::Json => serde_json::to_string_pretty(report).map(|text| text + "\n").unwrap_or_default(),
        Format::Csv => scaling::csv(report).unwrap_or_default(),
    }
}
