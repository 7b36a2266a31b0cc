//! Algorithms of collective operations, and the operations under way.
//!
//! `plan` chooses an algorithm by the rules of the network file and gives one member's rounds; `patterns` are the
//! algorithms: binomial trees, recursive doubling and halving, ring, pairwise exchange, Rabenseifner's reduction
//! (Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH, IJHPCA 19(1), 2005),
//! dissemination and Bruck's exchange (Bruck, Ho, Kipnis, Upfal, Weathersby, IEEE TPDS 8(11), 1997), chains and split
//! binary trees (Pjesivac-Grbovic et al.: Performance analysis of MPI collective operations, Cluster Computing 10,
//! 2007). `correction` finds the factor by which a measured operation is slower than its algorithm. `ring` and
//! `linear` time whole operations (`whole`). This folder must not know the engine or queues, and but for these no ports: a
//! round says to whom, how much, and what for, never when.

use crate::collective::correction::Corrections;
use crate::collective::plan::{AlgorithmChoice, Plan};
use crate::ids::{FrameId, NodeId, OpId};
use crate::matching::operation::Completion;
use crate::memory::call_site::CallSite;
use crate::memory::slab::Slab;
use chronos_activity::{CollectiveKind, CommId, Site, TaskId};
use chronos_base::hash::FxHashMap;
use chronos_base::units::Picoseconds;
use std::sync::Arc;

pub mod correction;
pub(crate) mod linear;
pub mod patterns;
mod patterns_blocks;
mod patterns_halving;
pub mod plan;
pub(crate) mod ring;
#[cfg(test)]
mod tests;
pub(crate) mod whole;
mod words;

/// All collective operations under way.
#[derive(Debug, Default)]
pub struct Collectives {
    pub frames: Slab<FrameId, CollectiveFrame>,
    pub groups: FxHashMap<CommId, CommGroup>,
    /// Operations that not all members have joined.
    pub open: FxHashMap<(CommId, u32), OpenCollective>,
    pub(crate) corrections: Corrections,
    pub(crate) held: HeldCollective,
    pub(crate) sums: patterns_blocks::BlockSums,
}

/// Members of an operation of all tasks that have come and begin when all have.
#[derive(Debug, Default)]
pub(crate) struct HeldCollective {
    /// Whether any may be.
    pub enabled: bool,
    /// The one that is held, or was last.
    operation: Option<(CommId, u32)>,
    /// By rank; empty while nothing is held.
    frames: Vec<Option<FrameId>>,
    missing: usize,
    /// When the first of them came.
    pub earliest: Picoseconds,
    /// Each sends to its right neighbour alone.
    pub is_ring: bool,
}

impl HeldCollective {
    /// Holds a member of an operation; whether it could: it is not while another operation is held, nor once members of
    /// its own have begun.
    pub fn hold(&mut self, id: FrameId, rank: u32, frame: &CollectiveFrame) -> bool {
        let operation = Some((frame.comm, frame.number));
        if self.frames.is_empty() {
            if self.operation == operation {
                return false;
            }
            (self.operation, self.missing) = (operation, frame.group.len());
            (self.frames, self.earliest) = (vec![None; self.missing], Picoseconds::MAX);
            self.is_ring = frame.plan.ring_rounds().is_some();
        }
        match self.frames.get_mut(rank as usize) {
            Some(place @ None) if self.operation == operation => *place = Some(id),
            _ => return false,
        }
        self.missing -= 1;
        self.earliest = self.earliest.min(frame.entered);
        true
    }

    /// Members of an operation begin: no more of them are to be held; whether some are.
    pub fn begins(&mut self, operation: (CommId, u32)) -> bool {
        let held = !self.frames.is_empty();
        if !held {
            self.operation = Some(operation);
        }
        held && self.operation == Some(operation)
    }

    /// The operation has a number that is higher by what is gained on its communicator.
    pub fn renumber(&mut self, gained: impl Fn(CommId) -> u32) {
        if let Some((comm, number)) = &mut self.operation {
            *number = number.wrapping_add(gained(*comm));
        }
    }

    /// The member to the left of a rank, if it is held.
    pub fn left_of(&self, rank: u32) -> Option<FrameId> {
        let size = self.frames.len();
        *self.frames.get((rank as usize + size).checked_sub(1)?.checked_rem(size)?)?
    }

    pub fn comm(&self) -> Option<CommId> {
        self.operation.filter(|_| !self.frames.is_empty()).map(|operation| operation.0)
    }

    pub fn is_complete(&self) -> bool {
        self.missing == 0 && !self.frames.is_empty()
    }

    pub fn frames(&self) -> impl Iterator<Item = FrameId> {
        self.frames.iter().flatten().copied()
    }

    /// All of them, by rank; none is held any more.
    pub fn take(&mut self) -> Vec<FrameId> {
        std::mem::take(&mut self.frames).into_iter().flatten().collect()
    }
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
    pub ranks: FxHashMap<TaskId, u32>,
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
