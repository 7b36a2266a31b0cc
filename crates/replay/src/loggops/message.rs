//! A message of a schedule, and what a receive asks for.

use super::ids::HostMessageId;
use crate::matching::channel::{Channel, ChannelSource};
use crate::matching::linked_queue::QueueItems;
use crate::memory::slab::Slab;
use chronos_activity::schedule::ANY;
use chronos_activity::{CommId, TaskId};

/// A message under way, or taken without a receive; two of them in a line of 64 bytes.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct HostMessage {
    pub bytes: u64,
    pub from: TaskId,
    pub tag: u32,
    /// The operation of the sender that waits for the receive; `NONE` where it does not.
    pub rendezvous: u32,
    pub next: u32,
    /// Of those without a receive, as they were taken.
    pub number: u32,
    /// The processor of its send, which it occupies at the receiver too.
    pub cpu: u16,
}

/// Sender and tag of a message, or those that a receive asks for, with `ANY` for each that it leaves open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pattern {
    pub from: TaskId,
    pub tag: u32,
}

impl Pattern {
    /// The channel of equal patterns: ANY is a sender and a tag like others there.
    pub(super) fn channel(self) -> Channel {
        Channel::user(TaskId(0), Some(self.from), CommId(0), Some(self.tag as i32))
    }

    pub(super) fn is_wild(self) -> bool {
        self.from.0 == ANY || self.tag == ANY
    }

    pub(super) fn accepts(self, message: &HostMessage) -> bool {
        (self.from.0 == ANY || self.from == message.from) && (self.tag == ANY || self.tag == message.tag)
    }
}

impl HostMessage {
    pub(super) fn pattern(&self) -> Pattern {
        Pattern { from: self.from, tag: self.tag }
    }
}

impl QueueItems for Slab<HostMessageId, HostMessage> {
    type Id = HostMessageId;

    #[inline]
    fn source(&self, item: HostMessageId) -> ChannelSource {
        self[item].pattern().channel().source()
    }

    #[inline]
    fn next(&self, item: HostMessageId) -> u32 {
        self[item].next
    }

    #[inline]
    fn link(&mut self, item: HostMessageId, next: u32) {
        self[item].next = next;
    }
}
