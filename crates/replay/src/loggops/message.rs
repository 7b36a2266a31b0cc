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

/// ANY is a sender and a tag like others here.
pub(super) fn channel((from, tag): (TaskId, u32)) -> Channel {
    Channel::user(TaskId(0), Some(from), CommId(0), Some(tag as i32))
}

impl QueueItems for Slab<HostMessageId, HostMessage> {
    type Id = HostMessageId;

    #[inline]
    fn source(&self, item: HostMessageId) -> ChannelSource {
        channel((self[item].from, self[item].tag)).source()
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

pub(super) fn is_wild((from, tag): (TaskId, u32)) -> bool {
    from.0 == ANY || tag == ANY
}

pub(super) fn accepts((from, tag): (TaskId, u32), message: &HostMessage) -> bool {
    (from.0 == ANY || from == message.from) && (tag == ANY || tag == message.tag)
}
