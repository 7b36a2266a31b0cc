//! An evaluation that ends where the budget of a task does: what follows there is assumed, and is of no use to those who
//! only want what is exact.

use chronos_activity::{CommId, Feed, Outcome, Segments, Step, TaskId};
use chronos_interpreter::Evaluator;
use std::sync::Arc;

/// A feed that passes on what an evaluation gives until some task has used up its budget. Then no task goes on.
pub struct ExactPrefix<'a> {
    evaluator: &'a mut Evaluator,
}

impl<'a> ExactPrefix<'a> {
    pub fn new(evaluator: &'a mut Evaluator) -> Self {
        Self { evaluator }
    }

    fn is_over(&self) -> bool {
        self.evaluator.has_given_up() || self.evaluator.lacks_bytes()
    }
}

impl Feed for ExactPrefix<'_> {
    fn tasks(&self) -> usize {
        self.evaluator.tasks()
    }

    fn next(&mut self, task: TaskId, outcome: Outcome) -> Step {
        if self.is_over() {
            return Step::Stuck;
        }
        let step = self.evaluator.next(task, outcome);
        // The step in which the budget ended holds what was assumed; bytes of calls are told by trace points.
        if self.is_over() { Step::Stuck } else { step }
    }

    fn group(&self, comm: CommId) -> Arc<[TaskId]> {
        self.evaluator.group(comm)
    }

    fn window(&self, comm: CommId) -> Option<usize> {
        self.evaluator.window(comm)
    }

    fn take_stored(&mut self, task: TaskId) -> bool {
        self.evaluator.take_stored(task)
    }

    fn segments(&self) -> &Segments {
        self.evaluator.segments()
    }
}
