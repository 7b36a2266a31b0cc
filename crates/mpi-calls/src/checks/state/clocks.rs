//! Vector clocks of tasks, of messages under way and of collectives.

use chronos_activity::{CommId, MessageId, TaskId};
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id;
use std::collections::BTreeMap;

/// Tasks up to which clocks are kept: they take room of the square of the tasks.
const TASKS: usize = 256;

/// By task: how many of its events are known.
pub type Clock = Vec<u64>;

#[derive(Clone, Debug, Default)]
pub struct Clocks {
    pub(crate) tasks: Vec<Clock>,
    pub(crate) messages: FxHashMap<MessageId, Clock>,
    pub(crate) collectives: BTreeMap<(CommId, u64), EnteredClocks>,
}

/// A collective that some members are in.
#[derive(Clone, Debug)]
pub(crate) struct EnteredClocks {
    pub(crate) orders: Orders,
    /// By rank.
    pub(crate) clocks: Vec<Option<Clock>>,
    pub(crate) left: usize,
}

/// Whom a member hears of.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Orders {
    Everyone,
    /// All hear of the root.
    FromRoot(usize),
    /// The root hears of all.
    ToRoot(usize),
    /// Each hears of the members before it.
    Before,
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
    pub fn join(&mut self, task: TaskId, told: &[u64]) {
        let Some(clock) = self.tasks.get_mut(task.index()) else { return };
        clock.iter_mut().zip(told).for_each(|(own, &other)| *own = (*own).max(other));
    }

    pub fn sent(&mut self, task: TaskId, message: MessageId) {
        let clock = self.publish(task);
        self.messages.insert(message, clock);
    }

    pub fn received(&mut self, task: TaskId, message: MessageId) {
        if let Some(clock) = self.messages.remove(&message) {
            self.join(task, &clock);
        }
    }

    pub(crate) fn enter(&mut self, task: TaskId, at: (CommId, u64), ranks: (usize, usize), orders: Orders) {
        let clock = self.publish(task);
        let (rank, size) = ranks;
        let meeting = || EnteredClocks { orders, clocks: vec![None; size], left: 0 };
        self.collectives.entry(at).or_insert_with(meeting).clocks[rank] = Some(clock);
    }

    pub(crate) fn leave(&mut self, task: TaskId, at: (CommId, u64), rank: usize) {
        let Some(meeting) = self.collectives.get_mut(&at) else { return };
        meeting.left += 1;
        let contributors = match meeting.orders {
            Orders::Everyone => 0..meeting.clocks.len(),
            Orders::FromRoot(root) => root..root + 1,
            Orders::ToRoot(root) if root == rank => 0..meeting.clocks.len(),
            Orders::ToRoot(_) => 0..0,
            Orders::Before => 0..rank,
        };
        let clocks: Vec<Clock> = meeting.clocks[contributors].iter().flatten().cloned().collect();
        if meeting.left == meeting.clocks.len() {
            self.collectives.remove(&at);
        }
        clocks.iter().for_each(|clock| self.join(task, clock));
    }
}
