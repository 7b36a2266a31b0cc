//! A schedule as a feed, for networks that know more than the LogGOPS model.
//!
//! Of the operations of a task that may begin, the first ones in the file begin first; sends and receives do not
//! block, and a task waits only where nothing else is left to do. All processors of a task are one.

use crate::activity::schedule::{ANY, Action, Dependents, Schedule, TaskSchedule};
use crate::activity::{CommId, Event, Feed, Operation, Outcome, RequestId, Segments, SendMode, Step, TaskId, Work};
use crate::units::{Bytes, Picoseconds};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// Plays a schedule.
#[derive(Debug)]
pub struct ScheduleFeed<'a> {
    schedule: &'a Schedule,
    tasks: Vec<Progress>,
    segments: Segments,
}

/// How far one task is.
#[derive(Debug)]
struct Progress {
    /// What each operation still waits for; absent where each waits for the one before it alone.
    graph: Option<Box<Dependents>>,
    /// Of a chain: the next operation.
    position: u32,
    /// Operations that may begin.
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
        Self { schedule, tasks: schedule.tasks.iter().map(Progress::new).collect(), segments: Segments::default() }
    }

    fn chained(&mut self, task: TaskId) -> Step {
        let progress = &mut self.tasks[task.0 as usize];
        if progress.position as usize == self.schedule.tasks[task.0 as usize].len() {
            return Step::End;
        }
        progress.position += 1;
        step(self.schedule.operation(task, progress.position - 1).action, None)
    }

    fn scheduled(&mut self, task: TaskId, outcome: &Outcome) -> Step {
        let progress = &mut self.tasks[task.0 as usize];
        if std::mem::take(&mut progress.waits) {
            let index = if let Outcome::Any { index, .. } = outcome { *index } else { 0 };
            let operation = progress.open.remove(index);
            progress.ended.push_back((operation, false));
        }
        progress.release();
        let Some(operation) = progress.ready.pop_first() else { return progress.wait() };
        let action = self.schedule.operation(task, operation).action;
        progress.left -= 1;
        progress.ended.push_back((operation, true));
        match action {
            Action::Compute { .. } => progress.ended.push_back((operation, false)),
            Action::Send { .. } | Action::Recv { .. } => progress.open.push(operation),
        }
        step(action, Some(RequestId(operation)))
    }
}

impl Progress {
    fn new(task: &TaskSchedule) -> Self {
        let graph = (!task.is_sequential()).then(|| Box::new(Dependents::new(task)));
        let ready = graph.iter().flat_map(|graph| graph.free()).collect();
        let left = task.len() as u32;
        Self { graph, position: 0, ready, open: Vec::new(), waits: false, left, ended: VecDeque::new() }
    }

    fn release(&mut self) {
        let Some(graph) = &mut self.graph else { return };
        while let Some((operation, begin)) = self.ended.pop_front() {
            graph.release(operation, begin, |after| {
                self.ready.insert(after);
            });
        }
    }

    /// Nothing may begin before something ends. A task of which nothing is open and something has not begun
    /// waits for itself; it has no step that could say so but a receive from itself that never comes.
    fn wait(&mut self) -> Step {
        if self.open.is_empty() {
            return Step::End;
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

fn step(action: Action, request: Option<RequestId>) -> Step {
    let comm = CommId(0);
    match action {
        Action::Compute { ns } => Step::Work(Work::Time(Picoseconds(ns.saturating_mul(1000)))),
        Action::Send { to, tag, bytes } => {
            let (to, tag, bytes, mode) = (TaskId(to), tag as i32, Bytes(bytes), SendMode::Standard);
            event(Operation::Send { to, tag, comm, bytes, mode, request })
        }
        Action::Recv { from, tag, bytes } => {
            let known = |value: u32| Some(value).filter(|&value| value != ANY);
            let (from, tag) = (known(from).map(TaskId), known(tag).map(|tag| tag as i32));
            event(Operation::Recv { from, tag, comm, bytes: Bytes(bytes), request })
        }
    }
}

fn event(operation: Operation) -> Step {
    Step::Event(Arc::new(Event { operation, site: None }))
}

impl Feed for ScheduleFeed<'_> {
    fn tasks(&self) -> usize {
        self.schedule.tasks.len()
    }

    fn next(&mut self, task: TaskId, outcome: Outcome) -> Step {
        match self.tasks[task.0 as usize].graph {
            None => self.chained(task),
            Some(_) => self.scheduled(task, &outcome),
        }
    }

    fn group(&self, _: CommId) -> Arc<[TaskId]> {
        (0..self.tasks() as u32).map(TaskId).collect()
    }

    fn segments(&self) -> &Segments {
        &self.segments
    }
}
