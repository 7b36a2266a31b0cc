//! What a replay finds out.

pub use crate::network::traffic::{Traffic, TrafficMatrix};
use chronos_activity::{Activity, CommId, SegmentId, Site, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashMap;
use chronos_base::units::{Bytes, Picoseconds};
use chronos_ir::BlockId;

/// The timing of all tasks.
#[derive(Debug, Default)]
pub struct ReplayResult {
    /// By rank.
    pub tasks: Vec<TaskTime>,
    /// When the last task ended; partial where `complete` is false.
    pub total: Picoseconds,
    /// Every task ended by itself, or the program by `MPI_Abort`.
    pub complete: bool,
    /// A message of a call did not fill the room of its receive, or was longer.
    pub other_sizes: bool,
    /// Exit code of `MPI_Abort`, where it was called.
    pub abort: Option<i32>,
    /// Faults of the program, and limits that were reached.
    pub diagnostics: Vec<Diagnostic>,
    /// Messages of the user's point-to-point calls, by sender and receiver.
    pub matrix: TrafficMatrix,
    /// In order of completion; empty unless asked for, and no longer than asked for.
    pub messages: Vec<MessageTime>,
    /// From the begin to the end; empty unless asked for.
    pub critical_path: Vec<PathPart>,
    /// What was replayed, where it was to be recorded.
    pub activity: Option<Activity>,
    /// What each task did when; empty unless asked for.
    pub timeline: Vec<Vec<TimeSpan>>,
    /// By task: what it did in the windows that were asked for; empty where none were.
    pub windows: Vec<WindowTime>,
    /// What tasks waited for; `None` unless asked for, and where it is more than there is room for.
    pub waiting: Option<WaitingLog>,
    /// Steps of all tasks.
    pub steps: u64,
    /// Those of them that were counted, because iterations repeated with the same timing.
    pub skipped: u64,
}

impl ReplayResult {
    /// By task: where the critical path runs through it, in order.
    pub fn path_windows(&self) -> Vec<Vec<(Picoseconds, Picoseconds)>> {
        let mut windows = vec![Vec::new(); self.tasks.len()];
        for part in self.critical_path.iter().filter(|part| part.from < part.to) {
            windows[part.task.0 as usize].push((part.from, part.to));
        }
        windows.iter_mut().for_each(|stretches| stretches.sort_unstable());
        windows
    }
}

/// One task's time; the six parts add up to `end`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskTime {
    /// When the task ended, or when the replay gave it up.
    pub end: Picoseconds,
    /// Computation, and calls that move no message.
    pub compute: Picoseconds,
    /// Sends, waits for sends and one-sided accesses, idle time left out.
    pub send: Picoseconds,
    /// Receives, waits for receives, and probes, idle time left out.
    pub recv: Picoseconds,
    /// Collective operations, idle time left out.
    pub collective: Picoseconds,
    /// Time in which the task waits for a partner that has not arrived.
    pub idle: Picoseconds,
    /// Time in which it could compute, and other tasks or programs of its node had the processor.
    pub ready: Picoseconds,
    /// What it waited for while it was idle; what another task's `MPI_Abort` cut off is in none of them.
    pub causes: IdleCauses,
    /// Sorted by site.
    pub sites: Vec<(Site, SiteTime)>,
    /// How often each segment was executed, sorted.
    pub segments: Vec<(SegmentId, u64)>,
    /// Differences of clock readings, sorted.
    pub elapsed: Vec<ElapsedTime>,
    /// How the task ended.
    pub finish: Finish,
}

/// Idle time by what was waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdleCauses {
    /// A message that had not been sent.
    pub late_sender: Picoseconds,
    /// A receive that had not been posted.
    pub late_receiver: Picoseconds,
    /// Members that had not come to a collective operation.
    pub collective: Picoseconds,
}

/// How a task ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Finish {
    /// It came to its end.
    #[default]
    Ended,
    /// Waits for something that does not come.
    Blocked,
    /// Could not be followed to its end.
    Stuck,
    /// Was ended by `MPI_Abort`.
    Aborted,
}

/// Time in the calls of one place, idle included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SiteTime {
    /// Number of calls.
    pub calls: u64,
    /// Time in these calls.
    pub time: Picoseconds,
    /// The part of `time` in which the task was idle.
    pub idle: Picoseconds,
}

/// Differences of two clock readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElapsedTime {
    /// Block of the call that read the clock first.
    pub from: BlockId,
    /// Block of the call that read it last.
    pub to: BlockId,
    /// Number of differences.
    pub times: u64,
    /// Sum of the differences.
    pub total: Picoseconds,
    /// Least difference.
    pub least: Picoseconds,
    /// Greatest difference.
    pub most: Picoseconds,
}

/// What a span of a task's time is counted as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Computation, and calls that move no message.
    Compute,
    /// Sends, waits for sends, and one-sided accesses.
    Send,
    /// Receives, waits for receives, and probes.
    Recv,
    /// Collective operations.
    Collective,
    /// Until the awaited partner has arrived.
    Idle,
    /// It could compute, and others have the processor.
    Ready,
}

impl TaskTime {
    /// The time of a task by parts, in the order of [`Part`]; what else is told of it is empty.
    pub(crate) fn of_parts(end: Picoseconds, parts: &[Picoseconds; 5], causes: IdleCauses) -> Self {
        let part = |part: Part| parts[part as usize];
        Self {
            end,
            compute: part(Part::Compute),
            send: part(Part::Send),
            recv: part(Part::Recv),
            collective: part(Part::Collective),
            idle: part(Part::Idle),
            causes,
            ..Self::default()
        }
    }
}

/// A stretch of a task's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeSpan {
    /// What the span is counted as.
    pub part: Part,
    /// When it begins.
    pub begin: Picoseconds,
    /// When it ends.
    pub end: Picoseconds,
    /// The call; `None` while it computes.
    pub site: Option<Site>,
    /// What the call is about, where it is one message.
    pub peer: Peer,
}

/// The other end of a message, as far as it is known; its size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Peer {
    /// The other task.
    pub task: Option<TaskId>,
    /// Tag of the message.
    pub tag: Option<i32>,
    /// Size of the message.
    pub bytes: Option<Bytes>,
}

/// What a task did inside the stretches of its time that were asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WindowTime {
    /// Computing, sorted by segment.
    pub segments: Vec<(SegmentId, Picoseconds)>,
    /// In calls, sorted by site.
    pub sites: Vec<(Site, Picoseconds)>,
    /// Ready to compute, without a processor.
    pub ready: Picoseconds,
}

/// A message and its two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageTime {
    /// The sender.
    pub from: TaskId,
    /// The receiver.
    pub to: TaskId,
    /// Tag of the message.
    pub tag: i32,
    /// Size of the message.
    pub bytes: Bytes,
    /// When the sender handed it to the network.
    pub sent: Picoseconds,
    /// When its receive was complete.
    pub received: Picoseconds,
    /// The call that sent it.
    pub send_site: Option<Site>,
    /// The call that received it.
    pub recv_site: Option<Site>,
}

/// A piece of the critical path: what one task did, then the message that the next one waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathPart {
    /// The task that is on the path.
    pub task: TaskId,
    /// When the path comes to the task.
    pub from: Picoseconds,
    /// When the path leaves the task.
    pub to: Picoseconds,
    /// The call in which the task waited at `from`; `None` at the begin.
    pub site: Option<Site>,
    /// Whose message, or receive, ended this wait. The part before may be of another task, which that had to wait for: at a
    /// port, or for a receive.
    pub partner: Option<TaskId>,
    /// Time from the end of the part before until this wait was over.
    pub message: Picoseconds,
}

/// All waits of a replay, and what is needed to say why they were as long as they were.
#[derive(Clone, Debug, Default)]
pub struct WaitingLog {
    /// By task, in order: what it did while it was not idle. Stretches do not overlap.
    pub histories: Vec<Vec<Stretch>>,
    /// Every idle stretch of every task; one comes behind those that may have caused it.
    pub waits: Vec<Wait>,
    /// By pair of tasks, the one of lower rank first: when a message left the one and was there for the other, which may
    /// have taken it later.
    pub meetings: FxHashMap<(TaskId, TaskId), Vec<(Picoseconds, Picoseconds)>>,
    /// By task and communicator, in order: when it left which of the communicator's collective operations. Non-blocking
    /// ones are left out.
    pub collectives: Vec<FxHashMap<CommId, Vec<(u32, Picoseconds)>>>,
}

/// What a task did for some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// When it began.
    pub begin: Picoseconds,
    /// When it ended.
    pub end: Picoseconds,
    /// What the task did.
    pub doing: Doing,
}

/// What a task does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// It computes a segment.
    Segment(SegmentId),
    /// It is in a call.
    Call(Site),
    /// It computes something that has a duration alone.
    Unknown,
    /// It could compute, and others have the processor.
    Ready,
}

/// Time in which a task was idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The task that waited.
    pub task: TaskId,
    /// When it became idle. Where one call waits for several partners, these waits follow one another from the begin of the
    /// call on.
    pub begin: Picoseconds,
    /// When it was no longer idle.
    pub end: Picoseconds,
    /// The call in which it waited.
    pub site: Option<Site>,
    /// Whom it waited for; `None` where that is no task (locks of windows, answers of memory, files).
    pub late: Option<Late>,
}

/// A task that another one waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Late {
    /// The task.
    pub task: TaskId,
    /// When it came to the call that the other one waited for.
    pub came: Picoseconds,
}
