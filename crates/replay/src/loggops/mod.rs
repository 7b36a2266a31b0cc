//! The LogGOPS model on schedules: operations occupy processors and network interfaces for o, O, g and G.
//!
//! The parameters L, o, g, G, O and S are those of the table in Hoefler, Schneider, Lumsdaine: LogGOPSim, HPDC 2010,
//! sec. 2 (LogP: Culler et al., PPoPP 1993; LogGP: Alexandrov et al., SPAA 1995). A schedule has messages alone: this
//! folder must not know network files, topologies, prices or collective operations.
//!
//! # Rules
//!
//! - Messages take L between any two tasks, whatever else is under way.
//! - A send of s bytes begins when its processor and its interface are free. It keeps the processor for o + (s-1) O
//!   and the interface for g + (s-1) G, and its message arrives o + L after it began.
//! - A message is taken when processor and interface are free, whether or not its receive is posted, and keeps the
//!   processor for o + (s-1) max(O, G). A receive that is posted later has the message at once.
//! - A receive is posted when the processor is free at the time when nothing holds it up any more.
//! - A message of more than S bytes ends its send when it is taken or its receive is posted, whichever comes later.
//! - What can begin at one time begins in the order of sends, receives, computing, messages.
//!
//! # How it works
//!
//! Where each operation of a task waits for the one before it, the task that is next in time goes on for o + L by
//! itself (`chained`); other schedules are replayed by events in the order of time (`ordered`). Events of a later
//! window are put in order when the window opens (`queue`), so that what they need can be prefetched
//! (`ordered::prefetch`). A task is held in few cache lines (`host`), what becomes free at once is one event
//! (`event`), what waits for one processor stands in lines with one event for the first of all (`processor_queue`),
//! and waiting receives are told by their operations as long as they are few (`posted`).
//!
//! Of two things at one time the one that became known first comes first. `chained` tells that by a digest of what
//! led to it (`causal_order`); a schedule of up to a million operations in which the digest does not tell is replayed
//! by `ordered`. Where two messages come to a task at one instant, the two may take them in different orders.
//!
//! # Validation
//!
//! Results equal those of LogGOPSim to the nanosecond: of 116 random schedules 113 end alike. The others have ties
//! among operations that become free at once, whose order there comes from its queue; and for messages of 0 bytes
//! LogGOPSim counts less than nothing. Property tests hold `chained` and `ordered` against each other.

mod agenda;
mod causal_order;
mod chained;
mod event;
mod host;
mod ids;
mod message;
mod ordered;
mod posted;
mod processor_queue;
mod queue;
#[cfg(test)]
mod tests;

use super::codes;
use super::result::{Finish, MessageTime, Part, ReplayResult, TaskTime};
use crate::task::spans::SpanRecorder;
use chronos_activity::TaskId;
use chronos_activity::schedule::{ANY, Action, Schedule};
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id as _;
use chronos_base::units::{Bytes, Picoseconds};
use chronos_machine::network::LogGops;
use ids::HostMessageId;
use rayon::iter::{IndexedParallelIterator, ParallelIterator};

/// Up to so many operations a schedule is replayed once more where that tells the order of things at one time.
const EXACT: u64 = 1_000_000;

/// Replays a schedule; keeps so many spans of time and messages at most.
pub fn replay(schedule: &Schedule, parameters: &LogGops, timeline: usize) -> ReplayResult {
    let model = LogGopsModel::new(parameters);
    let new_log = || ReplayLog::new(schedule.len(), timeline);
    let mut log = new_log();
    // What a task sends to itself comes while it goes on: in which order is the business of `ordered`.
    let chained = schedule
        .par_tasks()
        .enumerate()
        .all(|(rank, task)| task.is_sequential() && !task.has_wildcards() && !task.receives_from(rank as u32));
    // Without any time between a send and its message the order of what happens at one time is all that there is.
    let exact = schedule.operations() <= EXACT;
    let fast = if chained && model.flight() > 0 { chained::run(schedule, &model, &mut log, exact) } else { None };
    let outcomes = fast.unwrap_or_else(|| {
        log = new_log();
        ordered::run(schedule, &model, &mut log)
    });
    let result = finish(schedule, outcomes);
    ReplayResult {
        timeline: log.spans.into_iter().map(SpanRecorder::into_list).collect(),
        messages: log.messages,
        ..result
    }
}

/// What was done when, where that is asked for.
struct ReplayLog {
    /// By task; empty where it is not asked for.
    spans: Vec<SpanRecorder>,
    messages: Vec<MessageTime>,
    room: usize,
    /// When messages under way have left, by id, where messages are asked for.
    left: Vec<u64>,
}

impl ReplayLog {
    fn new(tasks: usize, room: usize) -> Self {
        let spans = (0..tasks).filter(|_| room > 0).map(|_| SpanRecorder::new((room / tasks).max(1))).collect();
        Self { spans, messages: Vec::new(), room, left: Vec::new() }
    }

    fn span(&mut self, task: TaskId, part: Part, begin: u64, end: u64) {
        if let Some(spans) = self.spans.get_mut(task.index()) {
            spans.add(part, Picoseconds(begin), Picoseconds(end), None);
        }
    }

    /// A message leaves.
    #[inline]
    fn leaves(&mut self, message: HostMessageId, time: u64) {
        if self.room > 0 {
            let known = self.left.len().max(message.index() + 1);
            self.left.resize(known, 0);
            self.left[message.index()] = time;
        }
    }

    /// When it left.
    fn left(&self, message: HostMessageId) -> u64 {
        self.left.get(message.index()).copied().unwrap_or_default()
    }

    /// A message that has left, and was received, at these times.
    fn message(&mut self, (from, to): (TaskId, TaskId), tag: u32, bytes: u64, (sent, received): (u64, u64)) {
        if self.messages.len() < self.room {
            self.messages.push(MessageTime {
                from,
                to,
                tag: tag as i32,
                bytes: Bytes(bytes),
                sent: Picoseconds(sent),
                received: Picoseconds(received),
                send_site: None,
                recv_site: None,
            });
        }
    }
}

/// The parameters in picoseconds.
#[derive(Clone, Copy, Debug)]
struct LogGopsModel {
    latency: u64,
    overhead: u64,
    gap: u64,
    overhead_per_byte: u64,
    gap_per_byte: u64,
    eager_limit: u64,
}

impl LogGopsModel {
    fn new(parameters: &LogGops) -> Self {
        let ps = |ns: f64| Picoseconds::from_nanoseconds(ns).0;
        Self {
            latency: ps(parameters.latency_ns),
            overhead: ps(parameters.overhead_ns),
            gap: ps(parameters.gap_ns),
            overhead_per_byte: ps(parameters.overhead_ns_per_byte),
            gap_per_byte: ps(parameters.gap_ns_per_byte),
            eager_limit: parameters.eager_limit_bytes,
        }
    }

    fn is_eager(&self, bytes: u64) -> bool {
        bytes <= self.eager_limit
    }

    /// Processor time of a send.
    fn sending(&self, bytes: u64) -> u64 {
        self.overhead.saturating_add(self.overhead_per_byte.saturating_mul(bytes.saturating_sub(1)))
    }

    /// Processor time of a receive.
    fn receiving(&self, bytes: u64) -> u64 {
        let per_byte = self.overhead_per_byte.max(self.gap_per_byte);
        self.overhead.saturating_add(per_byte.saturating_mul(bytes.saturating_sub(1)))
    }

    /// Time of an interface.
    fn interface(&self, bytes: u64) -> u64 {
        self.gap.saturating_add(self.gap_per_byte.saturating_mul(bytes.saturating_sub(1)))
    }

    /// From the begin of a send until its message is there.
    fn flight(&self) -> u64 {
        self.overhead.saturating_add(self.latency)
    }
}

/// One task at the end, times in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct TaskOutcome {
    end: u64,
    compute: u64,
    send: u64,
    recv: u64,
    /// The first operation that could not end.
    stuck: Option<u32>,
}

fn finish(schedule: &Schedule, outcomes: Vec<TaskOutcome>) -> ReplayResult {
    let tasks: Vec<TaskTime> = outcomes.iter().map(task_time).collect();
    let stuck: Vec<(TaskId, u32)> =
        outcomes.iter().enumerate().filter_map(|(task, o)| Some((TaskId(task as u32), o.stuck?))).collect();
    ReplayResult {
        total: tasks.iter().map(|task| task.end).max().unwrap_or_default(),
        complete: stuck.is_empty(),
        steps: schedule.operations(),
        diagnostics: faults(schedule, &stuck),
        tasks,
        ..ReplayResult::default()
    }
}

/// Operations of several processors of a task may overlap, then nothing is idle.
fn task_time(outcome: &TaskOutcome) -> TaskTime {
    let TaskOutcome { end, compute, send, recv, stuck } = *outcome;
    let compute_left = compute.min(end);
    let send_left = send.min(end - compute_left);
    let recv_left = recv.min(end - compute_left - send_left);
    TaskTime {
        end: Picoseconds(end),
        compute: Picoseconds(compute_left),
        send: Picoseconds(send_left),
        recv: Picoseconds(recv_left),
        idle: Picoseconds(end - compute_left - send_left - recv_left),
        finish: if stuck.is_some() { Finish::Blocked } else { Finish::Ended },
        ..TaskTime::default()
    }
}

/// The circle of those that wait for one another, or else the first that waits in vain.
fn faults(schedule: &Schedule, stuck: &[(TaskId, u32)]) -> Vec<Diagnostic> {
    let Some(&first) = stuck.first() else { return Vec::new() };
    let at = |task: u32| stuck.binary_search_by_key(&task, |(stuck, _)| stuck.0).ok().map(|index| stuck[index]);
    let awaited = |task: u32| peer(schedule, at(task)?).filter(|&peer| at(peer).is_some());
    let circle = circle(stuck.iter().map(|(task, _)| task.0), schedule.len(), awaited);
    let help = "an operation waits for a message that is not sent, a receive that is not posted, or for itself; \
                compare peers, tags and `requires`";
    let (code, shown) = match &circle {
        Some(circle) => (&codes::DEADLOCK, circle.iter().filter_map(|&task| at(task)).collect()),
        None => (&codes::NEVER, vec![first]),
    };
    let processor_queues: Vec<String> = shown.iter().map(|&place| described(schedule, place)).collect();
    let message = match circle {
        Some(_) => format!("tasks wait for one another: {}", processor_queues.join("; ")),
        None => format!("{} of {} tasks do not end: {}", stuck.len(), schedule.len(), processor_queues.join("; ")),
    };
    vec![Diagnostic::error(code, message).help(help)]
}

/// Follows who waits for whom until one comes again.
fn circle(starts: impl Iterator<Item = u32>, size: usize, awaited: impl Fn(u32) -> Option<u32>) -> Option<Vec<u32>> {
    let mut seen_from = vec![u32::MAX; size];
    for start in starts {
        let mut path = Vec::new();
        let mut current = Some(start);
        while let Some(task) = current.filter(|&task| seen_from[task as usize] == u32::MAX) {
            seen_from[task as usize] = start;
            path.push(task);
            current = awaited(task);
        }
        if let Some(begin) = current.and_then(|task| path.iter().position(|&other| other == task)) {
            return Some(path.split_off(begin));
        }
    }
    None
}

fn peer(schedule: &Schedule, (task, index): (TaskId, u32)) -> Option<u32> {
    match schedule.operation(task, index).action {
        Action::Send { to, .. } => Some(to),
        Action::Recv { from, .. } => Some(from).filter(|&from| from != ANY),
        Action::Compute { .. } => None,
    }
}

fn described(schedule: &Schedule, (task, index): (TaskId, u32)) -> String {
    let any = |value: u32| if value == ANY { "any".to_owned() } else { value.to_string() };
    let what = match schedule.operation(task, index).action {
        Action::Compute { ns } => format!("calc {ns}"),
        Action::Send { to, tag, bytes } => format!("send {bytes}b to {to} tag {tag}"),
        Action::Recv { from, tag, bytes } => format!("recv {bytes}b from {} tag {}", any(from), any(tag)),
    };
    format!("task {} in its operation {} ({what})", task.0, index + 1)
}
