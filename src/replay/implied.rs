//! Receives that need no record.
//!
//! What a receive with a request asks for, its feed can mostly tell again, and how it completed is what is known of its message.
//! With very many tasks, each of which has posted several receives, records of them would be as much memory as all messages;
//! so as long as a task only sends, receives without wildcards and waits for all, what is kept of such a receive is its request
//! and when it was posted, and then which message it got, which lives until the wait is over. Whatever looks at operations in
//! another way has them recorded first, in the order in which they were posted, as if they always had been.

use super::engine::Engine;
use super::matching::Channel;
use super::message::{Message, Messages};
use super::places::Called;
use super::price::MessageCost;
use super::requests::{Item, MOST, Open};
use super::state::{Done, Op, OpKind, Ops, Owner, Status};
use super::waits::numbered;
use crate::activity::{Arrival, Feed, MessageId, Receive, RequestId, TaskId};
use crate::units::Bytes;

/// How something that a task waits for completed, if it did.
#[inline]
pub(super) fn done(ops: &Ops, messages: &Messages, item: u32) -> Option<Done> {
    match Item::of(item) {
        Item::Op(op) => ops[op].done(),
        Item::Message(message) => messages[message].received(),
        Item::Implied(_) => None,
    }
}

impl Receive {
    #[inline]
    fn channel(self, task: u32) -> Channel {
        Channel::user(task, Some(self.from), self.comm, Some(self.tag))
    }
}

impl<F: Feed> Engine<'_, '_, F> {
    /// Posts a receive without a record, where none is needed; whether it is posted.
    #[inline]
    pub fn imply(&mut self, id: u32, channel: Channel, bytes: Bytes, request: RequestId) -> bool {
        let Some(receive) = self.feed.recall(TaskId(id), request) else { return false };
        let task = &mut self.tasks[id as usize];
        let plain = task.site.get().is_none() && task.spans().is_none() && !task.repeats;
        if !plain || !task.mailbox.may_imply() || request.0 >= MOST {
            return false;
        }
        let is_same = receive.channel(id) == channel && receive.bytes == bytes;
        let requests = task.waiting.requests_mut();
        if !is_same || !requests.has_room() || requests.get(request).is_some() {
            return false;
        }
        requests.imply(request, task.now);
        task.mailbox.implied += 1;
        true
    }

    /// The first receive without a record or a message that takes messages of a channel.
    #[inline]
    fn implied_for(&self, channel: Channel) -> Option<(Open, Receive)> {
        let waiting = self.tasks[channel.to as usize].waiting.requests()?.few();
        let waiting = waiting.iter().filter(|open| matches!(open.item(), Item::Implied(_)));
        let told = waiting.filter_map(|open| Some((*open, self.feed.recall(TaskId(channel.to), open.request())?)));
        told.into_iter().find(|(_, receive)| receive.channel(channel.to) == channel)
    }

    /// A message finds its receive among those without a record; whether it does.
    #[inline]
    pub fn claim(&mut self, id: u32) -> bool {
        let Message { channel, bytes, .. } = self.messages[id];
        let Some((open, receive)) = self.implied_for(channel) else { return false };
        let is_listed = self.log.len() < self.options.messages || bytes > receive.bytes.0;
        if self.messages[id].is_rendezvous() || is_listed || id >= MOST {
            let op = self.record(channel.to, open, receive);
            self.bind(id, op);
            return true;
        }
        self.messages[id].claim(open.request());
        let task = &mut self.tasks[channel.to as usize];
        let is_awaited = task.waiting.resolve(open.request(), Item::Message(id));
        self.messages[id].set_awaited(is_awaited && matches!(task.status, Status::All(_)));
        true
    }

    /// A message has come to its receive, which has no record.
    #[inline]
    pub fn receive_claimed(&mut self, id: u32, cost: &MessageCost) {
        let Ok(overhead) = u32::try_from(cost.recv_overhead.0) else { return self.record_claimed(id) };
        let message = &mut self.messages[id];
        message.receive(overhead);
        let (to, is_awaited) = (message.channel.to, message.is_awaited());
        let task = &mut self.tasks[to as usize];
        if let Status::All(part) = task.status
            && is_awaited
        {
            task.pending -= 1;
            if task.pending == 0 {
                self.finish_all(to, part);
                self.schedule(to);
            }
        }
    }

    /// The message that a receive without a record got.
    pub fn arrival_of(&self, message: u32) -> Option<Arrival> {
        let Message { channel, bytes, sequence, .. } = self.messages[message];
        let sequence = numbered(self.tasks[channel.from as usize].sent, sequence);
        let id = MessageId { sender: TaskId(channel.from), sequence };
        let request = self.messages[message].claimed();
        Some(Arrival { message: id, tag: channel.tag, bytes: Bytes(bytes), request })
    }

    /// The task has waited for it.
    #[inline]
    pub fn forget_claimed(&mut self, id: u32) {
        let message = &self.messages[id];
        let task = &mut self.tasks[message.channel.to as usize];
        if let Some(request) = message.claimed() {
            task.waiting.requests_mut().remove(request);
            task.mailbox.implied -= 1;
        }
        self.messages.release(id);
    }

    /// From now on the task's receives have records.
    #[inline]
    pub fn record_implied(&mut self, id: u32) {
        if self.tasks[id as usize].mailbox.implied > 0 {
            self.record_all(id);
        }
    }

    #[cold]
    fn record_all(&mut self, id: u32) {
        let all = self.tasks[id as usize].waiting.requests().map_or_else(Vec::new, |requests| requests.few().to_vec());
        for open in all {
            let Some(receive) = self.feed.recall(TaskId(id), open.request()) else { continue };
            match open.item() {
                Item::Op(_) => {}
                Item::Implied(_) => {
                    let op = self.record(id, open, receive);
                    self.wait_for_message(op, receive.channel(id));
                }
                Item::Message(message) => {
                    let op = self.record(id, open, receive);
                    self.bind_claimed(message, op);
                }
            }
        }
    }

    /// A receive has a record from now on.
    fn record(&mut self, id: u32, open: Open, receive: Receive) -> u32 {
        self.receives += 1;
        let owner = Owner::Request(open.request());
        let mut op = Op::new(owner, OpKind::Recv, receive.channel(id), receive.bytes.0, open.posted);
        op.set_number(self.receives);
        let op = self.ops.insert(op, Called::default());
        let task = &mut self.tasks[id as usize];
        let is_awaited = task.waiting.resolve(open.request(), Item::Op(op));
        self.ops[op].set_awaited(is_awaited && matches!(task.status, Status::All(_)));
        task.mailbox.implied -= 1;
        op
    }

    /// A message that had found a receive without a record is for one that has one.
    fn bind_claimed(&mut self, message: u32, op: u32) {
        let Some(done) = self.messages[message].received() else {
            self.messages[message].release_claim();
            return self.bind(message, op);
        };
        let Message { channel, bytes, sequence, .. } = self.messages[message];
        self.ops[op].get(channel, bytes, sequence);
        self.ops[op].end(done);
        self.messages.release(message);
    }

    /// A message has come whose receive takes longer than it has room for.
    #[cold]
    fn record_claimed(&mut self, message: u32) {
        let to = self.messages[message].channel.to;
        let requests = self.tasks[to as usize].waiting.requests();
        let claims = |open: &&Open| open.item() == Item::Message(message);
        let Some(open) = requests.and_then(|requests| requests.few().iter().find(claims)).copied() else { return };
        let Some(receive) = self.feed.recall(TaskId(to), open.request()) else { return };
        let op = self.record(to, open, receive);
        self.bind_claimed(message, op);
    }
}
