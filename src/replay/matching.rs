//! Which receive gets which message: constant time per message, by hash of communicator, source and tag.
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

/// Ends of a queue whose links the items hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain {
    pub head: u32,
    pub tail: u32,
}

/// Chains by channel; a channel without a chain has nothing waiting.
#[derive(Debug, Default)]
pub(super) struct Chains {
    chains: FastMap<Channel, Chain>,
}

impl Chains {
    pub fn head(&self, channel: Channel) -> Option<u32> {
        self.chains.get(&channel).map(|chain| chain.head)
    }

    /// Appends; gives the former tail, whose link the caller sets.
    pub fn append(&mut self, channel: Channel, item: u32) -> Option<u32> {
        use std::collections::hash_map::Entry;
        match self.chains.entry(channel) {
            Entry::Vacant(entry) => {
                entry.insert(Chain { head: item, tail: item });
                None
            }
            Entry::Occupied(mut entry) => Some(std::mem::replace(&mut entry.get_mut().tail, item)),
        }
    }

    /// Takes the head; `next` gives the link of an item.
    pub fn pop(&mut self, channel: Channel, next: impl FnOnce(u32) -> u32) -> Option<u32> {
        use std::collections::hash_map::Entry;
        let Entry::Occupied(mut entry) = self.chains.entry(channel) else { return None };
        let head = entry.get().head;
        match next(head) {
            NONE => {
                entry.remove();
            }
            following => entry.get_mut().head = following,
        }
        Some(head)
    }

    pub fn channels(&self) -> impl Iterator<Item = (Channel, Chain)> {
        self.chains.iter().map(|(channel, chain)| (*channel, *chain))
    }
}
