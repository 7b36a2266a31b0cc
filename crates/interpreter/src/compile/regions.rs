//! Static facts about blocks and regions: what reaches MPI, what leaves its arm.

use crate::code::instructions::{Escapes, Home};
use chronos_base::ids::Id;
use chronos_functions as functions;
use chronos_ir::openmp::stops;
use chronos_ir::{Arm, Base, BlockId, BlockKind, Branch, Callee, Jump, OpKind, Program, Region, TargetId};

/// Per block, what it holds: a call that reaches MPI, a loop, jumps. Found once from within, because chains of thousands of
/// branches within one another would otherwise be gone through once for each of them.
pub struct Reach {
    mpi: Vec<bool>,
    communicates: Vec<bool>,
    loops: Vec<bool>,
    jumps: Jumps,
}

/// Per block, how control may leave it, whatever stands around it.
struct Jumps {
    any: Vec<bool>,
    returns: Vec<bool>,
    /// A `goto`, or a `break` of something around the block.
    leaves: Vec<bool>,
    /// A `continue` of something around the block.
    continues: Vec<bool>,
}

impl Jumps {
    fn new(program: &Program) -> Self {
        let none = vec![false; program.blocks.len()];
        let mut found = Self { any: none.clone(), returns: none.clone(), leaves: none.clone(), continues: none };
        for (id, block) in program.blocks.iter() {
            let BlockKind::Straight(straight) = &block.kind else { continue };
            for op in &straight.ops {
                if let OpKind::Jump(jump) = &op.kind {
                    found.note(program, id, jump);
                }
            }
        }
        found
    }

    fn note(&mut self, program: &Program, block: BlockId, jump: &Jump) {
        mark(program, block, None, &mut self.any);
        match jump {
            Jump::Return(_) => mark(program, block, None, &mut self.returns),
            Jump::Goto(_) => mark(program, block, None, &mut self.leaves),
            Jump::Break(target) => mark(program, block, Some(*target), &mut self.leaves),
            Jump::Continue(target) => mark(program, block, Some(*target), &mut self.continues),
        }
    }
}

/// Marks a block and those around it, up to the one that a jump leads to.
fn mark(program: &Program, block: BlockId, end: Option<TargetId>, marks: &mut [bool]) {
    for around in std::iter::successors(Some(block), |&block| program.blocks[block].parent) {
        if end.is_some() && target(program, around) == end || end.is_none() && marks[around.index()] {
            return;
        }
        marks[around.index()] = true;
    }
}

/// What `break` and `continue` in a block lead to.
fn target(program: &Program, block: BlockId) -> Option<TargetId> {
    match &program.blocks[block].kind {
        BlockKind::Loop(inner) => Some(inner.target),
        BlockKind::Branch(branch) => branch.target,
        BlockKind::Straight(_) | BlockKind::Call(_) => None,
    }
}

impl Reach {
    pub fn new(program: &Program) -> Self {
        let none = vec![false; program.blocks.len()];
        let (mut loops, jumps) = (none.clone(), Jumps::new(program));
        for (id, _) in program.blocks.iter().filter(|(_, block)| matches!(block.kind, BlockKind::Loop(_))) {
            mark(program, id, None, &mut loops);
        }
        let mut reach = Self { mpi: none.clone(), communicates: none, loops, jumps };
        let communicating = communicating(program);
        let indirect = program.functions.values().any(|f| f.effects.address_taken && f.effects.reaches_mpi);
        for (id, block) in program.blocks.iter() {
            let BlockKind::Call(call) = &block.kind else { continue };
            let (hit, communicates) = match &call.callee {
                Callee::Mpi(name) => (true, !functions::reads_clock(name) && !stops(name)),
                Callee::Function(f) => (program.functions[*f].effects.reaches_mpi, communicating[f.index()]),
                Callee::Indirect(_) => (indirect, indirect),
                Callee::Library(_) => (program.answers(&call.callee), false),
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

    /// The block is a loop or has one inside.
    pub(crate) fn holds_loop(&self, block: BlockId) -> bool {
        self.loops[block.index()]
    }

    /// How control may leave an arm.
    pub fn escapes(&self, program: &Program, branch: &Branch, arm: &Arm) -> Escapes {
        let mut escapes = Escapes {
            communicates: arm.region.iter().any(|&block| self.arm_communicates(program, block)),
            ..Escapes::default()
        };
        let any = |marks: &[bool]| arm.region.iter().any(|block| marks[block.index()]);
        match branch.target {
            // A `break` in the arm may be one of this very branch.
            Some(target) => collect_escapes(program, &self.jumps.any, &arm.region, &mut vec![target], &mut escapes),
            None => {
                escapes.returns = any(&self.jumps.returns);
                escapes.leaves_loop = any(&self.jumps.leaves);
                escapes.continues = any(&self.jumps.continues);
            }
        }
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
                Callee::Mpi(name) => !functions::reads_clock(name) && !stops(name),
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

fn collect_escapes(
    program: &Program,
    jumps: &[bool],
    region: &Region,
    inside: &mut Vec<TargetId>,
    escapes: &mut Escapes,
) {
    for &block in region.iter().filter(|block| jumps[block.index()]) {
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
                    collect_escapes(program, jumps, part, inside, escapes);
                }
                inside.pop();
            }
            BlockKind::Branch(branch) => {
                inside.extend(branch.target);
                branch.arms.iter().for_each(|arm| collect_escapes(program, jumps, &arm.region, inside, escapes));
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

/// All straight blocks in a block, in order.
pub fn straights(program: &Program, block: BlockId, visit: &mut impl FnMut(&chronos_ir::Straight)) {
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
pub(crate) fn written_registers(program: &Program, homes: &[Home], block: BlockId) -> Box<[u32]> {
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
