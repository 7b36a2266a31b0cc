//! `chronos count`.

use super::args::{CountArgs, CountFormat};
use super::exit::Exit;
use super::output::Terminal;
use super::{codes, front_end};
use crate::assumptions::AssumptionFile;
use crate::counts::{self, Counted};
use crate::diag::Diagnostic;
use crate::evaluation::Job;
use crate::machine::network::Network;
use crate::program::{DataModel, Program};
use crate::report::counts::{CountReport, table};
use crate::report::diagnostics;
use crate::span::SourceFiles;
use crate::trace::Trace;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// It settles which message is the first where several may be; times are not told.
pub const NETWORK: &str = "ethernet-100";

pub fn run(options: &CountArgs, terminal: &Terminal) -> Exit {
    let outputs = [options.output.as_deref(), options.write_assumptions.as_deref()];
    let faults: Vec<Diagnostic> = outputs.into_iter().filter_map(|file| terminal.writable(file).err()).collect();
    if !faults.is_empty() {
        return terminal.report(&faults, &SourceFiles::default());
    }
    let (program, files, mut diagnostics) = front_end::program(&options.front_end, DataModel::default());
    let Some(program) = program else { return terminal.report(&diagnostics, &files) };
    diagnostics.extend(front_end::without_mpi(&program, options.tasks > 1));
    diagnostics.extend(front_end::before_evaluation(&program));
    diagnostics.extend(front_end::unknown_function("--function", options.function.as_deref(), &program));
    if diagnostics.iter().any(Diagnostic::is_error) {
        return terminal.report(&diagnostics, &files);
    }
    match counted(options, program, terminal) {
        Ok(counted) => Output { options, terminal, files: &files }.finish(diagnostics, counted),
        Err(errors) => terminal.report(&errors, &files),
    }
}

fn counted(options: &CountArgs, program: Program, terminal: &Terminal) -> Result<Counted, Vec<Diagnostic>> {
    let front_end = &options.front_end;
    let job = Job {
        assumptions: front_end::assumptions(front_end, &program)?,
        inputs: front_end::inputs(front_end)?,
        program: Arc::new(program),
        tasks: options.tasks,
        arguments: front_end.arguments.clone(),
    };
    let network = Network::load(NETWORK)?;
    let traced = options.trace.as_deref().map(|folder| read_trace(folder, &job)).transpose()?;
    let begin = Instant::now();
    let counted = match traced {
        None => counts::count(&job, &network),
        Some((trace, partial)) => {
            let mut counted = counts::traced::count(&job, &network, &trace);
            counted.diagnostics.extend(partial);
            counted
        }
    };
    terminal.tell(|| format!("-n {}: counted in {:.3?}", options.tasks, begin.elapsed()));
    Ok(counted)
}

/// The trace of a job, and where it is partial.
pub fn read_trace(folder: &Path, job: &Job) -> Result<(Trace, Vec<Diagnostic>), Vec<Diagnostic>> {
    if let Some(free) = job.program.parameters.values().next() {
        return Err(vec![codes::needs_value(&free.name)]);
    }
    Trace::read(folder, &job.program, job.tasks).map_err(|error| vec![*error])
}

/// Tells what was counted.
struct Output<'a> {
    options: &'a CountArgs,
    terminal: &'a Terminal,
    files: &'a SourceFiles,
}

impl Output<'_> {
    fn finish(&self, mut diagnostics: Vec<Diagnostic>, counted: Counted) -> Exit {
        diagnostics.extend(counted.diagnostics.iter().cloned());
        self.terminal.report(&diagnostics, self.files);
        let wrong = !counted.complete || diagnostics.iter().any(Diagnostic::is_error);
        let kept = self.keep(&counted.assumptions);
        let report = self.report(counted, &diagnostics);
        let written = self.terminal.write(&self.render(&report), self.options.output.as_deref());
        let inexact = report.summary.inexact();
        let failed = self.options.strict && inexact > 0;
        if failed {
            self.terminal.report(&[not_exact(inexact, report.blocks.len())], self.files);
        }
        written.max(kept).max(if wrong || failed { Exit::Incomplete } else { Exit::Done })
    }

    fn keep(&self, assumptions: &AssumptionFile) -> Exit {
        match self.options.write_assumptions.as_deref() {
            Some(file) => self.terminal.write(&assumptions.to_json(), Some(file)),
            None => Exit::Done,
        }
    }

    fn report(&self, counted: Counted, diagnostics: &[Diagnostic]) -> CountReport {
        CountReport {
            schema: CountReport::SCHEMA,
            program: front_end::info(&self.options.front_end),
            tasks_count: self.options.tasks,
            parameters: counted.parameters,
            blocks: counted.blocks,
            functions: counted.functions,
            lines: counted.lines,
            summary: counted.summary,
            inexact: counted.inexact,
            diagnostics: diagnostics.iter().map(|d| diagnostics::data(d, self.files)).collect(),
        }
    }

    fn render(&self, report: &CountReport) -> String {
        let to_terminal = self.options.output.is_none();
        let width = self.terminal.width().filter(|_| to_terminal);
        let shown = table::Options { colour: to_terminal, width, function: self.options.function.as_deref() };
        match self.options.format {
            CountFormat::Table => table::render(report, self.files, shown),
            CountFormat::Json => serde_json::to_string_pretty(report).map(|text| text + "\n").unwrap_or_default(),
        }
    }
}

fn not_exact(inexact: usize, all: usize) -> Diagnostic {
    let message = format!("the counts of {inexact} of {all} blocks are not exact (--strict)");
    Diagnostic::error(&codes::NOT_EXACT, message).help("the list names each of them with its reason and the remedy")
}
