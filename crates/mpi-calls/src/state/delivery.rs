//! Collectives that a task has entered, and what they are to bring it.

use crate::data::blocks::Blocks;
use crate::data::buffer::{Buffer, Data};
use crate::state::status::Output;
use chronos_activity::CommId;
use chronos_ir::{BlockId, DataModel};
use chronos_mpi::ReduceOp;
use chronos_values::{ReasonId, Value};
use std::ops::Range;

/// A collective that a task has entered and not finished.
#[derive(Clone, Debug)]
pub(crate) struct EnteredCollective {
    pub comm: CommId,
    pub number: u64,
    pub rank: usize,
    pub delivery: Delivery,
}

/// What the member gets, and where it goes.
#[derive(Clone, Debug)]
pub(crate) enum Delivery {
    Nothing,
    /// The root's data, or this member's part of it.
    FromRoot {
        root: usize,
        into: Buffer,
    },
    /// The parts of the members with these ranks; `own` is `false` where the own part is in place already.
    FromEach {
        into: ReceiveBuffers,
        from: Range<usize>,
        own: bool,
    },
    Reduced {
        into: Buffer,
        op: Option<ReduceOp>,
        /// An operation of the program.
        own: Option<UserOperation>,
        range: ReductionRange,
    },
    Communicator {
        place: Output,
    },
    /// An intercommunicator, of which the member with rank `leader` knows more.
    Intercomm {
        place: Output,
        leader: usize,
        /// Where this member has agreed with the other leader, if it is one.
        agreement: Option<(CommId, u64)>,
    },
}

/// Where the parts of the members go.
#[derive(Clone, Debug)]
pub(crate) enum ReceiveBuffers {
    /// One block per member, one behind the other; the buffer is the first.
    Uniform(Buffer),
    /// By position among those that give.
    Each(Blocks),
}

/// Over whom a reduction runs, and which part of it is wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ReductionRange {
    Everyone,
    /// Of all, the bytes from the first on.
    Block {
        begin: u64,
        bytes: u64,
    },
    /// Ranks up to this one.
    UpTo(usize),
    /// Ranks below this one.
    Below(usize),
    /// These ranks; of all their bytes those from the first on.
    Among {
        from: usize,
        to: usize,
        begin: u64,
        bytes: u64,
    },
}

impl ReductionRange {
    /// The members whose data is combined, of so many.
    pub fn ranks(self, size: usize) -> Range<usize> {
        match self {
            Self::Everyone | Self::Block { .. } => 0..size,
            Self::UpTo(rank) => 0..rank + 1,
            Self::Below(rank) => 0..rank,
            Self::Among { from, to, .. } => from..to,
        }
    }

    /// All members' data is combined for all.
    pub fn is_whole(self) -> bool {
        matches!(self, Self::Everyone | Self::Block { .. })
    }

    /// What a member gets of what is combined.
    pub fn part(self, whole: &Data, model: DataModel) -> Data {
        match self {
            Self::Block { begin, bytes } => whole.slice(begin, bytes, model),
            Self::Among { begin, bytes, .. } => whole.slice(begin, bytes.min(whole.bytes.saturating_sub(begin)), model),
            Self::Everyone | Self::UpTo(_) | Self::Below(_) => whole.clone(),
        }
    }
}

impl Delivery {
    /// Nobody knows how much goes there.
    pub fn blur(&mut self, why: Option<ReasonId>) {
        match self {
            Self::FromRoot { into, .. } | Self::Reduced { into, .. } => into.vague = why,
            Self::FromEach { into: ReceiveBuffers::Uniform(into), .. } => into.vague = why,
            Self::FromEach { into: ReceiveBuffers::Each(rooms), .. } => rooms.blur(why),
            Self::Nothing | Self::Communicator { .. } | Self::Intercomm { .. } => {}
        }
    }
}

impl ReceiveBuffers {
    /// Whether there is no room for the part at a position.
    pub(crate) fn is_empty_at(&self, position: usize) -> bool {
        matches!(self, Self::Each(rooms) if rooms.is_empty_at(position))
    }

    pub fn of(&self, rank: usize) -> Option<Buffer> {
        match self {
            Self::Each(rooms) => rooms.get(rank),
            Self::Uniform(first) => {
                let copies = i64::try_from(first.count).ok()?.checked_mul(i64::try_from(rank).ok()?)?;
                Some(first.part(copies, first.count))
            }
        }
    }
}

/// An operation of the program, as a reduction uses it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UserOperation {
    pub function: Value,
    /// Handle of the datatype.
    pub datatype: i64,
    /// The call that reduces.
    pub block: BlockId,
}

impl EnteredCollective {
    /// A function of the program makes what it brings.
    pub(crate) fn is_folded(&self) -> bool {
        matches!(self.delivery, Delivery::Reduced { own: Some(_), .. })
    }
}
