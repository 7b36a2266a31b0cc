//! Loops that only add up polynomials of their counters: a compiler that knows their closed form needs no loop.

use super::build::Setting;
use super::graph::{Graph, Key, NodeId};
use crate::program::VarId;

/// Whether nothing is left of a loop but the values of integer sums at its end.
pub fn is_closed(setting: Setting<'_>, graph: &Graph, live: &[bool]) -> bool {
    let plain = graph.accesses.is_empty() && graph.choices.is_empty() && !graph.irregular && !graph.calls;
    let mut sums = vec![false; graph.nodes.len()];
    setting.profile.closes_sums
        && plain
        && (0..graph.nodes.len()).filter(|&id| live[id]).all(|id| is_polynomial(graph, id, &mut sums))
}

/// Whether a node is a polynomial of counters, with those before it known to be; marks those that sums are in.
fn is_polynomial(graph: &Graph, id: usize, sums: &mut [bool]) -> bool {
    let node = &graph.nodes[id];
    if node.invariant {
        return true;
    }
    let of_sum = node.operands.iter().any(|&operand| sums[operand as usize]);
    sums[id] = of_sum;
    match &node.key {
        Key::Entry(variable) if graph.steps.contains_key(variable) => true,
        Key::Entry(variable) => {
            sums[id] = true;
            graph.carried.get(variable).is_some_and(|&end| adds_to(graph, end, *variable))
        }
        // The step of a counter and its condition are no sums.
        Key::Operation(name) => {
            let integer = !name.contains("F64") && !name.contains("F32");
            let linear = name.starts_with("Add ") || name.starts_with("convert ");
            let condition = graph.condition == NodeId::try_from(id).ok();
            integer && (linear || !of_sum && (condition || name.starts_with("Mul ") || name.starts_with("Sub ")))
        }
        Key::Outer(_) | Key::Constant(_) => true,
        Key::Unique(_) => false,
    }
}

/// A variable plus something.
fn adds_to(graph: &Graph, end: NodeId, variable: VarId) -> bool {
    let node = &graph.nodes[end as usize];
    let is_entry = |&&operand: &&NodeId| graph.nodes[operand as usize].key == Key::Entry(variable);
    matches!(&node.key, Key::Operation(name) if name.starts_with("Add "))
        && node.operands.iter().filter(is_entry).count() == 1
}
