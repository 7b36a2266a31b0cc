//! Brings what the next messages at ports will need into the processor's caches.
//!
//! With many tasks nearly everything that a message touches is far away, and each piece is found through another one. Where
//! several messages are known to come next, reading the first piece of all of them, then the second of all,
//! lets the memory fetch them side by side instead of one after the other. It changes nothing else.

use super::engine::Engine;
use super::slab::NONE;
use super::state::{Message, Op, Task};
use crate::activity::Feed;
use std::hint::black_box;

/// Messages whose data are fetched side by side.
const BATCH: usize = 8;
/// Tasks from which on it pays.
pub(super) const MANY: usize = 512;
/// Steps of a task that are looked at: as many as it takes until it waits again, mostly.
const STEPS: usize = 3;

impl<F: Feed> Engine<'_, '_, F> {
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
        let received = messages.into_iter().filter(|message| message.recv != NONE);
        seen ^= received.map(|message| of_operation(&self.ops[message.recv])).sum::<u64>();
        let cursors = tasks.map(|task| task.cursors.innermost());
        seen ^= tasks.into_iter().map(of_ledgers).sum::<u64>();
        seen ^= cursors.iter().flatten().map(|cursor| cursor.touch(STEPS)).sum::<u64>();
        black_box(seen);
    }
}

fn of_message(message: &Message) -> u64 {
    message.left.0 ^ message.bytes ^ message.sequence ^ u64::from(message.next)
}

/// One place in each line of 64 bytes.
fn of_task(task: &Task) -> u64 {
    task.now.0 ^ task.sent ^ u64::from(task.wildcards) ^ u64::from(task.spans.is_some()) ^ task.parts[0].0
}

fn of_operation(op: &Op) -> u64 {
    op.posted.0 ^ op.number ^ u64::from(op.awaited) ^ u64::from(op.done.is_some()) ^ u64::from(op.arrival.is_some())
}

fn of_ledgers(task: &Task) -> u64 {
    let pair = task.pairs.expected().map_or(0, |(_, pair)| pair.messages);
    let site = task
        .account()
        .map_or(0, |account| account.causes.late_sender.0 ^ account.sites.expected().map_or(0, |(_, site)| site.calls));
    pair ^ site
}
