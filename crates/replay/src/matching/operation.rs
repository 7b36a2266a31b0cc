//! Operations under way: sends, receives and non-blocking collectives that are not yet complete, or not yet waited for.
//!
//! With very many tasks there are several of them for each, so each is one cache line long: what is known of one
//! that is not complete has the place of what is known then, and what only some have is in a list of its own.

use super::channel::{Channel, ChannelSource};
use super::linked_queue::QueueItems;
use crate::ids::{FrameId, OpId};
use crate::memory::call_site::CallSite;
use crate::memory::slab::{NONE, Slab};
use chronos_activity::{RequestId, TaskId};
use chronos_base::units::Picoseconds;
use std::ops::{Deref, DerefMut};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// A blocking call.
    Call,
    Request(RequestId),
    /// A collective operation.
    Frame(FrameId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpKind {
    Send,
    Recv,
    Collective,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingOp {
    /// Of a receive: what it asks for, then what it got. Of a send: where it goes.
    pub channel: Channel,
    /// When it was posted, or completed.
    at: Picoseconds,
    /// When its task, or its partner, or whom that had waited for, came to the call.
    partner: Picoseconds,
    /// When the task that it depended on let go; of a receive that is not complete its number.
    left: Picoseconds,
    overhead: Picoseconds,
    /// The size above `FLAGS` bits.
    size: u64,
    /// Of a receive: the one behind it in a chain, then the number of its message at its sender, which may have
    /// wrapped around. Of a collective operation: the task that it depended on.
    link: u32,
    owner: u32,
}

const FLAGS: u32 = 8;
/// Sizes above this are taken for it; it stands for any.
const LARGEST: u64 = u64::MAX >> FLAGS;

const RECV: u64 = 1;
const COLLECTIVE: u64 = 1 << 1;
const OF_REQUEST: u64 = 1 << 2;
const OF_FRAME: u64 = 1 << 3;
const AWAITED: u64 = 1 << 4;
const MATCHED: u64 = 1 << 5;
const DONE: u64 = 1 << 6;
/// It depended on its own task.
const ALONE: u64 = 1 << 7;

/// What is known of an operation that is not complete.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingState {
    pub posted: Picoseconds,
    /// When its task, or whom that had waited for, came to the call.
    pub partner: Picoseconds,
    /// Rises with every receive posted.
    pub number: u64,
}

/// How an operation completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Completion {
    pub at: Picoseconds,
    /// Processor time that the completing call still takes.
    pub overhead: Picoseconds,
    /// When the partner arrived in its call: idle time ends there.
    pub partner: Picoseconds,
    /// When the task that it depended on let go.
    pub left: Picoseconds,
    /// That task.
    pub from: TaskId,
}

impl PendingOp {
    #[inline]
    pub fn new(owner: Owner, kind: OpKind, channel: Channel, bytes: u64, posted: Picoseconds) -> Self {
        let kind = match kind {
            OpKind::Send => 0,
            OpKind::Recv => RECV,
            OpKind::Collective => COLLECTIVE,
        };
        let (owner, of) = match owner {
            Owner::Call => (NONE, 0),
            Owner::Request(request) => (request.0, OF_REQUEST),
            Owner::Frame(frame) => (frame.0, OF_FRAME),
        };
        let (left, overhead) = (Picoseconds::ZERO, Picoseconds::ZERO);
        let size = bytes.min(LARGEST) << FLAGS | kind | of;
        Self { channel, at: posted, partner: posted, left, overhead, size, link: NONE, owner }
    }

    #[inline]
    fn is(&self, flag: u64) -> bool {
        self.size & flag != 0
    }

    #[inline]
    fn set(&mut self, flag: u64, value: bool) {
        self.size = if value { self.size | flag } else { self.size & !flag };
    }

    pub fn kind(&self) -> OpKind {
        match () {
            () if self.is(RECV) => OpKind::Recv,
            () if self.is(COLLECTIVE) => OpKind::Collective,
            () => OpKind::Send,
        }
    }

    #[inline]
    pub fn owner(&self) -> Owner {
        match () {
            () if self.is(OF_REQUEST) => Owner::Request(RequestId(self.owner)),
            () if self.is(OF_FRAME) => Owner::Frame(FrameId(self.owner)),
            () => Owner::Call,
        }
    }

    #[inline]
    pub fn task(&self) -> TaskId {
        if self.is(RECV | COLLECTIVE) { self.channel.to } else { self.channel.from }
    }

    /// Of a receive: the room, then the size of the message.
    #[inline]
    pub fn bytes(&self) -> u64 {
        match self.size >> FLAGS {
            LARGEST => u64::MAX,
            bytes => bytes,
        }
    }

    /// A wait for all is waiting for it.
    #[inline]
    pub fn is_awaited(&self) -> bool {
        self.is(AWAITED)
    }

    #[inline]
    pub(crate) fn set_awaited(&mut self, awaited: bool) {
        self.set(AWAITED, awaited);
    }

    /// A message was found for it.
    pub(crate) fn is_matched(&self) -> bool {
        self.is(MATCHED)
    }

    /// This is its message, with that number at its sender.
    #[inline]
    pub fn get(&mut self, channel: Channel, bytes: u64, sequence: u32) {
        self.channel = channel;
        self.size = bytes.min(LARGEST) << FLAGS | self.size & ((1 << FLAGS) - 1) | MATCHED;
        self.link = sequence;
    }

    /// Of a receive that is matched: the number of its message at its sender.
    pub fn sequence(&self) -> u32 {
        self.link
    }

    pub(crate) fn set_sequence(&mut self, sequence: u32) {
        self.link = sequence;
    }

    /// Completion with the call that began it.
    #[inline]
    pub(crate) fn completed_at_once(self) -> Self {
        let (at, overhead) = (self.at, Picoseconds::ZERO);
        self.ended(Completion { at, overhead, partner: at, left: at, from: self.task() })
    }

    #[inline]
    pub fn ended(mut self, completion: Completion) -> Self {
        self.end(completion);
        self
    }

    #[inline]
    pub fn end(&mut self, Completion { at, overhead, partner, left, from }: Completion) {
        (self.at, self.overhead, self.partner, self.left) = (at, overhead, partner, left);
        self.set(DONE, true);
        if from == self.task() {
            self.set(ALONE, true);
        } else if self.is(COLLECTIVE) {
            self.link = from.0;
        }
        debug_assert_eq!(self.depended_on(), from, "messages alone make sends and receives complete");
    }

    fn depended_on(&self) -> TaskId {
        match () {
            () if self.is(ALONE) => self.task(),
            () if self.is(COLLECTIVE) => TaskId(self.link),
            () if self.is(RECV) => self.channel.from,
            () => self.channel.to,
        }
    }

    #[inline]
    pub fn completion(&self) -> Option<Completion> {
        let Self { at, overhead, partner, left, .. } = *self;
        self.is(DONE).then(|| Completion { at, overhead, partner, left, from: self.depended_on() })
    }

    #[inline]
    pub fn open(&self) -> Option<PendingState> {
        (!self.is(DONE)).then_some(PendingState { posted: self.at, partner: self.partner, number: self.left.0 })
    }

    /// Of one that is not complete: its task, or whom that had waited for, came to the call then.
    pub(crate) fn set_partner(&mut self, partner: Picoseconds) {
        self.partner = partner;
    }

    /// Of one that is not complete.
    #[inline]
    pub(crate) fn set_number(&mut self, number: u64) {
        self.left = Picoseconds(number);
    }

    /// Lets its times be later.
    pub fn shift(&mut self, by: Picoseconds) {
        self.at += by;
        self.partner += by;
        if self.is(DONE) {
            self.left += by;
        }
    }
}

/// All operations.
#[derive(Debug, Default)]
pub(crate) struct PendingOps {
    slab: Slab<OpId, PendingOp>,
    /// By id, the calls that they belong to, as far as any is known; beyond the end none is.
    sites: Vec<CallSite>,
}

impl PendingOps {
    #[inline]
    pub fn insert(&mut self, op: PendingOp, site: CallSite) -> OpId {
        let id = self.slab.insert(op);
        if site != CallSite::default() || (id.0 as usize) < self.sites.len() {
            let known = self.sites.len().max(id.0 as usize + 1);
            self.sites.resize(known, CallSite::default());
            self.sites[id.0 as usize] = site;
        }
        id
    }

    /// The call that it belongs to.
    pub fn site(&self, id: OpId) -> CallSite {
        self.sites.get(id.0 as usize).copied().unwrap_or_default()
    }
}

impl Deref for PendingOps {
    type Target = Slab<OpId, PendingOp>;
    #[inline]
    fn deref(&self) -> &Slab<OpId, PendingOp> {
        &self.slab
    }
}

impl DerefMut for PendingOps {
    #[inline]
    fn deref_mut(&mut self) -> &mut Slab<OpId, PendingOp> {
        &mut self.slab
    }
}

impl QueueItems for PendingOps {
    type Id = OpId;

    #[inline]
    fn source(&self, item: OpId) -> ChannelSource {
        self[item].channel.source()
    }

    #[inline]
    fn next(&self, item: OpId) -> u32 {
        self[item].link
    }

    #[inline]
    fn link(&mut self, item: OpId, next: u32) {
        self[item].link = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_activity::{CommId, TaskId};

    #[test]
    fn they_are_a_line_of_the_cache_long() {
        assert_eq!(size_of::<PendingOp>(), 64);
    }

    #[test]
    fn what_is_set_comes_back() {
        let channel = Channel::user(TaskId(3), Some(TaskId(5)), CommId(0), Some(7));
        let posted = Picoseconds(11);
        for (kind, task) in [(OpKind::Send, TaskId(5)), (OpKind::Recv, TaskId(3)), (OpKind::Collective, TaskId(3))] {
            for owner in [Owner::Call, Owner::Request(RequestId(9)), Owner::Frame(FrameId(8))] {
                for (bytes, kept) in [(0, 0), (1 << 40, 1 << 40), (u64::MAX, u64::MAX)] {
                    let mut op = PendingOp::new(owner, kind, channel, bytes, posted);
                    op.set_number(1 << 60);
                    op.set_awaited(true);
                    assert_eq!((op.kind(), op.owner(), op.task(), op.bytes()), (kind, owner, task, kept));
                    assert_eq!(op.open().map(|open| (open.posted, open.number)), Some((posted, 1 << 60)));
                    let from = TaskId(if kind == OpKind::Send { 3 } else { 5 });
                    let times = [21, 22, 23, 24].map(Picoseconds);
                    let completion =
                        Completion { at: times[0], overhead: times[1], partner: times[2], left: times[3], from };
                    assert_eq!(op.ended(completion).completion(), Some(completion));
                    let alone = Completion { from: task, ..completion };
                    assert_eq!(op.ended(alone).completion(), Some(alone));
                    assert!(op.is_awaited() && op.ended(completion).open().is_none());
                }
            }
        }
    }

    #[test]
    fn a_receive_gets_its_message() {
        let asked = Channel::user(TaskId(3), None, CommId(0), None);
        let mut op = PendingOp::new(Owner::Call, OpKind::Recv, asked, 100, Picoseconds(1));
        let got = Channel::user(TaskId(3), Some(TaskId(5)), CommId(0), Some(7));
        op.get(got, 60, 4);
        assert!(op.is_matched() && op.owner() == Owner::Call && op.kind() == OpKind::Recv);
        assert_eq!((op.channel, op.bytes(), op.sequence()), (got, 60, 4));
    }
}
