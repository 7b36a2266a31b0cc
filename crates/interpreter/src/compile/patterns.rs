//! Forms of operations and loops that several analyses look for.

use crate::code::instructions::{Home, Src};
use crate::compile::functions::Compiler;
use chronos_base::ids::Id;
use chronos_ir::{Base, BlockId, BlockKind, Op, OpKind, Operand, Place, Program, ScalarType, VarId};

pub(crate) fn home(compiler: &Compiler, variable: VarId) -> Option<Src> {
    match compiler.tables.homes[variable.index()] {
        Home::Register(register) => Some(Src::Reg(register)),
        Home::Global(register) => Some(Src::Global(register)),
        _ => None,
    }
}

pub(crate) fn is_number(ty: ScalarType) -> bool {
    ty.is_integer() || matches!(ty, ScalarType::F32 | ScalarType::F64)
}

pub(crate) fn plain_variable(place: &Place) -> Option<VarId> {
    match place.base {
        Base::Variable(id) if place.steps.is_empty() => Some(id),
        _ => None,
    }
}

pub(crate) fn reads_variable(ops: &[&Op], operand: &Operand) -> Option<VarId> {
    let Operand::Value(value) = operand else { return None };
    match &ops.iter().find(|op| op.dst == Some(*value))?.kind {
        OpKind::Read(place) => plain_variable(place),
        // Whether the value is the same is seen where it is known.
        OpKind::Convert(from, inner) if from.is_integer() => reads_variable(ops, inner),
        _ => None,
    }
}

/// Some blocks with those in them.
pub(crate) fn nested(program: &Program, blocks: impl Iterator<Item = BlockId>) -> Vec<BlockId> {
    let (mut found, mut todo) = (Vec::new(), blocks.collect::<Vec<_>>());
    while let Some(block) = todo.pop() {
        found.push(block);
        match &program.blocks[block].kind {
            BlockKind::Loop(l) => {
                todo.extend(l.init.iter().chain(&l.body).chain(&l.step));
                l.condition.iter().for_each(|condition| todo.extend(&condition.region));
            }
            BlockKind::Branch(branch) => branch.arms.iter().for_each(|arm| todo.extend(&arm.region)),
            BlockKind::Straight(_) | BlockKind::Call(_) => {}
        }
    }
    found
}
