//! Loops that look at memory which other tasks may write: what polls a flag in a window.

use crate::compile::functions::Compiler;
use crate::compile::patterns::nested;
use chronos_ir::{BlockId, BlockKind, Callee, OpKind, Program};

/// Whether the loop reads what a compiler may not keep in a register (`volatile`, atomic), or brings windows up to date: another
/// read may find another value, though nothing in the loop writes any.
pub(crate) fn glances(compiler: &Compiler, block: BlockId) -> bool {
    nested(compiler.program, std::iter::once(block)).into_iter().any(|inside| looks(compiler.program, inside))
}

fn looks(program: &Program, block: BlockId) -> bool {
    let BlockKind::Straight(straight) = &program.blocks[block].kind else { return false };
    straight.ops.iter().any(|op| match &op.kind {
        OpKind::Read(place) => place.volatile,
        OpKind::Call(leaf) => program.call(*leaf).is_some_and(|call| is_update(&call.callee)),
        _ => false,
    })
}

fn is_update(callee: &Callee) -> bool {
    matches!(callee, Callee::Mpi(name) if chronos_functions::updates_windows(name))
}
