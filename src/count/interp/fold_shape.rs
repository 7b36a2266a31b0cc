//! Recognises counting loops whose counter the body does not read.

use super::code::{FoldShape, Home, Src};
use super::compile::Compiler;
use super::regions::straights;
use crate::ids::Id;
use crate::program::{
    Base, BinaryOp, BlockId, BlockKind, Const, Loop, Op, OpKind, Operand, Place, Program, Region, ScalarType, ValueId,
    VarId,
};

/// The shape of a loop `for (...; counter op bound; counter += step)` whose counter is read in the
/// condition and the increment only.
pub(super) fn fold_shape(compiler: &mut Compiler, block: BlockId, inner: &Loop) -> Option<FoldShape> {
    let program = compiler.program;
    let condition = inner.condition.as_ref()?;
    let ops = region_ops(program, &condition.region)?;
    let Operand::Value(result) = condition.value else { return None };
    let (op, ty, a, b) = comparison(&ops, result)?;
    let (variable, op, bound) = match (reads_variable(&ops, a), reads_variable(&ops, b)) {
        (Some(v), _) if is_counter(compiler, block, inner, v) => (v, op, b),
        (_, Some(v)) if is_counter(compiler, block, inner, v) => (v, mirrored(op), a),
        _ => return None,
    };
    let step = increment(program, block, inner, variable)?;
    let bound = compiler.src(bound);
    Some(FoldShape { counter: home(compiler, variable)?, ty, step, op, bound, variable })
}

fn home(compiler: &Compiler, variable: VarId) -> Option<Src> {
    match compiler.tables.homes[variable.index()] {
        Home::Register(register) => Some(Src::Reg(register)),
        Home::Global(register) => Some(Src::Global(register)),
        _ => None,
    }
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
        OpKind::Binary(op, ty, a, b) if op.is_comparison() && ty.is_integer() => Some((*op, *ty, a, b)),
        _ => None,
    }
}

fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Ge => BinaryOp::Le,
        other => other,
    }
}

fn plain_variable(place: &Place) -> Option<VarId> {
    match place.base {
        Base::Variable(id) if place.steps.is_empty() => Some(id),
        _ => None,
    }
}

fn reads_variable(ops: &[&Op], operand: &Operand) -> Option<VarId> {
    let Operand::Value(value) = operand else { return None };
    match &ops.iter().find(|op| op.dst == Some(*value))?.kind {
        OpKind::Read(place) => plain_variable(place),
        _ => None,
    }
}

fn is_counter(compiler: &Compiler, block: BlockId, inner: &Loop, variable: VarId) -> bool {
    home(compiler, variable).is_some() && increment(compiler.program, block, inner, variable).is_some()
}

/// The constant that body and step add to the variable in their only accesses to it.
fn increment(program: &Program, block: BlockId, inner: &Loop, variable: VarId) -> Option<i64> {
    let mut reads = Vec::new();
    let mut writes = Vec::new();
    let mut ops = Vec::new();
    for &part in inner.body.iter().chain(&inner.step) {
        straights(program, part, &mut |straight| ops.extend(straight.ops.iter().cloned()));
    }
    for op in &ops {
        match &op.kind {
            OpKind::Read(place) if plain_variable(place) == Some(variable) => reads.push(op.dst?),
            OpKind::Write(place, operand) if plain_variable(place) == Some(variable) => writes.push(operand.clone()),
            _ => {}
        }
    }
    let ([read], [Operand::Value(written)]) = (&reads[..], &writes[..]) else { return None };
    let global = program.variables[variable].function.is_none();
    if global || uses(program, block, *read) != 1 || uses(program, block, *written) != 1 {
        return None;
    }
    if !unconditional(program, inner, variable) {
        return None;
    }
    let add = ops.iter().find(|op| op.dst == Some(*written))?;
    let constant = |operand: &Operand| match operand {
        Operand::Const(Const::Int(n, _)) => Some(*n),
        _ => None,
    };
    match &add.kind {
        OpKind::Binary(BinaryOp::Add, _, Operand::Value(a), b) if a == read => constant(b),
        OpKind::Binary(BinaryOp::Add, _, a, Operand::Value(b)) if b == read => constant(a),
        OpKind::Binary(BinaryOp::Sub, _, Operand::Value(a), b) if a == read => constant(b).map(|n| -n),
        _ => None,
    }
}

/// The variable is written at the top level of body or step.
fn unconditional(program: &Program, inner: &Loop, variable: VarId) -> bool {
    inner.body.iter().chain(&inner.step).any(|&block| match &program.blocks[block].kind {
        BlockKind::Straight(straight) => straight
            .ops
            .iter()
            .any(|op| matches!(&op.kind, OpKind::Write(place, _) if plain_variable(place) == Some(variable))),
        _ => false,
    })
}

/// How often a value is used in a block, by text: every mention of it counts.
fn uses(program: &Program, block: BlockId, value: ValueId) -> usize {
    let mut count = 0;
    let first = block.index();
    let function = program.blocks[block].function;
    let end = program.functions[function].blocks.1.index();
    for b in &program.blocks.as_slice()[first..end] {
        count += super::uses::in_block(&b.kind, value);
    }
    count
}
