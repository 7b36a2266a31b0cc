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

/// In the place of a graph: there is none.
const NONE: u32 = u32::MAX;

/// Plays a schedule.
#[derive(Debug)]
pub struct ScheduleFeed<'a> {
    schedule: &'a Schedule,
    sections: Sections,
    /// By task, where each operation waits for the one before it alone: the next one.
    positions: Vec<u32>,
    /// By task, where among `graphs` it is; `NONE` where each operation waits for the one before it. Empty where it is so
    /// everywhere.
    places: Vec<u32>,
    /// `None` where the task has ended.
    graphs: Vec<Option<Graph>>,
    segments: Segments,
}

impl<'a> ScheduleFeed<'a> {
    pub fn new(schedule: &'a Schedule) -> Self {
        let chained = schedule.tasks().all(TaskSchedule::is_sequential);
        let sections = if chained { Sections::default() } else { Sections::of(schedule, |task| !task.is_sequential()) };
        let place = |task| Place { schedule, sections: &sections, task };
        let mut graphs = Vec::new();
        let mut placed = |rank| {
            if schedule.task(TaskId(rank)).is_sequential() {
                return NONE;
            }
            graphs.push(Some(Graph::new(place(TaskId(rank)))));
            graphs.len() as u32 - 1
        };
        let places = (0..schedule.len() as u32).filter(|_| !chained).map(&mut placed).collect();
        let (positions, segments) = (vec![0; schedule.len()], Segments::default());
        Self { positions, places, graphs, schedule, sections, segments }
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
        self.graphs[self.places[task.0 as usize] as usize] = None;
    }

    fn graph(&self, task: TaskId) -> Option<&Graph> {
        let place = *self.places.get(task.0 as usize)?;
        self.graphs.get(place as usize)?.as_ref()
    }

    #[inline]
    fn graph_mut(&mut self, task: TaskId) -> Option<&mut Graph> {
        let place = *self.places.get(task.0 as usize)?;
        self.graphs.get_mut(place as usize)?.as_mut()
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
        let place = self.places.get(task.0 as usize).map_or(NONE, |&place| place);
        let Some(graph) = self.graphs.get_mut(place as usize).and_then(Option::as_mut) else {
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
        self.graph_mut(task).map(|graph| graph.over(request)).is_some()
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
