//! Requests of a task, and what they stand for.

use crate::data::buffer::Buffer;
use crate::state::delivery::EnteredCollective;
use crate::state::status::Status;
use chronos_activity::RequestId;
use chronos_activity::{CommId, Operation};
use chronos_functions::Function;
use chronos_values::Value;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub work: RequestKind,
    /// Present for requests that can be started again.
    pub persistent: Option<Persistent>,
}

/// What a request stands for.
#[derive(Clone, Debug)]
pub(crate) enum RequestKind {
    /// A persistent one that was not started.
    Inactive,
    /// Complete without any message (`MPI_PROC_NULL`, cancelled).
    AtOnce(Status),
    Send,
    /// An access to a file, with the status that it will have.
    Stored(Status),
    Receive {
        buffer: Buffer,
        comm: CommId,
    },
    Collective(Box<EnteredCollective>),
    /// Blocks of neighbours, with requests of their own.
    Neighbours(Box<Exchange>),
}

impl Request {
    pub fn new(work: RequestKind) -> Self {
        Self { work, persistent: None }
    }

    /// Half of a combined call: no handle names it.
    pub fn hidden() -> Self {
        Self::new(RequestKind::Send)
    }
}

/// What starting a request does.
#[derive(Clone, Debug)]
pub(crate) enum Persistent {
    Message {
        /// `None`: the peer is `MPI_PROC_NULL`.
        operation: Option<Operation>,
        buffer: Buffer,
        comm: CommId,
    },
    /// A collective, called with the same arguments every time: buffers are read when it starts.
    Collective { function: &'static Function, arguments: Arc<[Value]> },
}

/// An exchange among neighbours that is under way.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    pub(crate) comm: CommId,
    /// Requests with the room for their blocks.
    pub(crate) receives: Vec<(RequestId, Buffer)>,
    pub(crate) sends: Vec<RequestId>,
}

impl Exchange {
    /// The requests that it waits for.
    pub fn requests(&self) -> impl Iterator<Item = RequestId> + '_ {
        self.receives.iter().map(|(id, _)| *id).chain(self.sends.iter().copied())
    }
}
