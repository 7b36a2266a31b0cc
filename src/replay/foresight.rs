//! Brings near what the next messages at ports will need.
//!
//! With many tasks nearly everything that a message touches is far away, and each piece is found through another one: the
//! message leads to its task, that to what it waits for and to its tables, and these to what is in them. Each piece is asked
//! for (`fetch`) a few messages after the one that leads to it.

use super::engine::Engine;
use super::matching::Side;
use super::message::Message;
use crate::activity::{Feed, TaskId};
use crate::fetch::{fetch, fetch_at};

/// Messages that are looked at at once.
const BATCH: usize = 8;
/// Tasks, and messages under way, from which on it pays.
const MANY: usize = 2048;
const MANY_MESSAGES: usize = 1 << 14;
/// Steps of a task that are looked at: as many as it takes until it waits again, mostly.
const STEPS: usize = 3;

impl<F: Feed> Engine<'_, '_, F> {
    /// What the next messages touch does not stay in the caches until it is their turn.
    #[inline]
    pub fn is_wide(&self) -> bool {
        self.tasks.len() >= MANY || self.messages.len() >= MANY_MESSAGES
    }

    /// Looks at what comes next, once for several messages.
    pub fn foresee(&self) {
        let ports = self.queue.at_ports();
        if !ports.len().is_multiple_of(BATCH) {
            return;
        }
        let mut batches = ports.rchunks(BATCH);
        let mut next = || batches.next().unwrap_or_default().iter().map(|head| &self.messages[head.what]);
        next().for_each(|message| self.fetch_inner(message));
        next().for_each(|message| self.fetch_outer(message));
        next().for_each(|message| self.fetch_task(message));
        next().for_each(fetch);
    }

    fn fetch_task(&self, message: &Message) {
        let to = message.channel.to as usize;
        let task = &self.tasks[to];
        fetch(&task.now);
        fetch(&task.mailbox);
        fetch(&task.parts);
        fetch_at(&self.cursors, to);
    }

    /// What a task leads to.
    fn fetch_outer(&self, message: &Message) {
        let to = message.channel.to;
        let task = &self.tasks[to as usize];
        task.waiting.fetch();
        self.pairs.fetch(task.pairs, to);
        self.sites.fetch(task.sites, to);
        if let Some(first) = task.mailbox.first(Side::Posted) {
            fetch(&self.ops[first]);
        }
    }

    /// What that leads to.
    fn fetch_inner(&self, message: &Message) {
        let to = message.channel.to;
        let task = &self.tasks[to as usize];
        self.pairs.fetch_expected(task.pairs);
        self.sites.fetch_expected(task.sites);
        let posted = || task.mailbox.guess(Side::Posted, message.channel, &self.ops);
        if let Some(recv) = message.recv().or_else(posted) {
            fetch(&self.ops[recv]);
        }
        if let Some(cursor) = self.cursors.get(to as usize).and_then(|cursors| cursors.innermost()) {
            cursor.fetch(STEPS);
        }
        self.feed.fetch(TaskId(to));
    }
}
