//! `chronos count`.

mod one_count;
mod several;

use super::args::{CountArgs, Format};
use super::exit::Exit;
use super::output::Terminal;
use chronos_base::diag::Diagnostic;
use chronos_base::governor::{self, Phase};
use chronos_base::span::SourceFiles;
use chronos_pipeline::{self as pipeline, PreparedProgram, combinations, split, with_values};
use chronos_predict::assumptions::AssumptionFile;
use chronos_predict::profile::Counted;
use chronos_report::counts::{CountReport, csv, table};
use chronos_report::json;
use chronos_report::model::SweepValue;
use one_count::{counted, prepared, report, strict};

pub fn run(options: &CountArgs, terminal: &Terminal) -> Exit {
    let outputs = [options.output.file(), options.write_assumptions.as_deref()];
    let faults: Vec<Diagnostic> = outputs.into_iter().filter_map(|file| terminal.writable(file).err()).collect();
    if !faults.is_empty() {
        return terminal.report(&faults, &SourceFiles::default());
    }
    match combinations(&options.points.sweeps) {
        Err(error) => terminal.report(&[error], &SourceFiles::default()),
        Ok(sweeps) if sweeps.len() * options.points.tasks().len() > 1 => several::run(options, &sweeps, terminal),
        Ok(sweeps) => one(options, &sweeps[0], terminal),
    }
}

/// One number of tasks, and one value at most of what is swept.
fn one(options: &CountArgs, sweep: &[SweepValue], terminal: &Terminal) -> Exit {
    let program = options.front_end.program();
    let (settings, arguments) = match split(sweep, &program) {
        Ok(values) => values,
        Err(error) => return terminal.report(&[error], &SourceFiles::default()),
    };
    let prepared = match prepared(with_values(&program, &settings), options) {
        Ok(prepared) => prepared,
        Err(refused) => return terminal.report(&refused.diagnostics, &refused.files),
    };
    let made = prepared.job(options.points.tasks()[0], &arguments);
    match made.and_then(|job| Ok((counted(&job, options, terminal)?, job.tasks))) {
        Ok((counted, tasks)) => CountOutput { options, terminal, prepared: &prepared, tasks }.finish(counted),
        Err(mut errors) => {
            errors.splice(0..0, prepared.diagnostics.iter().cloned());
            terminal.report(&errors, &prepared.files)
        }
    }
}

/// Tells what was counted.
struct CountOutput<'a> {
    options: &'a CountArgs,
    terminal: &'a Terminal,
    prepared: &'a PreparedProgram,
    tasks: usize,
}

impl CountOutput<'_> {
    fn finish(&self, counted: Counted) -> Exit {
        let files = &self.prepared.files;
        let mut diagnostics = self.prepared.diagnostics.clone();
        diagnostics.extend(counted.diagnostics.iter().cloned());
        self.terminal.report(&diagnostics, files);
        let wrong = !counted.complete || diagnostics.iter().any(Diagnostic::is_error);
        let kept = self.keep(&counted.assumptions);
        let report = report(counted, pipeline::info(&self.prepared.options), self.tasks, &diagnostics, files);
        let failed = strict(self.options, &report);
        let written = self.terminal.write(&self.render(report), self.options.output.file());
        let failed = failed.map(|error| self.terminal.report(&[error], files));
        written.max(kept).max(if wrong || failed.is_some() { Exit::Incomplete } else { Exit::Done })
    }

    fn keep(&self, assumptions: &AssumptionFile) -> Exit {
        match self.options.write_assumptions.as_deref() {
            Some(file) => self.terminal.write(&assumptions.to_json(), Some(file)),
            None => Exit::Done,
        }
    }

    fn render(&self, report: CountReport) -> String {
        let _phase = governor::enter(Phase::Report, None);
        let to_terminal = self.options.output.file().is_none();
        let width = self.options.output.width(self.terminal.width());
        let shown = table::Options { colour: to_terminal, width, function: self.options.function.as_deref() };
        match self.options.output.format {
            Format::Table => table::render(&report, &self.prepared.files, shown),
            Format::Json if self.options.per_task => json(&report),
            Format::Json => report.in_ranges().json(),
            Format::Csv => {
                csv::render(std::slice::from_ref(&report), self.options.function.as_deref()).unwrap_or_default()
            }
        }
    }
}
