//! A schedule as a feed, for networks that know more than the LogGOPS model.
//!
//! Sends and receives do not block, and a task waits only where nothing else is left to do (`goal::graph`). All
//! processors of a task are one.

use super::graph::Graph;
use super::steps::step;
use chronos_activity::frontier::{FrontierPause, Sections, TaskView};
use chronos_activity::schedule::{ANY, Action, Schedule, TaskSchedule};
use chronos_activity::{CommId, Feed, FeedItem, Outcome, Receive, RequestId, Segments, Step, TaskId};
use chronos_base::units::Bytes;
use chronos_replay::{ReplayOptions, ReplayResult};
use rayon::iter::ParallelIterator;
use std::sync::Arc;

/// Plays a schedule.
#[derive(Debug)]
pub struct ScheduleFeed<'a> {
    schedule: &'a Schedule,
    sections: Sections,
    /// By task.
    progress: Vec<Progress>,
    /// Tasks that are neither.
    graphs: Vec<Option<Graph>>,
    /// Of these, what is free.
    free: Vec<u32>,
    segments: Segments,
}

/// Replays a schedule on a network of more than the LogGOPS model.
pub fn replay(schedule: &Schedule, options: ReplayOptions<'_>) -> ReplayResult {
    chronos_replay::replay(&mut ScheduleFeed::new(schedule), options)
}

/// How far a task is.
#[derive(Clone, Copy, Debug)]
enum Progress {
    /// Where each operation waits for the one before it alone, or none is left: the next one.
    Chained(u32),
    /// Not begun, where that is not so.
    Unborn,
    /// It waits for all that it has begun.
    Paused(FrontierPause),
    /// Among `graphs`.
    Graph(u32),
}

impl<'a> ScheduleFeed<'a> {
    /// A feed at the begin of a schedule.
    pub fn new(schedule: &'a Schedule) -> Self {
        let begin = |task| if TaskSchedule::is_sequential(task) { Progress::Chained(0) } else { Progress::Unborn };
        let progress: Vec<Progress> = schedule.par_tasks().map(begin).collect();
        let chained = progress.iter().all(|progress| matches!(progress, Progress::Chained(_)));
        let sections = if chained { Sections::default() } else { Sections::of(schedule, |task| !task.is_sequential()) };
        Self { schedule, sections, progress, graphs: Vec::new(), free: Vec::new(), segments: Segments::default() }
    }

    fn chained(&mut self, task: TaskId, position: u32) -> FeedItem {
        if position == self.schedule.length(task) {
            return FeedItem::Step(Step::End);
        }
        self.progress[task.0 as usize] = Progress::Chained(position + 1);
        step(self.schedule.operation(task, position).action, None)
    }

    fn place(&self, task: TaskId) -> TaskView<'_> {
        TaskView { schedule: self.schedule, sections: &self.sections, task }
    }

    /// The task goes on.
    fn enter(&mut self, task: TaskId, graph: Graph) -> u32 {
        let id = self.free.pop().unwrap_or(self.graphs.len() as u32);
        match self.graphs.get_mut(id as usize) {
            Some(room) => *room = Some(graph),
            None => self.graphs.push(Some(graph)),
        }
        self.progress[task.0 as usize] = Progress::Graph(id);
        id
    }

    /// Its graph is not needed any more.
    fn leave(&mut self, task: TaskId, id: u32, progress: Progress) {
        self.graphs[id as usize] = None;
        self.free.push(id);
        self.progress[task.0 as usize] = progress;
    }

    fn graph(&self, task: TaskId) -> Option<&Graph> {
        match self.progress[task.0 as usize] {
            Progress::Graph(id) => self.graphs[id as usize].as_ref(),
            Progress::Chained(_) | Progress::Unborn | Progress::Paused(_) => None,
        }
    }
}

impl Feed for ScheduleFeed<'_> {
    fn tasks(&self) -> usize {
        self.schedule.len()
    }

    fn next(&mut self, task: TaskId, outcome: Outcome) -> Step {
        match self.next_event(task, outcome) {
            FeedItem::Step(step) => step,
            FeedItem::Event(event) => Step::Event(Arc::new(event)),
        }
    }

    #[inline]
    fn next_event(&mut self, task: TaskId, outcome: Outcome) -> FeedItem {
        let id = match self.progress[task.0 as usize] {
            Progress::Chained(position) => return self.chained(task, position),
            Progress::Graph(id) => id,
            Progress::Unborn => self.enter(task, Graph::new(self.place(task))),
            Progress::Paused(pause) => self.enter(task, Graph::resume(self.place(task), pause)),
        };
        let place = TaskView { schedule: self.schedule, sections: &self.sections, task };
        let Some(graph) = &mut self.graphs[id as usize] else { return FeedItem::Step(Step::End) };
        let given = graph.next(place, &outcome);
        if matches!(given, FeedItem::Step(Step::End)) {
            self.leave(task, id, Progress::Chained(self.schedule.length(task)));
        } else if let Some(pause) = graph.pause(place) {
            self.leave(task, id, Progress::Paused(pause));
        }
        given
    }

    fn wants_outcome(&self, task: TaskId) -> bool {
        self.graph(task).is_some_and(|graph| graph.waits_for_first())
    }

    #[inline]
    fn send_completed(&mut self, task: TaskId, request: RequestId) -> bool {
        let Progress::Graph(id) = self.progress[task.0 as usize] else { return false };
        self.graphs[id as usize].as_mut().map(|graph| graph.send_completed(request)).is_some()
    }

    #[inline]
    fn pending_receive(&self, task: TaskId, request: RequestId) -> Option<Receive> {
        let operation = match self.progress[task.0 as usize] {
            Progress::Paused(pause) => pause.operation(request.0),
            Progress::Graph(id) => self.graphs[id as usize].as_ref()?.operation(request)?,
            Progress::Chained(_) | Progress::Unborn => return None,
        };
        match self.schedule.operation(task, operation).action {
            Action::Recv { from, tag, bytes } if from != ANY && tag != ANY => {
                Some(Receive { from: TaskId(from), tag: tag as i32, comm: CommId(0), bytes: Bytes(bytes) })
            }
            _ => None,
        }
    }

    fn prefetch(&self, task: TaskId) {
        match self.progress[task.0 as usize] {
            Progress::Chained(position) => self.schedule.prefetch(self.schedule.begin(task) + position as usize),
            Progress::Graph(id) => self.graphs[id as usize].iter().for_each(|graph| graph.prefetch(self.place(task))),
            Progress::Paused(pause) => pause.prefetch(self.place(task)),
            Progress::Unborn => {}
        }
    }

    fn group(&self, _: CommId) -> Arc<[TaskId]> {
        (0..self.tasks() as u32).map(TaskId).collect()
    }

    fn segments(&self) -> &Segments {
        &self.segments
    }
}
