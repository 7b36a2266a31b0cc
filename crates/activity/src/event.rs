//! MPI events: what a call asks of the message layer, in world ranks and bytes.

use super::{CommId, ContextId, RequestId, TaskId};
use chronos_base::units::{Bytes, Picoseconds};
use chronos_ir::BlockId;
use std::sync::Arc;

/// One MPI operation of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// What the call asks for.
    pub operation: Operation,
    /// The call that asked for it; `None` in activities that come from elsewhere.
    pub site: Option<Site>,
}

/// A call in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    /// The calling context of the function that calls.
    pub context: ContextId,
    /// A leaf block of kind `mpi`.
    pub block: BlockId,
}

/// Tag of the messages by which a member of a window grants access (`MPI_Win_post`).
pub const GRANT: i32 = 0;

/// The four modes of sends (MPI 4.0, section 3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SendMode {
    /// `MPI_Send`: eager or rendezvous, by size.
    Standard,
    /// `MPI_Ssend`: waits for its receive.
    Synchronous,
    /// `MPI_Bsend`: never waits for its receive.
    Buffered,
    /// `MPI_Rsend`: the receive is posted already.
    Ready,
}

/// Ranks are world ranks. `MPI_PROC_NULL` never gets here: calls that name nobody else are `Local`. Sendrecv is an
/// immediate receive, an immediate send and a wait with one site, without the half whose partner is nobody.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// Blocking where `request` is `None`.
    Send {
        /// Task that the message goes to.
        to: TaskId,
        /// Tag of the message.
        tag: i32,
        /// Communicator; only receives in the same one match.
        comm: CommId,
        /// Size of the message.
        bytes: Bytes,
        /// Whether the send waits for its receive.
        mode: SendMode,
        /// Names the send until it completes; `None` where it blocks.
        request: Option<RequestId>,
    },
    /// `None`: any source, any tag. `bytes` is the room in the buffer. Blocking where `request` is `None`.
    Recv {
        /// Task that the message comes from; `None`: any.
        from: Option<TaskId>,
        /// Tag of the message; `None`: any.
        tag: Option<i32>,
        /// Communicator; only messages in the same one match.
        comm: CommId,
        /// Room in the buffer.
        bytes: Bytes,
        /// Names the receive until it completes; `None` where it blocks.
        request: Option<RequestId>,
    },
    /// Completes when all of them have.
    WaitAll {
        /// Requests of this task that are waited for.
        requests: Arc<[RequestId]>,
    },
    /// Completes when one of them has; the outcome says which (position in `requests`).
    WaitAny {
        /// Requests of this task, one of which is waited for.
        requests: Arc<[RequestId]>,
    },
    /// As `WaitAll` where all have completed, else nothing; the outcome says.
    TestAll {
        /// Requests of this task that are tested together.
        requests: Arc<[RequestId]>,
    },
    /// As `WaitAny` where one has completed, else nothing; the outcome says.
    TestAny {
        /// Requests of this task, one of which suffices.
        requests: Arc<[RequestId]>,
    },
    /// Takes a receive back whose message has not come; the outcome says whether it was too late (`NotYet`). A
    /// receive that was taken back is complete, and its request is gone.
    Cancel {
        /// Request of the receive that is taken back.
        request: RequestId,
    },
    /// Waits until such a message has arrived, or only asks; receives nothing.
    Probe {
        /// Task that the message comes from; `None`: any.
        from: Option<TaskId>,
        /// Tag of the message; `None`: any.
        tag: Option<i32>,
        /// Communicator; only messages in the same one match.
        comm: CommId,
        /// Whether it waits (`MPI_Probe`) or only asks (`MPI_Iprobe`).
        blocking: bool,
    },
    /// A collective operation, blocking or not.
    Collective(Collective),
    /// Reads or writes the memory of another task, which need not do anything: so many bytes go there, so many come
    /// back.
    Access {
        /// Task whose memory is accessed.
        to: TaskId,
        /// Size of what goes there.
        sent: Bytes,
        /// Size of what comes back.
        returned: Bytes,
        /// Names the access until it completes.
        request: RequestId,
    },
    /// Waits until no other task keeps it from accessing the memory that `of` exposes in a window; `None`: that any
    /// member does.
    Lock {
        /// Communicator of the window's members.
        comm: CommId,
        /// Task that exposes the memory; `None`: all members.
        of: Option<TaskId>,
        /// Whether nobody else may hold a lock (`MPI_LOCK_EXCLUSIVE`), or others may share it.
        exclusive: bool,
    },
    /// Ends the latest `Lock` of the same.
    Unlock {
        /// Communicator of the window's members.
        comm: CommId,
        /// Task that exposes the memory; `None`: all members.
        of: Option<TaskId>,
    },
    /// Reads from or writes to the file system that all tasks share. Blocking where `request` is `None`.
    Storage {
        /// Size of what is read or written.
        bytes: Bytes,
        /// Whether it writes.
        write: bool,
        /// Names the operation until it completes; `None` where it blocks.
        request: Option<RequestId>,
    },
    /// Reads the clock into a slot of the task: `slot` is the block of the call.
    ReadClock {
        /// Block of the call that reads the clock.
        slot: BlockId,
    },
    /// The program subtracts two clock readings: reports `slot[to] - slot[from]`.
    Elapsed {
        /// Slot of the reading that is subtracted.
        from: BlockId,
        /// Slot of the reading that it is subtracted from.
        to: BlockId,
    },
    /// An MPI call that takes some time and no message (Init, `Comm_free`, a send to `MPI_PROC_NULL`, a wait for requests
    /// that are over, ...), by its name.
    Local {
        /// Name of the MPI function.
        function: Arc<str>,
    },
    /// The first thing that a spawned task does, once it was asked for: its process is started.
    Start,
    /// Ends all tasks.
    Abort {
        /// Error code that the program gave to `MPI_Abort`.
        code: i32,
    },
}

impl Operation {
    /// A test or probe that may find nothing.
    pub fn is_poll(&self) -> bool {
        matches!(self, Self::TestAll { .. } | Self::TestAny { .. } | Self::Probe { blocking: false, .. })
    }
}

/// A collective operation, as one member calls it.
#[derive(Clone, Debug, PartialEq)]
pub struct Collective {
    /// Which operation.
    pub kind: CollectiveKind,
    /// The communicator whose members take part.
    pub comm: CommId,
    /// World rank; `None` for operations without a root.
    pub root: Option<TaskId>,
    /// How much data, as this member gave it.
    pub volume: Volume,
    /// The reduction commutes (algorithms depend on it).
    pub commutative: bool,
    /// Non-blocking where present.
    pub request: Option<RequestId>,
}

/// Bytes of a collective, as this member gave them.
#[derive(Clone, Debug, PartialEq)]
pub enum Volume {
    /// Bytes that one member gives to or gets from one other: bcast and reductions: the whole
    /// buffer; gather, scatter, allgather, alltoall: one block.
    Each(Bytes),
    /// Per member of the communicator: v-forms. Gatherv, Scatterv: significant at the root (empty
    /// elsewhere, `own` is this member's block); Allgatherv: all blocks; Alltoallv: what this member sends.
    Blocks {
        /// Size of this member's block.
        own: Bytes,
        /// Size of the block of each member, by its rank in the communicator; empty where it is not significant.
        blocks: Arc<[Bytes]>,
    },
}

/// The collective operations that the replay tells apart; v-forms have the kind of their plain forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CollectiveKind {
    /// `MPI_Barrier`.
    Barrier,
    /// `MPI_Bcast`.
    Bcast,
    /// `MPI_Reduce`.
    Reduce,
    /// `MPI_Allreduce`.
    Allreduce,
    /// `MPI_Gather` and `MPI_Gatherv`.
    Gather,
    /// `MPI_Scatter` and `MPI_Scatterv`.
    Scatter,
    /// `MPI_Allgather` and `MPI_Allgatherv`.
    Allgather,
    /// `MPI_Alltoall` and its v- and w-forms.
    Alltoall,
    /// `MPI_Reduce_scatter` and `MPI_Reduce_scatter_block`.
    ReduceScatter,
    /// `MPI_Scan`.
    Scan,
    /// `MPI_Exscan`.
    Exscan,
    /// Agreement without user data: `Comm_split`, `Comm_dup`, `Cart_create`, Finalize, ...; timed as a small allgather. Its volume
    /// is 8 bytes where members agree on a communicator, window or file that is made, which libraries exchange more messages for, and nothing
    /// where they only wait for each other.
    Agreement,
}

/// Names a message: the `sequence`th message, from 0, that the sender has sent point-to-point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MessageId {
    /// The task that sends.
    pub sender: TaskId,
    /// Number among the messages of the sender, from 0.
    pub sequence: u64,
}

/// A message that a receive or a probe has matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Which message was matched.
    pub message: MessageId,
    /// Tag of the message.
    pub tag: i32,
    /// Size of the message.
    pub bytes: Bytes,
    /// The request that received it; `None` for blocking calls.
    pub request: Option<RequestId>,
}

/// How an event ended, for the feed.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Outcome {
    /// There was no event before, or it tells nothing.
    #[default]
    None,
    /// Of Recv, Wait*, Probe: the messages matched (completed sends and collectives tell nothing).
    Arrived(Vec<Arrival>),
    /// Of `WaitAny`, `TestAny`: the position of the request that completed, with its message if it was a receive.
    Any {
        /// Position among the requests of the operation, from 0.
        index: usize,
        /// The message that the request received; `None` where it was no receive.
        arrival: Option<Arrival>,
    },
    /// Of Test*, non-blocking Probe: nothing yet. Of Cancel: its message was matched before.
    NotYet,
    /// Of `ReadClock`: the simulated time, where the feed looks at outcomes.
    Time {
        /// When the clock was read.
        at: Picoseconds,
    },
    /// Of a spin: whole periods in which no poll succeeded.
    Spun {
        /// Number of whole periods.
        times: u64,
    },
}
