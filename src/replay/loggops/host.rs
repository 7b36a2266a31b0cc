//! One task, with all that a message touches of it in few lines of the processor's caches.

use super::Outcome;
use super::lines::Line;
use crate::activity::frontier::Frontier;
use crate::activity::schedule::ANY;
use crate::activity::{CommId, TaskId};
use crate::hash::FastMap;
use crate::replay::matching::{Channel, Items, Mailbox, Side, Source};
use crate::replay::slab::Slab;

#[derive(Debug)]
pub(super) struct Host {
    first: Processor,
    /// Until when the interface sends, and takes messages.
    pub sends: u64,
    pub receives: u64,
    /// Receives without a message in the order of posting, messages without a receive as they were taken.
    mailbox: Mailbox,
    /// Messages taken so far without a receive.
    taken: u32,
    /// Processors besides the first.
    others: Option<Box<FastMap<u16, Processor>>>,
    pub frontier: Frontier,
    pub outcome: Outcome,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Processor {
    /// Until when it is busy.
    pub busy: u64,
    /// What waits for it, by kind.
    pub lines: [Line; 4],
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

/// A receive without a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Posted {
    pub number: u64,
    pub from: u32,
    pub tag: u32,
    pub operation: u32,
    pub next: u32,
}

/// ANY is a sender and a tag like others here.
fn channel((from, tag): (u32, u32)) -> Channel {
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

impl Items for Slab<Posted> {
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

fn is_wild((from, tag): (u32, u32)) -> bool {
    from == ANY || tag == ANY
}

impl Host {
    pub fn new(frontier: Frontier) -> Self {
        let (first, mailbox, others, outcome) = Default::default();
        Self { first, sends: 0, receives: 0, mailbox, taken: 0, others, frontier, outcome }
    }

    #[inline]
    pub fn processor(&mut self, cpu: u16) -> &mut Processor {
        if cpu == 0 { &mut self.first } else { self.others.get_or_insert_default().entry(cpu).or_default() }
    }

    /// Until when a processor is busy.
    #[inline]
    pub fn busy(&self, cpu: u16) -> u64 {
        let other = || self.others.as_ref().and_then(|others| others.get(&cpu));
        if cpu == 0 { self.first.busy } else { other().map_or(0, |other| other.busy) }
    }

    /// Lets a receive wait for its message.
    pub fn post(&mut self, receive: u32, all: &mut Slab<Posted>) {
        let Posted { from, tag, .. } = all[receive];
        self.mailbox.wildcards += u32::from(is_wild((from, tag)));
        self.mailbox.append(Side::Posted, receive, all);
    }

    /// The receive for a message that was posted first.
    pub fn posted_for(&mut self, message: &Message, all: &mut Slab<Posted>) -> Option<u32> {
        let Message { from, tag, .. } = *message;
        if self.mailbox.wildcards == 0 {
            return self.mailbox.pop(Side::Posted, channel((from, tag)), all);
        }
        let patterns = [(from, tag), (ANY, tag), (from, ANY), (ANY, ANY)];
        let first = |&pattern: &(u32, u32)| {
            Some((all[self.mailbox.head(Side::Posted, channel(pattern), all)?].number, pattern))
        };
        let (_, pattern) = patterns.iter().filter_map(first).min()?;
        self.mailbox.wildcards -= u32::from(is_wild(pattern));
        self.mailbox.pop(Side::Posted, channel(pattern), all)
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

    /// The receive that a message will probably get.
    pub fn guess(&self, message: &Message, all: &Slab<Posted>) -> Option<u32> {
        self.mailbox.guess(Side::Posted, channel((message.from, message.tag)), all)
    }

    /// One place in each line of 64 bytes that most things need; the number means nothing.
    pub fn touch(&self) -> u64 {
        self.first.busy
            ^ self.first.lines[3].next.0
            ^ u64::from(self.taken)
            ^ u64::from(self.frontier.base())
            ^ self.outcome.end
    }

    pub fn outcome(&self, length: u32) -> Outcome {
        Outcome { stuck: Some(self.frontier.base()).filter(|&open| open < length), ..self.outcome }
    }
}

fn accepts((from, tag): (u32, u32), message: &Message) -> bool {
    (from == ANY || from == message.from) && (tag == ANY || tag == message.tag)
}
