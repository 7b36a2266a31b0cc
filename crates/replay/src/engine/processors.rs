//! Tasks that compute on nodes with fewer processors than tasks.

use super::Engine;
use crate::events::queue::EventKind;
use crate::ids::NodeId;
use crate::result::Part;
use crate::task::processors::SharedProcessors;
use crate::task::state::Status;
use chronos_activity::{Feed, TaskId};
use chronos_base::units::Picoseconds;

impl<F: Feed> Engine<'_, '_, F> {
    /// Whether the task's node may have too few processors.
    pub(crate) fn shares_processors(&self, id: TaskId) -> bool {
        matches!(self.pools.get(self.nodes[id]), Some(Some(_)))
    }

    /// Lets a task compute; whether it can go on at once.
    pub fn compute(&mut self, id: TaskId, work: Picoseconds) -> bool {
        let is_shared = self.shares_processors(id);
        let task = &mut self.tasks[id];
        if !is_shared || work == Picoseconds::ZERO {
            task.pass(Part::Compute, work);
            return true;
        }
        task.extras_mut().work = work;
        task.status = Status::Computing;
        self.queue.push(task.now, EventKind::Compute, id.0, 0);
        false
    }

    /// A job begins: the clock has come to where its task is.
    pub(crate) fn begin_job(&mut self, id: TaskId, now: Picoseconds) {
        let task = &self.tasks[id];
        let Some(work) = task.extras().filter(|_| task.status == Status::Computing).map(|extras| extras.work) else {
            return;
        };
        self.change(self.nodes[id], now, |pool| pool.begin(id, work));
    }

    /// The first job of a node may have ended.
    pub(crate) fn end_jobs(&mut self, node: NodeId, epoch: u32, now: Picoseconds) {
        if !matches!(self.pools.get(node), Some(Some(pool)) if pool.epoch == epoch) {
            return;
        }
        let mut ended = Vec::new();
        self.change(node, now, |pool| ended.extend(std::iter::from_fn(|| pool.take_ended())));
        for id in ended {
            let task = &mut self.tasks[id];
            task.status = Status::Ready;
            // So much of the time others had the processor; jobs end in whole picoseconds, never before their work is done.
            let (passed, work) = (now - task.now, task.extras_mut().work);
            task.pass(Part::Compute, work.min(passed));
            task.pass_ready(passed - work);
            self.schedule(id);
        }
    }

    /// Changes the jobs of a node, and says when its next one ends.
    fn change(&mut self, node: NodeId, now: Picoseconds, change: impl FnOnce(&mut SharedProcessors)) {
        let Some(Some(pool)) = self.pools.get_mut(node) else { return };
        pool.advance(now);
        change(pool);
        pool.epoch = pool.epoch.wrapping_add(1);
        if let Some(end) = pool.next_end() {
            self.queue.push(end, EventKind::Processor, node.0, pool.epoch);
        }
    }
}
