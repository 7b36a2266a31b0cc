//! Counts with several numbers of tasks or values of sweeps, side by side.

use super::one_count::{counted, prepared, report, strict};
use crate::cli::args::{CountArgs, Format};
use crate::cli::codes;
use crate::cli::exit::Exit;
use crate::cli::output::Terminal;
use crate::cli::progress::TerminalProgress;
use chronos_base::diag::Diagnostic;
use chronos_base::governor::{self, Phase};
use chronos_base::span::SourceFiles;
use chronos_pipeline::{
    self as pipeline, DiagnosticSet, PreparedProgram, ProgramOptions, Refused, WorkQueue, split, with_values,
};
use chronos_report::counts::{CountReport, CountSweep, csv, sweep};
use chronos_report::json;
use chronos_report::model::SweepValue;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

/// One count to make.
struct Case<'a> {
    sweep: &'a [SweepValue],
    /// Position among the programs as they were read.
    prepared: usize,
    arguments: Vec<String>,
    tasks: usize,
}

/// Each combination of values with each number of tasks.
pub fn run(options: &CountArgs, sweeps: &[Vec<SweepValue>], terminal: &Terminal) -> Exit {
    if let Some(fault) = fault(options) {
        return terminal.report(&[fault], &SourceFiles::default());
    }
    let program = options.front_end.program();
    let (settings, cases) = match plan(options, &program, sweeps) {
        Ok(planned) => planned,
        Err(error) => return terminal.report(&[error], &SourceFiles::default()),
    };
    let all: Vec<_> = settings.par_iter().map(|s| prepared(with_values(&program, s), options)).collect();
    match all.into_iter().collect::<Result<Vec<PreparedProgram>, Box<Refused>>>() {
        Ok(prepared) => Several { options, terminal, prepared, cases }.run(),
        Err(refused) => terminal.report(&refused.diagnostics, &refused.files),
    }
}

/// What makes sense for one count alone.
fn fault(options: &CountArgs) -> Option<Diagnostic> {
    let error = |flag: &str, help: &str| {
        let message = format!("{flag} goes with one number of tasks, and one value of what is swept");
        Some(Diagnostic::error(&codes::ONE_COUNT, message).help(help))
    };
    match () {
        () if options.write_assumptions.is_some() => {
            error("--write-assumptions", "give one; what the file says is then used with all: --assume FILE")
        }
        () if !options.front_end.symbolic.is_empty() => {
            error("--symbolic", "give one number of tasks; expressions hold for every value of what is free")
        }
        () => None,
    }
}

/// Values that the program's text depends on, each combination once, and the counts to make.
fn plan<'a>(
    options: &CountArgs,
    program: &ProgramOptions,
    sweeps: &'a [Vec<SweepValue>],
) -> Result<(Vec<Vec<SweepValue>>, Vec<Case<'a>>), Diagnostic> {
    let (mut variants, mut cases): (Vec<Vec<SweepValue>>, Vec<Case<'_>>) = (Vec::new(), Vec::new());
    for sweep in sweeps {
        let (settings, arguments) = split(sweep, program)?;
        let prepared = variants.iter().rposition(|known| *known == settings).unwrap_or_else(|| {
            variants.push(settings);
            variants.len() - 1
        });
        let case = |&tasks: &usize| Case { sweep, prepared, arguments: arguments.clone(), tasks };
        cases.extend(options.points.tasks().iter().map(case));
    }
    Ok((variants, cases))
}

/// What a count gives: the report, its diagnostics, and whether all tasks were followed to their ends.
type Made = Result<(CountReport, Vec<Diagnostic>, bool), Vec<Diagnostic>>;

struct Several<'a> {
    options: &'a CountArgs,
    terminal: &'a Terminal,
    prepared: Vec<PreparedProgram>,
    cases: Vec<Case<'a>>,
}

impl Several<'_> {
    fn run(&self) -> Exit {
        let (work, results) = ((0..self.cases.len()).map(|index| (index, index)).collect(), self.cases.len());
        let (mut told, mut cases, mut exit) = (DiagnosticSet::default(), Vec::new(), Exit::Done);
        self.prepared.iter().for_each(|prepared| told.add(&prepared.diagnostics, &prepared.files));
        let progress = TerminalProgress::new(self.terminal);
        let made = WorkQueue { work, results, jobs: self.options.jobs }.run(
            &progress,
            |index: usize, sender| {
                // A receiver that is gone wants no more.
                let _gone = sender.send((index, self.make(&self.cases[index])));
                Vec::new()
            },
            |index, made: Made| {
                let (report, diagnostics, complete) = made.map_err(|errors| (index, errors))?;
                told.add(&diagnostics, &self.files(index));
                exit = exit.max(progress.suspend(|| self.stream(&report, cases.is_empty())));
                exit = exit.max(if complete { Exit::Done } else { Exit::Incomplete });
                cases.push(report);
                Ok(())
            },
        );
        drop(progress);
        match made {
            Ok(()) => self.finish(cases, &told).max(exit),
            Err((index, errors)) => {
                let errors: Vec<Diagnostic> = errors;
                self.terminal.report(&errors, &self.files(index))
            }
        }
    }

    fn files(&self, index: usize) -> std::sync::Arc<SourceFiles> {
        self.prepared[self.cases[index].prepared].files.clone()
    }

    fn make(&self, case: &Case<'_>) -> Made {
        let prepared = &self.prepared[case.prepared];
        let job = prepared.job(case.tasks, &case.arguments)?;
        let counted = counted(&job, self.options, self.terminal)?;
        let (diagnostics, complete) = (counted.diagnostics.clone(), counted.complete);
        let mut program = pipeline::info(&prepared.options);
        program.arguments.clone_from(&case.arguments);
        let mut report = report(counted, program, job.tasks, &diagnostics, &prepared.files);
        report.sweep = case.sweep.to_vec();
        Ok((report, diagnostics, complete))
    }

    /// Rows of CSV are written as soon as they are known.
    fn stream(&self, report: &CountReport, first: bool) -> Exit {
        if !self.streams() {
            return Exit::Done;
        }
        let rows = csv::render(std::slice::from_ref(report), self.options.function.as_deref()).unwrap_or_default();
        let header = rows.find('\n').map_or(0, |end| end + 1);
        self.terminal.print(if first { &rows } else { &rows[header..] })
    }

    fn streams(&self) -> bool {
        self.options.output.format == Format::Csv && self.options.output.file().is_none()
    }

    fn finish(&self, cases: Vec<CountReport>, told: &DiagnosticSet) -> Exit {
        self.terminal.report_all(told);
        let failed: Vec<Diagnostic> = cases.iter().filter_map(|case| strict(self.options, case)).take(1).collect();
        let all = CountSweep { schema: CountSweep::SCHEMA, cases };
        let written = match self.streams() {
            true => Exit::Done,
            false => self.terminal.write(&self.render(all), self.options.output.file()),
        };
        self.terminal.report(&failed, &SourceFiles::default());
        written.max(if told.has_errors() || !failed.is_empty() { Exit::Incomplete } else { Exit::Done })
    }

    fn render(&self, all: CountSweep) -> String {
        let _phase = governor::enter(Phase::Report, None);
        let width = self.options.output.width(self.terminal.width());
        let files = &self.prepared[self.cases[0].prepared].files;
        match self.options.output.format {
            Format::Table => sweep::render(&all, files, width, self.options.function.as_deref()),
            Format::Json if self.options.per_task => json(&all),
            Format::Json => json(&all.in_ranges()),
            Format::Csv => csv::render(&all.cases, self.options.function.as_deref()).unwrap_or_default(),
        }
    }
}
