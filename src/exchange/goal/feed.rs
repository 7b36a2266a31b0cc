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
enum Progress {
    /// Where each operation waits for the one before it alone: the next one.
    Chain(u32),
    Graph(Box<Graph>),
}

#[derive(Debug)]
struct Graph {
    /// What each operation still waits for.
    dependents: Dependents,
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

    fn chained(&mut self, task: TaskId, position: u32) -> Step {
        if position as usize == self.schedule.tasks[task.0 as usize].len() {
            return Step::End;
        }
        self.tasks[task.0 as usize] = Progress::Chain(position + 1);
        step(self.schedule.operation(task, position).action, None)
    }
}

impl Progress {
    fn new(task: &TaskSchedule) -> Self {
        if task.is_sequential() { Self::Chain(0) } else { Self::Graph(Box::new(Graph::new(task))) }
    }
}

impl Graph {
    fn new(task: &TaskSchedule) -> Self {
        let dependents = Dependents::new(task);
        let ready = dependents.free().collect();
        let left = task.len() as u32;
        Self { dependents, ready, open: Vec::new(), waits: false, left, ended: VecDeque::new() }
    }

    fn next(&mut self, schedule: &Schedule, task: TaskId, outcome: &Outcome) -> Step {
        if std::mem::take(&mut self.waits) {
            let index = if let Outcome::Any { index, .. } = outcome { *index } else { 0 };
            let operation = self.open.remove(index);
            self.ended.push_back((operation, false));
        }
        self.release();
        let Some(operation) = self.ready.pop_first() else { return self.wait() };
        let action = schedule.operation(task, operation).action;
        self.left -= 1;
        self.ended.push_back((operation, true));
        match action {
            Action::Compute { .. } => self.ended.push_back((operation, false)),
            Action::Send { .. } | Action::Recv { .. } => self.open.push(operation),
        }
        step(action, Some(RequestId(operation)))
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
        match &mut self.tasks[task.0 as usize] {
            &mut Progress::Chain(position) => self.chained(task, position),
            Progress::Graph(graph) => graph.next(self.schedule, task, &outcome),
        }
    }

    fn hears(&self, task: TaskId) -> bool {
        matches!(self.tasks[task.0 as usize], Progress::Graph(_))
    }

    fn group(&self, _: CommId) -> Arc<[TaskId]> {
        (0..self.tasks() as u32).map(TaskId).collect()
    }

    fn segments(&self) -> &Segments {
        &self.segments
    }
}
