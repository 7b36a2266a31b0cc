//! A recorded activity as a feed: what was made once is replayed on any machine and network.

use super::{Activity, CommId, Feed, Outcome, Segments, Step, TaskId};
use std::sync::Arc;

/// Plays a stored activity; outcomes are ignored, because what is executed is already fixed.
#[derive(Debug)]
pub struct ActivityFeed<'a> {
    activity: &'a Activity,
    positions: Vec<u32>,
}

impl<'a> ActivityFeed<'a> {
    /// A feed at the begin of the activity.
    pub fn new(activity: &'a Activity) -> Self {
        Self { activity, positions: vec![0; activity.tasks.len()] }
    }
}

impl Feed for ActivityFeed<'_> {
    fn tasks(&self) -> usize {
        self.activity.tasks.len()
    }

    fn next(&mut self, task: TaskId, _outcome: Outcome) -> Step {
        let position = &mut self.positions[task.0 as usize];
        let step = self.activity.tasks[task.0 as usize].get(*position as usize).cloned();
        *position += 1;
        step.unwrap_or(Step::End)
    }

    fn wants_outcome(&self, _task: TaskId) -> bool {
        false
    }

    /// The world holds all tasks where the activity does not say otherwise.
    fn group(&self, comm: CommId) -> Arc<[TaskId]> {
        match self.activity.groups.get(&comm) {
            Some(group) => Arc::clone(group),
            None if comm == CommId(0) => (0..self.tasks() as u32).map(TaskId).collect(),
            None => Arc::default(),
        }
    }

    fn segments(&self) -> &Segments {
        &self.activity.segments
    }
}
