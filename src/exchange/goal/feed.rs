//! A schedule as a feed, for networks that know more than the LogGOPS model.
//!
//! Sends and receives do not block, and a task waits only where nothing else is left to do (`graph`). All processors of a
//! task are one.

use super::graph::Graph;
use crate::activity::frontier::{Place, Sections};
use crate::activity::schedule::{ANY, Action, Schedule, TaskSchedule};
use crate::activity::{
    CommId, Event, Feed, Given, Operation, Outcome, RequestId, Segments, SendMode, Step, TaskId, Work,
};
use crate::units::{Bytes, Picoseconds};
use std::sync::Arc;

/// Plays a schedule.
#[derive(Debug)]
pub struct ScheduleFeed<'a> {
    schedule: &'a Schedule,
    sections: Sections,
    /// By task, where each operation waits for the one before it alone: the next one.
    positions: Vec<u32>,
    /// By task, where that is not so; empty where it is everywhere.
    graphs: Vec<Option<Graph>>,
    segments: Segments,
}

impl<'a> ScheduleFeed<'a> {
    pub fn new(schedule: &'a Schedule) -> Self {
        let chained = schedule.tasks().all(TaskSchedule::is_sequential);
        let sections = if chained { Sections::default() } else { Sections::of(schedule, |task| !task.is_sequential()) };
        let place = |task| Place { schedule, sections: &sections, task };
        let graph = |rank| {
            let place = place(TaskId(rank));
            (!schedule.task(place.task).is_sequential()).then(|| Graph::new(place))
        };
        let graphs = (0..schedule.len() as u32).filter(|_| !chained).map(graph).collect();
        Self { positions: vec![0; schedule.len()], graphs, schedule, sections, segments: Segments::default() }
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

    fn graph(&self, task: TaskId) -> Option<&Graph> {
        self.graphs.get(task.0 as usize)?.as_ref()
    }
}

#[inline]
pub(super) fn step(action: Action, request: Option<RequestId>) -> Given {
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
pub(super) fn event(operation: Operation) -> Given {
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
        let given = graph.next(Place { schedule: self.schedule, sections: &self.sections, task }, &outcome);
        if matches!(given, Given::Step(Step::End)) {
            self.end(task);
        }
        given
    }

    fn hears(&self, task: TaskId) -> bool {
        self.graph(task).is_some_and(|graph| graph.waits_for_first())
    }

    #[inline]
    fn over(&mut self, task: TaskId, request: RequestId) -> bool {
        let graph = self.graphs.get_mut(task.0 as usize).and_then(Option::as_mut);
        graph.map(|graph| graph.over(request)).is_some()
    }

    fn touch(&self, task: TaskId) -> u64 {
        match self.graph(task) {
            Some(graph) => graph.touch(Place { schedule: self.schedule, sections: &self.sections, task }),
            None => self.schedule.touch(self.schedule.begin(task) + self.positions[task.0 as usize] as usize),
        }
    }

    fn group(&self, _: CommId) -> Arc<[TaskId]> {
        (0..self.tasks() as u32).map(TaskId).collect()
    }

    fn segments(&self) -> &Segments {
        &self.segments
    }
}
