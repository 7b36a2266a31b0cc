//! A queue whose links the items hold: one cache miss per item, and no memory of its own.

use super::channel::ChannelSource;
use crate::memory::slab::{NONE, SlabId};

/// Receives or messages, which have the links of the chains that they are in.
pub(crate) trait QueueItems {
    type Id: SlabId;
    fn source(&self, item: Self::Id) -> ChannelSource;
    /// The one behind it, or `NONE`: links are raw, because an `Option` would make them twice as large.
    fn next(&self, item: Self::Id) -> u32;
    fn link(&mut self, item: Self::Id, next: u32);
}

/// Ends of a queue whose links the items hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkedQueue {
    pub head: u32,
    pub tail: u32,
}

impl LinkedQueue {
    pub const EMPTY: Self = Self { head: NONE, tail: NONE };

    #[inline]
    pub fn append<I: QueueItems>(&mut self, item: I::Id, items: &mut I) {
        let tail = std::mem::replace(&mut self.tail, item.raw());
        if self.head == NONE {
            self.head = item.raw();
        } else {
            items.link(I::Id::from_raw(tail), item.raw());
        }
    }

    /// Takes an item, wherever it stands; whether it was there.
    pub fn take<I: QueueItems>(&mut self, item: I::Id, items: &mut I) -> bool {
        let (mut before, mut at) = (NONE, self.head);
        while at != NONE && at != item.raw() {
            (before, at) = (at, items.next(I::Id::from_raw(at)));
        }
        if at == NONE {
            return false;
        }
        self.remove(before, item, items);
        true
    }

    #[inline]
    pub fn remove<I: QueueItems>(&mut self, before: u32, item: I::Id, items: &mut I) {
        let next = items.next(item);
        if before == NONE {
            self.head = next;
        } else {
            items.link(I::Id::from_raw(before), next);
        }
        if self.tail == item.raw() {
            self.tail = before;
        }
    }
}
