//! Accesses to windows that other accesses are compared with, and epochs of windows.

use crate::checks::state::clocks::Clock;
use crate::checks::state::uses::{BufferUse, MemoryRange};
use chronos_activity::{CommId, TaskId};
use chronos_base::span::Span;
use chronos_mpi::ReduceOp;
use chronos_values::ObjectId;
use std::collections::BTreeMap;

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum AccessMode {
    Read,
    Write,
    /// Atomically: concurrent ones by the same operation do not conflict.
    Accumulate(ReduceOp),
    Swap,
}

impl AccessMode {
    pub(crate) fn goes_with(self, other: Self) -> bool {
        match (self, other) {
            (Self::Read, Self::Read)
            | (Self::Swap, Self::Swap | Self::Accumulate(_))
            | (Self::Accumulate(_), Self::Swap) => true,
            (Self::Accumulate(one), Self::Accumulate(two)) => {
                one == two || one == ReduceOp::NoOp || two == ReduceOp::NoOp
            }
            _ => false,
        }
    }

    pub(crate) fn is_atomic(self) -> bool {
        matches!(self, Self::Accumulate(_) | Self::Swap)
    }

    pub(crate) fn verb(self) -> &'static str {
        match self {
            Self::Read => "reads",
            Self::Write => "writes",
            Self::Accumulate(_) | Self::Swap => "updates",
        }
    }
}

/// An access that was made.
#[derive(Clone, Debug)]
pub(crate) struct SeenAccess {
    pub(crate) by: TaskId,
    pub(crate) begin: u64,
    pub(crate) end: u64,
    pub(crate) how: AccessMode,
    /// The target rank that its origin named, where it goes on until that is synchronised.
    pub(crate) open: Option<usize>,
    /// The time of its task at which it was complete, or is made.
    pub(crate) until: Option<u64>,
    pub(crate) name: &'static str,
    pub(crate) span: Span,
    /// What its task knew, where others may hear of it by an atomic access.
    pub(crate) told: Vec<u64>,
    /// The owner accesses its own memory while it takes part in no epoch of the window.
    pub(crate) outside: bool,
}

impl SeenAccess {
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.begin < other.end && other.begin < self.end
    }
}

/// Accesses by rank of the member whose memory it is.
#[derive(Clone, Debug, Default)]
pub struct WindowAccesses {
    pub(crate) accesses: BTreeMap<(CommId, usize), Vec<SeenAccess>>,
    /// What those knew that gave back an exclusive lock, or any, by window and rank.
    pub(crate) released: BTreeMap<(CommId, usize), ReleasedLocks>,
    /// What tasks knew when they posted a window, or completed their accesses.
    pub(crate) told: BTreeMap<(CommId, TaskId), Vec<u64>>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct ReleasedLocks {
    pub(crate) exclusive: Vec<u64>,
    pub(crate) any: Vec<u64>,
    /// Exclusive locks that are held, by task.
    pub(crate) held: Vec<TaskId>,
}

/// The buffer of an access that is not complete at its origin.
#[derive(Clone, Debug)]
pub(crate) struct OpenAccess {
    pub(crate) window: CommId,
    pub(crate) target: usize,
    pub(crate) uses: Vec<BufferUse>,
    pub(crate) name: &'static str,
    pub(crate) span: Span,
}

impl OpenAccess {
    pub(crate) fn forbids(&self, stretch: &MemoryRange, writes: bool) -> bool {
        let forbidden =
            |one: &&BufferUse| (writes || one.writes) && one.stretches.iter().any(|own| own.overlaps(stretch));
        self.uses.iter().any(|one| forbidden(&one))
    }

    pub(crate) fn objects(&self) -> Vec<ObjectId> {
        self.uses.iter().flat_map(|one| &one.stretches).map(|stretch| stretch.object).collect()
    }
}

/// What a task has under way, and what it exposes.
#[derive(Clone, Debug, Default)]
pub struct OpenAccesses {
    pub(crate) open: Vec<OpenAccess>,
    /// Memory of windows, with the place where they were made.
    pub(crate) exposed: BTreeMap<CommId, (MemoryRange, Span)>,
}

/// An epoch of a lock or of `MPI_Win_start` that began between two fences.
#[derive(Clone, Debug)]
pub struct EpochBetweenFences {
    pub(crate) span: Span,
    pub(crate) targets: Vec<TaskId>,
    /// There was an access in it.
    pub(crate) used: bool,
    /// The time of its task at which it ended.
    pub(crate) ended: Option<u64>,
}

/// Those of a task since its last fence, by window.
pub type MixedEpochs = BTreeMap<CommId, Vec<EpochBetweenFences>>;

/// A fence that some members have called.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fence {
    /// What members knew when they came.
    pub(crate) clocks: BTreeMap<TaskId, Clock>,
    /// Assertions that members gave, and where.
    pub(crate) asserts: BTreeMap<TaskId, (i64, Span)>,
    /// Epochs of members that end before their call of it, with that call.
    pub(crate) before: Vec<(TaskId, EpochBetweenFences, Span)>,
}

/// Fences that not all members have called yet, by window and number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fences(pub(crate) BTreeMap<(CommId, u64), Fence>);
