//! Branches whose way data decides: how often no predictor can know it, and what that costs.
//!
//! A condition on counters and what does not change repeats itself: predictors learn it. One that depends on loaded or
//! computed data is taken to be as random as its frequency allows: of two ways the rarer one comes as a surprise. It
//! must not know which values the data has.

use super::build::Setting;
use super::counts::Counts;
use super::graph::{Graph, Node, NodeId};
use super::opcode::Opcode;
use crate::program::{
    Arg, ArmLabel, Base, BlockId, BlockKind, BranchKind, Callee, CounterId, InstructionClass, OpKind, Operand, Program,
    Step, ValueId, VarId,
};
use std::collections::{BTreeSet, HashMap, HashSet};

/// A branch of a loop's iteration, or of a function's body, that data decides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Erratic {
    /// Of evaluations; those of the arms follow it.
    pub counter: CounterId,
    pub arms: u32,
    /// Cases that are looked up in a table of addresses.
    pub table: bool,
    /// Cycles from the begin of an iteration until the condition is known.
    pub resolved: f64,
}

impl Erratic {
    /// Evaluations that went another way than most.
    pub fn misses(&self, counts: &Counts) -> f64 {
        let evaluations = counts.of(self.counter);
        let arms: Vec<f64> = (1..=self.arms).map(|arm| counts.of(CounterId(self.counter.0 + arm))).collect();
        let none = (evaluations - arms.iter().sum::<f64>()).max(0.0);
        let rest = |of: f64, ways: &[f64]| (of - ways.iter().copied().fold(0.0, f64::max)).max(0.0);
        if !self.table {
            return rest(evaluations, &[arms.as_slice(), &[none]].concat());
        }
        // Whether any case of the table is meant, then which.
        let inside = evaluations - none;
        inside.min(none) + rest(inside, &arms)
    }
}

/// Fewer cases are compared one by one (GCC, `case_values_threshold`).
const LEAST_TABLE: usize = 4;

/// Branches of the graph that stay branches and that data decides.
pub fn erratic(setting: Setting<'_>, graph: &Graph, chain: f64) -> Vec<Erratic> {
    let found = graph.choices.iter().filter_map(|&(block, condition)| {
        let resolved = resolved(setting, graph, condition, chain)?;
        let block = &setting.program.blocks[block];
        let BlockKind::Branch(branch) = &block.kind else { return None };
        // The default stands last, where there is one: what is left over.
        let default = branch.arms.iter().position(|arm| arm.labels.contains(&ArmLabel::Default));
        let cases = branch.arms.len() - usize::from(default.is_some());
        let last = default.is_none_or(|position| position == cases);
        let table = branch.kind == BranchKind::Switch && cases >= LEAST_TABLE && last;
        let arms = if table { cases } else { branch.arms.len() };
        Some(Erratic { counter: block.counter(0), arms: u32::try_from(arms).ok()?, table, resolved })
    });
    found.collect()
}

/// Variables that are given what an array or a pointer's target holds, or something computed from it; calls included.
/// Linear in the size of the program, times the depth of handing on.
pub fn from_data(program: &Program) -> HashSet<VarId> {
    let mut found = HashSet::new();
    loop {
        let before = found.len();
        for (_, function) in program.functions.iter() {
            let mut values = HashSet::new();
            for block in function.blocks.0.0..function.blocks.1.0 {
                spread(program, BlockId(block), &mut values, &mut found);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

fn spread(program: &Program, block: BlockId, values: &mut HashSet<ValueId>, found: &mut HashSet<VarId>) {
    let holds =
        |operand: &Operand, values: &HashSet<ValueId>| matches!(operand, Operand::Value(v) if values.contains(v));
    let straight = match &program.blocks[block].kind {
        BlockKind::Straight(straight) => straight,
        BlockKind::Call(call) => {
            let Callee::Function(callee) = call.callee else { return };
            for (parameter, arg) in program.functions[callee].params.iter().zip(&call.args) {
                if matches!(arg, Arg::Scalar(operand) if holds(operand, values)) {
                    found.insert(*parameter);
                }
            }
            return;
        }
        BlockKind::Loop(_) | BlockKind::Branch(_) => return,
    };
    for op in &straight.ops {
        let data = match &op.kind {
            OpKind::Write(place, operand) => {
                if let (Base::Variable(v), true, true) = (&place.base, place.steps.is_empty(), holds(operand, values)) {
                    found.insert(*v);
                }
                false
            }
            OpKind::Read(place) => match place.base {
                Base::Variable(v) if place.steps.is_empty() => found.contains(&v),
                Base::Variable(_) => place.steps.iter().any(|step| matches!(step, Step::Index { .. })),
                Base::Pointer(_) => true,
            },
            OpKind::Binary(_, _, a, b) => holds(a, values) || holds(b, values),
            OpKind::Unary(_, a) | OpKind::Convert(_, a) | OpKind::Move(a) => holds(a, values),
            _ => false,
        };
        if let Some(dst) = op.dst.filter(|_| data) {
            values.insert(dst);
        }
    }
}

/// Mispredicted ends of a loop that data decides: of the evaluations of its condition, the rarer way. A mean length
/// that is whole speaks for entries of one length, which predictors learn up to `predicted` iterations.
pub fn missed_ends(iterations: f64, entries: f64, predicted: f64) -> f64 {
    let trip = iterations / entries.max(1.0);
    let one_length = entries > 1.0 && trip.fract() == 0.0 && trip <= predicted;
    if one_length { 0.0 } else { iterations.min(entries) }
}

/// Variables that an iteration computes from data: a loop inside it that one of them bounds ends unexpectedly.
pub fn given(setting: Setting<'_>, graph: &Graph) -> BTreeSet<VarId> {
    let mut known = HashMap::new();
    let all = graph.carried.iter().filter(|(variable, _)| !graph.steps.contains_key(variable));
    all.filter(|&(_, &end)| Walk { setting, graph }.depth(end, &mut known).erratic).map(|(v, _)| *v).collect()
}

/// The measured penalty of a misprediction holds this much: a test of a bit (microbench/pipeline.c).
const IN_FIGURE: f64 = 2.0;

/// Where data decides a condition: cycles from the begin of an iteration until it is known, beyond those in the
/// penalty and those that `chain`, the slowest recurrence, takes anyway. `None` where counters decide it.
pub fn resolved(setting: Setting<'_>, graph: &Graph, condition: NodeId, chain: f64) -> Option<f64> {
    let mut known = HashMap::new();
    let found = Walk { setting, graph }.depth(condition, &mut known);
    let beyond = found.carried.map_or(found.cycles, |carried| found.cycles.max(carried - chain));
    found.erratic.then_some((beyond - IN_FIGURE).max(0.0))
}

#[derive(Clone, Copy, Default)]
struct Depth {
    /// From what is there at once, such as counters.
    cycles: f64,
    /// From what the iteration before computed.
    carried: Option<f64>,
    /// It depends on data.
    erratic: bool,
}

#[derive(Clone, Copy)]
struct Walk<'a> {
    setting: Setting<'a>,
    graph: &'a Graph,
}

impl Walk<'_> {
    fn depth(self, id: NodeId, known: &mut HashMap<NodeId, Depth>) -> Depth {
        if let Some(found) = known.get(&id) {
            return *found;
        }
        let node = &self.graph.nodes[id as usize];
        // In a function's body everything is the same all the time; its calls differ.
        let found = if node.invariant && !self.graph.whole { Depth::default() } else { self.of_operands(node, known) };
        known.insert(id, found);
        found
    }

    fn of_operands(self, node: &Node, known: &mut HashMap<NodeId, Depth>) -> Depth {
        let mut found = Depth::default();
        for &operand in &node.operands {
            let of = self.depth(operand, known);
            found.cycles = found.cycles.max(of.cycles);
            found.erratic |= of.erratic;
            found.carried = later(found.carried, of.carried);
        }
        found.cycles += node.latency;
        found.carried = found.carried.map(|cycles| cycles + node.latency);
        match node.opcode {
            Opcode::Entry(variable) if self.graph.whole => found.erratic = self.setting.facts.data.contains(&variable),
            Opcode::Entry(variable) => {
                let (graph, steps) = (self.graph, self.graph.steps.contains_key(&variable));
                found.erratic = !steps && graph.carried.contains_key(&variable);
                found.carried = found.erratic.then_some(0.0);
            }
            // Without an optimiser, variables that were written are such nodes as well.
            Opcode::Unique(_) if self.setting.profile.optimises || node.operands.is_empty() => found.erratic = true,
            _ => found.erratic |= node.class == Some(InstructionClass::Load),
        }
        found
    }
}

fn later(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.max(b)),
        (a, b) => a.or(b),
    }
}
