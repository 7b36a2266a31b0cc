//! What is left to do of calls whose events are not complete.

use crate::data::buffer::{Buffer, Data};
use crate::state::attributes::AttributeOwner;
use crate::state::delivery::{EnteredCollective, UserOperation};
use crate::state::files::access::FileAccess;
use crate::state::handle_table::KeyId;
use crate::state::requests::Exchange;
use crate::state::status::Output;
use crate::state::windows::access::{Synchronised, WindowAccess};
use chronos_activity::RequestId;
use chronos_activity::{CommId, Operation, Site};
use chronos_base::span::Span;
use chronos_functions::Function;
use chronos_ir::BlockId;
use chronos_values::{Pointer, Value};

#[derive(Clone, Debug)]
pub(crate) struct Current {
    pub(crate) function: &'static Function,
    pub(crate) site: Site,
    pub(crate) span: Span,
    pub(crate) pending: Pending,
}

/// What is to be done when the events of a call are complete.
#[derive(Clone, Debug)]
pub(crate) enum Pending {
    Done,
    Clock(BlockId),
    Receive(Receive),
    Wait(Box<Wait>),
    /// A receive is to be taken back.
    Cancel(RequestId),
    Probe(Probed),
    Collective(Box<EnteredCollective>),
    Folding(Box<Folding>),
    Attributes(Box<AttributeCalls>),
    Access(Box<WindowAccess>),
    Synchronised(Box<Synchronised>),
    File(Box<FileAccess>),
    Neighbours(Box<Exchange>),
    /// The tasks that spawn others have agreed; where the intercommunicator and the error codes go.
    Spawning(Box<Spawned>),
    /// Accesses are complete: their requests are given back, and perhaps a collective is done.
    Flushed {
        requests: Vec<RequestId>,
        joined: Option<Box<EnteredCollective>>,
    },
}

/// A receive that is to be completed.
#[derive(Clone, Debug)]
pub(crate) struct Receive {
    pub buffer: Buffer,
    pub comm: CommId,
    pub status: Output,
    /// Requests that stood for the halves of a combined call, to be given back.
    pub halves: Vec<RequestId>,
}

/// A probe in progress.
#[derive(Clone, Debug)]
pub(crate) struct Probed {
    pub(crate) comm: CommId,
    pub(crate) flag: Output,
    /// Where the handle of the message found goes.
    pub(crate) message: Output,
    pub(crate) status: Output,
}

/// What a wait or test call asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    All,
    Any,
    Some,
}

/// A wait or test call in progress.
#[derive(Clone, Debug)]
pub(crate) struct Wait {
    pub(crate) goal: Goal,
    /// Tests return at once.
    pub(crate) blocking: bool,
    /// Requests that have completed stay (`Request_get_status`).
    pub(crate) keeps: bool,
    /// The array of handles.
    pub(crate) handles: Pointer,
    /// Requests by position in the array; `None`: null.
    pub(crate) requests: Vec<Option<RequestId>>,
    /// Positions that the event in progress asks for.
    pub(crate) asked: Vec<usize>,
    /// Positions completed so far (Waitsome, Testsome).
    pub(crate) done: Vec<usize>,
    pub(crate) flag: Output,
    /// The index (Any) or the number completed (Some).
    pub(crate) index: Output,
    pub(crate) indices: Output,
    pub(crate) statuses: Output,
}

/// A reduction in progress.
#[derive(Clone, Debug)]
pub(crate) struct Folding {
    /// `None`: no member waits for it (`MPI_Reduce_local`).
    pub(crate) joined: Option<EnteredCollective>,
    pub(crate) own: UserOperation,
    /// Still to be combined with the result, the last one first.
    pub(crate) operands: Vec<Data>,
    pub(crate) input: Buffer,
    pub(crate) result: Buffer,
    pub(crate) count: Pointer,
    pub(crate) datatype: Pointer,
    pub(crate) into: Buffer,
}

/// Functions of attributes that are being called, and what is done behind them.
#[derive(Clone, Debug)]
pub(crate) struct AttributeCalls {
    pub(crate) due: Vec<AttributeCall>,
    /// Where a copy function puts the value and whether there is one, and for whom.
    pub(crate) copied: Option<(AttributeOwner, KeyId, Pointer, Pointer)>,
    pub(crate) then: Option<Box<Operation>>,
    /// What that is, where it is a collective.
    pub(crate) joined: Option<Box<EnteredCollective>>,
}

/// A function that is still to be called.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AttributeCall {
    /// Of an attribute that goes away.
    Delete { handle: i64, key: KeyId, value: Value },
    /// Of one that the duplicate may have.
    Copy { handle: i64, key: KeyId, value: Value, to: AttributeOwner },
}

/// A spawning call behind its first agreement.
#[derive(Clone, Debug)]
pub(crate) struct Spawned {
    pub(crate) joined: EnteredCollective,
    pub(crate) root: usize,
    pub(crate) place: Output,
    pub(crate) errors: Output,
}
