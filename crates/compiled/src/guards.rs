//! What conditional jumps tell of registers behind them: on the way where two values are equal, they are the same.
//!
//! Compilers make versions of loops for one value of a variable, as for a stride of one (loop versioning on symbolic strides; clang at
//! -O2, gcc at -O3), and test for it before: only from the test is it known how far the accesses of such a version advance
//! (conditional constant propagation; M. N. Wegman and F. K. Zadeck, TOPLAS 1991).

use crate::affine::{Affine, State, Term};
use crate::constant_trips::decides;
use crate::graph::{ControlFlowGraph, MachineBlockId};
use crate::instruction::{Condition, Flow, Instruction, Part, Register};
use crate::object_code::MachineFunction;

/// Adds to `state`, which holds at the end of `from`, what is known on its edge to `to`.
pub(crate) fn pass(
    state: &mut State,
    function: &MachineFunction,
    graph: &ControlFlowGraph,
    [from, to]: [MachineBlockId; 2],
) {
    if let Some((register, value)) = equality(function, graph, from, to) {
        let held = state.register(register);
        if let Some((term, constant)) = single(&held) {
            state.substitute(&term, value.wrapping_sub(constant));
        }
    }
}

/// A register and the constant that it is equal to on an edge.
fn equality(
    function: &MachineFunction,
    graph: &ControlFlowGraph,
    from: MachineBlockId,
    to: MachineBlockId,
) -> Option<(Register, i64)> {
    let block = graph.blocks[from].instructions.clone();
    let jump = function.instructions.get(block.end.checked_sub(1)?)?;
    let [next, target] = graph.blocks[from].successors[..] else { return None };
    let equal = match (&jump.flow, jump.condition) {
        (Flow::Branch(_), Some(Condition::NotEqual)) => next,
        (Flow::Branch(_), Some(Condition::Equal)) => target,
        _ => return None,
    };
    let compare = decides(function, block.clone())?;
    let found = compared(&function.instructions[compare])?;
    let changed = (compare..block.end).any(|at| function.instructions[at].writes.contains(&found.0));
    (equal == to && next != target && !changed).then_some(found)
}

/// Whole registers of 32 or 64 bits: of 32, indexes do not wrap around, as elsewhere in the sums of registers.
fn compared(instruction: &Instruction) -> Option<(Register, i64)> {
    let difference = instruction.effects.compared.as_ref()?;
    match difference.parts[..] {
        [(Part::Register(register), 1)] => Some((register, difference.constant.wrapping_neg())),
        _ => None,
    }
}

/// The term of a sum of one term, and what is added to it.
fn single(sum: &Affine) -> Option<(Term, i64)> {
    let (term, factor) = sum.terms.iter().next()?;
    (sum.terms.len() == 1 && *factor == 1).then(|| (term.clone(), sum.constant))
}
