//! What tasks know of each other: vector clocks over messages, collectives and the synchronisation of windows.
//!
//! One event is before another where messages or synchronisation lead from it to the other (L. Lamport, CACM 1978;
//! vector clocks: F. Mattern 1988). The replay gives the tasks' calls in an order that agrees with it. Kept as long
//! as there are windows, and for ready sends.

use crate::call::Call;
use crate::delivery::Joined;
use crate::world::Calls;
use chronos_activity::{CommId, MessageId, TaskId};
use chronos_base::ids::Id;
use std::collections::{BTreeMap, HashMap};

/// Tasks up to which clocks are kept: they take room of the square of the tasks.
const TASKS: usize = 256;

/// By task: how many of its events are known.
pub type Clock = Vec<u64>;

#[derive(Clone, Debug, Default)]
pub struct Clocks {
    tasks: Vec<Clock>,
    messages: HashMap<MessageId, Clock>,
    collectives: BTreeMap<(CommId, u64), Meeting>,
}

/// A collective that some members are in.
#[derive(Clone, Debug)]
struct Meeting {
    brings: Brings,
    /// By rank.
    clocks: Vec<Option<Clock>>,
    left: usize,
}

/// Whom a member hears of.
#[derive(Clone, Copy, Debug)]
enum Brings {
    Everyone,
    /// All hear of the root.
    FromRoot(usize),
    /// The root hears of all.
    ToRoot(usize),
    /// Each hears of the members before it.
    Before,
}

fn brings(name: &str, root: Option<usize>) -> Brings {
    let name = name.trim_start_matches("MPI_").trim_start_matches('I').to_ascii_lowercase();
    match (name.as_str(), root) {
        ("bcast" | "scatter" | "scatterv", Some(root)) => Brings::FromRoot(root),
        ("gather" | "gatherv" | "reduce", Some(root)) => Brings::ToRoot(root),
        ("scan" | "exscan", _) => Brings::Before,
        _ => Brings::Everyone,
    }
}

impl Clocks {
    pub fn new(tasks: usize) -> Self {
        let start = |task| (0..tasks).map(|other| u64::from(other == task)).collect();
        let kept = if tasks <= TASKS { tasks } else { 0 };
        Self { tasks: (0..kept).map(start).collect(), ..Self::default() }
    }

    /// The task's own time; `None` where no clocks are kept.
    pub fn now(&self, task: TaskId) -> Option<u64> {
        self.tasks.get(task.index())?.get(task.index()).copied()
    }

    /// Whether `task` knows what `other` did at a time of its own.
    pub fn knows(&self, task: TaskId, other: TaskId, time: u64) -> bool {
        self.tasks.get(task.index()).and_then(|clock| clock.get(other.index())).is_none_or(|&known| known >= time)
    }

    /// Up to what time of `other` the task knows what it did; `None` where no clocks are kept.
    pub fn known(&self, task: TaskId, other: TaskId) -> Option<u64> {
        self.tasks.get(task.index())?.get(other.index()).copied()
    }

    /// All that the task knows; empty where no clocks are kept.
    pub(crate) fn known_by(&self, task: TaskId) -> Clock {
        self.tasks.get(task.index()).cloned().unwrap_or_default()
    }

    /// Whether all tasks know it.
    pub(crate) fn all_know(&self, other: TaskId, time: u64) -> bool {
        self.tasks.iter().all(|clock| clock[other.index()] >= time)
    }

    /// What the task tells others now; what it does later comes after.
    pub fn publish(&mut self, task: TaskId) -> Clock {
        let Some(clock) = self.tasks.get_mut(task.index()) else { return Clock::new() };
        let told = clock.clone();
        clock[task.index()] += 1;
        told
    }

    /// The task hears of what others knew.
    pub fn hear(&mut self, task: TaskId, told: &[u64]) {
        let Some(clock) = self.tasks.get_mut(task.index()) else { return };
        clock.iter_mut().zip(told).for_each(|(own, &other)| *own = (*own).max(other));
    }

    pub fn sent(&mut self, task: TaskId, message: MessageId) {
        let clock = self.publish(task);
        self.messages.insert(message, clock);
    }

    pub fn received(&mut self, task: TaskId, message: MessageId) {
        if let Some(clock) = self.messages.remove(&message) {
            self.hear(task, &clock);
        }
    }

    fn enter(&mut self, task: TaskId, at: (CommId, u64), ranks: (usize, usize), brings: Brings) {
        let clock = self.publish(task);
        let (rank, size) = ranks;
        let meeting = || Meeting { brings, clocks: vec![None; size], left: 0 };
        self.collectives.entry(at).or_insert_with(meeting).clocks[rank] = Some(clock);
    }

    fn leave(&mut self, task: TaskId, at: (CommId, u64), rank: usize) {
        let Some(meeting) = self.collectives.get_mut(&at) else { return };
        meeting.left += 1;
        let heard = match meeting.brings {
            Brings::Everyone => 0..meeting.clocks.len(),
            Brings::FromRoot(root) => root..root + 1,
            Brings::ToRoot(root) if root == rank => 0..meeting.clocks.len(),
            Brings::ToRoot(_) => 0..0,
            Brings::Before => 0..rank,
        };
        let clocks: Vec<Clock> = meeting.clocks[heard].iter().flatten().cloned().collect();
        if meeting.left == meeting.clocks.len() {
            self.collectives.remove(&at);
        }
        clocks.iter().for_each(|clock| self.hear(task, clock));
    }
}

impl Calls {
    /// Clocks, where they are kept: while there are windows, or in a program with ready sends.
    pub(super) fn clocks(&mut self) -> Option<&mut Clocks> {
        let any = !self.windows.is_empty() || self.options.ready_sends;
        self.checks.as_mut().map(|checks| &mut checks.clocks).filter(|_| any)
    }

    pub(crate) fn check_sent(&mut self, message: MessageId) {
        if let Some(clocks) = self.clocks() {
            clocks.sent(message.sender, message);
        }
    }
}

impl Call<'_> {
    pub(crate) fn check_heard(&mut self, message: MessageId) {
        let task = self.task;
        if let Some(clocks) = self.world.clocks() {
            clocks.received(task, message);
        }
    }

    pub(crate) fn check_entered(&mut self, comm: CommId, number: u64, root: Option<TaskId>) {
        let group = self.world.members(comm);
        let (task, size, rank) = (self.task, group.size(), group.rank(self.task).unwrap_or(0));
        let brings = brings(self.name, root.and_then(|root| group.rank(root)));
        if let Some(clocks) = self.world.clocks() {
            clocks.enter(task, (comm, number), (rank, size), brings);
        }
    }

    pub(crate) fn check_left(&mut self, joined: &Joined) {
        let task = self.task;
        if let Some(clocks) = self.world.clocks() {
            clocks.leave(task, (joined.comm, joined.number), joined.rank);
        }
    }
}
