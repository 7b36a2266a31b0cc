//! Which receive gets which message: constant time per message, by communicator, source and tag.
//!
//! Messages of one channel without a receive wait in the order of sending, and are
//! from their arrival on in the list of their receiver too, in the order of arrival. Receives wait in the order of posting, a
//! wildcard in a channel of its own kind; their numbers tell which was posted first. As long as no
//! receive of a task has a wildcard, who matches whom is decided when the later of both appears, because
//! no arrival can change it. Where few wait they are one chain that is looked through; more stand in a chain for each channel.

use crate::replay::matching::channel::{Channel, ChannelSource};
use crate::replay::matching::channel_queues::ChannelQueues;
use crate::replay::memory::slab::NONE;

/// Receives or messages, which have the links of the chains that they are in.
pub trait QueueItems {
    fn source(&self, item: u32) -> ChannelSource;
    /// The one behind it, or `NONE`.
    fn next(&self, item: u32) -> u32;
    fn link(&mut self, item: u32, next: u32);
}

/// Ends of a queue whose links the items hold.
#[derive(Clone, Copy, Debug)]
pub struct LinkedQueue {
    pub head: u32,
    pub tail: u32,
}

/// Receives without a message and messages without a receive of one task.
#[derive(Debug)]
pub struct MatchingQueues {
    /// By side: what waits there, where it is few.
    chains: [LinkedQueue; 2],
    /// By side: what waits in each channel, where it is more.
    table: Option<Box<[ChannelQueues; 2]>>,
    /// Receives with a wildcard that wait.
    pub wildcards: u32,
    /// How many are in each of the chains; `IN_TABLE`: they are in the table.
    lengths: [u8; 2],
    /// There was a wildcard or a probe, so that arrivals matter.
    pub observes_arrivals: bool,
    /// Receives that have no record (`lazy_receive`), those with a message too. Where there are any, those of users that have none
    /// are complete.
    pub lazy_receives: u8,
}

const IN_TABLE: u8 = u8::MAX;

/// So many of a side are looked through.
const LIST_LIMIT: u8 = 8;

impl Default for MatchingQueues {
    fn default() -> Self {
        Self {
            chains: [LinkedQueue::EMPTY; 2],
            table: None,
            wildcards: 0,
            lengths: [0; 2],
            observes_arrivals: false,
            lazy_receives: 0,
        }
    }
}

/// Which of the two kinds of chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueSide {
    /// Receives without a message.
    Posted,
    /// Messages without a receive.
    Unexpected,
}

impl MatchingQueues {
    #[inline]
    pub fn head(&self, side: QueueSide, channel: Channel, items: &impl QueueItems) -> Option<u32> {
        match self.lengths[side as usize] {
            IN_TABLE => self.table.as_ref()?[side as usize].head(channel.source()),
            _ => self.find(side, channel.source(), items).map(|(_, item)| item),
        }
    }

    /// The same where it is found at little cost.
    pub fn head_if_cheap(&self, side: QueueSide, channel: Channel, items: &impl QueueItems) -> Option<u32> {
        match self.lengths[side as usize] {
            IN_TABLE => self.table.as_ref()?[side as usize].head_if_cheap(channel.source()),
            _ => self.head(side, channel, items),
        }
    }

    /// What waits longest on a side, where it is few.
    #[inline]
    pub fn first(&self, side: QueueSide) -> Option<u32> {
        Some(self.chains[side as usize].head).filter(|&head| head != NONE)
    }

    /// The first of a channel in the chain of a side, with the one before it.
    #[inline]
    fn find(&self, side: QueueSide, source: ChannelSource, items: &impl QueueItems) -> Option<(u32, u32)> {
        let (mut before, mut item) = (NONE, self.chains[side as usize].head);
        while item != NONE {
            if items.source(item) == source {
                return Some((before, item));
            }
            (before, item) = (item, items.next(item));
        }
        None
    }

    /// Appends what is in no other chain.
    #[inline]
    pub fn append(&mut self, side: QueueSide, item: u32, items: &mut impl QueueItems) {
        if self.lengths[side as usize] == LIST_LIMIT {
            self.move_to_table(side, items);
        }
        if self.lengths[side as usize] == IN_TABLE {
            return self.enter(side, item, items);
        }
        self.lengths[side as usize] += 1;
        self.chains[side as usize].append(item, items);
    }

    /// Puts what waits into chains by channel.
    fn move_to_table(&mut self, side: QueueSide, items: &mut impl QueueItems) {
        let mut item = std::mem::replace(&mut self.chains[side as usize], LinkedQueue::EMPTY).head;
        while item != NONE {
            let next = items.next(item);
            items.link(item, NONE);
            self.enter(side, item, items);
            item = next;
        }
        self.lengths[side as usize] = IN_TABLE;
    }

    fn enter(&mut self, side: QueueSide, item: u32, items: &mut impl QueueItems) {
        self.table.get_or_insert_default()[side as usize].append(item, items);
    }

    /// Takes the first of a channel.
    #[inline]
    pub fn pop(&mut self, side: QueueSide, channel: Channel, items: &mut impl QueueItems) -> Option<u32> {
        if self.lengths[side as usize] == IN_TABLE {
            return self.leave(side, channel.source(), items);
        }
        let (before, item) = self.find(side, channel.source(), items)?;
        self.lengths[side as usize] -= 1;
        self.chains[side as usize].remove(before, item, items);
        Some(item)
    }

    fn leave(&mut self, side: QueueSide, source: ChannelSource, items: &mut impl QueueItems) -> Option<u32> {
        let table = &mut self.table.as_mut()?[side as usize];
        let head = table.pop(source, items)?;
        if table.is_empty() {
            self.lengths[side as usize] = 0;
        }
        Some(head)
    }

    pub fn is_empty(&self) -> bool {
        self.lengths == [0; 2]
    }

    /// The next receive may be one without a record.
    #[inline]
    pub fn may_post_lazily(&self) -> bool {
        self.is_empty() && !self.observes_arrivals
    }

    /// Something waits on a side.
    #[inline]
    pub fn has_items(&self, side: QueueSide) -> bool {
        self.lengths[side as usize] != 0
    }

    /// All that wait on a side, those of a channel in order, channels in any.
    pub fn items(&self, side: QueueSide, items: &impl QueueItems) -> Vec<u32> {
        let table = self.table.iter().filter(|_| self.lengths[side as usize] == IN_TABLE);
        let heads = table.flat_map(|table| table[side as usize].heads());
        let heads = heads.chain([self.chains[side as usize].head]);
        let listed = |item: u32| (item != NONE).then_some(item);
        heads.flat_map(|head| std::iter::successors(listed(head), |&item| listed(items.next(item)))).collect()
    }
}

impl LinkedQueue {
    pub const EMPTY: Self = Self { head: NONE, tail: NONE };

    #[inline]
    pub fn append(&mut self, item: u32, items: &mut impl QueueItems) {
        let tail = std::mem::replace(&mut self.tail, item);
        if self.head == NONE {
            self.head = item;
        } else {
            items.link(tail, item);
        }
    }

    #[inline]
    pub fn remove(&mut self, before: u32, item: u32, items: &mut impl QueueItems) {
        let next = items.next(item);
        if before == NONE {
            self.head = next;
        } else {
            items.link(before, next);
        }
        if self.tail == item {
            self.tail = before;
        }
    }
}
