//! Which assumptions say how often a block is executed.

use super::leaving::{Leaving, trips};
use chronos_activity::{ContextId, Segments};
use chronos_base::hash::FxHashMap;
use chronos_ir::{BlockId, BlockKind, Program};
use chronos_slicing::heuristics::Factors;
use std::collections::BTreeSet;

/// How a block depends on an assumption.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// It is inside the loop or the call.
    Inside,
    /// It is in this arm of the branch.
    Arm(usize),
    /// It is in a loop that this arm of the branch leaves.
    Until {
        /// The arm.
        arm: usize,
        /// Its assumed chance in each iteration, in 2^-32.
        chance: u32,
        /// The last iteration, in 1/16.
        most: u64,
    },
}

/// Units of chances and of iterations, so that ways can be sorted.
const CHANCES: f64 = 4_294_967_296.0;
const PARTS: f64 = 16.0;

impl Way {
    /// Of the inside of a loop that an arm leaves.
    pub fn until(arm: usize, chance: f64, most: f64) -> Self {
        Self::Until { arm, chance: (chance * CHANCES) as u32, most: (most * PARTS) as u64 }
    }

    /// What its executions are to be multiplied with.
    pub fn of(self, factors: &Factors) -> f64 {
        match self {
            Self::Inside => factors.inside,
            Self::Arm(arm) => factors.arms.get(arm).copied().unwrap_or(1.0),
            Self::Until { arm, chance, most } => {
                let (assumed, most) = (f64::from(chance) / CHANCES, most as f64 / PARTS);
                let chance = assumed * factors.arms.get(arm).copied().unwrap_or(1.0);
                trips(chance.min(1.0), most) / trips(assumed, most)
            }
        }
    }
}

/// Assumptions, by their numbers, and how a block depends on each.
pub type Set = Vec<(usize, Way)>;

/// Sets of assumptions by block and calling context.
pub struct Governed {
    /// Without what does not depend on any.
    of: FxHashMap<(ContextId, BlockId), usize>,
    /// The first one is empty.
    sets: Vec<Set>,
}

impl Governed {
    /// Of everything that is executed.
    pub fn new(program: &Program, assumed: &[BlockId], leaving: &Leaving, segments: &Segments) -> Self {
        let numbers: FxHashMap<BlockId, usize> = assumed.iter().enumerate().map(|(at, &block)| (block, at)).collect();
        let walk = Walk { program, arms: arms(program, assumed), numbers, leaving };
        let mut numbered: FxHashMap<Set, usize> = FxHashMap::from_iter([(Set::new(), 0)]);
        let (mut of, mut sets) = (FxHashMap::default(), vec![Set::new()]);
        let mut contexts: FxHashMap<ContextId, Set> = FxHashMap::default();
        for (context, block) in executed(program, segments) {
            let calls = || segments.path(context).filter_map(|(_, on_path)| on_path.call);
            let around =
                contexts.entry(context).or_insert_with(|| calls().flat_map(|call| walk.around(call)).collect());
            let mut set: Set = walk.around(block).chain(around.iter().copied()).collect();
            if set.is_empty() {
                continue;
            }
            set.sort_unstable();
            set.dedup();
            let next = sets.len();
            let number = *numbered.entry(set.clone()).or_insert(next);
            if number == next {
                sets.push(set);
            }
            of.insert((context, block), number);
        }
        Self { of, sets }
    }

    /// Whether an assumption is in a set.
    pub fn depends(&self, set: usize, at: usize) -> bool {
        self.sets[set].iter().any(|(other, _)| *other == at)
    }

    /// All sets, by number.
    pub fn sets(&self) -> impl Iterator<Item = &Set> {
        self.sets.iter()
    }

    /// The number of the set of a block.
    pub fn number(&self, context: ContextId, block: BlockId) -> usize {
        self.of.get(&(context, block)).copied().unwrap_or(0)
    }

    /// The set of a block.
    pub fn set(&self, context: ContextId, block: BlockId) -> &Set {
        &self.sets[self.number(context, block)]
    }
}

fn executed(program: &Program, segments: &Segments) -> BTreeSet<(ContextId, BlockId)> {
    let all = segments.iter().flat_map(|(_, segment)| &segment.counts);
    all.map(|&(context, counter, _)| (context, program.block_of(counter))).collect()
}

/// The arms of assumed branches, by the blocks that stand in them.
fn arms(program: &Program, assumed: &[BlockId]) -> FxHashMap<BlockId, usize> {
    let branches = assumed.iter().filter_map(|&id| match &program.blocks[id].kind {
        BlockKind::Branch(branch) => Some(branch),
        _ => None,
    });
    let arms = branches.flat_map(|branch| branch.arms.iter().enumerate());
    arms.flat_map(|(arm, found)| found.region.iter().map(move |&block| (block, arm))).collect()
}

struct Walk<'a> {
    program: &'a Program,
    arms: FxHashMap<BlockId, usize>,
    numbers: FxHashMap<BlockId, usize>,
    leaving: &'a Leaving,
}

impl<'a> Walk<'a> {
    /// From a block outwards in its function. A loop and a call are inside of themselves.
    fn around(&'a self, block: BlockId) -> impl Iterator<Item = (usize, Way)> + 'a {
        let is_branch = |id: BlockId| matches!(self.program.blocks[id].kind, BlockKind::Branch(_));
        let itself = self.numbers.get(&block).filter(move |_| !is_branch(block)).map(|&at| (at, Way::Inside));
        let parent = |&at: &BlockId| self.program.blocks[at].parent;
        let outwards = std::iter::successors(Some(block), parent).filter_map(move |inner| {
            let outer = self.program.blocks[inner].parent?;
            let at = *self.numbers.get(&outer)?;
            match is_branch(outer) {
                true => Some((at, Way::Arm(*self.arms.get(&inner)?))),
                false => Some((at, Way::Inside)),
            }
        });
        let blocks = std::iter::successors(Some(block), parent);
        let left = blocks.filter_map(|at| self.leaving.get(&at)).flatten().copied();
        itself.into_iter().chain(outwards).chain(left)
    }
}
