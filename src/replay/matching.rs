//! Which receive gets which message: constant time per message, by communicator, source and tag.
//!
//! A message without a receive waits in the chain of its exact channel, in the order of sending, and
//! from its arrival on in the list of its receiver, in the order of arrival. Receives wait in chains too, a
//! wildcard in a channel of its own kind; their numbers tell which was posted first. As long as no
//! receive of a task has a wildcard, who matches whom is decided when the later of both appears, because
//! no arrival can change it.

use super::hash::FastMap;
use super::slab::NONE;
use crate::activity::{CommId, TaskId};

pub(super) const ANY_SOURCE: u32 = u32::MAX;
pub(super) const ANY_TAG: i32 = i32::MIN;

/// Marks the communicator of messages inside collective operations, which no user receive may match.
const INTERNAL: u32 = 1 << 31;

/// Where a message goes, or what a receive asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Channel {
    pub to: u32,
    pub from: u32,
    comm: u32,
    pub tag: i32,
}

impl Channel {
    pub fn user(to: u32, from: Option<TaskId>, comm: CommId, tag: Option<i32>) -> Self {
        Self { to, from: from.map_or(ANY_SOURCE, |task| task.0), comm: comm.0, tag: tag.unwrap_or(ANY_TAG) }
    }

    /// `instance` keeps operations apart that are under way at the same time.
    pub fn internal(to: u32, from: u32, comm: CommId, instance: u32) -> Self {
        Self { to, from, comm: comm.0 | INTERNAL, tag: (instance & 0x7fff_ffff) as i32 }
    }

    pub fn is_user(self) -> bool {
        self.comm & INTERNAL == 0
    }

    pub fn comm(self) -> CommId {
        CommId(self.comm & !INTERNAL)
    }

    /// For comparisons.
    pub fn words(self) -> (u64, u64) {
        let pair = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
        (pair(self.to, self.from), pair(self.comm, self.tag as u32))
    }

    pub fn is_wild(self) -> bool {
        self.from == ANY_SOURCE || self.tag == ANY_TAG
    }

    /// Whether a receive or probe of `self` takes a message of `message`.
    pub fn accepts(self, message: Self) -> bool {
        self.comm == message.comm
            && (self.from == ANY_SOURCE || self.from == message.from)
            && (self.tag == ANY_TAG || self.tag == message.tag)
    }

    /// The channels in which a receive for a message of this channel may wait.
    pub fn patterns(self) -> [Self; 4] {
        let from = Self { from: ANY_SOURCE, ..self };
        let tag = Self { tag: ANY_TAG, ..self };
        [self, from, tag, Self { from: ANY_SOURCE, ..tag }]
    }
}

/// What tells the channels of one receiver apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Source {
    from: u32,
    comm: u32,
    tag: i32,
}

impl Channel {
    fn source(self) -> Source {
        Source { from: self.from, comm: self.comm, tag: self.tag }
    }
}

/// Ends of a queue whose links the items hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain {
    pub head: u32,
    pub tail: u32,
}

/// What waits in one channel: receives or messages, never both for long.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    posted: Chain,
    unexpected: Chain,
}

const EMPTY: Chain = Chain { head: NONE, tail: NONE };

/// What waits alone on its side, if `item` is not `NONE`; most tasks wait for one message at a time, and that needs no table.
#[derive(Clone, Copy, Debug)]
struct Sole {
    source: Source,
    item: u32,
}

impl Default for Sole {
    fn default() -> Self {
        Self { source: Source::default(), item: NONE }
    }
}

impl Sole {
    fn get(self) -> Option<Self> {
        (self.item != NONE).then_some(self)
    }
}

/// Receives without a message and messages without a receive of one task, by channel.
#[derive(Debug, Default)]
pub(super) struct Mailbox {
    /// By side.
    soles: [Sole; 2],
    /// How many wait in the table, by side.
    waiting: [u32; 2],
    table: Option<Box<Table>>,
}

/// A task hears from few others in few tags, so a short list is looked through; more than that is hashed.
#[derive(Debug, Default)]
struct Table {
    entries: Vec<(Source, Waiting)>,
    index: Option<Box<FastMap<Source, u32>>>,
}

/// So many channels are looked through.
const FEW: usize = 24;

/// Which of the two kinds of chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Receives without a message.
    Posted,
    /// Messages without a receive.
    Unexpected,
}

impl Waiting {
    fn side(&mut self, side: Side) -> &mut Chain {
        match side {
            Side::Posted => &mut self.posted,
            Side::Unexpected => &mut self.unexpected,
        }
    }

    fn is_empty(&self) -> bool {
        self.posted.head == NONE && self.unexpected.head == NONE
    }
}

impl Mailbox {
    pub fn head(&self, side: Side, channel: Channel) -> Option<u32> {
        if let Some(sole) = self.soles[side as usize].get() {
            return Some(sole.item).filter(|_| sole.source == channel.source());
        }
        self.table.as_ref().filter(|_| self.waiting[side as usize] > 0)?.head(side, channel.source())
    }

    /// Appends; gives the former tail, whose link the caller sets.
    pub fn append(&mut self, side: Side, channel: Channel, item: u32) -> Option<u32> {
        let waiting = &mut self.waiting[side as usize];
        let sole = &mut self.soles[side as usize];
        if *waiting == 0 && sole.get().is_none() {
            *sole = Sole { source: channel.source(), item };
            return None;
        }
        let table = self.table.get_or_insert_default();
        if let Some(first) = std::mem::take(sole).get() {
            table.append(side, first.source, first.item);
            *waiting += 1;
        }
        *waiting += 1;
        table.append(side, channel.source(), item)
    }

    /// Takes the head; `next` gives the link of an item.
    pub fn pop(&mut self, side: Side, channel: Channel, next: impl FnOnce(u32) -> u32) -> Option<u32> {
        let sole = &mut self.soles[side as usize];
        if let Some(found) = sole.get() {
            let fits = found.source == channel.source();
            return fits.then(|| std::mem::take(sole).item);
        }
        let waiting = &mut self.waiting[side as usize];
        let head = self.table.as_mut().filter(|_| *waiting > 0)?.pop(side, channel.source(), next)?;
        *waiting -= 1;
        Some(head)
    }

    pub fn is_empty(&self) -> bool {
        self.soles.iter().all(|sole| sole.get().is_none()) && self.waiting == [0; 2]
    }

    /// Channels to this task in which something waits, with its first.
    pub fn heads(&self, to: u32, side: Side) -> impl Iterator<Item = (Channel, u32)> {
        let sole = self.soles[side as usize].get().map(|sole| (sole.source, sole.item));
        let head = move |&(source, mut waiting): &(Source, Waiting)| (source, waiting.side(side).head);
        let entries = self.table.iter().flat_map(|table| &table.entries).map(head);
        let all = sole.into_iter().chain(entries.filter(|&(_, head)| head != NONE));
        all.map(move |(Source { from, comm, tag }, head)| (Channel { to, from, comm, tag }, head))
    }
}

impl Table {
    fn find(&self, source: Source) -> Option<usize> {
        match &self.index {
            Some(index) => index.get(&source).map(|&position| position as usize),
            None => self.entries.iter().position(|(other, _)| *other == source),
        }
    }

    fn head(&self, side: Side, source: Source) -> Option<u32> {
        let (_, mut waiting) = self.entries[self.find(source)?];
        Some(waiting.side(side).head).filter(|&head| head != NONE)
    }

    fn append(&mut self, side: Side, source: Source, item: u32) -> Option<u32> {
        let position = self.find(source).unwrap_or_else(|| self.enter(source));
        let chain = self.entries[position].1.side(side);
        let tail = std::mem::replace(&mut chain.tail, item);
        if chain.head == NONE {
            chain.head = item;
            return None;
        }
        Some(tail)
    }

    fn pop(&mut self, side: Side, source: Source, next: impl FnOnce(u32) -> u32) -> Option<u32> {
        let position = self.find(source)?;
        let chain = self.entries[position].1.side(side);
        let head = chain.head;
        if head == NONE {
            return None;
        }
        chain.head = next(head);
        Some(head)
    }

    /// A new channel takes the place of one in which nothing waits, so that many tags do not fill the memory.
    fn enter(&mut self, source: Source) -> usize {
        let full = self.entries.len() >= FEW && self.entries.len().is_power_of_two();
        if full {
            self.entries.retain(|(_, waiting)| !waiting.is_empty());
            self.index = None;
        }
        let position = self.entries.len();
        if self.entries.capacity() == 0 {
            // Two or three are usual where there are very many tasks.
            self.entries.reserve_exact(3);
        }
        self.entries.push((source, Waiting { posted: EMPTY, unexpected: EMPTY }));
        match &mut self.index {
            Some(index) => {
                index.insert(source, position as u32);
            }
            None if position >= FEW => {
                let positions = self.entries.iter().enumerate().map(|(at, (source, _))| (*source, at as u32));
                self.index = Some(Box::new(positions.collect()));
            }
            None => {}
        }
        position
    }
}
