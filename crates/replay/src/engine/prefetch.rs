//! Prefetches what the next messages at ports will need into the caches of the processor.
//!
//! With many tasks nearly every access of a message is a cache miss, and each piece of data is found through another
//! one: the message leads to its task, the task to what it waits for and to its tables, and these to their entries.
//! Each piece is prefetched a few messages after the one that leads to it.

use super::Engine;
use crate::ids::MsgId;
use crate::matching::message::Message;
use crate::matching::queues::QueueSide;
use chronos_activity::Feed;
use chronos_base::prefetch::{prefetch, prefetch_at};

/// Messages that are looked at at once.
const BATCH: usize = 8;
/// Tasks, and messages under way, from which on it pays.
const MANY_TASKS: usize = 2048;
const MANY_MESSAGES: usize = 1 << 14;
/// Steps of a task that are looked at: as many as it takes until it waits again, mostly.
const STEPS: usize = 3;

impl<F: Feed> Engine<'_, '_, F> {
    /// What the next messages touch does not stay in the caches until it is their turn.
    #[inline]
    pub(crate) fn exceeds_caches(&self) -> bool {
        self.tasks.len() >= MANY_TASKS || self.messages.len() >= MANY_MESSAGES
    }

    /// Looks at what comes next, once for several messages.
    pub(crate) fn prefetch_upcoming(&self) {
        let ports = self.queue.upcoming_port_arrivals();
        if !ports.len().is_multiple_of(BATCH) {
            return;
        }
        let mut batches = ports.rchunks(BATCH);
        let mut next = || batches.next().unwrap_or_default().iter().map(|head| &self.messages[MsgId(head.subject)]);
        next().for_each(|message| self.prefetch_tables(message));
        next().for_each(|message| self.prefetch_linked(message));
        next().for_each(|message| self.prefetch_task(message));
        next().for_each(prefetch);
    }

    fn prefetch_task(&self, message: &Message) {
        let to = message.channel.to;
        let task = &self.tasks[to];
        prefetch(&task.now);
        prefetch(&task.matching_queues);
        prefetch(&task.parts);
        prefetch_at(self.cursors.as_slice(), to.0 as usize);
    }

    /// What a task leads to.
    fn prefetch_linked(&self, message: &Message) {
        let to = message.channel.to;
        let task = &self.tasks[to];
        task.waiting.prefetch();
        self.sent_traffic.prefetch(task.sent_traffic, to.0);
        self.sites.prefetch(task.sites, to.0);
        if let Some(first) = task.matching_queues.first_posted() {
            prefetch(&self.ops[first]);
        }
    }

    /// What that leads to.
    fn prefetch_tables(&self, message: &Message) {
        let to = message.channel.to;
        let task = &self.tasks[to];
        self.sent_traffic.prefetch_expected(task.sent_traffic);
        self.sites.prefetch_expected(task.sites);
        let posted = || task.matching_queues.head_if_cheap(QueueSide::Posted, message.channel, &self.ops);
        if let Some(recv) = message.recv().or_else(posted) {
            prefetch(&self.ops[recv]);
        }
        if let Some(cursor) = self.cursors.get(to).and_then(|cursors| cursors.innermost()) {
            cursor.prefetch(STEPS);
        }
        self.feed.prefetch(to);
    }
}
