//! `chronos instrument`.

use super::args::{FrontEndArgs, InstrumentArgs};
use super::exit::Exit;
use super::front_end;
use super::output::Terminal;
use crate::activity::CountSource;
use crate::counts::traced::is_exact;
use crate::counts::{self, Counted};
use crate::diag::Diagnostic;
use crate::evaluation::Job;
use crate::instrument::{Instrumented, Output, instrument};
use crate::machine::network::Network;
use crate::program::{CounterId, DataModel, Program};
use crate::report::counts::model::TaskCounts;
use crate::span::SourceFiles;
use crate::trace::identity::Identity;
use std::path::Path;
use std::sync::Arc;

/// An instrumented program with what was said on the way.
pub struct Prepared {
    pub program: Arc<Program>,
    pub files: Arc<SourceFiles>,
    pub instrumented: Instrumented,
    pub output: Output,
    pub diagnostics: Vec<Diagnostic>,
}

pub fn run(options: &InstrumentArgs, terminal: &Terminal) -> Exit {
    let prepared = match prepare(&options.front_end, options.tasks, options.all, terminal) {
        Ok(prepared) => prepared,
        Err(exit) => return exit,
    };
    terminal.report(&prepared.diagnostics, &prepared.files);
    let written = write(&prepared.output, &options.output, terminal);
    if written != Exit::Done {
        return written;
    }
    terminal.print(&told(&prepared, &options.output))
}

fn told(prepared: &Prepared, folder: &Path) -> String {
    let points = prepared.instrumented.points;
    let counters = prepared.instrumented.formulas.len();
    let flag = if prepared.instrumented.mpi { "mpicc -O2 -DCHRONOS_WITH_MPI" } else { "cc -O2" };
    format!(
        "{}: {points} trace points for {counters} counters\ncompile:  {flag} {}/*.c -lm\nrun with: CHRONOS_TRACE=DIR, the folder for the trace\n",
        folder.display(),
        folder.display()
    )
}

/// Writes all files of an output to a folder.
pub fn write(output: &Output, folder: &Path, terminal: &Terminal) -> Exit {
    if let Err(error) = std::fs::create_dir_all(folder) {
        return terminal.report(&[super::output::not_written(folder, &error)], &SourceFiles::default());
    }
    let write = |(name, text): &(String, String)| terminal.write(text, Some(&folder.join(name)));
    output.files.iter().map(write).max().unwrap_or(Exit::Done)
}

/// Reads, evaluates and instruments a program.
///
/// # Errors
/// The exit code, when what is wrong has been told.
pub fn prepare(front_end: &FrontEndArgs, tasks: usize, all: bool, terminal: &Terminal) -> Result<Prepared, Exit> {
    let (program, files, mut diagnostics) = front_end::program(front_end, DataModel::default());
    let Some(program) = program else { return Err(terminal.report(&diagnostics, &files)) };
    let program = Arc::new(program);
    let fail = |errors: &[Diagnostic], files: &SourceFiles| Err(terminal.report(errors, files));
    let faults: Vec<Diagnostic> =
        front_end::before_evaluation(&program).into_iter().filter(Diagnostic::is_error).collect();
    if program.main.is_none() {
        return fail(&faults, &files);
    }
    if let Some(name) = front_end.symbolic.first() {
        return fail(&[super::codes::needs_value(name)], &files);
    }
    let counted = match all {
        true => None,
        false => match counted(front_end, tasks, &program) {
            Ok(counted) => Some(counted),
            Err(errors) => return fail(&errors, &files),
        },
    };
    let options = match front_end::source_options(front_end, program.model) {
        Ok((options, _)) => options,
        Err(errors) => return fail(&errors, &files),
    };
    let exact = counted.map(|counted| exact_blocks(&counted));
    let wanted = |counter: CounterId| exact.as_ref().is_none_or(|exact| !exact[program.block_of(counter).0 as usize]);
    let instrumented = match instrument(&program, &options, &wanted) {
        Ok(instrumented) => instrumented,
        Err(failure) => return fail(&failure.diagnostics, &failure.files),
    };
    let output = Output::new(&instrumented, &Identity::of(&program), tasks);
    diagnostics.retain(|diagnostic| !diagnostic.is_error());
    Ok(Prepared { program, files, instrumented, output, diagnostics })
}

fn counted(front_end: &FrontEndArgs, tasks: usize, program: &Arc<Program>) -> Result<Counted, Vec<Diagnostic>> {
    let job = Job {
        assumptions: front_end::assumptions(front_end, program)?,
        inputs: front_end::inputs(front_end)?,
        program: program.clone(),
        tasks,
        arguments: front_end.arguments.clone(),
    };
    Ok(counts::count(&job, &Network::load(super::count::NETWORK)?))
}

/// By block: its count is statically exact on every task.
fn exact_blocks(counted: &Counted) -> Vec<bool> {
    let exact = |counts: &TaskCounts| {
        let parts = counts.entries.iter().chain(counts.taken.iter().flatten());
        counts.source == CountSource::Static && parts.chain([&counts.amount.count]).all(|&count| is_exact(count))
    };
    counted.blocks.iter().map(|block| block.counts.iter().all(exact)).collect()
}
