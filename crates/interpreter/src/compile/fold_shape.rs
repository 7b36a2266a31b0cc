//! Recognises counting loops, and how the body uses the counter: not at all, modulo something, or otherwise.

use crate::code::instructions::FoldShape;
use crate::compile::counter_use::{CounterUse, counter_use};
use crate::compile::functions::Compiler;
use crate::compile::patterns::{home, is_number, nested, plain_variable, reads_variable};
use chronos_ir::{
    BinaryOp, BlockId, BlockKind, BranchKind, Loop, Op, OpKind, Operand, Program, Region, ScalarType, ValueId, VarId,
};
use chronos_values::arith::mirrored;

/// The shape of a loop `for (...; counter op bound; counter += step)` with no other write of the counter.
pub(crate) fn fold_shape(compiler: &mut Compiler, inner: &Loop) -> Option<FoldShape> {
    let program = compiler.program;
    let condition = inner.condition.as_ref()?;
    let ops = region_ops(program, &condition.region)?;
    let Operand::Value(result) = condition.value else { return None };
    counted(compiler, inner, &ops, result)
}

/// The same of a loop that goes on as long as such a comparison and others hold: `while (change > limit && counter < bound)`.
pub(crate) fn bound_shape(compiler: &mut Compiler, inner: &Loop) -> Option<FoldShape> {
    let condition = inner.condition.as_ref()?;
    let Operand::Value(result) = condition.value else { return None };
    let parts = conjuncts(compiler.program, &condition.region, result);
    parts.into_iter().find_map(|(ops, result)| counted(compiler, inner, &ops, result))
}

/// What the counter is compared with, and how it moves.
fn counted(compiler: &mut Compiler, inner: &Loop, ops: &[&Op], result: ValueId) -> Option<FoldShape> {
    let program = compiler.program;
    let (op, ty, a, b) = comparison(ops, result)?;
    let (variable, op, bound) = match (reads_variable(ops, a), reads_variable(ops, b)) {
        (Some(v), _) if is_counter(compiler, inner, v) => (v, op, b),
        (_, Some(v)) if is_counter(compiler, inner, v) => (v, mirrored(op), a),
        _ => return None,
    };
    // A bound that is computed from the counter moves as well.
    if accesses(ops, variable) != 1 {
        return None;
    }
    let CounterUse { moves, moduli, comparisons, elsewhere, .. } = use_in_body(compiler, inner, variable)?;
    let &[step] = &moves[..] else { return None };
    let bound = compiler.src(bound);
    let own = program.types.scalar(program.variables[variable].ty)?;
    let counter = home(compiler, variable)?;
    Some(FoldShape { counter, own, ty, step, op, bound, moduli, comparisons, elsewhere })
}

/// The parts that all have to hold for a value to be true, with the operations that compute them: of `a && b`, both.
fn conjuncts<'p>(program: &'p Program, region: &[BlockId], value: ValueId) -> Vec<(Vec<&'p Op>, ValueId)> {
    let Some((&last, before)) = region.split_last() else { return Vec::new() };
    match &program.blocks[last].kind {
        BlockKind::Straight(straight) => {
            let yields = straight.ops.iter().any(|op| op.dst == Some(value));
            if yields { vec![(straight.ops.iter().collect(), value)] } else { conjuncts(program, before, value) }
        }
        BlockKind::Branch(branch) if branch.kind == BranchKind::And && branch.result == Some(value) => {
            let left = named(&branch.condition).map_or(Vec::new(), |left| conjuncts(program, before, left));
            let right = branch.arms.iter().filter_map(|arm| Some((&arm.region, named(arm.value.as_ref()?)?)));
            left.into_iter().chain(right.flat_map(|(region, value)| conjuncts(program, region, value))).collect()
        }
        _ => conjuncts(program, before, value),
    }
}

fn named(operand: &Operand) -> Option<ValueId> {
    if let Operand::Value(value) = operand { Some(*value) } else { None }
}

/// The operations of a region that is one straight block.
fn region_ops<'p>(program: &'p Program, region: &Region) -> Option<Vec<&'p Op>> {
    let [block] = region[..] else { return None };
    match &program.blocks[block].kind {
        BlockKind::Straight(straight) => Some(straight.ops.iter().collect()),
        _ => None,
    }
}

fn comparison<'p>(ops: &[&'p Op], result: ValueId) -> Option<(BinaryOp, ScalarType, &'p Operand, &'p Operand)> {
    let op = ops.iter().find(|op| op.dst == Some(result))?;
    match &op.kind {
        OpKind::Binary(op, ty, a, b) if op.is_comparison() && is_number(*ty) => Some((*op, *ty, a, b)),
        _ => None,
    }
}

fn is_counter(compiler: &mut Compiler, inner: &Loop, variable: VarId) -> bool {
    // A global one may be accessed by functions that the body calls.
    compiler.program.variables[variable].function.is_some()
        && home(compiler, variable).is_some()
        && use_in_body(compiler, inner, variable).is_some_and(|found| found.is_steady())
}

/// How often the operations read or write the variable by its name.
fn accesses(ops: &[&Op], variable: VarId) -> usize {
    let is_one = |kind: &OpKind| match kind {
        OpKind::Read(place) | OpKind::Write(place, _) => plain_variable(place) == Some(variable),
        _ => false,
    };
    ops.iter().filter(|op| is_one(&op.kind)).count()
}

/// How body and step use the variable.
fn use_in_body(compiler: &mut Compiler, inner: &Loop, variable: VarId) -> Option<CounterUse> {
    let blocks = nested(compiler.program, inner.body.iter().chain(&inner.step).copied());
    counter_use(compiler, inner, &blocks, variable)
}
