//! Receives that need no record.
//!
//! What a receive with a request asks for, its feed can mostly tell again, and how it completed is what is known of
//! its message. With very many tasks, each of which has posted several receives, records of them would be as much
//! memory as all messages; so as long as a task only sends, receives without wildcards and waits for all, what is
//! kept of such a receive is its request and when it was posted, and then which message it got, which lives until the
//! wait is over. Whatever looks at operations in another way has them recorded first, in the order in which they were
//! posted, as if they always had been.

use super::Engine;
use crate::ids::{MsgId, OpId};
use crate::matching::channel::Channel;
use crate::matching::completion::numbered;
use crate::matching::message::Message;
use crate::matching::operation::{OpKind, Owner, PendingOp};
use crate::matching::requests::{MOST, OpenRequest, WaitItem};
use crate::memory::call_site::CallSite;
use crate::network::cost::MessageCost;
use crate::task::state::Status;
use chronos_activity::{Arrival, Feed, MessageId, Receive, RequestId, TaskId};
use chronos_base::units::Bytes;

/// The channel on which a task receives it.
#[inline]
fn channel_of(receive: Receive, task: TaskId) -> Channel {
    Channel::user(task, Some(receive.from), receive.comm, Some(receive.tag))
}

impl<F: Feed> Engine<'_, '_, F> {
    /// Posts a receive without a record, where none is needed; whether it is posted.
    #[inline]
    pub(crate) fn post_lazily(&mut self, id: TaskId, channel: Channel, bytes: Bytes, request: RequestId) -> bool {
        let Some(receive) = self.feed.pending_receive(id, request) else { return false };
        let task = &mut self.tasks[id];
        let plain = task.site.get().is_none() && task.spans().is_none() && !task.repeats;
        if !plain || !task.matching_queues.may_post_lazily() || request.0 >= MOST {
            return false;
        }
        let is_same = channel_of(receive, id) == channel && receive.bytes == bytes;
        let requests = task.waiting.requests_mut();
        if !is_same || !requests.has_room() || requests.get(request).is_some() {
            return false;
        }
        requests.post_lazily(request, task.now);
        task.matching_queues.lazy_receives += 1;
        true
    }

    /// The first receive without a record or a message that takes messages of a channel.
    #[inline]
    fn lazy_receive_for(&self, channel: Channel) -> Option<(OpenRequest, Receive)> {
        let waiting = self.tasks[channel.to].waiting.requests()?.inline();
        let waiting = waiting.iter().filter(|open| matches!(open.item(), WaitItem::LazyReceive(_)));
        let told = waiting.filter_map(|open| Some((*open, self.feed.pending_receive(channel.to, open.request())?)));
        told.into_iter().find(|&(_, receive)| channel_of(receive, channel.to) == channel)
    }

    /// A message finds its receive among those without a record; whether it does.
    #[inline]
    pub fn claim(&mut self, id: MsgId) -> bool {
        let Message { channel, bytes, .. } = self.messages[id];
        let Some((open, receive)) = self.lazy_receive_for(channel) else { return false };
        let is_listed = self.log.len() < self.options.messages || bytes > receive.bytes.0;
        if self.messages[id].is_rendezvous() || is_listed || id.0 >= MOST {
            let op = self.materialize(channel.to, open, receive);
            self.bind(id, op);
            return true;
        }
        self.messages[id].claim(open.request());
        let task = &mut self.tasks[channel.to];
        let is_awaited = task.waiting.resolve(open.request(), WaitItem::Message(id));
        self.messages[id].set_awaited(is_awaited && matches!(task.status, Status::All(_)));
        true
    }

    /// A message has come to its receive, which has no record.
    #[inline]
    pub(crate) fn receive_claimed(&mut self, id: MsgId, cost: &MessageCost) {
        let Ok(overhead) = u32::try_from(cost.recv_overhead.0) else { return self.materialize_claimed(id) };
        let message = &mut self.messages[id];
        message.receive(overhead);
        let (to, is_awaited) = (message.channel.to, message.is_awaited());
        let (from, left) = (message.channel.from, message.left);
        self.note_completion(to, id, from, left);
        let task = &mut self.tasks[to];
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
    pub fn arrival_of(&self, message: MsgId) -> Option<Arrival> {
        let Message { channel, bytes, sequence, .. } = self.messages[message];
        let sequence = numbered(self.tasks[channel.from].sent, sequence);
        let id = MessageId { sender: channel.from, sequence };
        let request = self.messages[message].claimed();
        Some(Arrival { message: id, tag: channel.tag, bytes: Bytes(bytes), request })
    }

    /// The task has waited for it.
    #[inline]
    pub(crate) fn release_claimed(&mut self, id: MsgId) {
        self.forget_item(self.messages[id].channel.to, WaitItem::Message(id).number());
        let message = &self.messages[id];
        let task = &mut self.tasks[message.channel.to];
        if let Some(request) = message.claimed() {
            task.waiting.requests_mut().remove(request);
            task.matching_queues.lazy_receives -= 1;
        }
        self.messages.release(id);
    }

    /// From now on the task's receives have records.
    #[inline]
    pub(crate) fn materialize_lazy_receives(&mut self, id: TaskId) {
        if self.tasks[id].matching_queues.lazy_receives > 0 {
            self.materialize_all(id);
        }
    }

    #[cold]
    fn materialize_all(&mut self, id: TaskId) {
        let all = self.tasks[id].waiting.requests().map_or_else(Vec::new, |requests| requests.inline().to_vec());
        for open in all {
            let Some(receive) = self.feed.pending_receive(id, open.request()) else { continue };
            match open.item() {
                WaitItem::Op(_) => {}
                WaitItem::LazyReceive(_) => {
                    let op = self.materialize(id, open, receive);
                    self.wait_for_message(op, channel_of(receive, id));
                }
                WaitItem::Message(message) => {
                    let op = self.materialize(id, open, receive);
                    self.bind_claimed(message, op);
                }
            }
        }
    }

    /// A receive has a record from now on.
    fn materialize(&mut self, id: TaskId, open: OpenRequest, receive: Receive) -> OpId {
        self.receives += 1;
        let owner = Owner::Request(open.request());
        let mut op = PendingOp::new(owner, OpKind::Recv, channel_of(receive, id), receive.bytes.0, open.posted);
        op.set_number(self.receives);
        let op = self.ops.insert(op, CallSite::default());
        let task = &mut self.tasks[id];
        let is_awaited = task.waiting.resolve(open.request(), WaitItem::Op(op));
        self.ops[op].set_awaited(is_awaited && matches!(task.status, Status::All(_)));
        task.matching_queues.lazy_receives -= 1;
        op
    }

    /// A message that had found a receive without a record is for one that has one.
    fn bind_claimed(&mut self, message: MsgId, op: OpId) {
        let Some(completion) = self.messages[message].received() else {
            self.messages[message].release_claim();
            return self.bind(message, op);
        };
        let Message { channel, bytes, sequence, .. } = self.messages[message];
        self.ops[op].get(channel, bytes, sequence);
        self.ops[op].end(completion);
        self.messages.release(message);
    }

    /// A message has come whose receive takes longer than it has room for.
    #[cold]
    fn materialize_claimed(&mut self, message: MsgId) {
        let to = self.messages[message].channel.to;
        let requests = self.tasks[to].waiting.requests();
        let claims = |open: &&OpenRequest| open.item() == WaitItem::Message(message);
        let Some(open) = requests.and_then(|requests| requests.inline().iter().find(claims)).copied() else { return };
        let Some(receive) = self.feed.pending_receive(TaskId(to.0), open.request()) else { return };
        let op = self.materialize(to, open, receive);
        self.bind_claimed(message, op);
    }
}
