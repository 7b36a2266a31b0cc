//! A schedule as a feed, for networks that know more than the LogGOPS model.
//!
//! Of the operations of a task that may begin, the first ones in the file begin first; sends and receives do not
//! block, and a task waits only where nothing else is left to do. All processors of a task are one.

use crate::activity::schedule::{ANY, Action, Dependents, Schedule, TaskSchedule};
use crate::activity::{
    CommId, Event, Feed, Given, Operation, Outcome, RequestId, Segments, SendMode, Step, TaskId, Work,
};
use crate::units::{Bytes, Picoseconds};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// Plays a schedule.
#[derive(Debug)]
pub struct ScheduleFeed<'a> {
    schedule: &'a Schedule,
    /// By task, where each operation waits for the one before it alone: the next one.
    positions: Vec<u32>,
    /// By task, where that is not so; empty where it is everywhere.
    graphs: Vec<Option<Box<Graph>>>,
    segments: Segments,
}

#[derive(Debug)]
struct Graph {
    /// What each operation still waits for.
    dependents: Dependents,
    /// Operations that might begin from the start on and have not, the last one first.
    free: Vec<u32>,
    /// Others that may begin.
    ready: BTreeSet<u32>,
    /// Operations that have begun and not ended, in the order of the wait that the task is in.
    open: Vec<u32>,
    waits: bool,
    /// Operations that have not begun.
    left: u32,
    /// Begins and ends that were not yet made known to those that wait for them.
    ended: VecDeque<(u32, bool)>,
}

impl<'a> ScheduleFeed<'a> {
    pub fn new(schedule: &'a Schedule) -> Self {
        let chained = schedule.tasks().all(TaskSchedule::is_sequential);
        let graph = |task: TaskSchedule<'_>| (!task.is_sequential()).then(|| Box::new(Graph::new(task)));
        let graphs = schedule.tasks().filter(|_| !chained).map(graph).collect();
        Self { schedule, positions: vec![0; schedule.len()], graphs, segments: Segments::default() }
    }

    fn chained(&mut self, task: TaskId) -> Given {
        let position = self.positions[task.0 as usize];
        if position == self.schedule.length(task) {
            return Given::Step(Step::End);
        }
        self.positions[task.0 as usize] += 1;
        step(self.schedule.operation(task, position).action, None)
    }

    /// Nothing of the task is needed any more.
    fn end(&mut self, task: TaskId) {
        self.positions[task.0 as usize] = self.schedule.length(task);
        self.graphs[task.0 as usize] = None;
    }
}

impl Graph {
    fn new(task: TaskSchedule<'_>) -> Self {
        let dependents = Dependents::new(task);
        let mut free: Vec<u32> = dependents.free().collect();
        free.reverse();
        let left = task.len() as u32;
        let (ready, open, ended) = Default::default();
        Self { dependents, free, ready, open, waits: false, left, ended }
    }

    #[inline]
    fn next(&mut self, schedule: &Schedule, task: TaskId, outcome: &Outcome) -> Given {
        if std::mem::take(&mut self.waits) {
            let index = if let Outcome::Any { index, .. } = outcome { *index } else { 0 };
            let operation = self.open.remove(index);
            self.ended.push_back((operation, false));
        }
        self.release();
        let Some(operation) = self.take() else { return self.wait() };
        let action = schedule.operation(task, operation).action;
        self.left -= 1;
        self.ended.push_back((operation, true));
        match action {
            Action::Compute { .. } => self.ended.push_back((operation, false)),
            Action::Send { .. } | Action::Recv { .. } => self.open.push(operation),
        }
        step(action, Some(RequestId(operation)))
    }

    /// The first operation that may begin.
    #[inline]
    fn take(&mut self) -> Option<u32> {
        match (self.free.last(), self.ready.first()) {
            (Some(free), Some(ready)) if ready < free => self.ready.pop_first(),
            (None, _) => self.ready.pop_first(),
            _ => self.free.pop(),
        }
    }

    fn release(&mut self) {
        while let Some((operation, begin)) = self.ended.pop_front() {
            self.dependents.release(operation, begin, |after| {
                self.ready.insert(after);
            });
        }
    }

    /// Nothing may begin before something ends. A task of which nothing is open and something has not begun
    /// waits for itself; it has no step that could say so but a receive from itself that never comes.
    fn wait(&mut self) -> Given {
        if self.open.is_empty() {
            return Given::Step(Step::End);
        }
        let requests = self.open.iter().map(|&operation| RequestId(operation)).collect();
        if self.left == 0 {
            // Nobody waits for one of them; looking for the first one again and again would take long.
            self.open.clear();
            return event(Operation::WaitAll { requests });
        }
        self.waits = true;
        event(Operation::WaitAny { requests })
    }
}

#[inline]
fn step(action: Action, request: Option<RequestId>) -> Given {
    let comm = CommId(0);
    event(match action {
        Action::Compute { ns } => {
            return Given::Step(Step::Work(Work::Time(Picoseconds(ns.saturating_mul(1000)))));
        }
        Action::Send { to, tag, bytes } => {
            let (to, tag, bytes, mode) = (TaskId(to), tag as i32, Bytes(bytes), SendMode::Standard);
            Operation::Send { to, tag, comm, bytes, mode, request }
        }
        Action::Recv { from, tag, bytes } => {
            let known = |value: u32| Some(value).filter(|&value| value != ANY);
            let (from, tag) = (known(from).map(TaskId), known(tag).map(|tag| tag as i32));
            Operation::Recv { from, tag, comm, bytes: Bytes(bytes), request }
        }
    })
}

#[inline]
fn event(operation: Operation) -> Given {
    Given::Event(Event { operation, site: None })
}

impl Feed for ScheduleFeed<'_> {
    fn tasks(&self) -> usize {
        self.schedule.len()
    }

    fn next(&mut self, task: TaskId, outcome: Outcome) -> Step {
        match self.give(task, outcome) {
            Given::Step(step) => step,
            Given::Event(event) => Step::Event(Arc::new(event)),
        }
    }

    #[inline]
    fn give(&mut self, task: TaskId, outcome: Outcome) -> Given {
        let Some(graph) = self.graphs.get_mut(task.0 as usize).and_then(Option::as_mut) else {
            return self.chained(task);
        };
        let given = graph.next(self.schedule, task, &outcome);
        if matches!(given, Given::Step(Step::End)) {
            self.end(task);
        }
        given
    }

    fn hears(&self, task: TaskId) -> bool {
        self.graphs.get(task.0 as usize).and_then(Option::as_ref).is_some_and(|graph| graph.waits)
    }

    fn waits_for_all(&self, task: TaskId) -> bool {
        self.graphs.get(task.0 as usize).and_then(Option::as_ref).is_some_and(|graph| graph.dependents.is_empty())
    }

    fn touch(&self, task: TaskId) -> u64 {
        self.schedule.touch(task, self.positions[task.0 as usize])
    }

    fn group(&self, _: CommId) -> Arc<[TaskId]> {
        (0..self.tasks() as u32).map(TaskId).collect()
    }

    fn segments(&self) -> &Segments {
        &self.segments
    }
}
