//! Notes the calls whose outcome the order of arrival decides, while a feed is replayed.

use super::passive::PassiveAccesses;
use chronos_activity::{CommId, Event, Feed, Operation, Outcome, Segments, Spin, Step, TaskId, Work};
use chronos_ir::{BlockId, CounterId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What polls are told that look for a message of one sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polls {
    /// What the replay says.
    AsReplayed,
    /// Each one that finds its message is told once that there is none: the message takes a little longer.
    FailOnce,
}

/// What the order of arrival decided.
#[derive(Default)]
pub struct Noted {
    /// Calls that took what came first, or looked whether something had come.
    pub calls: BTreeSet<BlockId>,
    /// Those of them that only look whether the message of one sender is there.
    pub polls: BTreeSet<BlockId>,
    /// Counters of loops that look at memory until another task has written there.
    pub looks: BTreeSet<CounterId>,
    /// Calls that read the clock.
    pub clocks: BTreeSet<BlockId>,
}

/// A feed that passes another one on.
pub struct Watch<'a, F> {
    feed: &'a mut F,
    /// Calls that took what came first, or looked whether something had come.
    pub calls: BTreeSet<BlockId>,
    /// Calls that completed receives posted by others: what they bring was decided there.
    completions: BTreeSet<BlockId>,
    posted: bool,
    /// Counted in loops that look at memory until another task has written there.
    looks: BTreeSet<CounterId>,
    /// Of `calls`, those that only look whether the message of one sender is there.
    pub polls: BTreeSet<BlockId>,
    /// Calls that read the clock.
    clocks: BTreeSet<BlockId>,
    passive: PassiveAccesses,
    told: Polls,
    /// The poll that a task is in.
    polling: BTreeMap<TaskId, BlockId>,
    /// Polls that were told a failure last that was none.
    failed: BTreeSet<(TaskId, BlockId)>,
}

impl<'a, F: Feed> Watch<'a, F> {
    pub fn new(feed: &'a mut F, told: Polls) -> Self {
        let (calls, completions, looks, polls, clocks, passive, polling, failed) = Default::default();
        Self { feed, calls, completions, posted: false, looks, polls, clocks, passive, told, polling, failed }
    }

    /// All that was noted, when the replay is over.
    pub fn finish(mut self) -> Noted {
        if self.posted {
            self.calls.append(&mut self.completions);
        }
        self.polls.retain(|poll| !self.calls.contains(poll));
        self.calls.extend(&self.polls);
        Noted { calls: self.calls, polls: self.polls, looks: self.looks, clocks: self.clocks }
    }

    /// What the feed is told; a poll that failed without need finds its message the next time.
    fn heard(&mut self, task: TaskId, outcome: Outcome) -> Outcome {
        let Some(poll) = self.polling.remove(&task) else { return outcome };
        if self.told == Polls::AsReplayed || outcome == Outcome::NotYet || self.failed.remove(&(task, poll)) {
            return outcome;
        }
        self.failed.insert((task, poll));
        Outcome::NotYet
    }

    fn note_poll(&mut self, task: TaskId, step: &Step) {
        let Step::Event(event) = step else { return };
        if let (Operation::Probe { from: Some(_), blocking: false, .. }, Some(site)) = (&event.operation, event.site) {
            self.polling.insert(task, site.block);
        }
    }

    fn note(&mut self, task: TaskId, step: &Step) {
        match step {
            Step::Event(event) => {
                if let Some(site) = event.site {
                    self.note_event(&event.operation, site.block);
                    self.note_access(task, event, site.block);
                }
            }
            Step::Repeat(repeat) => repeat.steps.iter().for_each(|step| self.note(task, step)),
            Step::Spin(spin) => {
                self.note_looks(spin);
                spin.steps.iter().for_each(|step| self.note(task, step));
            }
            _ => {}
        }
    }

    /// How often a loop looks that calls nothing is decided by when the access comes.
    fn note_looks(&mut self, spin: &Spin) {
        if spin.steps.iter().any(|step| matches!(step, Step::Event(event) if event.operation.is_poll())) {
            return;
        }
        for step in &spin.steps {
            if let Step::Work(Work::Segment(id)) = step {
                self.looks.extend(self.feed.segments().get(*id).by_counter().map(|(counter, _)| counter));
            }
        }
    }

    fn note_access(&mut self, task: TaskId, event: &Event, call: BlockId) {
        let of_all = match &event.operation {
            Operation::Collective(collective) => self.feed.group(collective.comm).len() == self.feed.tasks(),
            _ => false,
        };
        self.calls.extend(self.passive.note(task, event, call, of_all));
    }

    fn note_event(&mut self, operation: &Operation, call: BlockId) {
        match operation {
            Operation::Recv { from: None, request, .. } => {
                self.posted |= request.is_some();
                self.calls.insert(call);
            }
            Operation::Probe { from: None, .. } => {
                self.calls.insert(call);
            }
            Operation::Probe { blocking: false, .. } => {
                self.polls.insert(call);
            }
            Operation::WaitAny { requests } if requests.len() > 1 => {
                self.calls.insert(call);
            }
            Operation::TestAll { .. } | Operation::TestAny { .. } | Operation::Cancel { .. } => {
                self.calls.insert(call);
            }
            Operation::ReadClock { .. } => {
                self.clocks.insert(call);
            }
            Operation::WaitAll { .. } | Operation::WaitAny { .. } => {
                self.completions.insert(call);
            }
            _ => {}
        }
    }
}

impl<F: Feed> Feed for Watch<'_, F> {
    fn tasks(&self) -> usize {
        self.feed.tasks()
    }

    fn next(&mut self, task: TaskId, outcome: Outcome) -> Step {
        let outcome = self.heard(task, outcome);
        let step = self.feed.next(task, outcome);
        self.note_poll(task, &step);
        if self.feed.take_stored(task) {
            self.calls.extend(self.passive.note_stores(task));
        }
        self.note(task, &step);
        step
    }

    fn group(&self, comm: CommId) -> Arc<[TaskId]> {
        self.feed.group(comm)
    }

    fn take_stored(&mut self, task: TaskId) -> bool {
        self.feed.take_stored(task)
    }

    fn window(&self, comm: CommId) -> Option<usize> {
        self.feed.window(comm)
    }

    fn segments(&self) -> &Segments {
        self.feed.segments()
    }
}
