//! Locks of windows, and the file system that all tasks share.

use chronos_activity::{CommId, TaskId};
use chronos_base::hash::FxHashMap;
use chronos_base::units::Picoseconds;
use std::collections::VecDeque;

/// Locks of windows, by window and task; and when the file system is free.
#[derive(Debug, Default)]
pub(crate) struct OneSided {
    pub locks: FxHashMap<(CommId, TaskId), WindowLock>,
    pub shared: FxHashMap<CommId, LockAllHolders>,
    /// When the first access arrives at a task's memory that the task may not have seen when it said that it spins.
    pub(crate) arrived: FxHashMap<TaskId, Picoseconds>,
    pub(crate) storage_free: Picoseconds,
    /// That files take no time has been said.
    pub(crate) reported_free_files: bool,
}

/// Who may access the memory that a task exposes.
#[derive(Debug, Default)]
pub(crate) struct WindowLock {
    /// Tasks that hold it; more than one where it is shared.
    pub(crate) holders: Vec<TaskId>,
    pub exclusive: bool,
    /// Nobody gets it before then.
    pub free: Picoseconds,
    /// Tasks that wait for it, and whether exclusively.
    pub waiting: VecDeque<(TaskId, bool)>,
}

/// Who shares the memory of all members of a window (`MPI_Win_lock_all`), which excludes exclusive locks of any.
#[derive(Debug, Default)]
pub(crate) struct LockAllHolders {
    pub(crate) holders: Vec<TaskId>,
    pub waiting: Vec<TaskId>,
}

impl OneSided {
    /// Nothing was ever accessed or stored.
    pub fn is_idle(&self) -> bool {
        self.locks.is_empty() && self.shared.is_empty() && self.storage_free == Picoseconds::ZERO
    }

    /// A task that holds some lock of the window exclusively.
    pub(crate) fn exclusive_holder(&self, comm: CommId) -> Option<TaskId> {
        let exclusive = self.locks.iter().filter(|(key, lock)| key.0 == comm && lock.exclusive);
        exclusive.filter_map(|(_, lock)| lock.holders.first().copied()).min()
    }

    pub(crate) fn sharer(&self, comm: CommId) -> Option<TaskId> {
        self.shared.get(&comm)?.holders.first().copied()
    }

    /// Takes from the queue of a lock those who get it now.
    pub fn grant(&mut self, key: (CommId, TaskId)) -> Vec<TaskId> {
        let shared = self.sharer(key.0).is_some();
        let Some(lock) = self.locks.get_mut(&key) else { return Vec::new() };
        let mut granted = Vec::new();
        while let Some(&(next, exclusive)) = lock.waiting.front() {
            if !lock.admits(exclusive) || exclusive && shared {
                break;
            }
            lock.waiting.pop_front();
            lock.grant(next, exclusive);
            granted.push(next);
        }
        granted
    }
}

impl WindowLock {
    pub(crate) fn admits(&self, exclusive: bool) -> bool {
        self.holders.is_empty() || !(exclusive || self.exclusive)
    }

    pub fn grant(&mut self, id: TaskId, exclusive: bool) {
        self.holders.push(id);
        self.exclusive = exclusive;
    }
}
