//! Loops in which a thread of OpenMP waits for another one, by looking at memory again and again: how often is decided in the run.
//!
//! Such a loop counts nothing itself (it has no step) and makes the writes of others visible (`flush`, `atomic read`). What it
//! reads at last is what it waited for; anything else that it computes depends on how often it looked.

use super::{Certainty, Doubt, Doubts, Subject};
use chronos_base::hash::FxHashSet;
use chronos_ir::openmp::FLUSH;
use chronos_ir::{Base, BlockId, BlockKind, Callee, OpKind, Operand, Program, Region, Straight};

/// Adds the doubts of all loops of this kind that were executed.
pub fn add(program: &Program, executed: &FxHashSet<BlockId>, doubts: &mut Doubts) {
    let flushes = program.blocks.ids().filter(|&id| executed.contains(&id) && is_flush(program, id));
    let loops: FxHashSet<BlockId> = flushes.filter_map(|flush| waiting_loop(program, flush)).collect();
    for at in loops {
        let text = "how often a thread looks until another one has written is decided in the run: as often as threads are \
                    switched here";
        let doubt =
            Doubt { span: program.blocks[at].span, certainty: Certainty::Approximate, text: text.into(), help: None };
        doubts.add(doubt.clone(), Subject::Loop(at));
        let inside = program.blocks.iter().filter(|&(id, _)| within(program, id, at));
        for (_, block) in inside {
            let BlockKind::Straight(straight) = &block.kind else { continue };
            computed(straight).for_each(|subject| doubts.add(doubt.clone(), subject));
        }
    }
}

/// Whether the block stands in another one.
pub(super) fn within(program: &Program, block: BlockId, outer: BlockId) -> bool {
    std::iter::successors(Some(block), |&block| program.blocks[block].parent).any(|block| block == outer)
}

fn is_flush(program: &Program, block: BlockId) -> bool {
    matches!(program.call(block).map(|call| &call.callee), Some(Callee::Mpi(name)) if **name == *FLUSH)
}

/// The innermost loop around, where it has no step of its own.
pub(super) fn waiting_loop(program: &Program, block: BlockId) -> Option<BlockId> {
    let mut around = std::iter::successors(Some(block), |&block| program.blocks[block].parent);
    around.find_map(|id| match &program.blocks[id].kind {
        BlockKind::Loop(inner) => Some(computes_nothing(program, &inner.step).then_some(id)),
        _ => None,
    })?
}

/// Whether nothing is computed in the region.
fn computes_nothing(program: &Program, region: &Region) -> bool {
    region.iter().all(|&block| matches!(&program.blocks[block].kind, BlockKind::Straight(s) if s.ops.is_empty()))
}

/// Variables that get something else than what was read from memory, or a constant.
fn computed(straight: &Straight) -> impl Iterator<Item = Subject> {
    let read = |value: &Operand| match value {
        Operand::Value(id) => straight.ops.iter().any(|op| op.dst == Some(*id) && matches!(op.kind, OpKind::Read(_))),
        Operand::Const(_) => true,
    };
    straight.ops.iter().filter_map(move |op| match &op.kind {
        OpKind::Write(place, value) if !read(value) => match &place.base {
            Base::Variable(id) => Some(Subject::Variable(*id)),
            Base::Pointer(_) => None,
        },
        _ => None,
    })
}
