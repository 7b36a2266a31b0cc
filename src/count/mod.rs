//! Evaluation of the program without running it: all tasks together on the MPI-relevant slice,
//! loops outside the slice in closed form. Knows no time.

mod allocators;
pub mod annotations;
pub mod heuristics;
pub mod interp;
pub mod mpi;
pub mod quasi;
pub mod relevance;
pub mod summary;
pub mod symbolic;
pub mod value;

use crate::program::BlockId;
use std::collections::HashMap;

/// What the user says about things that cannot be known statically.
#[derive(Clone, Debug, Default)]
pub struct Assumptions {
    /// Probability that the condition of a branch is true; of a `switch`, that its first case is taken, where the
    /// other labels share the rest (`--prob`). What is known exactly wins, then this, then what the source says.
    pub probability: HashMap<BlockId, f64>,
    /// Mean iterations per entry of a loop (`--iterations`).
    pub iterations: HashMap<BlockId, f64>,
    /// How many operations of data-dependent slices are interpreted before the user is asked (`--budget`).
    pub budget: Budget,
}

/// Operations of data-dependent slices that are interpreted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Budget {
    /// [`ALL_TASKS`] for all tasks together, and at least [`EACH_TASK`] for each.
    #[default]
    Shared,
    /// So many for each task.
    PerTask(u64),
}

/// Operations of all tasks, where nobody says: about a second of interpretation.
const ALL_TASKS: u64 = 100_000_000;
/// Operations of each task that many tasks cannot take away.
const EACH_TASK: u64 = 10_000_000;

impl Budget {
    /// Operations of each of `tasks` tasks.
    pub fn of_each(self, tasks: u32) -> u64 {
        match self {
            Self::Shared => (ALL_TASKS / u64::from(tasks.max(1))).max(EACH_TASK),
            Self::PerTask(operations) => operations,
        }
    }
}
