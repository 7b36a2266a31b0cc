//! A message of a schedule, and what a receive asks for.

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

/// Sender and tag that a receive takes: one, or `ANY`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReceivePattern {
    pub from: u32,
    pub tag: u32,
}

impl ReceivePattern {
    /// `ANY` is a sender and a tag like others here.
    pub fn channel(self) -> Channel {
        Channel::user(TaskId(0), Some(TaskId(self.from)), CommId(0), Some(self.tag as i32))
    }

    pub fn is_wild(self) -> bool {
        self.from == ANY || self.tag == ANY
    }

    pub fn accepts(self, message: &HostMessage) -> bool {
        (self.from == ANY || self.from == message.from) && (self.tag == ANY || self.tag == message.tag)
    }
}

impl QueueItems for Slab<u32, HostMessage> {
    type Id = u32;

    #[inline]
    fn source(&self, item: u32) -> ChannelSource {
        ReceivePattern { from: self[item].from, tag: self[item].tag }.channel().source()
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
