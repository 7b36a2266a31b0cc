//! Tasks that other tasks spawn: they stand by until a message asks for them, start, and then are as any other.

use crate::evaluator::{Evaluator, SpawnStage};
use crate::start;
use chronos_activity::{CommId, Event, Operation, Step, TaskId};
use chronos_base::ids::Id;
use chronos_base::units::Bytes;
use chronos_mpi_calls::REQUEST;
use std::sync::Arc;

impl Evaluator {
    /// What a task does before the first operation of `main`; `None` where it is there.
    pub(crate) fn before_start(&mut self, task: TaskId) -> Option<Step> {
        let first = self.tasks.len() - self.spawned.len();
        let stage = self.spawned.get_mut(task.index().checked_sub(first)?)?;
        let operation = match *stage {
            SpawnStage::Started => return None,
            SpawnStage::StandsBy => {
                *stage = SpawnStage::Asked;
                let comm = CommId::new(1 + task.index());
                Operation::Recv { from: None, tag: Some(REQUEST), comm, bytes: Bytes(0), request: None }
            }
            SpawnStage::Asked => {
                *stage = SpawnStage::Started;
                let code = &self.programs.of(task.index()).code;
                if let Some(arguments) = self.calls.arguments_of(task) {
                    self.tasks[task.index()] = start::task_with(&mut self.shared, code, task, &arguments);
                }
                Operation::Start
            }
        };
        Some(Step::Event(Arc::new(Event { operation, site: None })))
    }

    /// How many tasks were spawned or would have been, had they been there.
    pub fn wanted(&self) -> usize {
        self.calls.wanted()
    }
}
