//! Source rewriting: trace points in the user's program, as many as the counts asked for need.
//!
//! The text that the preprocessor made is rewritten, not the text that the user wrote: only there
//! is control flow out of macros visible. What is written is compilable C again: the user's files and
//! headers with macros expanded (`#line` names their own lines), system headers and mpi.h as the
//! directives that bring them in, so that any compiler and any MPI do.
//!
//! Block numbers are those of every other command: the same lowering runs on the same text, with
//! offsets for places. Few blocks have a point of their own: what follows from others (the `else` of
//! a branch, the condition of a loop) is a sum of points, and points that no wanted count needs are
//! left out. This module must not know how a trace is read, nor what counts are used for.

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
pub mod run;
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
    /// The program calls MPI.
    pub mpi: bool,
    /// It exchanges blocks with its neighbours in a topology.
    pub neighbours: bool,
    /// It accesses memory of other tasks.
    pub windows: bool,
    /// It reads or writes files by MPI.
    pub files: bool,
}

impl Instrumented {
    /// Whether a run has anything to record. Where it has not, the program stays what it was: it needs no runtime.
    pub fn records(&self) -> bool {
        self.points > 0 || self.mpi
    }
}

/// Instruments the sources of `program` so that all counters for which `wanted` holds can be told. `iterations` is how many
/// iterations a loop makes each time that it is reached, as far as that is known: what it costs to enter a long one is no
/// matter.
///
/// # Errors
/// Exactly where a diagnostic is an error.
pub fn instrument(
    program: &Program,
    options: &SourceOptions,
    wanted: &dyn Fn(CounterId) -> bool,
    iterations: &dyn Fn(BlockId) -> f64,
) -> Result<Instrumented, Box<Failure>> {
    let (units, model) = offsets::read(options)?;
    let placed = offsets::program(&units, model, options);
    if !same_blocks(program, &placed) {
        let files = chronos_base::span::SourceFiles::default();
        return Err(Box::new(Failure { files, diagnostics: vec![other_blocks()] }));
    }
    let syntax: Vec<Syntax> = units.iter().map(Syntax::of).collect();
    let plan = plan::plan(&placed, &syntax, &Entries::of(&placed, &units));
    let (formulas, points) = chosen(&plan, wanted);
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
        (unit.path.clone(), text::render(unit, &edits.finish(&syntax[index])))
    });
    let sources = sources.collect();
    let whole = formulas.len() == plan.formulas.iter().flatten().count();
    let points = u32::try_from(points.len()).unwrap_or(u32::MAX);
    let (windows, files) = (calls_any(&placed, "MPI_Win_"), calls_any(&placed, "MPI_File_"));
    let neighbours = calls_any(&placed, "MPI_Neighbor_") || calls_any(&placed, "MPI_Ineighbor_");
    Ok(Instrumented { sources, points, whole, formulas, mpi, neighbours, windows, files })
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
    unit.stretches.iter().any(|stretch| stretch.file == format!("{}/mpi.h", chronos_frontend::headers::BUNDLED))
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
