//! Accesses to windows that nothing but the clock orders: those under locks (passive target).
//!
//! What such an access brings depends on the order of arrival where several tasks access the memory of one task between
//! two collective operations of all tasks and one of them writes. That messages may order them as well is not seen: then a
//! count is said to depend on the order although it does not.

use chronos_activity::{Event, Operation, TaskId};
use chronos_ir::BlockId;
use std::collections::{BTreeMap, BTreeSet};

/// Rounds that are kept at a time: what belongs to older ones cannot meet anything any more.
const MOST_KEPT: usize = 1 << 16;

/// What is known of the accesses under locks.
#[derive(Default)]
pub struct PassiveAccesses {
    tasks: BTreeMap<TaskId, Progress>,
    /// By the number of collective operations of all tasks before, and the task whose memory is accessed.
    met: BTreeMap<(u64, TaskId), Met>,
}

/// How far a task has come.
#[derive(Default)]
struct Progress {
    locks: u64,
    /// Collective operations of all tasks that it took part in.
    round: u64,
}

/// Accesses to the memory of one task that may come in any order.
struct Met {
    first: TaskId,
    several: bool,
    written: bool,
    fetches: BTreeSet<BlockId>,
}

impl PassiveAccesses {
    /// Takes notice of an event, made by `call`; gives the calls that the order of arrival is known to decide now.
    /// `of_all`: it is a collective operation of all tasks.
    pub fn note(&mut self, task: TaskId, event: &Event, call: BlockId, of_all: bool) -> BTreeSet<BlockId> {
        match event.operation {
            Operation::Lock { .. } => self.progress(task).locks += 1,
            Operation::Unlock { .. } => {
                let progress = self.progress(task);
                progress.locks = progress.locks.saturating_sub(1);
            }
            Operation::Collective(_) if of_all => self.progress(task).round += 1,
            Operation::Access { to, sent, returned, .. } => {
                let &mut Progress { locks, round } = self.progress(task);
                let fetch = (returned.0 > 0).then_some(call);
                if locks > 0 {
                    return self.meet((round, to), task, sent.0 > 0, fetch);
                }
            }
            _ => {}
        }
        BTreeSet::new()
    }

    /// Takes notice that a task has stored to its own memory in a window by assignments; gives what [`Self::note`] does.
    /// That the stores are before the call which made them visible is certain, and no more.
    pub fn note_stores(&mut self, task: TaskId) -> BTreeSet<BlockId> {
        let round = self.progress(task).round;
        self.meet((round, task), task, true, None)
    }

    fn progress(&mut self, task: TaskId) -> &mut Progress {
        self.tasks.entry(task).or_default()
    }

    fn meet(&mut self, key: (u64, TaskId), task: TaskId, writes: bool, fetch: Option<BlockId>) -> BTreeSet<BlockId> {
        if self.met.len() >= MOST_KEPT {
            self.forget();
        }
        let new = Met { first: task, several: false, written: false, fetches: BTreeSet::new() };
        let met = self.met.entry(key).or_insert(new);
        met.several |= met.first != task;
        met.written |= writes;
        met.fetches.extend(fetch);
        if met.several && met.written { std::mem::take(&mut met.fetches) } else { BTreeSet::new() }
    }

    /// Leaves out the rounds that all tasks have behind them.
    fn forget(&mut self) {
        let oldest = self.tasks.values().map(|progress| progress.round).min().unwrap_or(0);
        self.met.retain(|&(round, _), _| round >= oldest);
    }
}
