//! Whether a local scalar is read again once control has passed a block: what nobody reads may be lost.
//!
//! A walk over the block tree, without regard to values. It errs towards "read". Functions with
//! labels are not looked at: a jump may come from anywhere.

use chronos_base::hash::FxHashMap;
use chronos_ir::{
    Arm, Base, BlockId, BlockKind, Branch, BranchKind, Function, Jump, Loop, LoopForm, Op, OpKind, Program, Storage,
    Straight, VarId,
};

/// Answers so far.
#[derive(Debug, Default)]
pub(crate) struct Liveness {
    dead: FxHashMap<(BlockId, VarId), bool>,
}

/// What happens first to the variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Read,
    Written,
    /// Neither, or a write that not every path passes.
    Untouched,
}

impl Liveness {
    /// No path from the end of `block` reads the variable before it is written.
    pub(crate) fn is_dead_after(&mut self, program: &Program, block: BlockId, variable: VarId) -> bool {
        *self.dead.entry((block, variable)).or_insert_with(|| dead_after(program, block, variable))
    }
}

fn dead_after(program: &Program, block: BlockId, variable: VarId) -> bool {
    let function = program.blocks[block].function;
    let named = &program.variables[variable];
    let local = matches!(named.storage, Storage::Local | Storage::Parameter(_)) && named.function == Some(function);
    let walk = Walk { program, variable };
    let function = &program.functions[function];
    local && !named.address_taken && function.labels.is_empty() && walk.dead_after(function, block)
}

struct Walk<'a> {
    program: &'a Program,
    variable: VarId,
}

impl<'a> Walk<'a> {
    fn dead_after(&self, function: &'a Function, block: BlockId) -> bool {
        let mut current = block;
        // A jump on the way passes the writes that come later.
        let mut jumped = false;
        loop {
            let parent = self.program.blocks[current].parent;
            let rest = self.after(function, parent, current);
            jumped |= rest.iter().any(|&block| self.jumps(block));
            let fates = [self.region(rest), parent.map_or(Fate::Untouched, |parent| self.again(parent, current))];
            for fate in fates {
                match fate {
                    Fate::Read => return false,
                    Fate::Written if !jumped => return true,
                    Fate::Written | Fate::Untouched => {}
                }
            }
            let Some(parent) = parent else { return true };
            current = parent;
        }
    }

    /// The blocks of the same region that come after `block`.
    fn after(&self, function: &'a Function, parent: Option<BlockId>, block: BlockId) -> &'a [BlockId] {
        let regions: Vec<&'a [BlockId]> = match parent.map(|parent| &self.program.blocks[parent].kind) {
            None => vec![&function.body],
            Some(BlockKind::Loop(l)) => loop_regions(l).to_vec(),
            Some(BlockKind::Branch(branch)) => branch.arms.iter().map(|arm| &arm.region[..]).collect(),
            Some(BlockKind::Straight(_) | BlockKind::Call(_)) => Vec::new(),
        };
        let here = regions.into_iter().find_map(|region| Some((region, region.iter().position(|&b| b == block)?)));
        here.map_or(&[], |(region, at)| &region[at + 1..])
    }

    /// What the block around does when its region that holds `block` has ended.
    fn again(&self, parent: BlockId, block: BlockId) -> Fate {
        match &self.program.blocks[parent].kind {
            BlockKind::Loop(l) => self.next_iteration(l, block),
            BlockKind::Branch(branch) if branch.kind == BranchKind::Switch => {
                let reads = branch.arms.iter().any(|arm| self.region(&arm.region) == Fate::Read);
                if reads { Fate::Read } else { Fate::Untouched }
            }
            _ => Fate::Untouched,
        }
    }

    /// From the end of the region with `block` on: a further round, and out.
    fn next_iteration(&self, l: &'a Loop, block: BlockId) -> Fate {
        let [_, condition, body, step] = loop_regions(l);
        let in_body = body.contains(&block);
        let before_test = if in_body { step } else { &[] };
        let test = if condition.contains(&block) { &[] } else { condition };
        match self.sequence(&[before_test, test]) {
            Fate::Untouched => match self.sequence(&[body, step, condition]) {
                Fate::Read => Fate::Read,
                Fate::Written | Fate::Untouched => Fate::Untouched,
            },
            settled => settled,
        }
    }

    fn sequence(&self, regions: &[&'a [BlockId]]) -> Fate {
        let mut jumped = false;
        for region in regions {
            match self.region(region) {
                Fate::Untouched => {}
                Fate::Written if jumped => {}
                settled => return settled,
            }
            jumped |= region.iter().any(|&block| self.jumps(block));
        }
        Fate::Untouched
    }

    fn region(&self, region: &'a [BlockId]) -> Fate {
        let mut jumped = false;
        for &block in region {
            match self.block(block) {
                Fate::Read => return Fate::Read,
                Fate::Written if !jumped => return Fate::Written,
                Fate::Written => return Fate::Untouched,
                Fate::Untouched => jumped |= self.jumps(block),
            }
        }
        Fate::Untouched
    }

    fn block(&self, block: BlockId) -> Fate {
        match &self.program.blocks[block].kind {
            BlockKind::Straight(straight) => self.straight(straight),
            BlockKind::Loop(l) => self.whole_loop(l),
            BlockKind::Branch(branch) => self.branch(branch),
            BlockKind::Call(_) => Fate::Untouched,
        }
    }

    fn straight(&self, straight: &Straight) -> Fate {
        let fates = straight.ops.iter().map(|op| self.operation(op));
        fates.into_iter().find(|fate| *fate != Fate::Untouched).unwrap_or(Fate::Untouched)
    }

    fn operation(&self, op: &Op) -> Fate {
        let named = |base: &Base| matches!(base, Base::Variable(variable) if *variable == self.variable);
        match &op.kind {
            OpKind::Write(place, _) if named(&place.base) && place.bits.is_none() => Fate::Written,
            OpKind::Read(place) | OpKind::Write(place, _) | OpKind::Address(place) if named(&place.base) => Fate::Read,
            _ => Fate::Untouched,
        }
    }

    fn whole_loop(&self, l: &'a Loop) -> Fate {
        let [init, condition, body, step] = loop_regions(l);
        let surely: [&[BlockId]; 2] = if l.form == LoopForm::DoWhile { [init, body] } else { [init, condition] };
        match self.sequence(&surely) {
            Fate::Untouched => match self.sequence(&[body, step, condition]) {
                Fate::Read => Fate::Read,
                Fate::Written | Fate::Untouched => Fate::Untouched,
            },
            settled => settled,
        }
    }

    fn branch(&self, branch: &'a Branch) -> Fate {
        let fates: Vec<Fate> = branch.arms.iter().map(|arm: &'a Arm| self.region(&arm.region)).collect();
        let complete = branch.arms.len() == 2 && branch.kind != BranchKind::Switch;
        if fates.contains(&Fate::Read) {
            Fate::Read
        } else if complete && fates.iter().all(|fate| *fate == Fate::Written) {
            Fate::Written
        } else {
            Fate::Untouched
        }
    }

    /// Something in the block jumps.
    fn jumps(&self, block: BlockId) -> bool {
        let any = |region: &[BlockId]| region.iter().any(|&inner| self.jumps(inner));
        match &self.program.blocks[block].kind {
            BlockKind::Straight(straight) => {
                let last = straight.ops.last().map(|op| &op.kind);
                matches!(last, Some(OpKind::Jump(Jump::Break(_) | Jump::Continue(_) | Jump::Goto(_) | Jump::Return(_))))
            }
            BlockKind::Loop(l) => loop_regions(l).into_iter().any(any),
            BlockKind::Branch(branch) => branch.arms.iter().any(|arm| any(&arm.region)),
            BlockKind::Call(_) => false,
        }
    }
}

/// Initialisation, condition, body, step.
fn loop_regions(l: &Loop) -> [&[BlockId]; 4] {
    [&l.init, l.condition.as_ref().map_or(&[], |condition| &condition.region), &l.body, &l.step]
}
