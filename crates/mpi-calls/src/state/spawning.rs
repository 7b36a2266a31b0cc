//! Tasks that others have spawned.

use chronos_activity::{CommId, TaskId};
use std::collections::BTreeMap;

/// What was spawned so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spawning {
    pub(crate) children: BTreeMap<TaskId, Child>,
    /// How many tasks were asked for.
    pub wanted: usize,
}

/// A task that others have spawned.
#[derive(Clone, Debug)]
pub(crate) struct Child {
    /// The program's name first.
    pub arguments: Vec<String>,
    /// The intercommunicator with those who spawned it.
    pub parent: CommId,
    pub(crate) world: CommId,
}

impl Spawning {
    pub fn child(&self, task: TaskId) -> Option<&Child> {
        self.children.get(&task)
    }

    pub fn is_world(&self, comm: CommId) -> bool {
        self.children.values().any(|child| child.world == comm)
    }
}
