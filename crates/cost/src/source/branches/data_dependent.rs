//! Branches whose way data decides: how often no predictor can know it, and what that costs.
//!
//! A condition on counters and what does not change repeats itself: predictors learn it. One that depends on loaded or
//! computed data is nearly as random as its frequency allows: of two ways the rarer one is mispredicted. It
//! must not know which values the data has.

use crate::source::address::place::ValueNumber;
use crate::source::dataflow::build::Setting;
use crate::source::dataflow::graph::{Graph, Node};
use crate::source::dataflow::opcode::Opcode;
use chronos_base::hash::FxHashMap;
use chronos_ir::{ArmLabel, BlockKind, BranchKind, CounterId, InstructionClass, VarId};
use std::collections::BTreeSet;

/// A branch of a loop's iteration, or of a function's body, that data decides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DataDependentBranch {
    /// Of evaluations; those of the arms follow it.
    pub counter: CounterId,
    pub arms: u32,
    /// Cases that are looked up in a table of addresses.
    pub table: bool,
    /// Cycles from the begin of an iteration until the condition is known.
    pub resolved: f64,
}

/// Fewer cases are compared one by one (GCC, `case_values_threshold`).
const LEAST_TABLE: usize = 4;

/// Branches of the graph that stay branches and that data decides.
pub(crate) fn data_dependent_branches(
    setting: Setting<'_>,
    graph: &Graph,
    recurrence: f64,
) -> Vec<DataDependentBranch> {
    let found = graph.choices.iter().filter_map(|&(block, condition)| {
        let resolved = cycles_to_condition(setting, graph, condition, recurrence)?;
        let block = &setting.program.blocks[block];
        let BlockKind::Branch(branch) = &block.kind else { return None };
        // The default stands last, where there is one: what is left over.
        let default = branch.arms.iter().position(|arm| arm.labels.contains(&ArmLabel::Default));
        let cases = branch.arms.len() - usize::from(default.is_some());
        let last = default.is_none_or(|position| position == cases);
        // A switch of enough cases is an indirect jump behind a check of its range.
        let table = branch.kind == BranchKind::Switch && cases >= LEAST_TABLE && last;
        let arms = if table { cases } else { branch.arms.len() };
        Some(DataDependentBranch { counter: block.counter(0), arms: u32::try_from(arms).ok()?, table, resolved })
    });
    found.collect()
}

/// Variables that an iteration computes from data: a loop inside it that one of them bounds ends unexpectedly.
pub(crate) fn data_dependent_variables(setting: Setting<'_>, graph: &Graph) -> BTreeSet<VarId> {
    let mut known = FxHashMap::default();
    let all = graph.carried.iter().filter(|(variable, _)| !graph.steps.contains_key(variable));
    all.filter(|&(_, &end)| ConditionDepth { setting, graph }.depth(end, &mut known).data_dependent)
        .map(|(v, _)| *v)
        .collect()
}

/// The measured penalty of a misprediction holds this much: a test of a bit (microbench/pipeline.c).
const IN_FIGURE: f64 = 2.0;

/// Where data decides a condition: cycles from the begin of an iteration until it is known, beyond those in the
/// penalty and those that `recurrence`, the slowest recurrence, takes anyway. `None` where counters decide it.
pub(crate) fn cycles_to_condition(
    setting: Setting<'_>,
    graph: &Graph,
    condition: ValueNumber,
    recurrence: f64,
) -> Option<f64> {
    let mut known = FxHashMap::default();
    let found = ConditionDepth { setting, graph }.depth(condition, &mut known);
    // Execution ahead of the branch hides what the recurrence takes anyway.
    let beyond = found.carried.map_or(found.cycles, |carried| found.cycles.max(carried - recurrence));
    found.data_dependent.then_some((beyond - IN_FIGURE).max(0.0))
}

#[derive(Clone, Copy, Default)]
struct Depth {
    /// From what is there at once, such as counters.
    cycles: f64,
    /// From what the iteration before computed.
    carried: Option<f64>,
    /// It depends on data.
    data_dependent: bool,
}

#[derive(Clone, Copy)]
struct ConditionDepth<'a> {
    setting: Setting<'a>,
    graph: &'a Graph,
}

impl ConditionDepth<'_> {
    fn depth(self, id: ValueNumber, known: &mut FxHashMap<ValueNumber, Depth>) -> Depth {
        if let Some(found) = known.get(&id) {
            return *found;
        }
        let node = &self.graph.nodes[id];
        // In a function's body everything is the same all the time; its calls differ.
        // An invariant condition goes the same way all the time: any predictor learns it.
        let found = if node.invariant && !self.graph.whole { Depth::default() } else { self.of_operands(node, known) };
        known.insert(id, found);
        found
    }

    fn of_operands(self, node: &Node, known: &mut FxHashMap<ValueNumber, Depth>) -> Depth {
        let mut found = Depth::default();
        for &operand in &node.operands {
            let of = self.depth(operand, known);
            found.cycles = found.cycles.max(of.cycles);
            found.data_dependent |= of.data_dependent;
            found.carried = later(found.carried, of.carried);
        }
        // A misprediction is seen when the condition is computed, not when it is fetched.
        found.cycles += node.latency;
        found.carried = found.carried.map(|cycles| cycles + node.latency);
        match node.opcode {
            Opcode::Entry(variable) if self.graph.whole => {
                found.data_dependent = self.setting.facts.data.contains(&variable);
            }
            Opcode::Entry(variable) => {
                // A counter is regular, as is what advances by something that stays; any other carried variable holds data.
                let graph = self.graph;
                let regular = graph.steps.contains_key(&variable) || graph.symbolic_step(variable).is_some();
                found.data_dependent = !regular && graph.carried.contains_key(&variable);
                found.carried = found.data_dependent.then_some(0.0);
            }
            // Without an optimiser, variables that were written are such nodes as well.
            Opcode::Unique(_) if self.setting.profile.optimises || node.operands.is_empty() => {
                found.data_dependent = true;
            }
            // What was loaded is data.
            _ => found.data_dependent |= node.class == Some(InstructionClass::Load),
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
