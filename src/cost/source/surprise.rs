//! Branches whose way data decides: how often no predictor can know it, and what that costs.
//!
//! A condition on counters and what does not change repeats itself: predictors learn it. One that depends on loaded or
//! computed data is taken to be as random as its frequency allows: of two ways the rarer one comes as a surprise. It
//! must not know which values the data has.

use super::build::Setting;
use super::graph::{Graph, Key, NodeId};
use super::price::Counts;
use crate::program::{BlockKind, CounterId, InstructionClass};
use std::collections::HashMap;

/// A branch of a loop's iteration, or of a function's body, that data decides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Erratic {
    /// Of evaluations; those of the arms follow it.
    pub counter: CounterId,
    pub arms: u32,
    /// Cycles from the begin of an iteration until the condition is known.
    pub resolved: f64,
}

impl Erratic {
    /// Evaluations that went another way than most.
    pub fn misses(&self, counts: &Counts) -> f64 {
        let evaluations = counts.of(self.counter);
        let arms: Vec<f64> = (1..=self.arms).map(|arm| counts.of(CounterId(self.counter.0 + arm))).collect();
        let none = (evaluations - arms.iter().sum::<f64>()).max(0.0);
        (evaluations - arms.into_iter().fold(none, f64::max)).max(0.0)
    }
}

/// Branches of the graph that stay branches and that data decides.
pub fn erratic(setting: Setting<'_>, graph: &Graph) -> Vec<Erratic> {
    let found = graph.choices.iter().filter_map(|&(block, condition)| {
        let resolved = resolved(setting, graph, condition)?;
        let block = &setting.program.blocks[block];
        let BlockKind::Branch(branch) = &block.kind else { return None };
        Some(Erratic { counter: block.counter(0), arms: u32::try_from(branch.arms.len()).ok()?, resolved })
    });
    found.collect()
}

/// Mispredicted ends of a loop whose condition depends on data: of the evaluations of the condition, the rarer way.
pub fn missed_ends(iterations: f64, entries: f64) -> f64 {
    iterations.min(entries)
}

/// Where data decides a condition: cycles from the begin of an iteration until it is known, beyond what the loop's
/// recurrence takes anyway. `None` where counters decide it.
pub fn resolved(setting: Setting<'_>, graph: &Graph, condition: NodeId) -> Option<f64> {
    let mut known = HashMap::new();
    let found = depth(graph, condition, setting.profile.optimises, &mut known);
    found.erratic.then_some(if found.carried { 0.0 } else { found.cycles })
}

#[derive(Clone, Copy, Default)]
struct Depth {
    cycles: f64,
    /// It depends on data.
    erratic: bool,
    /// It depends on what the iteration before computed.
    carried: bool,
}

fn depth(graph: &Graph, id: NodeId, optimises: bool, known: &mut HashMap<NodeId, Depth>) -> Depth {
    if let Some(found) = known.get(&id) {
        return *found;
    }
    let node = &graph.nodes[id as usize];
    let mut found = Depth::default();
    if !node.invariant {
        for &operand in &node.operands {
            let of = depth(graph, operand, optimises, known);
            found.cycles = found.cycles.max(of.cycles);
            found.erratic |= of.erratic;
            found.carried |= of.carried;
        }
        found.cycles += node.latency;
        match node.key {
            Key::Entry(variable) => {
                found.carried = !graph.steps.contains_key(&variable) && graph.carried.contains_key(&variable);
                found.erratic = found.carried;
            }
            // Without an optimiser, variables that were written are such nodes as well.
            Key::Unique(_) if optimises || node.operands.is_empty() => found.erratic = true,
            _ => found.erratic |= node.class == Some(InstructionClass::Load),
        }
    }
    known.insert(id, found);
    found
}
