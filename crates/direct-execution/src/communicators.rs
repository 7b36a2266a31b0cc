//! Communicators of all tasks: each task numbers its own, and those with the same members are made by all of these in the
//! same order.

use chronos_activity::{CommId, TaskId};
use chronos_base::hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Communicators by what their members say of them.
#[derive(Debug)]
pub struct Communicators {
    known: FxHashMap<(Arc<[TaskId]>, usize), CommId>,
    members: FxHashMap<CommId, Arc<[TaskId]>>,
}

/// The communicators of a task by its own numbers.
#[derive(Debug)]
pub struct OwnCommunicators {
    /// 0 is the world.
    pub ids: BTreeMap<i64, CommId>,
    /// How many with these members it has made.
    made: FxHashMap<Arc<[TaskId]>, usize>,
}

impl Default for OwnCommunicators {
    fn default() -> Self {
        Self { ids: BTreeMap::from([(0, CommId(0))]), made: FxHashMap::default() }
    }
}

impl Communicators {
    /// The world alone.
    pub fn new(tasks: u32) -> Self {
        Self {
            known: FxHashMap::default(),
            members: FxHashMap::from_iter([(CommId(0), (0..tasks).map(TaskId).collect())]),
        }
    }

    /// A task tells who is in one.
    pub fn add(&mut self, own: &mut OwnCommunicators, number: i64, members: &[i64]) {
        let members: Arc<[TaskId]> = members.iter().filter_map(|&rank| u32::try_from(rank).ok()).map(TaskId).collect();
        let nth = own.made.entry(members.clone()).or_insert(0);
        let next = CommId(u32::try_from(self.known.len() + 1).unwrap_or(u32::MAX));
        let id = *self.known.entry((members.clone(), *nth)).or_insert(next);
        *nth += 1;
        self.members.entry(id).or_insert(members);
        own.ids.insert(number, id);
    }

    /// The one on which a task is asked for that others start; no program has it.
    pub fn of_request(&mut self, task: TaskId) -> CommId {
        let members: Arc<[TaskId]> = Arc::new([task]);
        let next = CommId(u32::try_from(self.known.len() + 1).unwrap_or(u32::MAX));
        let id = *self.known.entry((members.clone(), usize::MAX)).or_insert(next);
        self.members.entry(id).or_insert(members);
        id
    }

    /// Its members in the order of their ranks.
    pub fn members(&self, comm: CommId) -> Arc<[TaskId]> {
        self.members.get(&comm).cloned().unwrap_or_default()
    }
}
