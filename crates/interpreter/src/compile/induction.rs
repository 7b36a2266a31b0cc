//! Variables that a loop only counts up or down, beside the counter that ends it: polls so far, messages sent.
//!
//! An induction variable (Aho, Lam, Sethi and Ullman, Compilers, 9.1) that the loop reads only to add a constant makes no
//! difference to what its iterations do, so many of them can be skipped at once and the variable be moved by as much. Where
//! the loop compares it, that holds until the variable comes to what it is compared with (`comparisons`).

use crate::code::instructions::{Advance, Home};
use crate::compile::counter_use::{CounterUse, counter_use};
use crate::compile::functions::Compiler;
use crate::compile::patterns::{nested, plain_variable};
use chronos_base::ids::Id;
use chronos_functions as functions;
use chronos_ir::{Base, BlockId, BlockKind, Callee, Loop, OpKind, Program, VarId};
use std::collections::BTreeSet;

/// The variables that the loop only moves by constants, beside what it writes in blocks that not every iteration executes.
pub(crate) fn advances(compiler: &mut Compiler, inner: &Loop) -> Box<[Advance]> {
    if !compiler.code.loops.last().is_some_and(|code| code.communicates) {
        return Box::default();
    }
    let program = compiler.program;
    let all = inside(program, inner);
    let candidates: BTreeSet<VarId> = all.iter().flat_map(|&block| written(program, block)).collect();
    let moved = candidates.into_iter().filter_map(|variable| {
        let advance = induction(compiler, inner, &all, variable)?;
        let known = match compiler.tables.homes[variable.index()] {
            Home::Register(_) => true,
            // A call may come to the function again, and move it.
            Home::Global(_) => program.variables[variable].function.is_some() && advance.steady.is_some(),
            Home::Object(_) | Home::FrameObject(_) => false,
        };
        (known || is_untouched(program, &all, variable)).then_some(advance)
    });
    moved.collect()
}

/// The variable as one that the loop moves by constants.
fn induction(compiler: &mut Compiler, inner: &Loop, blocks: &[BlockId], variable: VarId) -> Option<Advance> {
    let program = compiler.program;
    let ty = program.types.scalar(program.variables[variable].ty).filter(|ty| ty.is_integer())?;
    let found = counter_use(compiler, inner, blocks, variable)?;
    let steady = found.moves.first().copied().filter(|_| found.is_steady());
    let CounterUse { resets, moduli, comparisons, elsewhere, .. } = found;
    Some(Advance { variable, ty, steady, resets: resets.into(), moduli, comparisons, elsewhere })
}

fn written(program: &Program, block: BlockId) -> Vec<VarId> {
    let BlockKind::Straight(straight) = &program.blocks[block].kind else { return Vec::new() };
    let variable = |kind: &OpKind| match kind {
        OpKind::Write(place, _) => plain_variable(place),
        _ => None,
    };
    straight.ops.iter().filter_map(|op| variable(&op.kind)).collect()
}

/// All blocks of body, step and condition.
fn inside(program: &Program, inner: &Loop) -> Vec<BlockId> {
    let condition = inner.condition.iter().flat_map(|condition| &condition.region);
    nested(program, inner.body.iter().chain(&inner.step).chain(condition).copied())
}

/// A call that touches nothing but what its arguments lead to.
fn polls(name: &str) -> bool {
    functions::exact(name).is_some_and(|function| function.polls)
}

/// Nothing in the blocks reads or writes the variable but by its name.
fn is_untouched(program: &Program, blocks: &[BlockId], variable: VarId) -> bool {
    blocks.iter().all(|&block| match &program.blocks[block].kind {
        BlockKind::Call(call) => matches!(&call.callee, Callee::Mpi(name) if polls(name)),
        BlockKind::Straight(straight) => straight.ops.iter().all(|op| match &op.kind {
            OpKind::Read(place) | OpKind::Write(place, _) => matches!(place.base, Base::Variable(_)),
            OpKind::Address(place) => matches!(place.base, Base::Variable(id) if id != variable),
            OpKind::Copy { .. } | OpKind::Zero { .. } | OpKind::Opaque(_) => false,
            _ => true,
        }),
        BlockKind::Loop(_) | BlockKind::Branch(_) => true,
    })
}
