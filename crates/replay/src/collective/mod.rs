//! Algorithms of collective operations, and the operations under way.
//!
//! `plan` chooses an algorithm by the rules of the network file and gives one member's rounds; `patterns` are the
//! algorithms: binomial trees, recursive doubling and halving, ring, pairwise exchange, Rabenseifner's reduction
//! (Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH, IJHPCA 19(1), 2005),
//! dissemination and Bruck's exchange (Bruck, Ho, Kipnis, Upfal, Weathersby, IEEE TPDS 8(11), 1997), chains and split
//! binary trees (Pjesivac-Grbovic et al.: Performance analysis of MPI collective operations, Cluster Computing 10,
//! 2007). `correction` finds the factor by which a measured operation is slower than its algorithm. This folder must
//! not know the engine, queues or ports: a round says to whom, how much, and what for, never when.

use crate::collective::correction::Corrections;
use crate::collective::plan::{AlgorithmChoice, Plan};
use crate::ids::{FrameId, NodeId, OpId};
use crate::matching::operation::Completion;
use crate::memory::call_site::CallSite;
use crate::memory::slab::Slab;
use chronos_activity::{CollectiveKind, CommId, Site, TaskId};
use chronos_base::hash::FastMap;
use chronos_base::units::Picoseconds;
use std::sync::Arc;

pub mod correction;
pub mod patterns;
mod patterns_halving;
pub mod plan;
#[cfg(test)]
mod tests;
mod words;

/// All collective operations under way.
#[derive(Debug, Default)]
pub struct Collectives {
    pub frames: Slab<FrameId, CollectiveFrame>,
    pub groups: FastMap<CommId, CommGroup>,
    /// Operations that not all members have joined.
    pub open: FastMap<(CommId, u32), OpenCollective>,
    pub(crate) corrections: Corrections,
}

impl Collectives {
    /// Whether a factor of costs is being looked for.
    pub(crate) fn is_trial(&self) -> bool {
        self.corrections.trial.is_some()
    }
}

#[derive(Debug)]
pub(crate) struct CommGroup {
    pub members: Arc<[TaskId]>,
    /// Empty where every member's rank is its task.
    pub ranks: FastMap<TaskId, u32>,
    /// All members are on one node.
    pub(crate) on_one_node: bool,
}

impl CommGroup {
    pub fn new(members: Arc<[TaskId]>, node: impl Fn(TaskId) -> Option<NodeId>) -> Self {
        let on_one_node = members.windows(2).all(|pair| node(pair[0]) == node(pair[1]));
        let identity = members.iter().enumerate().all(|(rank, &task)| task.0 as usize == rank);
        let numbered = members.iter().enumerate().filter(|_| !identity);
        Self { ranks: numbered.map(|(rank, &task)| (task, rank as u32)).collect(), members, on_one_node }
    }

    pub fn rank(&self, task: TaskId) -> Option<u32> {
        if self.ranks.is_empty() {
            return (task.0 < self.members.len() as u32).then_some(task.0);
        }
        self.ranks.get(&task).copied()
    }
}

/// One operation of a communicator, as far as members have joined it.
#[derive(Debug)]
pub(crate) struct OpenCollective {
    pub kind: CollectiveKind,
    pub root: Option<TaskId>,
    pub decision: AlgorithmChoice,
    pub first: TaskId,
    pub joined: u32,
    pub site: Option<Site>,
}

/// One member's part in one operation.
#[derive(Debug)]
pub(crate) struct CollectiveFrame {
    pub task: TaskId,
    /// The call.
    pub site: CallSite,
    pub comm: CommId,
    pub kind: CollectiveKind,
    /// Among the operations of the communicator.
    pub number: u32,
    /// Keeps the messages of non-blocking operations apart; 0 for blocking ones, which cannot overlap.
    pub instance: u32,
    pub entered: Picoseconds,
    pub group: Arc<[TaskId]>,
    pub plan: Plan,
    pub round: u32,
    pub(crate) outstanding: u32,
    /// Where the member is in time.
    pub clock: Picoseconds,
    pub idle: Picoseconds,
    /// When the last of those came that this member's progress depends on so far.
    pub partner: Picoseconds,
    pub completions: Vec<Completion>,
    pub waiting: bool,
    pub reduce: u64,
    pub binding: Option<Completion>,
    /// The operation to complete, of a non-blocking collective.
    pub op: Option<OpId>,
    /// The member whose message it waits for.
    pub awaits: Option<TaskId>,
    /// With it, by how much its messages differ from those of calls.
    pub decision: AlgorithmChoice,
}
