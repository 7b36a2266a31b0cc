//! Messages under way, or waiting for their receives.
//!
//! With very many tasks there are several of them for each, so each is one cache line long: what only some have
//! is in a list of its own, which is no longer than those need.

use super::channel::{Channel, ChannelSource};
use super::linked_queue::QueueItems;
use super::operation::Completion;
use crate::ids::{MsgId, OpId};
use crate::memory::call_site::CallSite;
use crate::memory::slab::{NONE, Slab};
use crate::network::cost::CostFactor;
use chronos_activity::{RequestId, TaskId};
use chronos_base::units::Picoseconds;
use std::ops::{Deref, DerefMut};

#[derive(Clone, Copy, Debug)]
pub struct Message {
    pub channel: Channel,
    pub bytes: u64,
    /// When the sender, or whom it had waited for, came to its call.
    pub partner: Picoseconds,
    /// When it left the sender's processor.
    pub left: Picoseconds,
    arrival: Picoseconds,
    /// Of a call of the program: its number at its sender, which may have wrapped around.
    pub sequence: u32,
    /// Rises with every message of its sender, those inside collective operations too. Of one that has come to a
    /// receive without a record: the processor time that this still takes.
    pub order: u32,
    /// The receive that it is for, or its request, or the message behind it in a chain.
    link: u32,
    flags: u8,
}

const ARRIVED: u8 = 1;
const BOUND: u8 = 1 << 1;
const RENDEZVOUS: u8 = 1 << 2;
const GRANTED: u8 = 1 << 3;
const LISTED: u8 = 1 << 4;
const CLAIMED: u8 = 1 << 5;
const AWAITED: u8 = 1 << 6;
const RECEIVED: u8 = 1 << 7;

/// What few messages have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MessageExtras {
    pub site: CallSite,
    /// The send that a rendezvous completes; `None` for eager messages.
    pub send: Option<OpId>,
    /// Inside a collective operation: by how much its costs differ from those of calls.
    pub scale: CostFactor,
    /// By how much longer it is on the wire because another one goes the other way.
    pub delay: Picoseconds,
}

impl Default for MessageExtras {
    fn default() -> Self {
        Self { site: CallSite::default(), send: None, scale: CostFactor::NONE, delay: Picoseconds::ZERO }
    }
}

impl Message {
    /// It leaves its sender, who came to the call at `partner`.
    #[inline]
    pub fn new(channel: Channel, bytes: u64, partner: Picoseconds, left: Picoseconds) -> Self {
        let arrival = Picoseconds::ZERO;
        Self { channel, bytes, partner, left, arrival, sequence: 0, order: 0, link: NONE, flags: 0 }
    }

    #[inline]
    fn is(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    #[inline]
    fn set(&mut self, flag: u8, value: bool) {
        self.flags = if value { self.flags | flag } else { self.flags & !flag };
    }

    /// `None` while its way to the receiver's port is not over. Of a rendezvous: of the request.
    #[inline]
    pub fn arrival(&self) -> Option<Picoseconds> {
        self.is(ARRIVED).then_some(self.arrival)
    }

    #[inline]
    pub fn arrive(&mut self, at: Picoseconds) {
        self.set(ARRIVED, true);
        self.arrival = at;
    }

    /// The receive that it is for, as soon as there is one.
    #[inline]
    pub fn recv(&self) -> Option<OpId> {
        self.is(BOUND).then_some(OpId(self.link))
    }

    #[inline]
    pub fn bind(&mut self, recv: OpId) {
        self.set(BOUND, true);
        self.link = recv.0;
    }

    /// The request of the receive that it is for, which has no record.
    #[inline]
    pub(crate) fn claimed(&self) -> Option<RequestId> {
        self.is(CLAIMED).then_some(RequestId(self.link))
    }

    #[inline]
    pub fn claim(&mut self, request: RequestId) {
        self.set(CLAIMED, true);
        self.link = request.0;
    }

    pub(crate) fn release_claim(&mut self) {
        self.set(CLAIMED, false);
    }

    /// That receive is complete.
    #[inline]
    pub fn receive(&mut self, overhead: u32) {
        self.set(RECEIVED, true);
        self.order = overhead;
    }

    /// How that receive completed.
    #[inline]
    pub fn received(&self) -> Option<Completion> {
        let &Self { arrival: at, partner, left, channel, order, .. } = self;
        let overhead = Picoseconds(u64::from(order));
        self.is(RECEIVED).then_some(Completion { at, overhead, partner, left, from: channel.from })
    }

    /// A wait for all is waiting for that receive.
    #[inline]
    pub fn is_awaited(&self) -> bool {
        self.is(AWAITED)
    }

    #[inline]
    pub(crate) fn set_awaited(&mut self, awaited: bool) {
        self.set(AWAITED, awaited);
    }

    /// Its sender waits for the receive.
    #[inline]
    pub(crate) fn is_rendezvous(&self) -> bool {
        self.is(RENDEZVOUS)
    }

    /// Of a rendezvous: its data are on their way.
    #[inline]
    pub(crate) fn is_granted(&self) -> bool {
        self.is(GRANTED)
    }

    pub fn grant(&mut self, left: Picoseconds) {
        self.set(GRANTED, true);
        self.left = left;
    }

    /// It is in the receiver's list of arrivals.
    pub(crate) fn is_listed(&self) -> bool {
        self.is(LISTED)
    }

    #[inline]
    pub(crate) fn set_listed(&mut self, listed: bool) {
        self.set(LISTED, listed);
    }

    /// The state as a number that is equal where it is.
    pub fn word(&self) -> u64 {
        u64::from(self.flags)
    }

    /// Lets its times be later.
    pub fn shift(&mut self, by: Picoseconds) {
        self.partner += by;
        self.left += by;
        self.arrival += by;
    }
}

/// All messages.
#[derive(Debug, Default)]
pub struct Messages {
    slab: Slab<MsgId, Message>,
    /// By id, as far as any has something; beyond the end nothing.
    extras: Vec<MessageExtras>,
}

impl Messages {
    #[inline]
    pub fn insert(&mut self, mut message: Message, extras: MessageExtras) -> MsgId {
        message.set(RENDEZVOUS, extras.send.is_some());
        let id = self.slab.insert(message);
        if extras != MessageExtras::default() || (id.0 as usize) < self.extras.len() {
            self.set_extras(id, extras);
        }
        id
    }

    #[inline]
    pub(crate) fn extras(&self, id: MsgId) -> MessageExtras {
        self.extras.get(id.0 as usize).copied().unwrap_or_default()
    }

    pub(crate) fn set_extras(&mut self, id: MsgId, extras: MessageExtras) {
        let known = self.extras.len().max(id.0 as usize + 1);
        self.extras.resize(known, MessageExtras::default());
        self.extras[id.0 as usize] = extras;
    }

    #[inline]
    pub fn scale(&self, id: MsgId) -> CostFactor {
        if self[id].channel.is_user() { CostFactor::NONE } else { self.extras(id).scale }
    }

    /// Sender and number, which tell those of one time apart.
    pub fn sender(&self, id: MsgId) -> (TaskId, u32) {
        (self[id].channel.from, self[id].order)
    }
}

impl Deref for Messages {
    type Target = Slab<MsgId, Message>;
    #[inline]
    fn deref(&self) -> &Slab<MsgId, Message> {
        &self.slab
    }
}

impl DerefMut for Messages {
    #[inline]
    fn deref_mut(&mut self) -> &mut Slab<MsgId, Message> {
        &mut self.slab
    }
}

impl QueueItems for Messages {
    type Id = MsgId;

    #[inline]
    fn source(&self, item: MsgId) -> ChannelSource {
        self[item].channel.source()
    }

    #[inline]
    fn next(&self, item: MsgId) -> u32 {
        if self[item].is(BOUND) { NONE } else { self[item].link }
    }

    #[inline]
    fn link(&mut self, item: MsgId, next: u32) {
        self[item].link = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_activity::CommId;

    #[test]
    fn a_message_is_a_line_of_the_cache_and_what_few_have_is_kept() {
        assert_eq!(size_of::<Message>(), 64);
        let mut messages = Messages::default();
        let message =
            Message::new(Channel::internal(TaskId(0), TaskId(1), CommId(0), 0), 8, Picoseconds(1), Picoseconds(2));
        let ids: Vec<MsgId> = (0..3).map(|_| messages.insert(message, MessageExtras::default())).collect();
        assert!(messages.extras.is_empty());
        let delayed = MessageExtras { delay: Picoseconds(7), ..MessageExtras::default() };
        messages.release(ids[1]);
        let again = messages.insert(message, delayed);
        let of_all: Vec<MessageExtras> = ids.iter().map(|&id| messages.extras(id)).collect();
        assert_eq!((again, of_all), (ids[1], vec![MessageExtras::default(), delayed, MessageExtras::default()]));
        messages.release(again);
        assert_eq!(messages.insert(message, MessageExtras::default()), again);
        assert_eq!(messages.extras(again), MessageExtras::default());
    }
}
