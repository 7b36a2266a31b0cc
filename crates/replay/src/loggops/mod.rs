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
mod model;
mod ordered;
mod posted;
mod processor_queue;
mod queue;
#[cfg(test)]
mod tests;

use super::codes;
use super::result::{Finish, ReplayResult, TaskTime};
use crate::task::spans::SpanRecorder;
use chronos_activity::TaskId;
use chronos_activity::schedule::{ANY, Action, Schedule};
use chronos_base::diag::Diagnostic;
use chronos_base::units::Picoseconds;
use chronos_machine::network::LogGops;
use model::{LogGopsModel, ReplayLog, TaskOutcome};
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

/// A task that does not end, and its first operation that does not.
#[derive(Clone, Copy)]
struct StuckTask {
    task: TaskId,
    operation: u32,
}

fn finish(schedule: &Schedule, outcomes: Vec<TaskOutcome>) -> ReplayResult {
    let tasks: Vec<TaskTime> = outcomes.iter().map(task_time).collect();
    let stuck: Vec<StuckTask> = outcomes
        .iter()
        .enumerate()
        .filter_map(|(task, outcome)| Some(StuckTask { task: TaskId(task as u32), operation: outcome.stuck? }))
        .collect();
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
fn faults(schedule: &Schedule, stuck: &[StuckTask]) -> Vec<Diagnostic> {
    let Some(&first) = stuck.first() else { return Vec::new() };
    let at = |task: u32| stuck.binary_search_by_key(&task, |stuck| stuck.task.0).ok().map(|index| stuck[index]);
    let awaited = |task: u32| peer(schedule, at(task)?).filter(|&peer| at(peer).is_some());
    let circle = circle(stuck.iter().map(|stuck| stuck.task.0), schedule.len(), awaited);
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

fn peer(schedule: &Schedule, at: StuckTask) -> Option<u32> {
    match schedule.operation(at.task, at.operation).action {
        Action::Send { to, .. } => Some(to),
        Action::Recv { from, .. } => Some(from).filter(|&from| from != ANY),
        Action::Compute { .. } => None,
    }
}

fn described(schedule: &Schedule, at: StuckTask) -> String {
    let any = |value: u32| if value == ANY { "any".to_owned() } else { value.to_string() };
    let what = match schedule.operation(at.task, at.operation).action {
        Action::Compute { ns } => format!("calc {ns}"),
        Action::Send { to, tag, bytes } => format!("send {bytes}b to {to} tag {tag}"),
        Action::Recv { from, tag, bytes } => format!("recv {bytes}b from {} tag {}", any(from), any(tag)),
    };
    format!("task {} in its operation {} ({what})", at.task.0, at.operation + 1)
}
