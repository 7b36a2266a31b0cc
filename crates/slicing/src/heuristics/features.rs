//! What the block at the begin of an arm does.

use super::conditions::in_register;
use super::guess::Heuristic;
use chronos_ir::{Arm, Base, Block, BlockId, BlockKind, Jump, Op, OpKind, Place, Program, Region, TargetId, VarId};

/// Properties of an arm that heuristics ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Features {
    calls: bool,
    stores: bool,
    returns: bool,
    leaves_loop: bool,
    begins_loop: bool,
    /// Reads a tested value before it writes it.
    uses_tested: bool,
}

impl Features {
    /// Of an arm of the branch `id`; `tested` is what its condition compares.
    pub fn new(program: &Program, id: BlockId, arm: &Arm, tested: &[VarId]) -> Self {
        let first = first_straight(program, &arm.region);
        let ops: &[Op] = first.map_or(&[], |ops| ops);
        Self {
            calls: ops.iter().any(|op| makes_call(program, op)),
            stores: ops.iter().any(|op| matches!(&op.kind, OpKind::Write(place, _) if in_memory(program, place))),
            returns: last_jump(program, &arm.region).is_some_and(|jump| matches!(jump, Jump::Return(_))),
            leaves_loop: last_jump(program, &arm.region).is_some_and(|jump| leaves_loop(program, id, jump)),
            begins_loop: begins_loop(program, &arm.region),
            uses_tested: tested.iter().any(|&variable| reads_first(ops, variable)),
        }
    }
}

/// What the features of the two sides say about the condition being true.
pub fn evidence(yes: Features, no: Features) -> Vec<(f64, Heuristic)> {
    let unlikely = |heuristic: Heuristic, a: bool, b: bool| side(heuristic, b, a);
    [
        side(Heuristic::Guard, yes.uses_tested, no.uses_tested),
        unlikely(Heuristic::LoopExit, yes.leaves_loop, no.leaves_loop),
        side(Heuristic::LoopHeader, yes.begins_loop, no.begins_loop),
        unlikely(Heuristic::Call, yes.calls, no.calls),
        unlikely(Heuristic::Store, yes.stores, no.stores),
        unlikely(Heuristic::Return, yes.returns, no.returns),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Evidence for the side that is favoured, unless both are.
fn side(heuristic: Heuristic, yes: bool, no: bool) -> Option<(f64, Heuristic)> {
    match (yes, no) {
        (true, false) => Some((heuristic.hit_rate(), heuristic)),
        (false, true) => Some((1.0 - heuristic.hit_rate(), heuristic)),
        _ => None,
    }
}

fn first_straight<'a>(program: &'a Program, region: &Region) -> Option<&'a [Op]> {
    match &program.blocks[*region.first()?].kind {
        BlockKind::Straight(straight) => Some(&straight.ops),
        _ => None,
    }
}

/// The jump that the arm ends with.
fn last_jump<'a>(program: &'a Program, region: &Region) -> Option<&'a Jump> {
    let BlockKind::Straight(straight) = &program.blocks[*region.last()?].kind else { return None };
    match straight.ops.last().map(|op| &op.kind) {
        Some(OpKind::Jump(jump)) => Some(jump),
        _ => None,
    }
}

fn leaves_loop(program: &Program, id: BlockId, jump: &Jump) -> bool {
    let block = &program.blocks[id];
    let is_loop = |&around: &BlockId| matches!(program.blocks[around].kind, BlockKind::Loop(_));
    let around = || std::iter::successors(block.parent, |&parent| program.blocks[parent].parent);
    match jump {
        Jump::Break(target) => is_loop(&target_block(program, block, *target)),
        Jump::Return(_) => around().any(|around| is_loop(&around)),
        Jump::Continue(_) | Jump::Goto(_) => false,
    }
}

fn target_block(program: &Program, block: &Block, target: TargetId) -> BlockId {
    program.functions[block.function].targets[target]
}

/// A loop stands first in the arm, or behind the block that leads to it.
fn begins_loop(program: &Program, region: &Region) -> bool {
    let is_loop =
        |block: Option<&BlockId>| block.is_some_and(|&b| matches!(program.blocks[b].kind, BlockKind::Loop(_)));
    let leads = region.first().is_some_and(|&b| matches!(program.blocks[b].kind, BlockKind::Straight(_)));
    is_loop(region.first()) || leads && is_loop(region.get(1))
}

fn makes_call(program: &Program, op: &Op) -> bool {
    let OpKind::Call(leaf) = op.kind else { return false };
    program.call(leaf).is_some_and(|call| !call.callee.states_assumption())
}

fn in_memory(program: &Program, place: &Place) -> bool {
    match place.base {
        Base::Variable(variable) => !place.steps.is_empty() || !in_register(program, variable),
        Base::Pointer(_) => true,
    }
}

fn reads_first(ops: &[Op], variable: VarId) -> bool {
    let whole = |place: &Place| place.steps.is_empty() && place.base == Base::Variable(variable);
    for op in ops {
        match &op.kind {
            OpKind::Read(place) if whole(place) => return true,
            OpKind::Write(place, _) if whole(place) => return false,
            _ => {}
        }
    }
    false
}
