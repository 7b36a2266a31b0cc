//! One task, with all that a message touches of it in few lines of the processor's caches.

use super::Outcome;
use super::happening::Kind;
use super::lines::Line;
use super::posted::{Posted, Receives};
use crate::activity::frontier::{Frontier, Place};
use crate::activity::schedule::ANY;
use crate::activity::{CommId, TaskId};
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
    /// Processors besides the first.
    others: Option<Box<FastMap<u16, Processor>>>,

    /// Sends and messages that wait for the first processor.
    often: [Line; 2],
    /// Receives without a message.
    posted: Posted,

    pub frontier: Frontier,

    /// Messages without a receive as they were taken; receives where they are many.
    mailbox: Mailbox,
    /// Messages taken so far without a receive.
    taken: u32,
    /// Computations and receives that wait for the first processor.
    seldom: [Line; 2],
}

/// Times in picoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent {
    pub end: u64,
    pub compute: u64,
    pub send: u64,
    pub recv: u64,
}

#[derive(Clone, Debug, Default)]
struct Processor {
    busy: u64,
    /// By kind.
    lines: [Line; 4],
}

/// A message under way, or taken without a receive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    pub from: u32,
    pub tag: u32,
    pub bytes: u64,
    pub left: u64,
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
    pub fn new(frontier: Frontier) -> Self {
        let (busy, sends, receives, spent, others) = Default::default();
        let (often, posted, mailbox, taken, seldom) = Default::default();
        Self { busy, sends, receives, spent, others, often, posted, frontier, mailbox, taken, seldom }
    }

    fn other(&mut self, cpu: u16) -> &mut Processor {
        self.others.get_or_insert_default().entry(cpu).or_default()
    }

    /// What waits for a processor.
    #[inline]
    pub fn line(&mut self, (kind, cpu): (Kind, u16)) -> &mut Line {
        match kind {
            _ if cpu != 0 => &mut self.other(cpu).lines[kind as usize],
            Kind::Send => &mut self.often[0],
            Kind::Take => &mut self.often[1],
            Kind::Compute => &mut self.seldom[0],
            Kind::Recv | Kind::Several => &mut self.seldom[1],
        }
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
    pub fn post(&mut self, place: Place<'_>, operation: u32, all: &mut Receives) {
        self.posted.post(place, (self.frontier.base(), operation), &mut self.mailbox, all);
    }

    /// The receive for a message that was posted first.
    #[inline]
    pub fn posted_for(&mut self, place: Place<'_>, message: &Message, all: &mut Receives) -> Option<u32> {
        self.posted.take(place, self.frontier.base(), message, &mut self.mailbox, all)
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

    /// One place in each line of 64 bytes; the number means nothing.
    pub fn touch(&self) -> u64 {
        self.busy ^ self.often[0].next.0 ^ u64::from(self.frontier.base()) ^ u64::from(self.taken)
    }

    pub fn outcome(&self, length: u32) -> Outcome {
        let Spent { end, compute, send, recv } = self.spent;
        Outcome { end, compute, send, recv, stuck: Some(self.frontier.base()).filter(|&open| open < length) }
    }
}

pub(super) fn accepts((from, tag): (u32, u32), message: &Message) -> bool {
    (from == ANY || from == message.from) && (tag == ANY || tag == message.tag)
}
