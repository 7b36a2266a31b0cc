//! Instrumentation: trace points in the sources of a program, the bundled MPI, and compiling and running both.
//!
//! # Purpose
//!
//! The crate rewrites a program so that a run tells the counts that are asked for, with few trace points. It does
//! not know how a trace is read, nor what counts are used for.
//!
//! # How it works
//!
//! **Which text.** The text that the preprocessor made is rewritten, because only there is control flow out of macros
//! visible. The constants of `mpi.h` stay names (`SourceOptions::constants_as_names` in the crate `frontend`), and
//! system headers come back as directives (`text`). The result is C again, so that any compiler and any MPI take it;
//! `#line` names the user's lines.
//!
//! **Which blocks.** Block numbers are those of every other command. `chronos_frontend::offsets` lowers the same text
//! with offsets for places, and these places are where points go.
//!
//! **Which points.** `plan` walks the regions of the block tree with the flow of control that reaches them. Counters
//! are sums of points (`chronos_trace::formula`); the `else` of a branch or the condition of a loop follows from
//! others. Only points that wanted counters need are written. `entries` says which functions need no point at their
//! beginning.
//!
//! **Which counters.** Points of inner loops count in local variables (`locals` says where that is right), and loops
//! around choices may run in pieces (`pieces`). All other counters of a trace of counts lie in a mapped file while
//! the program runs.
//!
//! **MPI calls.** What MPI calls ask for is recorded in front of MPI, through the profiling interface, in the terms
//! of `chronos_activity::Operation`: `runtime/chronos_calls.h`, `chronos_messages.c` and `chronos_collectives.c` go
//! with programs that call MPI; `chronos_neighbours.c`, `chronos_windows.c` and `chronos_files.c` with those that use
//! neighbourhood exchanges, windows and files. `chronos_trace.c` and `chronos_trace.h` go with all; the header alone
//! where a run has nothing to record.
//!
//! **Virtual time.** For `chronos run`, `chronos_live.c` stands in place of `chronos_trace.c` and tells a driver what a trace
//! would hold; `chronos_live_messages.c` asks it what comes of receives, completions and probes (`chronos_direct_execution`).
//!
//! **Recorded runs.** For `chronos record`, `chronos_record.c` stands in place of `chronos_trace.c` and writes when each call
//! began and ended (`chronos_record`); `chronos_record_messages.c` tells what wildcards matched. The program's sources stay as
//! they are ([`recorder`]).
//!
//! # The bundled MPI
//!
//! `runtime/mpi/` is C text that [`bundled`] compiles beside an instrumented program where no MPI is installed. It
//! implements what `runtime/mpi.h` declares. Each layer knows only those above it in this list
//! (`runtime/mpi/internal.h`):
//!
//! 1. `transport.h`: headers and bytes from task to task, in order, and waiting for a change. `sockets.c` is the only
//!    implementation: a pair of datagram sockets per task, a queue for what does not fit, and `poll` while nothing
//!    happens. A simulator would replace this interface; nothing above it knows sockets, processes or time.
//! 2. `messages.c` matches messages and receives, `requests.c` completes requests. Messages travel packed, so that a
//!    standard send waits for the transport alone; a synchronous one waits for an acknowledgement.
//! 3. Datatypes, groups, communicators, collective operations, windows and files are written in terms of messages.
//!
//! A driver may decide which message a receive gets (`direct.h`): then receives from point to point are not matched here, but
//! given the message that the driver names. `turns.c` lets so many tasks compute at a time.
//!
//! `launch.c` has a constructor that forks the tasks before `main` when `CHRONOS_MPI_TASKS` is set, and watches them.
//! Tasks count packets in shared memory. When all living tasks are blocked and have read every packet that was sent
//! to them, three times in a row without a move, they wait for ever: the run ends with a message.
//!
//! Collective operations are requests made of rounds of messages (`collectives.h`); blocking, non-blocking and
//! persistent forms are one macro. Reductions combine in the order of ranks, so their results do not depend on
//! timing. Windows are served by their owner in any call of MPI (`remote.c`, `epochs.c`); a target that computes
//! answers later. Files are `pread` and `pwrite` through views. The context of a new communicator is one above all
//! that any member has used, so that members agree by one allgather. Every function is weak with a strong `PMPI_`
//! twin, so that wrappers work.
//!
//! The programs in `testdata/bundled_mpi` check the bundled MPI from inside (`tests/bundled_mpi.rs`).
//!
//! # Invariants
//!
//! - Instrumented sources have the blocks of the program that is counted; where they would not, the program is
//!   refused (C1001).
//! - A call that reaches MPI or may not return breaks the flow in `plan`, so that sums hold for what runs between two
//!   MPI calls.
//! - A program without MPI and without wanted points stays what it was.
//!
//! # Limits
//!
//! - Instrumented sources see `__CHRONOS__` defined, and `__int128` and `__float128` as the front end does.
//! - A block in the middle of an expression whose place takes no trace point counts as the block before it, which
//!   differs where a call does not come back.
//! - A task that is killed loses what its innermost loops had counted in local variables.
//! - The bundled MPI runs 4,096 tasks at most, all on one machine. Its speed says nothing about an installed MPI.
//!
//! # Literature
//!
//! Ball, Larus: Optimally profiling and tracing programs, TOPLAS 16(4), 1994, for counters that follow from others.

#![forbid(unsafe_code)]

pub mod bundled;
pub mod codes;
mod edits;
mod entries;
mod locals;
mod mpi;
mod output;
mod pieces;
mod plan;
pub mod recorder;
pub mod run;
mod sizes;
mod spawned;
mod syntax;
mod text;

pub use output::{Output, RUNTIME};
pub use text::is_instrumented;

use chronos_base::diag::Diagnostic;
use chronos_base::ids::{Id, Table};
use chronos_frontend::offsets::{self, OffsetUnit};
use chronos_frontend::{Failure, SourceOptions};
use chronos_ir::{BlockId, BlockKind, Callee, CounterId, Program};
use chronos_trace::formula::{Formula, PointId};
use edits::{Counter, Edits};
use entries::Entries;
use locals::{Loops, Unrolling};
use plan::{Place, Plan, Point};
use std::collections::BTreeMap;
use std::path::PathBuf;
use syntax::{Range, Syntax};

/// A program with trace points.
#[derive(Debug)]
pub struct Instrumented {
    /// Each file given, with its instrumented text.
    pub sources: Vec<(PathBuf, String)>,
    /// Number of trace points.
    pub points: u32,
    /// Every counter that can be was asked for.
    pub whole: bool,
    /// By counter: the points whose executions add up to it. Counters that are not here were not asked for or are
    /// in no source file of the user.
    pub formulas: BTreeMap<CounterId, Formula>,
    /// By call, the point that counts the bytes that it moves or sets.
    pub volumes: BTreeMap<BlockId, PointId>,
    /// The program calls MPI.
    pub mpi: bool,
    /// It exchanges blocks with its neighbours in a topology.
    pub neighbours: bool,
    /// It accesses memory of other tasks.
    pub windows: bool,
    /// It reads or writes files by MPI.
    pub files: bool,
    /// Names of the programs that it may start tasks of, its own first; empty where it starts none.
    pub programs: Vec<String>,
}

impl Instrumented {
    /// Whether a run has anything to record. Where it has not, the program stays what it was: it needs no runtime.
    pub fn records(&self) -> bool {
        self.points > 0 || self.mpi
    }
}

/// Instruments the sources of `program` so that all counters for which `wanted` holds can be told, and the bytes that calls of
/// the library move where `bytes` says so. `iterations` is
/// how many iterations a loop makes each time that it is reached, as far as that is known: what it costs to enter a
/// long one is no matter.
///
/// # Errors
/// Exactly where a diagnostic is an error.
pub fn instrument(
    program: &Program,
    options: &SourceOptions,
    wanted: &dyn Fn(CounterId) -> bool,
    bytes: bool,
    iterations: &dyn Fn(BlockId) -> f64,
) -> Result<Instrumented, Box<Failure>> {
    if chronos_ir::openmp::has_regions(program) || chronos_ir::openmp::has_posix_threads(program) {
        let files = chronos_base::span::SourceFiles::default();
        return Err(Box::new(Failure { files, diagnostics: vec![threads(program)] }));
    }
    let (units, model) = offsets::read(options)?;
    let placed = offsets::program(&units, model, options);
    if !same_blocks(program, &placed) {
        let files = chronos_base::span::SourceFiles::default();
        return Err(Box::new(Failure { files, diagnostics: vec![other_blocks()] }));
    }
    let syntax: Vec<Syntax> = units.iter().map(Syntax::of).collect();
    let plan = plan::plan(&placed, &syntax, &Entries::of(&placed, &units));
    let (formulas, points) = chosen(&plan, wanted);
    let behind = u32::try_from(points.len()).unwrap_or(u32::MAX);
    let sized = if bytes { sizes::calls(&placed, &syntax) } else { Vec::new() };
    let mpi = units.iter().any(calls_mpi);
    let records = mpi || !points.is_empty();
    let sources = units.iter().enumerate().map(|(index, unit)| {
        let mut edits = Edits::new(unit);
        if records
            && let Some(main) = placed.main.map(|main| &placed.functions[main])
            && offsets::unit_of(main.span) == Some(index)
            && let Some(&inside) = syntax[index].functions.get(&Range::of(main.span).end)
        {
            edits.begin(inside);
        }
        place(&points, index, &Loops::of(&placed, index, unit, &syntax[index], iterations), &mut edits);
        mpi::calls(&placed, index, &syntax[index], &mut edits);
        sizes::place(&sized, behind, index, &mut edits);
        (unit.path.clone(), text::render(unit, &edits.finish(&syntax[index])))
    });
    let sources = sources.collect();
    let whole = formulas.len() == plan.formulas.iter().flatten().count();
    let volumes: BTreeMap<BlockId, PointId> =
        sized.iter().zip(behind..).map(|(call, point)| (call.call, PointId(point))).collect();
    let points = behind.saturating_add(u32::try_from(sized.len()).unwrap_or(u32::MAX));
    let (windows, files) = (calls_any(&placed, "MPI_Win_"), calls_any(&placed, "MPI_File_"));
    let neighbours = calls_any(&placed, "MPI_Neighbor_") || calls_any(&placed, "MPI_Ineighbor_");
    Ok(Instrumented {
        sources,
        points,
        whole,
        formulas,
        volumes,
        mpi,
        neighbours,
        windows,
        files,
        programs: spawned::programs(program),
    })
}

fn calls_any(program: &Program, family: &str) -> bool {
    program.blocks.values().any(|block| match &block.kind {
        BlockKind::Call(call) => matches!(&call.callee, Callee::Mpi(name) if name.starts_with(family)),
        _ => false,
    })
}

/// Puts the points of a unit into its text.
fn place(points: &Table<PointId, Point>, unit: usize, loops: &Loops, edits: &mut Edits<'_>) {
    let mut hosts: BTreeMap<Range, Vec<(PointId, Place, Counter)>> = BTreeMap::new();
    let mut unrolled: BTreeMap<Range, (Unrolling, Vec<PointId>)> = BTreeMap::new();
    for (id, point) in points.iter().filter(|(_, point)| point.unit == unit) {
        let mut counter = Counter::Memory;
        if let Some(host) = loops.host(point.place) {
            counter = Counter::Local;
            if let Some((range, unrolling)) = loops.unrolled(point.place) {
                if matches!(unrolling, Unrolling::Pieces(_)) {
                    counter = Counter::Byte;
                }
                unrolled.entry(range).or_insert_with(|| (unrolling, Vec::new())).1.push(id);
            }
            hosts.entry(host).or_default().push((id, point.place, counter));
        }
        edits.point(point.place, id, counter);
    }
    for (range, points) in &hosts {
        edits.locals(*range, points);
    }
    for (range, (unrolling, points)) in &unrolled {
        edits.unroll(*range, unrolling, points);
    }
}

fn calls_mpi(unit: &OffsetUnit) -> bool {
    unit.file_lines.iter().any(|stretch| stretch.file == format!("{}/mpi.h", chronos_frontend::headers::BUNDLED))
}

/// Whether two lowerings of the same text made the same tree.
fn same_blocks(a: &Program, b: &Program) -> bool {
    let shape = |program: &Program| -> Vec<_> {
        let kind = |kind: &BlockKind| std::mem::discriminant(kind);
        program
            .blocks
            .iter()
            .map(|(_, block)| (block.function, block.parent, block.first_counter, kind(&block.kind)))
            .collect()
    };
    a.counters == b.counters && shape(a) == shape(b)
}

fn threads(program: &Program) -> Diagnostic {
    if chronos_ir::openmp::has_posix_threads(program) {
        let message = "a program that starts or orders threads of POSIX cannot be instrumented";
        return Diagnostic::error(&codes::OTHER_BLOCKS, message)
            .help("predict it without a trace: its threads are followed (docs/openmp.md)");
    }
    let message = "a program with parallel regions of OpenMP cannot be instrumented";
    Diagnostic::error(&codes::OTHER_BLOCKS, message)
        .help("predict it without a trace; or instrument it with one thread, without -fopenmp and --threads")
}

fn other_blocks() -> Diagnostic {
    let message = "the sources have other blocks when MPI's constants are names";
    Diagnostic::error(&codes::OTHER_BLOCKS, message)
        .help("a directive or constant expression compares constants of MPI; replace it by what holds for your MPI")
}

/// The formulas that are wanted and the points that they need, numbered anew.
fn chosen(plan: &Plan, wanted: &dyn Fn(CounterId) -> bool) -> (BTreeMap<CounterId, Formula>, Table<PointId, Point>) {
    let mut points = Table::new();
    let mut renamed: BTreeMap<PointId, PointId> = BTreeMap::new();
    let mut formulas = BTreeMap::new();
    for (index, formula) in plan.formulas.iter().enumerate() {
        let counter = CounterId::new(index);
        let Some(formula) = formula.as_ref().filter(|_| wanted(counter)) else { continue };
        for (point, _) in formula.terms() {
            renamed.entry(point).or_insert_with(|| points.push(plan.points[point]));
        }
        formulas.insert(counter, formula.renamed(&renamed));
    }
    (formulas, points)
}
