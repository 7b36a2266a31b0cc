//! Which receive gets which message: constant time per message, by communicator, source and tag.
//!
//! Messages of one channel without a receive wait in the order of sending, and are from their arrival on in the list
//! of their receiver too, in the order of arrival. Receives wait in the order of posting, a wildcard in a channel of
//! its own kind; their numbers tell which was posted first. As long as no receive of a task has a wildcard, who
//! matches whom is decided when the later of both appears, because no arrival can change it. Where few wait they are
//! one chain that is looked through; more stand in a chain for each channel.

use super::channel::{Channel, ChannelSource};
use super::channel_queues::ChannelQueues;
use super::linked_queue::{LinkedQueue, QueueItems};
use crate::ids::OpId;
use crate::memory::slab::{NONE, SlabId};

/// Receives without a message and messages without a receive of one task.
#[derive(Debug)]
pub(crate) struct MatchingQueues {
    /// By side: what waits there, where it is few.
    chains: [LinkedQueue; 2],
    /// By side: what waits in each channel, where it is more.
    table: Option<Box<[ChannelQueues; 2]>>,
    /// Receives with a wildcard that wait.
    pub wildcards: u32,
    /// How many are in each of the chains; `IN_TABLE`: they are in the table.
    lengths: [u8; 2],
    /// There was a wildcard or a probe, so that arrivals matter.
    pub(crate) observes_arrivals: bool,
    /// Receives that have no record (`lazy_receive`), those with a message too. Where there are any, those of users
    /// that have none are complete.
    pub(crate) lazy_receives: u8,
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
pub(crate) enum QueueSide {
    /// Receives without a message.
    Posted,
    /// Messages without a receive.
    Unexpected,
}

impl MatchingQueues {
    #[inline]
    pub fn head<I: QueueItems>(&self, side: QueueSide, channel: Channel, items: &I) -> Option<I::Id> {
        match self.lengths[side as usize] {
            IN_TABLE => self.table.as_ref()?[side as usize].head(channel.source()),
            _ => self.find(side, channel.source(), items).map(|(_, item)| I::Id::from_raw(item)),
        }
    }

    /// The same where it is found at little cost.
    pub(crate) fn head_if_cheap<I: QueueItems>(&self, side: QueueSide, channel: Channel, items: &I) -> Option<I::Id> {
        match self.lengths[side as usize] {
            IN_TABLE => self.table.as_ref()?[side as usize].head_if_cheap(channel.source()),
            _ => self.head(side, channel, items),
        }
    }

    /// What waits longest on a side, where it is few.
    #[inline]
    pub(crate) fn first_posted(&self) -> Option<OpId> {
        Some(self.chains[QueueSide::Posted as usize].head).filter(|&head| head != NONE).map(OpId)
    }

    /// The first of a channel in the chain of a side, with the one before it.
    #[inline]
    fn find<I: QueueItems>(&self, side: QueueSide, source: ChannelSource, items: &I) -> Option<(u32, u32)> {
        let (mut before, mut item) = (NONE, self.chains[side as usize].head);
        while item != NONE {
            if items.source(I::Id::from_raw(item)) == source {
                return Some((before, item));
            }
            (before, item) = (item, items.next(I::Id::from_raw(item)));
        }
        None
    }

    /// Appends what is in no other chain.
    #[inline]
    pub fn append<I: QueueItems>(&mut self, side: QueueSide, item: I::Id, items: &mut I) {
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
    fn move_to_table<I: QueueItems>(&mut self, side: QueueSide, items: &mut I) {
        let mut item = std::mem::replace(&mut self.chains[side as usize], LinkedQueue::EMPTY).head;
        while item != NONE {
            let id = I::Id::from_raw(item);
            item = items.next(id);
            items.link(id, NONE);
            self.enter(side, id, items);
        }
        self.lengths[side as usize] = IN_TABLE;
    }

    fn enter<I: QueueItems>(&mut self, side: QueueSide, item: I::Id, items: &mut I) {
        self.table.get_or_insert_default()[side as usize].append(item, items);
    }

    /// Takes the first of a channel.
    #[inline]
    pub fn pop<I: QueueItems>(&mut self, side: QueueSide, channel: Channel, items: &mut I) -> Option<I::Id> {
        if self.lengths[side as usize] == IN_TABLE {
            return self.leave(side, channel.source(), items);
        }
        let (before, item) = self.find(side, channel.source(), items)?;
        self.lengths[side as usize] -= 1;
        let item = I::Id::from_raw(item);
        self.chains[side as usize].remove(before, item, items);
        Some(item)
    }

    fn leave<I: QueueItems>(&mut self, side: QueueSide, source: ChannelSource, items: &mut I) -> Option<I::Id> {
        let table = &mut self.table.as_mut()?[side as usize];
        let head = table.pop(source, items)?;
        if table.is_empty() {
            self.lengths[side as usize] = 0;
        }
        Some(head)
    }

    /// Takes one that waits in a channel, wherever it stands; whether it did.
    pub fn take<I: QueueItems>(&mut self, side: QueueSide, item: I::Id, items: &mut I) -> bool {
        if self.lengths[side as usize] == IN_TABLE {
            return self.take_from_table(side, item, items);
        }
        let taken = self.chains[side as usize].take(item, items);
        self.lengths[side as usize] -= u8::from(taken);
        taken
    }

    fn take_from_table<I: QueueItems>(&mut self, side: QueueSide, item: I::Id, items: &mut I) -> bool {
        let Some(table) = self.table.as_mut().map(|table| &mut table[side as usize]) else { return false };
        let taken = table.take(item, items);
        if table.is_empty() {
            self.lengths[side as usize] = 0;
        }
        taken
    }

    pub fn is_empty(&self) -> bool {
        self.lengths == [0; 2]
    }

    /// The next receive may be one without a record.
    #[inline]
    pub(crate) fn may_post_lazily(&self) -> bool {
        self.is_empty() && !self.observes_arrivals
    }

    /// Something waits on a side.
    #[inline]
    pub(crate) fn has_items(&self, side: QueueSide) -> bool {
        self.lengths[side as usize] != 0
    }

    /// All that wait on a side, those of a channel in order, channels in any.
    pub fn items<I: QueueItems>(&self, side: QueueSide, items: &I) -> Vec<I::Id> {
        let table = self.table.iter().filter(|_| self.lengths[side as usize] == IN_TABLE);
        let heads = table.flat_map(|table| table[side as usize].heads());
        let heads = heads.chain([self.chains[side as usize].head]);
        let listed = |item: u32| (item != NONE).then(|| I::Id::from_raw(item));
        heads.flat_map(|head| std::iter::successors(listed(head), |&item| listed(items.next(item)))).collect()
    }
}
