//! Brings what the next messages at ports will need into the processor's caches.
//!
//! With many tasks nearly everything that a message touches is far away, and each piece is found through another one. Where
//! several messages are known to come next, reading the first piece of all of them, then the second of all,
//! lets the memory fetch them side by side instead of one after the other. It changes nothing else.

use super::engine::Engine;
use super::matching::Side;
use super::message::Message;
use super::state::{Op, Task};
use crate::activity::{Feed, TaskId};
use std::hint::black_box;

/// Messages whose data are fetched side by side.
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
        self.tasks.len() >= MANY || self.messages.room() >= MANY_MESSAGES
    }

    /// Looks at what comes next, once for several messages.
    pub fn foresee(&self) {
        let ports = self.queue.at_ports();
        if ports.is_empty() || !ports.len().is_multiple_of(BATCH) {
            return;
        }
        let messages: [&Message; BATCH] =
            std::array::from_fn(|ahead| &self.messages[ports[ports.len() - 1 - ahead].what]);
        let tasks: [&Task; BATCH] = messages.map(|message| &self.tasks[message.channel.to as usize]);
        let mut seen: u64 = messages.into_iter().map(of_message).sum();
        seen ^= tasks.into_iter().map(of_task).sum::<u64>();
        let waits = |message: &Message| {
            let posted =
                || self.tasks[message.channel.to as usize].mailbox.guess(Side::Posted, message.channel, &self.ops);
            message.recv().or_else(posted)
        };
        let received = messages.into_iter().filter_map(waits);
        seen ^= received.map(|recv| of_operation(&self.ops[recv])).sum::<u64>();
        let cursors = messages.map(|message| self.cursors.get(message.channel.to as usize)?.innermost());
        seen ^= tasks.into_iter().map(|task| self.of_tables(task)).sum::<u64>();
        seen ^= cursors.iter().flatten().map(|cursor| cursor.touch(STEPS)).sum::<u64>();
        seen ^= messages.iter().map(|message| self.feed.touch(TaskId(message.channel.to))).sum::<u64>();
        black_box(seen);
    }

    fn of_tables(&self, task: &Task) -> u64 {
        let pair = self.pairs.touch(task.pairs);
        let site = self.sites.expected(task.sites).map_or(0, |(_, site)| site.calls);
        pair ^ site
    }
}

fn of_message(message: &Message) -> u64 {
    message.left.0
}

/// One place in each line of 64 bytes.
fn of_task(task: &Task) -> u64 {
    task.now.0 ^ u64::from(task.mailbox.wildcards) ^ task.parts[0].0
}

fn of_operation(op: &Op) -> u64 {
    op.bytes()
}
