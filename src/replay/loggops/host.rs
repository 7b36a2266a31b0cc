//! One task, with all that a message touches of it in few lines of the processor's caches.

use super::Outcome;
use super::happening::Kind;
use super::lines::{Line, NOTHING, Waiting};
use super::posted::{Open, Posted, Receives};
use crate::activity::frontier::Frontier;
use crate::activity::schedule::{ANY, Schedule};
use crate::activity::{CommId, TaskId};
use crate::fetch::fetch;
use crate::hash::FastMap;
use crate::replay::matching::{Channel, Items, Mailbox, Side, Source};
use crate::replay::slab::Slab;

/// What is asked for together stands together, in lines of 64 bytes.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Host {
    /// Until when the first processor is busy.
    busy: u64,
    /// Until when the interface sends, and takes messages.
    pub sends: u64,
    pub receives: u64,
    pub spent: Spent,
    /// Where its operations begin in the schedule.
    pub begin: usize,

    /// Of the first processor, as that of others.
    next: (u64, u64),
    /// Of the first processor, as those of others.
    lines: [Line; 4],
    /// Receives without a message.
    posted: Posted,

    pub frontier: Frontier,

    /// Messages without a receive as they were taken; receives where they are many.
    mailbox: Mailbox,
    /// Messages taken so far without a receive.
    taken: u32,
    /// Processors besides the first.
    others: Option<Box<FastMap<u16, Processor>>>,
}

/// Times in picoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent {
    pub end: u64,
    pub compute: u64,
    pub send: u64,
    pub recv: u64,
}

#[derive(Clone, Debug)]
struct Processor {
    busy: u64,
    /// For when and for whom of those in line a happening is in the queue; others are void.
    next: (u64, u64),
    /// What waits for it, by kind.
    lines: [Line; 4],
}

impl Default for Processor {
    fn default() -> Self {
        Self { busy: 0, next: NOTHING, lines: Default::default() }
    }
}

/// A message under way, or taken without a receive; two of them in a line of 64 bytes.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Message {
    pub bytes: u64,
    pub from: u32,
    pub tag: u32,
    /// The operation of the sender that waits for the receive; `NONE` where it does not.
    pub rendezvous: u32,
    pub next: u32,
    /// Of those without a receive, as they were taken.
    pub number: u32,
    /// The processor of its send, which it occupies at the receiver too.
    pub cpu: u16,
}

/// ANY is a sender and a tag like others here.
pub(super) fn channel((from, tag): (u32, u32)) -> Channel {
    Channel::user(0, Some(TaskId(from)), CommId(0), Some(tag as i32))
}

impl Items for Slab<Message> {
    #[inline]
    fn source(&self, item: u32) -> Source {
        channel((self[item].from, self[item].tag)).source()
    }

    #[inline]
    fn next(&self, item: u32) -> u32 {
        self[item].next
    }

    #[inline]
    fn link(&mut self, item: u32, next: u32) {
        self[item].next = next;
    }
}

pub(super) fn is_wild((from, tag): (u32, u32)) -> bool {
    from == ANY || tag == ANY
}

impl Host {
    pub fn new(begin: usize, frontier: Frontier) -> Self {
        let Processor { busy, next, lines } = Processor::default();
        let (sends, receives, spent, others) = Default::default();
        let (posted, mailbox, taken) = Default::default();
        Self { busy, sends, receives, spent, begin, next, lines, posted, frontier, mailbox, taken, others }
    }

    fn other(&mut self, cpu: u16) -> &mut Processor {
        self.others.get_or_insert_default().entry(cpu).or_default()
    }

    /// What waits for a processor.
    #[inline]
    pub fn line_mut(&mut self, (kind, cpu): (Kind, u16)) -> &mut Line {
        let lines = if cpu == 0 { &mut self.lines } else { &mut self.other(cpu).lines };
        &mut lines[kind as usize]
    }

    #[inline]
    pub fn line(&self, (kind, cpu): (Kind, u16)) -> Option<&Line> {
        let lines = if cpu == 0 { &self.lines } else { &self.others.as_ref()?.get(&cpu)?.lines };
        lines.get(kind as usize)
    }

    /// For when and for whom of those in line for a processor a happening is in the queue; others are void.
    #[inline]
    pub fn next_mut(&mut self, cpu: u16) -> &mut (u64, u64) {
        if cpu == 0 { &mut self.next } else { &mut self.other(cpu).next }
    }

    /// Until when a processor is busy.
    #[inline]
    pub fn busy(&self, cpu: u16) -> u64 {
        let other = || self.others.as_ref().and_then(|others| others.get(&cpu));
        if cpu == 0 { self.busy } else { other().map_or(0, |other| other.busy) }
    }

    #[inline]
    pub fn occupy(&mut self, cpu: u16, until: u64) {
        *(if cpu == 0 { &mut self.busy } else { &mut self.other(cpu).busy }) = until;
    }

    /// Lets a receive wait for its message.
    #[inline]
    pub fn post(&mut self, schedule: &Schedule, operation: u32, all: &mut Receives) {
        let open = Open { schedule, begin: self.begin, base: self.frontier.base() };
        self.posted.post(open, operation, &mut self.mailbox, all);
    }

    /// The receive for a message that was posted first.
    #[inline]
    pub fn posted_for(&mut self, schedule: &Schedule, message: &Message, all: &mut Receives) -> Option<u32> {
        let open = Open { schedule, begin: self.begin, base: self.frontier.base() };
        self.posted.take(open, message, &mut self.mailbox, all)
    }

    /// Lets a message wait for its receive.
    pub fn keep(&mut self, message: u32, all: &mut Slab<Message>) {
        self.taken += 1;
        all[message].number = self.taken;
        self.mailbox.append(Side::Unexpected, message, all);
    }

    /// The first message that a receive takes.
    pub fn unexpected(&mut self, pattern: (u32, u32), all: &mut Slab<Message>) -> Option<u32> {
        let wanted = match is_wild(pattern) {
            true => {
                let fits = |&item: &u32| accepts(pattern, &all[item]);
                let items = self.mailbox.items(Side::Unexpected, all);
                let first = items.into_iter().filter(fits).min_by_key(|&item| all[item].number)?;
                (all[first].from, all[first].tag)
            }
            false => pattern,
        };
        self.mailbox.pop(Side::Unexpected, channel(wanted), all)
    }

    /// Brings it near.
    #[inline]
    pub fn fetch(&self) {
        fetch(&self.busy);
        fetch(&self.next);
        fetch(&self.frontier);
        fetch(&self.mailbox);
    }

    /// Brings near what is first in lines.
    #[inline]
    pub fn fetch_lines(&self, all: &Slab<Waiting>) {
        self.lines.iter().for_each(|line| line.fetch(all));
    }

    pub fn outcome(&self, length: u32) -> Outcome {
        let Spent { end, compute, send, recv } = self.spent;
        Outcome { end, compute, send, recv, stuck: Some(self.frontier.base()).filter(|&open| open < length) }
    }
}

pub(super) fn accepts((from, tag): (u32, u32), message: &Message) -> bool {
    (from == ANY || from == message.from) && (tag == ANY || tag == message.tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_often_is_in_three_lines_of_the_cache() {
        assert_eq!((size_of::<Host>(), size_of::<Message>(), size_of::<Frontier>()), (256, 32, 64));
    }
}
