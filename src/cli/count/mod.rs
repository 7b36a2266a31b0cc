//! `chronos count`.

mod several;

use super::args::{CountArgs, CountFormat, FrontEndArgs};
use super::exit::Exit;
use super::loaded::{Loaded, Refused};
use super::output::Terminal;
use super::sweeps::{combinations, split, with_values};
use super::{codes, front_end};
use crate::assumptions::AssumptionFile;
use crate::counts::{self, Counted};
use crate::diag::Diagnostic;
use crate::evaluation::Job;
use crate::governor::{self, Phase};
use crate::machine::network::Network;
use crate::program::DataModel;
use crate::report::counts::{CountReport, csv, table};
use crate::report::diagnostics;
use crate::report::model::{ProgramInfo, SweepValue};
use crate::span::SourceFiles;
use crate::trace::Trace;
use crate::trace::sharing::Sharing;
use std::path::Path;
use std::time::Instant;

/// It settles which message is the first where several may be; times are not told.
pub const NETWORK: &str = "ethernet-100";

pub fn run(options: &CountArgs, terminal: &Terminal) -> Exit {
    let outputs = [options.output.as_deref(), options.write_assumptions.as_deref()];
    let faults: Vec<Diagnostic> = outputs.into_iter().filter_map(|file| terminal.writable(file).err()).collect();
    if !faults.is_empty() {
        return terminal.report(&faults, &SourceFiles::default());
    }
    match combinations(&options.sweeps) {
        Err(error) => terminal.report(&[error], &SourceFiles::default()),
        Ok(sweeps) if sweeps.len() * options.tasks.0.len() > 1 => several::run(options, &sweeps, terminal),
        Ok(sweeps) => one(options, &sweeps[0], terminal),
    }
}

/// One number of tasks, and one value at most of what is swept.
fn one(options: &CountArgs, sweep: &[SweepValue], terminal: &Terminal) -> Exit {
    let (settings, arguments) = match split(sweep, &options.front_end) {
        Ok(values) => values,
        Err(error) => return terminal.report(&[error], &SourceFiles::default()),
    };
    let loaded = match read(with_values(&options.front_end, &settings), options) {
        Ok(loaded) => loaded,
        Err(refused) => return terminal.report(&refused.0, &refused.1),
    };
    let made = loaded.job(options.tasks.0[0], &arguments);
    match made.and_then(|job| Ok((counted(&job, options.trace.chosen(), terminal)?, job.tasks))) {
        Ok((counted, tasks)) => Output { options, terminal, loaded: &loaded, tasks }.finish(counted),
        Err(mut errors) => {
            errors.splice(0..0, loaded.diagnostics.iter().cloned());
            terminal.report(&errors, &loaded.files)
        }
    }
}

fn read(front_end: FrontEndArgs, options: &CountArgs) -> Result<Loaded, Box<Refused>> {
    let function = options.function.as_deref().map(|name| ("--function", name));
    Loaded::read(front_end, DataModel::default(), function, options.tasks.0.iter().any(|&tasks| tasks > 1))
}

fn counted(job: &Job, trace: Option<Chosen<'_>>, terminal: &Terminal) -> Result<Counted, Vec<Diagnostic>> {
    let network = Network::load(NETWORK)?;
    let traced = trace.map(|chosen| read_trace(chosen, job)).transpose()?;
    let begin = Instant::now();
    let counted = match traced {
        None => counts::count(job, &network),
        Some((trace, partial)) => {
            let mut counted = counts::traced::count(job, &network, &trace);
            counted.diagnostics.extend(partial);
            counted
        }
    };
    terminal.tell(|| format!("-n {}: counted in {:.3?}", job.tasks, begin.elapsed()));
    Ok(counted)
}

/// A folder, and what stays the same where it has another number of tasks.
type Chosen<'a> = (&'a Path, Option<Sharing>);

/// The trace of a job, and where it is partial.
pub fn read_trace((folder, sharing): Chosen<'_>, job: &Job) -> Result<(Trace, Vec<Diagnostic>), Vec<Diagnostic>> {
    if let Some(free) = job.program.parameters.values().next() {
        return Err(vec![codes::needs_value(&free.name)]);
    }
    let read = Trace::read_for(folder, &job.program, job.tasks, sharing);
    let checked = read.and_then(|read| read.0.check_arguments(&job.arguments).map(|()| read));
    checked.map_err(|error| vec![*error])
}

/// Tells what was counted.
struct Output<'a> {
    options: &'a CountArgs,
    terminal: &'a Terminal,
    loaded: &'a Loaded,
    tasks: usize,
}

impl Output<'_> {
    fn finish(&self, counted: Counted) -> Exit {
        let files = &self.loaded.files;
        let mut diagnostics = self.loaded.diagnostics.clone();
        diagnostics.extend(counted.diagnostics.iter().cloned());
        self.terminal.report(&diagnostics, files);
        let wrong = !counted.complete || diagnostics.iter().any(Diagnostic::is_error);
        let kept = self.keep(&counted.assumptions);
        let report = report(counted, front_end::info(&self.loaded.front_end), self.tasks, &diagnostics, files);
        let written = self.terminal.write(&self.render(&report), self.options.output.as_deref());
        let failed = strict(self.options, &report).map(|error| self.terminal.report(&[error], files));
        written.max(kept).max(if wrong || failed.is_some() { Exit::Incomplete } else { Exit::Done })
    }

    fn keep(&self, assumptions: &AssumptionFile) -> Exit {
        match self.options.write_assumptions.as_deref() {
            Some(file) => self.terminal.write(&assumptions.to_json(), Some(file)),
            None => Exit::Done,
        }
    }

    fn render(&self, report: &CountReport) -> String {
        let _phase = governor::enter(Phase::Report, None);
        let to_terminal = self.options.output.is_none();
        let width = self.terminal.width().filter(|_| to_terminal);
        let shown = table::Options { colour: to_terminal, width, function: self.options.function.as_deref() };
        match self.options.format {
            CountFormat::Table => table::render(report, &self.loaded.files, shown),
            CountFormat::Json => serde_json::to_string_pretty(report).map(|text| text + "\n").unwrap_or_default(),
            CountFormat::Csv => {
                csv::render(std::slice::from_ref(report), self.options.function.as_deref()).unwrap_or_default()
            }
        }
    }
}

fn report(
    counted: Counted,
    program: ProgramInfo,
    tasks_count: usize,
    diagnostics: &[Diagnostic],
    files: &SourceFiles,
) -> CountReport {
    CountReport {
        schema: CountReport::SCHEMA,
        program,
        tasks_count,
        sweep: Vec::new(),
        parameters: counted.parameters,
        blocks: counted.blocks,
        functions: counted.functions,
        lines: counted.lines,
        summary: counted.summary,
        inexact: counted.inexact,
        diagnostics: diagnostics.iter().map(|d| diagnostics::data(d, files)).collect(),
    }
}

/// What `--strict` objects to.
fn strict(options: &CountArgs, report: &CountReport) -> Option<Diagnostic> {
    let inexact = report.summary.inexact();
    let message = || format!("the counts of {inexact} of {} blocks are not exact (--strict)", report.blocks.len());
    let error = || Diagnostic::error(&codes::NOT_EXACT, message());
    (options.strict && inexact > 0).then(|| error().help("the list names each of them with its reason and the remedy"))
}
