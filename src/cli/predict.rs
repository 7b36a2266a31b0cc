//! `chronos predict`.

use super::args::{Format, PredictArgs};
use super::exit::Exit;
use super::output::Terminal;
use super::progress::TerminalProgress;
use super::{codes, job_array, timeline};
use chronos_base::diag::{Code, Diagnostic};
use chronos_base::governor::{self, Phase};
use chronos_base::span::SourceFiles;
use chronos_interpreter::codes as interpreter;
use chronos_pipeline::{
    self as pipeline, DiagnosticSet, Execution, PointResult, PredictOptions, ReplayedRun, RunOptions, SweepPlan,
    SweepPoint,
};
use chronos_predict::ModelOptions;
use chronos_report::efficiencies;
use chronos_report::model::{ObjectCodeCoverage, Prediction, PricedFromSource, PricedOtherwise, Report};
use chronos_report::table::{Limits, Overview, OverviewRow};
use chronos_report::{classes, csv, table};
use chronos_tool_formats::Timeline;
use std::borrow::Cow;
use std::collections::BTreeMap;

pub fn run(options: &PredictArgs, terminal: &Terminal) -> Exit {
    match options.slurm {
        Some(jobs) => job_array::print(jobs, terminal),
        None => predict(options, None, terminal),
    }
}

/// The same where the program runs meanwhile.
pub fn predict(options: &PredictArgs, execution: Option<Execution>, terminal: &Terminal) -> Exit {
    let also = [options.html.as_deref(), options.extra_p.as_deref(), options.cube.as_deref()];
    let outputs = std::iter::once(options.output.file()).chain(also);
    let writable = outputs.into_iter().try_for_each(|path| terminal.writable(path));
    let writable = writable.and_then(|()| timeline::writable(&options.traces, terminal));
    let possible = writable.and_then(|()| without_expressions(options).map_or(Ok(()), Err));
    let possible = possible.and_then(|()| options.record.without_record());
    let possible = possible.and_then(|()| options.record.without_files(&options.front_end.files));
    let possible = possible.and_then(|()| options.record.without_assumptions(&options.front_end));
    if let Err(error) = possible.and_then(|()| one_timeline(options)) {
        return terminal.report(&[error], &SourceFiles::default());
    }
    let progress = TerminalProgress::new(terminal);
    let plan = match SweepPlan::new(PredictOptions { execution, ..predict_options(options) }, &progress) {
        Ok(plan) => plan,
        Err(refused) => return terminal.refuse(&refused),
    };
    let mut session = PredictSession::new(options, &plan, terminal);
    session.begin();
    let made = plan.run(&progress, |point, result| progress.suspend(|| session.keep(point, result)));
    drop(progress);
    match made {
        Ok(()) => session.finish(),
        Err(refused) => terminal.refuse(&refused),
    }
}

fn predict_options(options: &PredictArgs) -> PredictOptions {
    let common = options.systems.predict_options(vec![options.front_end.program()], &options.points);
    PredictOptions {
        model: ModelOptions { jump_ahead: !options.no_jump_ahead, ..common.model },
        trace: options.trace.options(),
        recorded: options.record.options(),
        calibration: options.calibration.options(),
        sensitivity: options.sensitivity,
        efficiency: options.output.format == Format::Json || options.efficiency,
        communication: false,
        timeline_spans: timeline_spans(options),
        per_task: options.per_task,
        run: RunOptions {
            keep_replay: !options.traces.is_empty(),
            explain: options.explain.clone(),
            shard: options.shard,
            ..options.work.options()
        },
        ..common
    }
}

/// Spans that a report of one prediction holds; a page of many predictions has room for some of each.
fn timeline_spans(options: &PredictArgs) -> usize {
    let predictions = predictions(options).max(1);
    match (options.output.format, &options.html) {
        (Format::Json, _) => options.timeline,
        (_, Some(_)) => options.timeline.min((options.timeline / predictions).max(1000)),
        _ => 0,
    }
}

/// How many there will be.
fn predictions(options: &PredictArgs) -> usize {
    options.systems.count() * options.points.count()
}

/// The predictions as they come in, and what is told of them.
struct PredictSession<'a> {
    options: &'a PredictArgs,
    plan: &'a SweepPlan,
    terminal: &'a Terminal,
    predictions: Vec<Prediction>,
    diagnostics: DiagnosticSet,
    /// Rows are printed as they come.
    overview: Option<Overview>,
    exit: Exit,
}

impl<'a> PredictSession<'a> {
    fn new(options: &'a PredictArgs, plan: &'a SweepPlan, terminal: &'a Terminal) -> Self {
        let mut diagnostics = DiagnosticSet::default();
        plan.read().for_each(|(files, found)| diagnostics.add(found, files));
        let several = plan.points.len() > 1 && options.front_end.symbolic.is_empty();
        let streamed = several && options.output.file().is_none() && options.output.format == Format::Table;
        let row = |point: &SweepPoint| OverviewRow {
            machine: plan.system_name(point).to_owned(),
            sweep: point.sweep.clone(),
            tasks: point.tasks,
        };
        let rows = || plan.points.iter().map(row).collect::<Vec<_>>();
        let overview = streamed.then(|| Overview::new(&rows(), terminal.width()));
        let (predictions, exit) = (Vec::with_capacity(plan.points.len()), Exit::Done);
        Self { options, plan, terminal, predictions, diagnostics, overview, exit }
    }

    /// Rows of CSV are printed as they come, too.
    fn streams_rows(&self) -> bool {
        self.options.output.format == Format::Csv
            && self.options.output.file().is_none()
            && self.options.front_end.symbolic.is_empty()
    }

    fn begin(&mut self) {
        let header = match &self.overview {
            Some(overview) => overview.header(),
            None if self.streams_rows() => csv::header(&self.sweep_names()).unwrap_or_default(),
            None => return,
        };
        self.exit = self.exit.max(self.terminal.print(&header));
    }

    fn sweep_names(&self) -> Vec<String> {
        self.options.points.sweeps.iter().map(|sweep| sweep.name.clone()).collect()
    }

    fn keep(&mut self, point: &SweepPoint, result: PointResult) {
        let written = result.replayed.as_ref().map(|run| self.write_timelines(point, run));
        let (tasks, system) = (point.tasks, self.plan.system_name(point));
        let how = if result.reused { "taken from --resume" } else { "evaluated" };
        self.terminal
            .tell(|| format!("-n {tasks} on {system}: {how} in {:.3?}{}", result.took, followed(result.classes)));
        self.diagnostics.add(&result.diagnostics, self.plan.files(point));
        let row = match &self.overview {
            Some(overview) => overview.row(&result.prediction),
            None if self.streams_rows() => self.rows_of(&result.prediction),
            None => String::new(),
        };
        self.exit = self.exit.max(written.unwrap_or(Exit::Done)).max(self.terminal.print(&row));
        self.predictions.push(result.prediction);
    }

    /// Rows of CSV.
    fn rows_of(&self, prediction: &Prediction) -> String {
        let mut prediction = Cow::Borrowed(prediction);
        if !self.options.per_task {
            classes::in_classes(prediction.to_mut());
        }
        csv::rows_of(&prediction).unwrap_or_default()
    }

    fn write_timelines(&self, point: &SweepPoint, run: &ReplayedRun) -> Exit {
        let name = |site| run.call_name(site);
        let timeline = Timeline { result: &run.result, nodes: &run.nodes, name: &name };
        let schedule = || self.plan.schedule(point, run);
        let trace = || self.plan.time_independent_trace(point, run);
        let activities = timeline::Activities { schedule: &schedule, trace: &trace };
        timeline::write(&self.options.traces, &timeline, &activities, self.terminal)
    }

    fn finish(mut self) -> Exit {
        self.terminal.report_all(&self.diagnostics);
        if self.run_would_tell() {
            self.terminal.report(&[run_instead()], &SourceFiles::default());
        }
        let wrong = self.diagnostics.has_errors();
        let report = self.report();
        for coverage in report.predictions.iter().filter_map(|prediction| prediction.object_code.as_ref()) {
            self.terminal.tell(|| covered(coverage));
        }
        let (text, report) = self.render(report);
        let written = self.terminal.write(&text, self.options.output.file());
        let page = self.options.html.as_deref().map(|path| super::report::write(&report, path, self.terminal));
        let written = written.max(page.unwrap_or(Exit::Done));
        let measurements = self.options.extra_p.as_deref();
        let measurements = measurements.map(|path| super::extra_p::write(&report.predictions, path, self.terminal));
        let profile = self.options.cube.as_deref().map(|path| super::cube::write(&report, path, self.terminal));
        let written = written.max(measurements.unwrap_or(Exit::Done)).max(profile.unwrap_or(Exit::Done));
        let slow = |p: &Prediction| self.options.fail_over.is_some_and(|limit| p.known_s > limit);
        if let Some(limit) = self.options.fail_over.filter(|_| report.predictions.iter().any(slow)) {
            self.terminal.report(&[over(limit)], &SourceFiles::default());
        }
        let incomplete = wrong || !report.is_complete() || report.predictions.iter().any(slow);
        written.max(self.exit).max(if incomplete { Exit::Incomplete } else { Exit::Done })
    }

    /// Whether something is missing that a run in virtual time would tell.
    fn run_would_tell(&self) -> bool {
        let evaluated = !self.plan.is_executed() && self.options.record.recorded.is_none();
        let incomplete = |prediction: &Prediction| prediction.tasks.len() > 1 && !prediction.is_complete();
        evaluated && self.predictions.iter().any(incomplete) && self.diagnostics.has_any_of(UNFOLLOWED)
    }

    fn report(&mut self) -> Report {
        efficiencies::scale_predictions(&mut self.predictions);
        let mut sources = BTreeMap::new();
        for (files, _) in self.plan.read() {
            let texts = files.iter().filter_map(|(_, f)| Some((f.name.to_string(), f.text.as_ref()?.to_string())));
            sources.extend(texts);
        }
        Report {
            schema: Report::SCHEMA,
            program: self.plan.program_info(&self.options.front_end.program()),
            predictions: std::mem::take(&mut self.predictions),
            sources,
            diagnostics: std::mem::take(&mut self.diagnostics.data),
        }
    }

    fn limits(&self) -> Limits {
        let limits = self.options.top.map_or_else(Limits::default, Limits::top);
        let width = self.options.output.width(self.terminal.width());
        Limits { explain: self.options.explain.clone(), width, per_task: self.options.per_task, ..limits }
    }

    fn table(&self, report: &Report) -> String {
        let limits = self.limits();
        let of_each =
            if self.overview.is_some() { table::details(report, &limits) } else { table::render(report, &limits) };
        let shown = self.options.efficiency.then(|| efficiencies::of_predictions(&report.predictions, limits.width));
        match shown.filter(|text| !text.is_empty()) {
            Some(efficiencies) => format!("{of_each}\n{efficiencies}"),
            None => of_each,
        }
    }

    /// The output, and the report as files hold it. A table makes classes of its own, of what it shows.
    fn render(&self, report: Report) -> (String, Report) {
        let _phase = governor::enter(Phase::Report, None);
        let table = (self.options.output.format == Format::Table).then(|| self.table(&report));
        let report = if self.options.per_task { report } else { report.in_classes() };
        let text = match self.options.output.format {
            Format::Table => table.unwrap_or_default(),
            Format::Json => report.json(),
            Format::Csv if self.streams_rows() => String::new(),
            Format::Csv => csv::render(&report).unwrap_or_default(),
        };
        (text, report)
    }
}

/// What is asked of expressions and cannot be had.
fn without_expressions(options: &PredictArgs) -> Option<Diagnostic> {
    let cluster = options.systems.machines.iter().any(|name| pipeline::is_cluster(name));
    let asked = !options.front_end.symbolic.is_empty() && cluster;
    asked.then(|| {
        Diagnostic::error(
            &codes::SYMBOLIC_MODEL,
            "--symbolic gives expressions of one kind of machine, not of a cluster",
        )
        .help("give one machine without `:COUNT`, or values with --set instead of --symbolic")
    })
}

/// How the tasks were followed, behind what was said of their evaluation.
fn followed(classes: Option<Result<usize, &'static str>>) -> String {
    match classes {
        Some(Ok(1)) => "; one task was followed for all".to_owned(),
        Some(Ok(classes)) => format!("; one task each of {classes} classes was followed"),
        Some(Err(why)) => format!("; each task was followed by itself: {why}"),
        None => String::new(),
    }
}

/// How much of the computing time comes from object code, and why the rest does not.
fn covered(coverage: &ObjectCodeCoverage) -> String {
    let missed = coverage.from_source.iter().filter(|missed| missed.time_s > 0.0);
    let rows = missed.map(|missed| {
        let PricedFromSource { function, file, line, time_s, reason } = missed;
        format!("  {file}:{line} in {function}, {:.3} ms from the source: {reason}", 1e3 * time_s)
    });
    let share = format!("{:.1} % of the computing time come from object code", 100.0 * coverage.share);
    let otherwise = coverage.differences.iter().map(|found| {
        let PricedOtherwise { function, file, line, object_code_s, source_s } = found;
        format!(
            "  {file}:{line} in {function}: {:.3} ms; from the source {:.3} ms",
            1e3 * object_code_s,
            1e3 * source_s
        )
    });
    std::iter::once(share).chain(rows).chain(otherwise).collect::<Vec<_>>().join("\n")
}

fn one_timeline(options: &PredictArgs) -> Result<(), Diagnostic> {
    if options.traces.is_empty() || predictions(options) == 1 {
        return Ok(());
    }
    let message = "--trace-out writes the timeline of one prediction, and there are several";
    Err(Diagnostic::error(&codes::SEVERAL_TIMELINES, message)
        .help("give one --machine, one number of tasks and one value of each --sweep"))
}

fn over(limit: f64) -> Diagnostic {
    Diagnostic::error(&codes::OVER_LIMIT, format!("a prediction takes longer than {limit} s (--fail-over)"))
        .help("the exit code is 1")
}

/// What keeps an evaluation from its end and no process that executes the program.
const UNFOLLOWED: &[&Code] = &[
    &interpreter::UNKNOWN_MPI,
    &interpreter::UNKNOWN_TRIPS,
    &interpreter::ENDLESS,
    &interpreter::UNSUPPORTED,
    &interpreter::BUDGET,
    &interpreter::UNKNOWN_CALL,
    &interpreter::UNKNOWN_CALLS,
];

fn run_instead() -> Diagnostic {
    let message = "the evaluation did not come to the end of the program, which a run in virtual time does";
    Diagnostic::note(&codes::RUN_INSTEAD, message).help(
        "chronos run --time predicted, with the same options and arguments, executes the program here and predicts what it executed",
    )
}
