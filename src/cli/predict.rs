//! `chronos predict`.

use super::args::{CostModelChoice, Format, PredictArgs};
use super::cells::{Cell, Collected, Done, Plan, ProgramRequest, Request, places};
use super::exit::Exit;
use super::output::Terminal;
use super::{codes, front_end, timeline};
use crate::diag::Diagnostic;
use crate::governor::{self, Phase};
use crate::report::model::{Prediction, Report};
use crate::report::table::{Limits, Overview, OverviewRow};
use crate::report::{csv, table};
use crate::span::SourceFiles;
use std::collections::BTreeMap;

pub fn run(options: &PredictArgs, terminal: &Terminal) -> Exit {
    let writable = [&options.output, &options.html].iter().try_for_each(|path| terminal.writable(path.as_deref()));
    let writable = writable.and_then(|()| timeline::writable(&options.traces, terminal));
    let possible = writable.and_then(|()| without_expressions(options).map_or(Ok(()), Err));
    if let Err(error) = possible.and_then(|()| one_timeline(options)) {
        return terminal.report(&[error], &SourceFiles::default());
    }
    let plan = match Plan::new(request(options), terminal) {
        Ok(plan) => plan,
        Err(exit) => return exit,
    };
    let mut session = Session::new(options, &plan, terminal);
    session.begin();
    match plan.run(terminal, |cell, done| session.keep(cell, done)) {
        Ok(()) => session.finish(),
        Err((cell, errors)) => terminal.report(&errors, plan.files(&plan.cells[cell])),
    }
}

fn request(options: &PredictArgs) -> Request<'_> {
    Request {
        programs: vec![ProgramRequest { name: String::new(), front_end: options.front_end.clone() }],
        machines: &options.machines,
        platforms: &options.platforms,
        factors: &options.factors,
        network: &options.network,
        mpi_library: options.mpi_library.as_deref(),
        recorded: options.recorded.as_deref().map(|base| (base, options.recorded_slower)),
        tasks_per_node: options.tasks_per_node,
        jump_ahead: !options.no_jump_ahead,
        cost_model: options.cost_model,
        tasks: &options.tasks.0,
        sweep: &options.sweep,
        trace: options.trace.chosen(),
        sensitivity: options.sensitivity,
        timelines: &options.traces,
        timeline_room: timeline_room(options),
        function: options.explain.as_deref().map(|name| ("--explain", name)),
    }
}

/// Spans that a report of one prediction holds; a page of many predictions has room for some of each.
fn timeline_room(options: &PredictArgs) -> usize {
    let predictions = predictions(options).max(1);
    match (options.format, &options.html) {
        (Format::Json, _) => options.timeline,
        (_, Some(_)) => options.timeline.min((options.timeline / predictions).max(1000)),
        _ => 0,
    }
}

/// How many there will be.
fn predictions(options: &PredictArgs) -> usize {
    let values: usize = options.sweep.sweeps.iter().map(|sweep| sweep.values.len()).product();
    (options.machines.len() + options.platforms.len()) * options.tasks.0.len() * values
}

/// The predictions as they come in, and what is told of them.
struct Session<'a> {
    options: &'a PredictArgs,
    plan: &'a Plan<'a>,
    terminal: &'a Terminal,
    predictions: Vec<Prediction>,
    diagnostics: Collected,
    /// Rows are printed as they come.
    overview: Option<Overview>,
    exit: Exit,
}

impl<'a> Session<'a> {
    fn new(options: &'a PredictArgs, plan: &'a Plan<'a>, terminal: &'a Terminal) -> Self {
        let mut diagnostics = Collected::default();
        plan.read().for_each(|(files, found)| diagnostics.add(found, files));
        let several = plan.cells.len() > 1 && options.front_end.symbolic.is_empty();
        let streamed = several && options.output.is_none() && options.format == Format::Table;
        let row = |cell: &Cell| OverviewRow {
            machine: plan.place(cell).name().to_owned(),
            sweep: cell.sweep.clone(),
            tasks: cell.tasks,
        };
        let rows = || plan.cells.iter().map(row).collect::<Vec<_>>();
        let overview = streamed.then(|| Overview::new(&rows(), terminal.width()));
        let (predictions, exit) = (Vec::with_capacity(plan.cells.len()), Exit::Done);
        Self { options, plan, terminal, predictions, diagnostics, overview, exit }
    }

    /// Rows of CSV are printed as they come, too.
    fn streams_rows(&self) -> bool {
        self.options.format == Format::Csv
            && self.options.output.is_none()
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
        self.options.sweep.sweeps.iter().map(|sweep| sweep.name.clone()).collect()
    }

    fn keep(&mut self, cell: &Cell, done: Done) {
        let (tasks, place) = (cell.tasks, self.plan.place(cell).name());
        let how = if done.reused { "taken from --resume" } else { "evaluated" };
        self.terminal.tell(|| format!("-n {tasks} on {place}: {how} in {:.3?}", done.took));
        self.diagnostics.add(&done.diagnostics, self.plan.files(cell));
        let row = match &self.overview {
            Some(overview) => overview.row(&done.prediction),
            None if self.streams_rows() => csv::rows_of(&done.prediction).unwrap_or_default(),
            None => String::new(),
        };
        self.exit = self.exit.max(done.exit).max(self.terminal.print(&row));
        self.predictions.push(done.prediction);
    }

    fn finish(mut self) -> Exit {
        self.diagnostics.report(self.terminal);
        let wrong = self.diagnostics.has_errors();
        let report = self.report();
        let written = self.terminal.write(&self.render(&report), self.options.output.as_deref());
        let page = self.options.html.as_deref().map(|path| super::report::write(&report, path, self.terminal));
        let written = written.max(page.unwrap_or(Exit::Done));
        let slow = |p: &Prediction| self.options.fail_over.is_some_and(|limit| p.known_s > limit);
        if let Some(limit) = self.options.fail_over.filter(|_| report.predictions.iter().any(slow)) {
            self.terminal.report(&[over(limit)], &SourceFiles::default());
        }
        let incomplete = wrong || !report.is_complete() || report.predictions.iter().any(slow);
        written.max(self.exit).max(if incomplete { Exit::Incomplete } else { Exit::Done })
    }

    fn report(&mut self) -> Report {
        let mut sources = BTreeMap::new();
        for (files, _) in self.plan.read() {
            let texts = files.iter().filter_map(|(_, f)| Some((f.name.to_string(), f.text.as_ref()?.to_string())));
            sources.extend(texts);
        }
        Report {
            schema: Report::SCHEMA,
            program: front_end::info(&self.options.front_end),
            predictions: std::mem::take(&mut self.predictions),
            sources,
            diagnostics: std::mem::take(&mut self.diagnostics.data),
        }
    }

    fn limits(&self) -> Limits {
        let limits = self.options.top.map_or_else(Limits::default, Limits::top);
        let width = self.terminal.width().filter(|_| self.options.output.is_none());
        Limits { explain: self.options.explain.clone(), width, ..limits }
    }

    fn render(&self, report: &Report) -> String {
        let _phase = governor::enter(Phase::Report, None);
        match self.options.format {
            Format::Table if self.overview.is_some() => table::details(report, &self.limits()),
            Format::Table => table::render(report, &self.limits()),
            Format::Json => serde_json::to_string_pretty(report).map(|text| text + "\n").unwrap_or_default(),
            Format::Csv if self.streams_rows() => String::new(),
            Format::Csv => csv::render(report).unwrap_or_default(),
        }
    }
}

/// What is asked of expressions and cannot be had.
fn without_expressions(options: &PredictArgs) -> Option<Diagnostic> {
    let cluster = options.machines.iter().any(|name| places::is_cluster(name));
    let (message, help) = match options.cost_model {
        _ if options.front_end.symbolic.is_empty() => return None,
        Some(CostModelChoice::Source) => (
            "--cost-model source gives no expressions for --symbolic",
            "use --cost-model instruction-sum, or give values with --set instead of --symbolic",
        ),
        _ if cluster => (
            "--symbolic gives expressions of one kind of machine, not of a cluster",
            "give one machine without `:COUNT`, or values with --set instead of --symbolic",
        ),
        _ => return None,
    };
    Some(Diagnostic::error(&codes::SYMBOLIC_MODEL, message).help(help))
}

pub fn no_schedule() -> Diagnostic {
    let message = "what the program does depends on the order in which messages arrive, or is not known to the end";
    Diagnostic::error(&crate::replay::codes::NO_SCHEDULE, message)
        .help("a schedule cannot express that; write a timeline instead (--trace-out chrome=FILE)")
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
