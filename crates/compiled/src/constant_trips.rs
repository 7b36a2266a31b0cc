//! How often loops of one block iterate whose begin, end and step all stand in the code.
//!
//! A compiler that makes a version of a loop for one value of a variable, as for a stride of one (loop versioning for strides; gcc
//! at -O3), knows its iterations where the source does not: a version that would run another number of them than the program
//! counted is not the one that runs.

use crate::affine::{Affine, State, Term};
use crate::graph::ControlFlowGraph;
use crate::induction::LoopFacts;
use crate::instruction::{Condition, Flow, Register};
use crate::loops::NaturalLoop;
use crate::object_code::MachineFunction;
use std::ops::Range;

/// Iterations each time the loop is entered; `entry`: what registers hold then.
pub(crate) fn constant_trips(
    function: &MachineFunction,
    graph: &ControlFlowGraph,
    natural: &NaturalLoop,
    facts: &LoopFacts,
    entry: &State,
) -> Option<u64> {
    let ([latch], 1, 1) = (&natural.latches[..], natural.blocks.len(), natural.exits.len()) else { return None };
    let block = graph.blocks[*latch].instructions.clone();
    let jump = &function.instructions[block.end.checked_sub(1)?];
    let Flow::Branch(target) = jump.flow else { return None };
    if target != function.instructions[block.start].address {
        return None;
    }
    let compare = decides(function, block.clone())?;
    let mut state = State::default();
    (block.start..compare).for_each(|at| state.execute(&function.instructions[at], at));
    let decider = &function.instructions[compare];
    let difference = state.value(decider.effects.compared.as_ref()?, decider.memory.as_ref())?;
    let (begin, step) = (at_entry(&difference, entry)?, advance(&difference, facts)?);
    iterations(jump.condition?, begin, step)
}

/// The instruction that compares what the jump at the end of a block asks for: the jump itself, or the last that writes flags.
pub(crate) fn decides(function: &MachineFunction, block: Range<usize>) -> Option<usize> {
    let jump = block.end.checked_sub(1)?;
    let by_itself = function.instructions[jump].effects.compared.is_some();
    let by_flags = || block.rev().skip(1).find(|&at| function.instructions[at].writes.contains(&Register::FLAGS));
    if by_itself { Some(jump) } else { by_flags() }
}

fn at_entry(difference: &Affine, entry: &State) -> Option<i64> {
    let all = difference.terms.iter().try_fold(Affine::constant(difference.constant), |sum, (term, factor)| {
        let Term::Register(register) = term else { return None };
        Some(sum.plus(&entry.register(*register).times(*factor)))
    });
    all?.number()
}

/// What an iteration adds to the difference.
fn advance(difference: &Affine, facts: &LoopFacts) -> Option<i64> {
    difference.terms.iter().try_fold(0_i64, |sum, (term, factor)| {
        let known = facts.inductions.iter().find(|induction| induction.term == *term);
        let Term::Register(register) = term else { return None };
        let changes = || {
            facts.recurrences.contains(register) || facts.reductions.iter().any(|reduced| reduced.register == *register)
        };
        let step = match known {
            Some(induction) => induction.step,
            None if changes() => return None,
            None => 0,
        };
        sum.checked_add(step.checked_mul(*factor)?)
    })
}

/// Iterations where the jump back is taken while the condition holds of a difference that begins with `begin`, at the end of the
/// first iteration, and grows by `step`.
fn iterations(condition: Condition, begin: i64, step: i64) -> Option<u64> {
    let (begin, step) = (i128::from(begin), i128::from(step));
    let up = |from: i128, step: i128| {
        // The first number of steps after which `from` is no longer below 0.
        let steps = if from >= 0 { 0 } else { (-from + step - 1) / step };
        u64::try_from(steps + 1).ok()
    };
    match condition {
        Condition::NotEqual if step != 0 && begin % step == 0 && -begin / step >= 0 => {
            u64::try_from(-begin / step + 1).ok()
        }
        Condition::Less if step > 0 => up(begin, step),
        Condition::LessOrEqual if step > 0 => up(begin - 1, step),
        Condition::Above | Condition::Greater if step < 0 => up(-begin, -step),
        Condition::GreaterOrEqual if step < 0 => up(-begin - 1, -step),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_end_where_their_condition_fails() {
        // for (i = 0; i != 8; i++): 1 - 8 after the first iteration.
        assert_eq!(iterations(Condition::NotEqual, -7, 1), Some(8));
        assert_eq!(iterations(Condition::NotEqual, -7, 2), None);
        // for (i = 0; i < 8; i += 3), i <= 8, and i < 1.
        assert_eq!(iterations(Condition::Less, 3 - 8, 3), Some(3));
        assert_eq!(iterations(Condition::LessOrEqual, 3 - 8, 3), Some(3));
        assert_eq!(iterations(Condition::LessOrEqual, 3 - 9, 3), Some(4));
        assert_eq!(iterations(Condition::Less, 2, 3), Some(1));
        // for (i = 8; i > 0; i -= 2), i >= 0.
        assert_eq!(iterations(Condition::Greater, 6, -2), Some(4));
        assert_eq!(iterations(Condition::GreaterOrEqual, 6, -2), Some(5));
        assert_eq!(iterations(Condition::Less, -5, -1), None);
    }
}
