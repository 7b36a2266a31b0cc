//! Branches that are not worth evaluating: checks of floating-point results.
//!
//! Programs end with checks such as `if (fabs(sum - expected) > eps) { printf("ERROR: ..."); error = 1; }`. To evaluate
//! one means to execute every operation on the arrays that the result is summed from; all that is gained is
//! to hear that the program has no error. Such a branch is left to `heuristics`, when
//!
//! 1. heuristics say that one of its ways is an error and is not taken, or it takes the absolute value of a
//!    number, where both ways cost about the same;
//! 2. it compares floating numbers; and
//! 3. these are made from elements of floating-point arrays (or what pointers lead to).
//!
//! What follows from integers, or from floating scalars alone, is evaluated as before. Nothing forbids
//! evaluation: where the value is known all the same, the branch is exact.

use crate::Analysis;
use crate::dependences::Dependences;
use crate::heuristics::Heuristics;
use crate::reachability::reach;
use chronos_ir::{Arm, Base, BlockId, BlockKind, Branch, BranchKind, FuncId, OpKind, Operand, Place, Program, UnaryOp};
use std::collections::BTreeSet;

/// The branches that are left to heuristics.
pub fn checks_left_to_heuristics(program: &Program, analysis: &Analysis, found: &Dependences) -> BTreeSet<BlockId> {
    let heuristics = Heuristics::new(program);
    let candidates: Vec<BlockId> = found
        .conditions
        .iter()
        .map(|(block, _)| *block)
        .filter(|&block| is_check(program, &heuristics, block) && compares_floats(program, &heuristics, block))
        .collect();
    if candidates.is_empty() {
        return BTreeSet::new();
    }
    let data = found.edges.iter().filter(|edge| edge.data()).map(|edge| (edge.source, edge.target));
    let floating = reach(found.nodes, data, &float_arrays(program, analysis));
    let value = |block: BlockId| found.conditions.iter().find(|(id, _)| *id == block).map(|(_, from)| from.value);
    candidates.into_iter().filter(|&block| value(block).is_some_and(|value| floating[value as usize])).collect()
}

fn is_check(program: &Program, heuristics: &Heuristics, block: BlockId) -> bool {
    let BlockKind::Branch(branch) = &program.blocks[block].kind else { return false };
    match branch.kind {
        BranchKind::If => heuristics.excludes_error(program, block),
        BranchKind::Conditional => is_absolute(program, branch),
        _ => false,
    }
}

pub(super) fn compares_floats(program: &Program, heuristics: &Heuristics, block: BlockId) -> bool {
    let BlockKind::Branch(branch) = &program.blocks[block].kind else { return false };
    heuristics.compares_floats(program.blocks[block].function, &branch.condition)
}

/// `x < 0 ? -x : x`.
fn is_absolute(program: &Program, branch: &Branch) -> bool {
    let negates: Option<Vec<bool>> = branch.arms.iter().map(|arm| negates(program, arm)).collect();
    matches!(negates.as_deref(), Some([true, false] | [false, true]))
}

/// Whether the arm negates a value; `None` where it does more than compute one.
fn negates(program: &Program, arm: &Arm) -> Option<bool> {
    let mut negated = false;
    for &block in &arm.region {
        let BlockKind::Straight(straight) = &program.blocks[block].kind else { return None };
        for op in &straight.ops {
            match &op.kind {
                OpKind::Unary(UnaryOp::Neg, _) => negated = true,
                OpKind::Read(_)
                | OpKind::Address(_)
                | OpKind::Unary(..)
                | OpKind::Binary(..)
                | OpKind::Convert(..)
                | OpKind::Move(_) => {}
                _ => return None,
            }
        }
    }
    Some(negated)
}

/// Storage that floating elements are read from.
fn float_arrays(program: &Program, analysis: &Analysis) -> Vec<u32> {
    let mut classes = BTreeSet::new();
    for block in program.blocks.values() {
        let BlockKind::Straight(straight) = &block.kind else { continue };
        for op in &straight.ops {
            if let OpKind::Read(place) = &op.kind
                && is_element(place)
                && program.types.scalar(place.ty).is_some_and(|ty| ty.is_float())
            {
                classes.insert(class(analysis, block.function, place));
            }
        }
    }
    classes.into_iter().collect()
}

fn class(analysis: &Analysis, function: FuncId, place: &Place) -> u32 {
    analysis.place(function, place).0
}

fn is_element(place: &Place) -> bool {
    let indexed = place.steps.iter().any(|step| matches!(step, chronos_ir::Step::Index { .. }));
    indexed || matches!(&place.base, Base::Pointer(Operand::Value(_)))
}
