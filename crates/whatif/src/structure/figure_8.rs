//! The procedure LBF of Eom and Hollingsworth as their figure 8 has it: an estimate on the graph of messages, without
//! the time of messages, printed beside the answer of the replay.
//!
//! Each task carries the length of the longest path that ends there, and each message the length at its sender with
//! the part of the moved function in it. The sender goes on without that part; the receiver has it instead.

use super::matching;
use super::moved::Split;
use chronos_activity::{Activity, CommId, Operation, RequestId, Step, TaskId, Work};
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id as _;
use chronos_ir::FuncId;
use chronos_predict::replays::{Replays, unchanged};
use chronos_predict::{Job, Target};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The time that a move would lead to; `None` where the algorithm has no rule for a call of the program: receives from
/// any source, waits for one of several, probes, and access to other tasks' memory.
pub fn estimate(
    activity: &Activity,
    functions: &BTreeSet<FuncId>,
    from: &[TaskId],
    to: &[TaskId],
    job: &Job,
    target: Target<'_>,
) -> Option<f64> {
    let mut activity = super::unfolded(activity, "move").ok()?;
    let mut split = Split::new(functions);
    let tasks = activity.tasks.clone();
    let parts = tasks.iter().enumerate().map(|(task, steps)| match from.contains(&TaskId::new(task)) {
        true => super::moved::departures(steps, to, &mut split, &mut activity.segments),
        false => Vec::new(),
    });
    let moved: Vec<FxHashMap<usize, Vec<_>>> =
        parts.map(|all| all.into_iter().map(|one| (one.send, one.parts)).collect()).collect();
    let replays = Replays::of(job, target, Cow::Borrowed(&activity));
    let seconds = |task: usize, id| replays.time(TaskId::new(task), id, &unchanged).as_seconds();
    let mut graph = Graph::new(&activity)?;
    for (task, departures) in moved.iter().enumerate() {
        for (&send, parts) in departures {
            let part = parts.iter().map(|&(_, _, leaves)| seconds(task, leaves)).sum();
            graph.moved.insert((task, send), part);
        }
    }
    graph.run(&|task, work| match work {
        Work::Segment(id) => seconds(task, id),
        Work::Time(time) => time.as_seconds(),
    })
}

/// The length of the longest path at the end of a send, and the part of it that moves.
type Message = (f64, f64);

struct Graph<'a> {
    activity: &'a Activity,
    /// The send of each receive: task and position of both.
    sends: FxHashMap<(usize, usize), (usize, usize)>,
    /// Seconds that leave with a send.
    moved: FxHashMap<(usize, usize), f64>,
    messages: FxHashMap<(usize, usize), Message>,
    /// Open receives by task and request.
    open: FxHashMap<(usize, RequestId), usize>,
    at: Vec<usize>,
    longest: Vec<f64>,
    /// How many members have come to the n-th collective operation of a communicator, and the longest of their paths.
    gathered: FxHashMap<(CommId, usize), (usize, f64)>,
    /// Collective operations that a task has come to, and whether it waits in the last of them.
    joined: FxHashMap<(usize, CommId), (usize, bool)>,
}

impl<'a> Graph<'a> {
    fn new(activity: &'a Activity) -> Option<Self> {
        let steps = activity.tasks.iter().flatten();
        let mut operations = steps.filter_map(|step| match step {
            Step::Event(event) => Some(&event.operation),
            _ => None,
        });
        if operations.any(has_no_rule) {
            return None;
        }
        let count = activity.tasks.len();
        let mut sends = FxHashMap::default();
        let receives: Vec<_> = activity.tasks.iter().map(|steps| matching::receives(steps)).collect();
        for (from, steps) in activity.tasks.iter().enumerate() {
            for (to, own) in matching::sends(steps) {
                let Some(receives) = receives[to.index()].get(&TaskId::new(from)) else { continue };
                let matched = matching::matched(&own, receives).into_iter();
                sends.extend(matched.map(|(send, receive)| ((to.index(), receive.step), (from, send))));
            }
        }
        let (moved, messages, open, gathered, joined) = Default::default();
        let (at, longest) = (vec![0; count], vec![0.0; count]);
        Some(Self { activity, sends, moved, messages, open, at, longest, gathered, joined })
    }

    /// Follows every task as far as it gets, again and again; `None` where one does not get to its end.
    fn run(mut self, seconds: &dyn Fn(usize, Work) -> f64) -> Option<f64> {
        let ended = |graph: &Self, task: usize| graph.at[task] == graph.activity.tasks[task].len();
        loop {
            let mut moved = false;
            for task in 0..self.at.len() {
                while !ended(&self, task) && self.step(task, seconds)? {
                    self.at[task] += 1;
                    moved = true;
                }
            }
            if !moved {
                break;
            }
        }
        let all = (0..self.at.len()).all(|task| ended(&self, task));
        all.then(|| self.longest.iter().copied().fold(0.0, f64::max))
    }

    /// Whether a task gets past its next step.
    fn step(&mut self, task: usize, seconds: &dyn Fn(usize, Work) -> f64) -> Option<bool> {
        let at = self.at[task];
        let event = match &self.activity.tasks[task][at] {
            Step::Work(work) => {
                self.longest[task] += seconds(task, *work);
                return Some(true);
            }
            Step::Event(event) => event,
            Step::End => return Some(true),
            _ => return None,
        };
        Some(match &event.operation {
            Operation::Send { .. } => self.send(task, at),
            Operation::Recv { request: Some(request), .. } => {
                self.open.insert((task, *request), at);
                true
            }
            Operation::Recv { request: None, .. } => self.receive(task, at),
            Operation::WaitAll { requests } => self.wait(task, requests),
            Operation::Collective(collective) => self.collective(task, collective.comm),
            _ => true,
        })
    }

    /// Lines 1 to 10.
    fn send(&mut self, task: usize, at: usize) -> bool {
        let part = self.moved.get(&(task, at)).copied().unwrap_or(0.0);
        self.messages.insert((task, at), (self.longest[task], part));
        self.longest[task] -= part;
        true
    }

    /// Lines 11 to 27; the paper's line 26 holds where the receiver's own path is the longer one.
    fn receive(&mut self, task: usize, at: usize) -> bool {
        let sent = self.sends.get(&(task, at)).and_then(|send| self.messages.get(send));
        let Some(&(sender, part)) = sent else { return false };
        let own = self.longest[task];
        self.longest[task] = match sender > own {
            true if part > 0.0 => (sender - part).max(own + part),
            true => sender,
            false => own + part,
        };
        true
    }

    fn wait(&mut self, task: usize, requests: &[RequestId]) -> bool {
        let open: Vec<usize> =
            requests.iter().filter_map(|&request| self.open.get(&(task, request)).copied()).collect();
        let is_there = |at: &usize| self.sends.get(&(task, *at)).is_some_and(|send| self.messages.contains_key(send));
        if !open.iter().all(is_there) {
            return false;
        }
        open.into_iter().for_each(|at| _ = self.receive(task, at));
        requests.iter().for_each(|&request| _ = self.open.remove(&(task, request)));
        true
    }

    /// Members go on together, when the last has come.
    fn collective(&mut self, task: usize, comm: CommId) -> bool {
        let (number, waits) = self.joined.entry((task, comm)).or_default();
        let gathered = self.gathered.entry((comm, *number)).or_default();
        if !*waits {
            *gathered = (gathered.0 + 1, gathered.1.max(self.longest[task]));
            *waits = true;
        }
        let members = self.activity.groups.get(&comm).map_or(self.at.len(), |group| group.len());
        if gathered.0 < members {
            return false;
        }
        self.longest[task] = gathered.1;
        (*number, *waits) = (*number + 1, false);
        true
    }
}

fn has_no_rule(operation: &Operation) -> bool {
    use Operation as O;
    match operation {
        O::Recv { from, .. } => from.is_none(),
        O::WaitAny { .. } | O::TestAll { .. } | O::TestAny { .. } | O::Cancel { .. } | O::Probe { .. } => true,
        O::Access { .. } | O::Lock { .. } | O::Unlock { .. } | O::Storage { .. } | O::Start | O::Abort { .. } => true,
        O::Collective(collective) => collective.request.is_some(),
        _ => false,
    }
}
