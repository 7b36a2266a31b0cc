//! Which counters are kept in local variables: those of inner loops, which are added up where the loops around them
//! end.
//!
//! A counter in memory that is counted up in an inner loop costs as much as the loop's own work, and no compiler may
//! move it. A local variable is a register, and where the number of iterations is known, compilers count once for all
//! of them. At most two nested loops share their variables, so that a task that is killed loses no more than what
//! such a nest was about to add; a loop that is known to be a long one has its own for its choices. Loops that may be
//! left other than by their end, or that may reach MPI or the end of the program, keep their counters in memory.

use super::pieces::Pieces;
use super::plan::Place;
use super::syntax::{Range, Syntax};
use chronos_frontend::offsets::{OffsetUnit, unit_of};
use chronos_functions as functions;
use chronos_ir::{BlockId, BlockKind, Call, Callee, Program};
use std::collections::BTreeMap;

/// From so many iterations on, what is done once behind a loop is no matter.
const LONG: f64 = 256.0;

/// From so many on, pieces gain more than it costs to begin one.
const WORTH_PIECES: f64 = 100.0;

/// The loops of a unit.
pub struct Loops {
    /// By start; of equal ones the outer first.
    loops: Vec<Node>,
}

struct Node {
    range: Range,
    parent: Option<usize>,
    /// Levels of loops inside.
    height: usize,
    /// Its counters may be local.
    is_free: bool,
    is_for: bool,
    is_long: bool,
    /// Of those that are long enough.
    pieces: Option<Pieces>,
}

/// How to unroll a loop, the more where it is a long one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unrolling {
    Some,
    Long,
    /// Its choices are counted in bytes.
    Pieces(Pieces),
}

impl Loops {
    pub fn of(
        program: &Program,
        index: usize,
        unit: &OffsetUnit,
        syntax: &Syntax,
        iterations: &dyn Fn(BlockId) -> f64,
    ) -> Self {
        let blocks = blocks(program, index);
        let mut ranges: Vec<Range> = syntax.loops.keys().copied().collect();
        ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
        let mut ways_out = ways_out(program, index, syntax);
        ways_out.sort_unstable();
        let mut loops: Vec<Node> = Vec::with_capacity(ranges.len());
        let mut around: Vec<usize> = Vec::new();
        for range in ranges {
            while around
                .last()
                .is_some_and(|&outer| loops[outer].range.end < range.end || loops[outer].range.end <= range.start)
            {
                around.pop();
            }
            let first = ways_out.partition_point(|&at| at < range.start);
            let leaves = ways_out.get(first).is_some_and(|&at| at < range.end);
            let is_free = !leaves && !has_pragma(unit, range) && !syntax.enters(range);
            for (levels, &outer) in (1..).zip(around.iter().rev()) {
                loops[outer].height = loops[outer].height.max(levels);
            }
            around.push(loops.len());
            let parent = around.len().checked_sub(2).map(|at| around[at]);
            let is_for = unit.text[unit.offset(range.start)..].starts_with("for");
            let block = blocks.get(&range).copied();
            let iterations = block.map_or(0.0, iterations);
            let pieces =
                block.filter(|_| iterations >= WORTH_PIECES).and_then(|id| Pieces::of(program, id, unit, syntax));
            loops.push(Node { range, parent, height: 0, is_free, is_for, is_long: iterations >= LONG, pieces });
        }
        Self { loops }
    }

    /// The loop that is worth unrolling because this point chooses in it: a small one without loops inside, of which
    /// the counter would else be a large part of the work.
    pub fn unrolled(&self, place: Place) -> Option<(Range, Unrolling)> {
        const SMALL: usize = 400;
        let Place::Taken(condition) = place else { return None };
        let until = self.loops.partition_point(|node| node.range.start <= condition.start);
        let node = self.loops[..until].iter().rfind(|node| node.range.contains(condition))?;
        let small = node.height == 0 && node.is_for && node.range.end - node.range.start < SMALL;
        let unrolling = match &node.pieces {
            Some(pieces) if pieces.body.contains(condition) => Unrolling::Pieces(pieces.clone()),
            _ if node.is_long => Unrolling::Long,
            _ => Unrolling::Some,
        };
        small.then_some((node.range, unrolling))
    }

    /// The loop at whose end a point is added up; `None` where it is counted in memory.
    pub fn host(&self, place: Place) -> Option<Range> {
        let is_inside = |range: Range| match place {
            Place::Front(at) => range.start < at && at < range.end,
            Place::Behind(end) => range.start < end && end <= range.end,
            Place::Value(..) => false,
            Place::Expression(inner) | Place::Taken(inner) | Place::Truth(inner) => range.contains(inner),
        };
        let after = match place {
            Place::Front(at) | Place::Behind(at) => at,
            Place::Expression(range) | Place::Value(range, _) | Place::Taken(range) | Place::Truth(range) => {
                range.start + 1
            }
        };
        let until = self.loops.partition_point(|node| node.range.start < after);
        let innermost = self.loops[..until].iter().rposition(|node| is_inside(node.range))?;
        let node = &self.loops[innermost];
        let chooses = matches!(place, Place::Taken(_) | Place::Truth(_));
        let outer = node.parent.map(|parent| &self.loops[parent]);
        match node.height {
            0 if node.pieces.is_some() || node.is_long && chooses => Some(node),
            0 => outer.filter(|outer| outer.is_free && outer.height == 1).or(Some(node)),
            1 => Some(node),
            _ => None,
        }
        .filter(|host| host.is_free)
        .map(|host| host.range)
    }
}

/// The loops of a unit as blocks.
fn blocks(program: &Program, index: usize) -> BTreeMap<Range, BlockId> {
    let here = program.blocks.iter().filter(|(_, block)| {
        matches!(block.kind, BlockKind::Loop(_)) && unit_of(program.functions[block.function].span) == Some(index)
    });
    here.map(|(id, block)| (Range::of(block.span), id)).collect()
}

/// Where a loop may be left for good: jumps, and calls that may not come back or that begin another segment.
fn ways_out(program: &Program, index: usize, syntax: &Syntax) -> Vec<usize> {
    let calls = program.blocks.iter().filter_map(|(_, block)| {
        let BlockKind::Call(call) = &block.kind else { return None };
        let here = unit_of(program.functions[block.function].span) == Some(index);
        (here && !comes_back(program, call)).then(|| Range::of(block.span).start)
    });
    calls.chain(syntax.jumps.iter().copied()).collect()
}

fn comes_back(program: &Program, call: &Call) -> bool {
    match &call.callee {
        Callee::Function(id) => {
            let effects = program.functions[*id].effects;
            !effects.reaches_mpi && !effects.may_not_return
        }
        Callee::Library(name) => is_harmless(name),
        Callee::Mpi(_) | Callee::Indirect(_) => false,
    }
}

/// Functions that only compute; others take longer than a counter in memory, and who knows what they do.
fn is_harmless(name: &str) -> bool {
    use functions::Class;
    let computes = |class| {
        matches!(
            class,
            Class::Arithmetic | Class::Elementary | Class::Random | Class::Bytes | Class::Text | Class::Character
        )
    };
    functions::lookup(name).is_some_and(|row| computes(row.class) && row.ending == functions::Ending::Returns)
}

/// A pragma in front of it may ask for a loop there; inside it threads may share the variables.
fn has_pragma(unit: &OffsetUnit, range: Range) -> bool {
    let (start, end) = (unit.offset(range.start), unit.end(range.start, range.end));
    let is_pragma =
        |line: &str| line.trim_start().strip_prefix('#').is_some_and(|rest| rest.trim_start().starts_with("pragma"));
    let marks_region = |line: &str| line.split_whitespace().any(|word| word == "scop" || word == "endscop");
    let before = unit.text[..start].lines().rev().find(|line| !line.trim().is_empty());
    let inside = unit.text.get(start..end).unwrap_or_default();
    before.is_some_and(|line| is_pragma(line) && !marks_region(line)) || inside.lines().any(is_pragma)
}
