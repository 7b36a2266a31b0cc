//! Loops that go beyond the end of an array. What they store may decide about nothing, so that the evaluation leaves the
//! accesses out and meets no error; but a real run overwrites other data or is ended by the system. So the numbers of
//! iterations that were counted are compared with the lengths that types give, and what is certain is a doubt about the
//! whole program.
//!
//! Only what is certain is told: the subscript is a counter that the loop alone changes, and the access belongs to every
//! iteration. Some execution of the loop has at least the mean number of iterations.

use super::{Certainty, Doubt, Doubts, Subject};
use crate::Analysis;
use chronos_activity::{CountValue, Segment};
use chronos_base::hash::{FxHashMap, FxHashSet};
use chronos_base::span::Span;
use chronos_ir::{
    Base, BinaryOp, Block, BlockId, BlockKind, Const, CounterId, Loop, Op, OpKind, Operand, Place, Program, Step,
    Storage, Straight, ValueId, VarId,
};

/// A variable that is `first` in the first iteration and grows by `step`.
#[derive(Clone, Copy)]
struct Counter {
    variable: VarId,
    first: i128,
    step: i128,
}

/// A loop with a counter, whole executions of which lie in one segment.
struct Candidate<'p> {
    block: &'p Block,
    counter: Counter,
    /// Straight blocks of the body, outside of branches and inner loops.
    parts: Vec<(&'p Block, &'p Straight)>,
}

/// Looks at all that tasks execute between two events of MPI. Errors that the evaluation `met` name their accesses better
/// than a doubt does.
pub fn add<'s>(
    program: &Program,
    analysis: &Analysis,
    segments: impl Iterator<Item = &'s Segment>,
    met: &FxHashSet<Span>,
    doubts: &mut Doubts,
) {
    // A loop that calls MPI is spread over several segments.
    let local = program.blocks.iter().filter(|&(id, _)| !analysis.reaches_mpi(id));
    let candidates: Vec<Candidate<'_>> = local.filter_map(|(_, block)| candidate(program, block, met)).collect();
    if candidates.is_empty() {
        return;
    }
    let counters: FxHashSet<CounterId> = candidates.iter().flat_map(Candidate::counters).collect();
    for segment in segments {
        let counts = exact(segment, &counters);
        candidates.iter().for_each(|candidate| candidate.add(program, &counts, doubts));
    }
}

/// The sums of these counters over all contexts, where they are exact.
fn exact(segment: &Segment, counters: &FxHashSet<CounterId>) -> FxHashMap<CounterId, u128> {
    let mut sums: FxHashMap<CounterId, Option<u128>> = FxHashMap::default();
    for &(_, counter, count) in segment.counts.iter().filter(|(_, counter, _)| counters.contains(counter)) {
        let sum = sums.entry(counter).or_insert(Some(0));
        *sum = match (*sum, count.value) {
            (Some(sum), CountValue::Exact(count)) => sum.checked_add(count),
            _ => None,
        };
    }
    sums.into_iter().filter_map(|(counter, sum)| Some((counter, sum?))).collect()
}

fn candidate<'p>(program: &'p Program, block: &'p Block, met: &FxHashSet<Span>) -> Option<Candidate<'p>> {
    let BlockKind::Loop(l) = &block.kind else { return None };
    let counter = counter(program, l)?;
    let parts = l.body.iter().filter_map(|&id| Some((&program.blocks[id], straight(&program.blocks[id])?)));
    let unmet = |straight: &Straight| !straight.ops.iter().any(|op| met.contains(&op.span));
    let parts = parts.filter(|(_, straight)| unmet(straight)).collect();
    Some(Candidate { block, counter, parts })
}

impl Candidate<'_> {
    fn counters(&self) -> Vec<CounterId> {
        let parts = self.parts.iter().map(|(block, _)| block.counter(0));
        parts.chain([self.block.counter(0), self.block.counter(1)]).collect()
    }

    fn add(&self, program: &Program, counts: &FxHashMap<CounterId, u128>, doubts: &mut Doubts) {
        let of = |counter: CounterId| counts.get(&counter).copied().filter(|&count| count > 0);
        let (Some(iterations), Some(entries)) = (of(self.block.counter(0)), of(self.block.counter(1))) else { return };
        let Some(last) = self.counter.after(iterations.div_ceil(entries) - 1) else { return };
        for (block, straight) in &self.parts {
            if of(block.counter(0)) == Some(iterations) {
                beyond(program, straight, self.counter.variable, last, self.block, doubts);
            }
        }
    }
}

impl Counter {
    fn after(self, iterations: u128) -> Option<i128> {
        self.step.checked_mul(i128::try_from(iterations).ok()?)?.checked_add(self.first)
    }
}

fn straight(block: &Block) -> Option<&Straight> {
    match &block.kind {
        BlockKind::Straight(straight) => Some(straight),
        _ => None,
    }
}

/// The counter of a `for` loop that nothing but its step changes.
fn counter(program: &Program, l: &Loop) -> Option<Counter> {
    let (variable, first) = last_write(program, &l.init)?;
    let Operand::Const(Const::Int(first, _)) = first.1 else { return None };
    let (stepped, (ops, value)) = last_write(program, &l.step)?;
    let step = distance(ops, value, variable)?;
    let named = &program.variables[variable];
    let own = matches!(named.storage, Storage::Local | Storage::Parameter(_)) && !named.address_taken;
    let changed = l.body.iter().any(|&id| writes(program, id, variable));
    let is_counter = stepped == variable && own && step > 0 && !changed;
    is_counter.then_some(Counter { variable, first: (*first).into(), step })
}

/// The variable that a region writes last, the operations of that block and the value.
fn last_write<'p>(program: &'p Program, region: &[BlockId]) -> Option<(VarId, (&'p [Op], &'p Operand))> {
    let ops = &straight(&program.blocks[*region.last()?])?.ops;
    match &ops.last()?.kind {
        OpKind::Write(place, value) => Some((whole_variable(place)?, (ops, value))),
        _ => None,
    }
}

fn whole_variable(place: &Place) -> Option<VarId> {
    match place.base {
        Base::Variable(variable) if place.steps.is_empty() && place.bits.is_none() => Some(variable),
        _ => None,
    }
}

/// Whether a block, or one within it, writes the variable.
fn writes(program: &Program, id: BlockId, variable: VarId) -> bool {
    let written = |op: &Op| matches!(&op.kind, OpKind::Write(place, _) if whole_variable(place) == Some(variable));
    let region = |region: &[BlockId]| region.iter().any(|&inner| writes(program, inner, variable));
    match &program.blocks[id].kind {
        BlockKind::Straight(straight) => straight.ops.iter().any(written),
        BlockKind::Call(_) => false,
        BlockKind::Loop(l) => {
            let condition = l.condition.as_ref().is_some_and(|condition| region(&condition.region));
            condition || [&l.init, &l.body, &l.step].into_iter().any(|inner| region(inner))
        }
        BlockKind::Branch(branch) => branch.arms.iter().any(|arm| region(&arm.region)),
    }
}

/// How much more than the variable the operand is.
fn distance(ops: &[Op], operand: &Operand, variable: VarId) -> Option<i128> {
    let Operand::Value(value) = operand else { return None };
    match &definition(ops, *value)?.kind {
        OpKind::Read(place) if whole_variable(place) == Some(variable) => Some(0),
        OpKind::Convert(_, inner) | OpKind::Move(inner) => distance(ops, inner, variable),
        OpKind::Binary(BinaryOp::Add, _, inner, Operand::Const(Const::Int(by, _)))
        | OpKind::Binary(BinaryOp::Add, _, Operand::Const(Const::Int(by, _)), inner) => {
            distance(ops, inner, variable)?.checked_add((*by).into())
        }
        OpKind::Binary(BinaryOp::Sub, _, inner, Operand::Const(Const::Int(by, _))) => {
            distance(ops, inner, variable)?.checked_sub((*by).into())
        }
        _ => None,
    }
}

fn definition(ops: &[Op], value: ValueId) -> Option<&Op> {
    ops.iter().find(|op| op.dst == Some(value))
}

/// Doubts about the accesses of a block whose counter comes to `last`.
fn beyond(program: &Program, straight: &Straight, counter: VarId, last: i128, l: &Block, doubts: &mut Doubts) {
    for op in &straight.ops {
        let (OpKind::Read(place) | OpKind::Write(place, _)) = &op.kind else { continue };
        let (Base::Variable(array), Some(Step::Index { index, length: Some(length), .. })) =
            (&place.base, place.steps.first())
        else {
            continue;
        };
        let Some(distance) = distance(&straight.ops, index, counter) else { continue };
        let element = last.saturating_add(distance);
        if element >= i128::from(*length) {
            let doubt = doubt(&program.variables[*array].name, *length, element, op.span);
            // The run may end there, or go on with other data.
            let main = program.function_named("main").unwrap_or(l.function);
            doubts.add(doubt, Subject::Function(main));
        }
    }
}

fn doubt(name: &str, length: u64, element: i128, span: Span) -> Doubt {
    let text =
        format!("the loop comes to element {element} of `{name}`, which has {length}, and the run is taken to go on");
    let help = "check the bounds of the loop and the size of the array: a real run may be ended there, or compute with other data";
    Doubt { span, certainty: Certainty::Approximate, text: text.into(), help: Some(help.into()) }
}
