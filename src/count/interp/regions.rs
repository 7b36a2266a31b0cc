//! Static facts about blocks and regions: what reaches MPI, what leaves its arm.

use super::code::{Escapes, Home};
use crate::count::relevance::messages;
use crate::ids::Id;
use crate::program::{Arm, Base, BlockId, BlockKind, Branch, Callee, Jump, OpKind, Program, Region, TargetId};

/// Per block, whether it holds a call that reaches MPI.
pub struct Reach {
    mpi: Vec<bool>,
    communicates: Vec<bool>,
}

impl Reach {
    pub fn new(program: &Program) -> Self {
        let none = vec![false; program.blocks.len()];
        let mut reach = Self { mpi: none.clone(), communicates: none };
        let communicating = communicating(program);
        let indirect = program.functions.values().any(|f| f.effects.address_taken && f.effects.reaches_mpi);
        for (id, block) in program.blocks.iter() {
            let BlockKind::Call(call) = &block.kind else { continue };
            let (hit, communicates) = match &call.callee {
                Callee::Mpi(name) => (true, !messages::reads_clock(name)),
                Callee::Function(f) => (program.functions[*f].effects.reaches_mpi, communicating[f.index()]),
                Callee::Indirect(_) => (indirect, indirect),
                Callee::Library(_) => (false, false),
            };
            for around in std::iter::successors(Some(id), |&b| program.blocks[b].parent) {
                reach.mpi[around.index()] |= hit;
                reach.communicates[around.index()] |= communicates;
            }
        }
        reach
    }

    /// The block or a block in it makes a call that reaches MPI.
    pub fn block(&self, block: BlockId) -> bool {
        self.mpi[block.index()]
    }

    /// As [`Self::block`], with calls that do more than read the clock.
    pub fn communicates(&self, block: BlockId) -> bool {
        self.communicates[block.index()]
    }

    /// How control may leave an arm.
    pub fn escapes(&self, program: &Program, branch: &Branch, arm: &Arm) -> Escapes {
        let mut escapes = Escapes {
            communicates: arm.region.iter().any(|&block| self.arm_communicates(program, block)),
            ..Escapes::default()
        };
        let mut inside: Vec<TargetId> = branch.target.into_iter().collect();
        collect_escapes(program, &arm.region, &mut inside, &mut escapes);
        escapes
    }

    fn arm_communicates(&self, program: &Program, block: BlockId) -> bool {
        match &program.blocks[block].kind {
            // A call marks the blocks around it, not the straight block that drives it.
            BlockKind::Straight(straight) => {
                straight.ops.iter().any(|op| matches!(op.kind, OpKind::Call(call) if self.communicates(call)))
            }
            _ => self.communicates(block),
        }
    }
}

/// The functions that reach MPI calls other than those that read the clock.
fn communicating(program: &Program) -> Vec<bool> {
    let mut found = vec![false; program.functions.len()];
    loop {
        let before = found.iter().filter(|&&f| f).count();
        for block in program.blocks.values() {
            let BlockKind::Call(call) = &block.kind else { continue };
            let reaches = match &call.callee {
                Callee::Mpi(name) => !messages::reads_clock(name),
                Callee::Function(callee) => found[callee.index()],
                Callee::Indirect(_) => program.functions[block.function].effects.reaches_mpi,
                Callee::Library(_) => false,
            };
            found[block.function.index()] |= reaches;
        }
        if found.iter().filter(|&&f| f).count() == before {
            return found;
        }
    }
}

fn collect_escapes(program: &Program, region: &Region, inside: &mut Vec<TargetId>, escapes: &mut Escapes) {
    for &block in region {
        match &program.blocks[block].kind {
            BlockKind::Straight(straight) => {
                for op in &straight.ops {
                    if let OpKind::Jump(jump) = &op.kind {
                        note_jump(jump, inside, escapes);
                    }
                }
            }
            BlockKind::Loop(inner) => {
                inside.push(inner.target);
                for part in [&inner.init, &inner.body, &inner.step] {
                    collect_escapes(program, part, inside, escapes);
                }
                inside.pop();
            }
            BlockKind::Branch(branch) => {
                inside.extend(branch.target);
                branch.arms.iter().for_each(|arm| collect_escapes(program, &arm.region, inside, escapes));
                if branch.target.is_some() {
                    inside.pop();
                }
            }
            BlockKind::Call(_) => {}
        }
    }
}

fn note_jump(jump: &Jump, inside: &[TargetId], escapes: &mut Escapes) {
    match jump {
        Jump::Return(_) => escapes.returns = true,
        Jump::Goto(_) => escapes.leaves_loop = true,
        Jump::Break(target) => escapes.leaves_loop |= !inside.contains(target),
        Jump::Continue(target) => escapes.continues |= !inside.contains(target),
    }
}

/// The block is a loop or has one inside.
pub fn holds_loop(program: &Program, block: BlockId) -> bool {
    match &program.blocks[block].kind {
        BlockKind::Loop(_) => true,
        BlockKind::Branch(branch) => branch.arms.iter().flat_map(|arm| &arm.region).any(|&b| holds_loop(program, b)),
        BlockKind::Straight(_) | BlockKind::Call(_) => false,
    }
}

/// All straight blocks in a block, in order.
pub fn straights(program: &Program, block: BlockId, visit: &mut impl FnMut(&crate::program::Straight)) {
    let regions = |all: &[&Region], visit: &mut dyn FnMut(BlockId)| {
        all.iter().for_each(|region| region.iter().for_each(|&b| visit(b)));
    };
    let mut inner = Vec::new();
    match &program.blocks[block].kind {
        BlockKind::Straight(straight) => visit(straight),
        BlockKind::Loop(l) => {
            regions(&[&l.init, &l.body, &l.step], &mut |b| inner.push(b));
            l.condition.iter().for_each(|c| inner.extend(&c.region));
        }
        BlockKind::Branch(branch) => branch.arms.iter().for_each(|arm| inner.extend(&arm.region)),
        BlockKind::Call(_) => {}
    }
    for b in inner {
        straights(program, b, visit);
    }
}

/// Registers of the variables that a loop writes, without what it calls.
pub fn written_registers(program: &Program, homes: &[Home], block: BlockId) -> Box<[u32]> {
    let mut registers = Vec::new();
    straights(program, block, &mut |straight| {
        for op in &straight.ops {
            if let OpKind::Write(place, _) = &op.kind
                && let Base::Variable(id) = place.base
                && let Home::Register(register) = homes[id.index()]
            {
                registers.push(register);
            }
        }
    });
    registers.sort_unstable();
    registers.dedup();
    registers.into()
}
