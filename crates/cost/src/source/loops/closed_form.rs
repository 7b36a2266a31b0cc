//! Loops that only add up polynomials of their counters: a compiler that knows their closed form needs no loop.

use crate::source::address::place::ValueNumber;
use crate::source::dataflow::build::Setting;
use crate::source::dataflow::graph::{Graph, NodeFlags};
use crate::source::dataflow::opcode::{Opcode, Operation};
use chronos_ir::{BinaryOp, VarId};

/// Whether nothing is left of a loop but the values of integer sums at its end.
pub(crate) fn has_closed_form(setting: Setting<'_>, graph: &Graph, live: &NodeFlags) -> bool {
    // LLVM replaces the final value of an add recurrence by its closed form (SCEV, IndVarSimplify).
    let plain = graph.accesses.is_empty() && graph.choices.is_empty() && !graph.irregular && !graph.calls;
    let mut sums = graph.no_flags();
    setting.profile.closes_sums
        && plain
        && graph.nodes.ids().filter(|&id| live[id]).all(|id| is_polynomial(graph, id, &mut sums))
}

/// Whether a node is a polynomial of counters, with those before it known to be; marks those that sums are in.
fn is_polynomial(graph: &Graph, id: ValueNumber, sums: &mut NodeFlags) -> bool {
    let node = &graph.nodes[id];
    if node.invariant {
        return true;
    }
    // A sum of sums is a polynomial of higher degree.
    let of_sum = node.operands.iter().any(|&operand| sums[operand]);
    sums[id] = of_sum;
    match &node.opcode {
        Opcode::Entry(variable) if graph.steps.contains_key(variable) => true,
        Opcode::Entry(variable) => {
            sums[id] = true;
            graph.carried.get(variable).is_some_and(|&end| adds_to(graph, end, *variable))
        }
        // The step of a counter and its condition are no sums.
        Opcode::Operation(operation) => {
            let linear = matches!(operation, Operation::Binary(BinaryOp::Add, _) | Operation::Convert(..));
            let polynomial = matches!(operation, Operation::Binary(BinaryOp::Mul | BinaryOp::Sub, _));
            let condition = graph.condition == Some(id);
            node.opcode.is_integer() && (linear || !of_sum && (condition || polynomial))
        }
        Opcode::Outer(_) | Opcode::Constant(_) => true,
        Opcode::Unique(_) => false,
    }
}

/// A variable plus something.
fn adds_to(graph: &Graph, end: ValueNumber, variable: VarId) -> bool {
    let node = &graph.nodes[end];
    let is_entry = |&&operand: &&ValueNumber| graph.nodes[operand].opcode == Opcode::Entry(variable);
    node.opcode.is_binary(BinaryOp::Add) && node.operands.iter().filter(is_entry).count() == 1
}
