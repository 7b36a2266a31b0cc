//! `chronos instrument`.

use super::args::{InstrumentArgs, MpiChoice, TracedProgramArgs};
use super::exit::Exit;
use super::output::Terminal;
use chronos_activity::{Count, CountSource};
use chronos_base::diag::Diagnostic;
use chronos_base::span::SourceFiles;
use chronos_instrument::bundled::{FOLDER, TASKS};
use chronos_instrument::{Instrumented, Output, instrument, is_instrumented};
use chronos_interpreter::codes::UNKNOWN_MPI;
use chronos_ir::{BlockId, Callee, CounterId, DataModel, Program};
use chronos_machine::network::Network;
use chronos_pipeline::{self as pipeline, ProgramOptions};
use chronos_predict::profile::traced::is_exact;
use chronos_predict::profile::{self, Counted};
use chronos_report::counts::model::{BlockCounts, TaskCounts};
use chronos_trace::identity::Identity;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
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
    let mut prepared = match prepare(&options.program, terminal) {
        Ok(prepared) => prepared,
        Err(exit) => return exit,
    };
    terminal.report(&prepared.diagnostics, &prepared.files);
    let bundled = options.mpi == MpiChoice::Bundled && prepared.instrumented.mpi;
    if bundled {
        prepared.output = prepared.output.with_bundled_mpi();
    }
    if let Some(source) = own_source(&prepared.output, &options.output) {
        let why = std::io::Error::other("it is a source that was not instrumented, and would be replaced");
        let error = pipeline::not_written(&source, &why).help("name a folder of its own: -o traced");
        return terminal.report(&[error], &prepared.files);
    }
    let written = write(&prepared.output, &options.output, terminal);
    if written != Exit::Done {
        return written;
    }
    terminal.print(&told(&prepared, &options.output, bundled, options.program.tasks))
}

fn told(prepared: &Prepared, folder: &Path, bundled: bool, tasks: usize) -> String {
    let points = prepared.instrumented.points;
    let counters = prepared.instrumented.formulas.len();
    let place = folder.display();
    let compile = match (prepared.instrumented.mpi, bundled) {
        (true, true) => format!("cc -O2 -DCHRONOS_WITH_MPI -I{place}/{FOLDER} {place}/*.c {place}/{FOLDER}/*.c -lm"),
        (true, false) => format!("mpicc -O2 -DCHRONOS_WITH_MPI {place}/*.c -lm"),
        (false, _) => format!("cc -O2 {place}/*.c -lm"),
    };
    if !prepared.instrumented.records() {
        return format!("{place}: nothing to trace: the counts of all blocks are exact without a run\n");
    }
    let start =
        if bundled { format!("{TASKS}={tasks} (how many tasks the program becomes) and ") } else { String::new() };
    format!(
        "{place}: {points} trace points for {counters} counters\ncompile:  {compile}\nrun with: {start}CHRONOS_TRACE=DIR, the folder for the trace\n"
    )
}

/// A source in the folder that the output would replace, and that is no output of an earlier command.
fn own_source(output: &Output, folder: &Path) -> Option<PathBuf> {
    let users = output.files.iter().filter(|(_, text)| is_instrumented(text.as_bytes()));
    let mut places = users.map(|(name, _)| folder.join(name)).filter(|place| place.is_file());
    // What cannot be read is told when it is written.
    places.find(|place| std::fs::read(place).is_ok_and(|text| !text.is_empty() && !is_instrumented(&text)))
}

/// Writes all files of an output to a folder.
pub fn write(output: &Output, folder: &Path, terminal: &Terminal) -> Exit {
    if let Err(error) = std::fs::create_dir_all(folder) {
        return terminal.report(&[pipeline::not_written(folder, &error)], &SourceFiles::default());
    }
    let subfolders = output.files.iter().filter_map(|(name, _)| name.rsplit_once('/'));
    let made = subfolders.map(|(sub, _)| sub).collect::<BTreeSet<_>>().into_iter().try_for_each(|sub| {
        let sub = folder.join(sub);
        std::fs::create_dir_all(&sub).map_err(|error| pipeline::not_written(&sub, &error))
    });
    if let Err(error) = made {
        return terminal.report(&[error], &SourceFiles::default());
    }
    let write = |(name, text): &(String, String)| terminal.write(text, Some(&folder.join(name)));
    output.files.iter().map(write).max().unwrap_or(Exit::Done)
}

/// Reads, evaluates and instruments a program.
///
/// # Errors
/// The exit code, when what is wrong has been told.
pub fn prepare(options: &TracedProgramArgs, terminal: &Terminal) -> Result<Prepared, Exit> {
    let TracedProgramArgs { front_end, tasks, all } = options;
    let mut program_options = front_end.program();
    // What cannot be followed with little effort is traced: a run is cheaper than its evaluation.
    program_options.budget.get_or_insert(pipeline::TRACED_BUDGET);
    let (program, files, mut diagnostics) = pipeline::program(&program_options, DataModel::default());
    let Some(program) = program else { return Err(terminal.report(&diagnostics, &files)) };
    let program = Arc::new(program);
    let fail = |errors: &[Diagnostic], files: &SourceFiles| Err(terminal.report(errors, files));
    let faults: Vec<Diagnostic> =
        pipeline::before_evaluation(&program).into_iter().filter(Diagnostic::is_error).collect();
    if let Some(fault) = pipeline::recording_unsupported(&program) {
        return fail(&[fault], &files);
    }
    if program.main.is_none() {
        return fail(&faults, &files);
    }
    if let Some(name) = front_end.symbolic.first() {
        return fail(&[pipeline::needs_value(name)], &files);
    }
    let counted = match counted(&program_options, *tasks, &program) {
        Ok(counted) => Some(counted),
        // Where all blocks are traced, it tells no more than how long loops are.
        Err(_) if *all => None,
        Err(errors) => return fail(&errors, &files),
    };
    let options = match pipeline::source_options(&program_options, program.model) {
        Ok((options, _)) => options,
        Err(errors) => return fail(&errors, &files),
    };
    let lengths: Vec<f64> = counted.iter().flat_map(|counted| counted.blocks.iter().map(length)).collect();
    let exact = counted
        .filter(|counted| !all && has_structure(&program, counted))
        .map(|counted| exact_blocks(&program, &counted));
    let wanted = |counter: CounterId| exact.as_ref().is_none_or(|exact| !exact[program.block_of(counter).0 as usize]);
    let iterations = |id: BlockId| lengths.get(id.0 as usize).copied().unwrap_or_default();
    let instrumented = match instrument(&program, &options, &wanted, true, &iterations) {
        Ok(instrumented) => instrumented,
        Err(failure) => return fail(&failure.diagnostics, &failure.files),
    };
    let output = Output::new(&instrumented, &Identity::of(&program), *tasks);
    diagnostics.retain(|diagnostic| !diagnostic.is_error());
    Ok(Prepared { program, files, instrumented, output, diagnostics })
}

fn counted(options: &ProgramOptions, tasks: usize, program: &Arc<Program>) -> Result<Counted, Vec<Diagnostic>> {
    let job = pipeline::with_spawned(pipeline::job(options, program, tasks)?)?;
    Ok(profile::count(&job, &Network::load(pipeline::ORDERING_NETWORK)?))
}

/// Whether the MPI calls of all tasks are known. Where they are not, or rest on the assumption that a file does not exist
/// which the run may find, a prediction takes calls and all counts between them from the trace.
fn has_structure(program: &Program, counted: &Counted) -> bool {
    let unknown = counted.diagnostics.iter().any(|diagnostic| diagnostic.code == &UNKNOWN_MPI);
    let is_mpi = |&id: &BlockId| program.call(id).is_some_and(|call| matches!(call.callee, Callee::Mpi(_)));
    counted.complete && !unknown && !counted.by_files.iter().any(is_mpi)
}

/// How many iterations a loop makes each time that it is reached, on the task where it makes fewest; 0 where that is not
/// known.
fn length(block: &BlockCounts) -> f64 {
    let known = |count: Count| count.as_f64().filter(|_| is_exact(count));
    let on_task = |counts: &TaskCounts| {
        let (iterations, entries) = (known(counts.amount.count), counts.entries.and_then(known));
        iterations.zip(entries).map_or(0.0, |(iterations, entries)| iterations / entries.max(1.0))
    };
    block.counts.iter().map(on_task).reduce(f64::min).unwrap_or_default()
}

/// By block: its count is statically exact on every task. That something is never executed is taken only where what is
/// around it is exact as well: points there cost nothing.
fn exact_blocks(program: &Program, counted: &Counted) -> Vec<bool> {
    let exact = |counts: &TaskCounts| {
        let parts = counts.entries.iter().chain(counts.taken.iter().flatten());
        counts.source == CountSource::Static && parts.chain([&counts.amount.count]).all(|&count| is_exact(count))
    };
    let exact: Vec<bool> = counted.blocks.iter().map(|block| block.counts.iter().all(exact)).collect();
    if exact.iter().all(|&exact| exact) {
        return exact;
    }
    let is_zero = |id: BlockId| counted.blocks[id.0 as usize].counts.iter().any(|counts| counts.amount.count.is_zero());
    let certain = |id: BlockId| {
        let mut around = std::iter::successors(Some(id), |&id| program.blocks[id].parent);
        let counts = around.find(|&id| !is_zero(id) || !exact[id.0 as usize]);
        counts.map_or(program.main == Some(program.blocks[id].function), |counts| exact[counts.0 as usize])
    };
    program.blocks.ids().map(|id| exact[id.0 as usize] && certain(id)).collect()
}
