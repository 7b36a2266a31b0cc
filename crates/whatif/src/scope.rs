//! Which of a program's computing a change is about.

use chronos_activity::{ContextId, Segments, TaskId};
use chronos_cost::EntryCost;
use chronos_ir::{BlockId, FuncId, Program};
use std::collections::BTreeSet;

/// A part of the computing of all tasks, or of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Functions with all that they call, or what they execute themselves (`alone`).
    Functions {
        /// The functions.
        ids: BTreeSet<FuncId>,
        /// Without what they call.
        alone: bool,
    },
    /// Blocks, with what is called from there.
    Blocks(BTreeSet<BlockId>),
    /// All that a task computes.
    Task(TaskId),
}

impl Scope {
    /// Blocks with all that is inside them.
    pub fn within(program: &Program, outer: &[BlockId]) -> Self {
        let inside = |block: &BlockId| outwards(program, *block).any(|at| outer.contains(&at));
        Self::Blocks(program.blocks.ids().filter(inside).collect())
    }

    /// Whether a block that a task executes in a context belongs to it.
    pub fn covers(&self, task: TaskId, context: ContextId, block: BlockId, segments: &Segments) -> bool {
        match self {
            Self::Functions { ids, alone: true } => ids.contains(&segments.context(context).function),
            Self::Functions { ids, alone: false } => segments.path(context).any(|(_, on)| ids.contains(&on.function)),
            Self::Blocks(blocks) => {
                let called =
                    || segments.path(context).any(|(_, on)| on.call.is_some_and(|call| blocks.contains(&call)));
                blocks.contains(&block) || called()
            }
            Self::Task(own) => *own == task,
        }
    }
}

/// A block with the loops and branches around it, innermost first.
pub fn outwards(program: &Program, block: BlockId) -> impl Iterator<Item = BlockId> {
    std::iter::successors(Some(block), |&at| program.blocks[at].parent)
}

/// A part of the computing that takes another time.
#[derive(Clone, Debug)]
pub struct Rescaled {
    /// Which part.
    pub scope: Scope,
    /// What is left of its time; 0: nothing.
    pub left: f64,
}

/// What is left of the time of a block, by all that is changed.
pub fn left(changes: &[Rescaled], task: TaskId, entry: &EntryCost, segments: &Segments) -> f64 {
    let covering = changes.iter().filter(|change| change.scope.covers(task, entry.context, entry.block, segments));
    covering.map(|change| change.left).product()
}
