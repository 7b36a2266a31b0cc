//! Accesses to windows that are issued, and synchronisation that others bring about.

use crate::data::buffer::{Buffer, Data};
use chronos_activity::RequestId;
use chronos_activity::{CommId, TaskId};
use chronos_mpi::{Datatype, Piece, ReduceOp};
use std::sync::Arc;

/// Pieces of memory up to which the content of an access is followed.
const PIECES: usize = 4096;

/// An access that was issued.
#[derive(Clone, Debug)]
pub(crate) struct WindowAccess {
    pub(crate) window: CommId,
    pub(crate) place: TargetPlace,
    pub(crate) effect: AccessEffect,
}

/// Where it goes.
#[derive(Clone, Debug)]
pub(crate) struct TargetPlace {
    /// Rank in the window.
    pub target: usize,
    /// Bytes from the begin of the target's memory.
    pub begin: u64,
    pub count: u64,
    pub datatype: Arc<Datatype>,
}

#[derive(Clone, Debug)]
pub(crate) enum AccessEffect {
    Put(Data),
    Get(Buffer),
    Combine { data: Data, op: ReduceOp, fetched: Option<Buffer> },
    Swap { data: Data, compare: Data, fetched: Buffer },
}

impl TargetPlace {
    pub(crate) fn bytes(&self) -> u64 {
        self.datatype.size.saturating_mul(self.count)
    }

    /// Begins and ends of what it covers in the target's memory; where these are too many, from the first to the last.
    pub fn ranges(&self) -> Vec<(u64, u64)> {
        let (start, end) = self.datatype.span(self.count);
        let all = || vec![(self.begin.saturating_add_signed(start), self.begin.saturating_add_signed(end))];
        let pieces = self.pieces();
        pieces.map_or_else(all, |all| all.iter().map(|(at, piece)| (*at, at.saturating_add(piece.bytes))).collect())
    }

    /// By place in the target's memory; `None` where there are too many.
    pub(crate) fn pieces(&self) -> Option<Vec<(u64, Piece)>> {
        let pieces = self.datatype.pieces(self.count, PIECES)?;
        let at = |piece: Piece| Some((self.begin.checked_add_signed(piece.memory)?, piece));
        pieces.into_iter().map(at).collect()
    }
}

/// Synchronisation whose end others bring about.
#[derive(Clone, Debug)]
pub(crate) struct Synchronised {
    pub(crate) window: CommId,
    /// Requests to be given back.
    pub(crate) requests: Vec<RequestId>,
    pub(crate) by: SynchronisedBy,
}

#[derive(Clone, Debug)]
pub(crate) enum SynchronisedBy {
    /// These have granted access, or ended theirs.
    Notices(Vec<TaskId>),
    Lock {
        target: Option<usize>,
        exclusive: bool,
    },
}
