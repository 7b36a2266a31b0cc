//! Which blocks are executed at least as often as others, whatever the data: it keeps expressions of
//! a line's count short.

use chronos_base::hash::FxHashMap;
use chronos_ir::{BlockId, BlockKind, Loop, LoopForm, Program, Region};

/// Where a block stands among the blocks of its region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    parent: Option<BlockId>,
    part: Part,
    position: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Of a function, or the arm of a branch.
    Arm(usize),
    Init,
    Condition,
    Body,
    Step,
}

/// The places of all blocks that stand in regions.
pub struct Dominance<'a> {
    program: &'a Program,
    places: FxHashMap<BlockId, Place>,
}

impl<'a> Dominance<'a> {
    pub fn new(program: &'a Program) -> Self {
        let mut places = FxHashMap::default();
        // A jump may lead anywhere.
        for function in program.functions.values().filter(|function| function.labels.is_empty()) {
            enter(&mut places, None, Part::Arm(0), &function.body);
        }
        for (id, block) in program.blocks.iter() {
            let jumps = !program.functions[block.function].labels.is_empty();
            match &block.kind {
                BlockKind::Branch(branch) if !jumps => {
                    let arms = branch.arms.iter().enumerate();
                    arms.for_each(|(i, arm)| enter(&mut places, Some(id), Part::Arm(i), &arm.region));
                }
                BlockKind::Loop(l) if !jumps => {
                    parts(l).for_each(|(part, region)| enter(&mut places, Some(id), part, region));
                }
                _ => {}
            }
        }
        Self { program, places }
    }

    /// `a` is executed at least as often as `b`.
    pub fn holds(&self, a: BlockId, b: BlockId) -> bool {
        let function = |id: BlockId| self.program.blocks[id].function;
        let Some(&wanted) = self.places.get(&a).filter(|_| function(a) == function(b)) else { return false };
        let mut current = b;
        loop {
            let Some(&place) = self.places.get(&current) else { return false };
            if (place.parent, place.part) == (wanted.parent, wanted.part) {
                return wanted.position <= place.position;
            }
            let Some(parent) = place.parent else { return false };
            if let BlockKind::Loop(l) = &self.program.blocks[parent].kind
                && place.part != Part::Init
            {
                return wanted.parent == Some(parent) && wanted.position == 0 && wanted.part == most(l);
            }
            if wanted.parent == Some(parent) && wanted.part == Part::Condition && wanted.position == 0 {
                return true;
            }
            current = parent;
        }
    }
}

/// The part of a loop whose first block is executed most: whoever enters the loop comes there, and every iteration
/// does.
fn most(l: &Loop) -> Part {
    match (&l.condition, l.form) {
        (Some(_), LoopForm::For | LoopForm::While) => Part::Condition,
        _ => Part::Body,
    }
}

fn parts(l: &Loop) -> impl Iterator<Item = (Part, &Region)> {
    let condition = l.condition.as_ref().map(|condition| (Part::Condition, &condition.region));
    [(Part::Init, &l.init), (Part::Body, &l.body), (Part::Step, &l.step)].into_iter().chain(condition)
}

fn enter(places: &mut FxHashMap<BlockId, Place>, parent: Option<BlockId>, part: Part, region: &[BlockId]) {
    for (position, &block) in region.iter().enumerate() {
        places.insert(block, Place { parent, part, position });
    }
}
