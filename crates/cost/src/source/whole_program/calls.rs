//! Calls that leave no call behind, and the straight blocks of a region: what an inliner asks of a program.

use crate::source::compiler::profile::CompilerProfile;
use chronos_ir::{BlockId, BlockKind, Program, Straight};

/// Every straight block at or below `block`.
pub(crate) fn visit_straight<'a>(program: &'a Program, block: BlockId, see: &mut impl FnMut(&'a Straight)) {
    match &program.blocks[block].kind {
        BlockKind::Straight(straight) => see(straight),
        BlockKind::Call(_) => {}
        BlockKind::Loop(inner) => {
            let condition = inner.condition.iter().flat_map(|condition| &condition.region);
            let all = inner.init.iter().chain(condition).chain(&inner.body).chain(&inner.step);
            all.for_each(|&block| visit_straight(program, block, see));
        }
        BlockKind::Branch(branch) => {
            branch.arms.iter().flat_map(|arm| &arm.region).for_each(|&block| visit_straight(program, block, see));
        }
    }
}

/// A call that the compiler replaces by what is called.
pub fn is_free(program: &Program, profile: &CompilerProfile, kind: &BlockKind) -> bool {
    use chronos_ir::Callee;
    let BlockKind::Call(call) = kind else { return false };
    match &call.callee {
        Callee::Library(name) => profile.builtins.contains_key(&**name),
        Callee::Function(callee) => {
            let callee = &program.functions[*callee];
            // Inliners measure a callee by its size (GCC: max-inline-insns-auto).
            let mut operations = 0;
            let mut plain = profile.optimises && callee.is_static && !callee.effects.recursive;
            for &block in &callee.body {
                plain &= matches!(program.blocks[block].kind, BlockKind::Straight(_));
                visit_straight(program, block, &mut |straight| operations += straight.ops.len());
            }
            plain && operations <= profile.inlined_operations
        }
        Callee::Mpi(_) | Callee::Indirect(_) => false,
    }
}

/// Whether a callee is a function of the program that calls nothing itself, so that the compiler knows all it uses.
pub(crate) fn uses_few_registers(program: &Program, profile: &CompilerProfile, callee: &chronos_ir::Callee) -> bool {
    let chronos_ir::Callee::Function(callee) = callee else { return false };
    let callee = &program.functions[*callee];
    // A leaf function uses few registers: -fipa-ra tells its callers which.
    let calls = (callee.blocks.0.0..callee.blocks.1.0).map(BlockId).filter(|&block| program.call(block).is_some());
    !callee.effects.recursive && { calls }.all(|block| is_free(program, profile, &program.blocks[block].kind))
}
