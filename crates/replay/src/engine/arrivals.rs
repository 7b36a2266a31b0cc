//! Tasks that look at what arrives: wildcards, probes and polls take what came first.
//!
//! From the first of them on, arrivals at a task are events of their own, and its unmatched messages stand in a list
//! by arrival.
use super::Engine;
use crate::ids::MsgId;
use crate::matching::channel::Channel;
use crate::matching::operation::OpKind;
use crate::matching::queues::QueueSide;
use crate::matching::requests::WaitItem;
use crate::result::Part;
use chronos_activity::{Feed, Outcome, RequestId, TaskId};
use chronos_base::units::Picoseconds;

impl<F: Feed> Engine<'_, '_, F> {
    /// The unmatched message that has arrived first and fits, of a task that watches.
    pub(crate) fn arrived_message(&self, pattern: Channel, now: Picoseconds) -> Option<MsgId> {
        let arrived = self.tasks[pattern.to].extras()?.arrived.iter().copied();
        arrived
            .take_while(|&id| self.messages[id].arrival().is_some_and(|at| at <= now))
            .find(|&id| pattern.accepts(self.messages[id].channel))
    }

    /// From now on, arrivals at this task are events of their own.
    pub(crate) fn observe_arrivals(&mut self, task: TaskId, now: Picoseconds) {
        if std::mem::replace(&mut self.tasks[task].matching_queues.observes_arrivals, true) {
            return;
        }
        for id in self.unmatched(task) {
            if let Some(at) = self.messages[id].arrival().filter(|&at| at > now) {
                self.queue.push_arrival(at, &self.messages[id], id);
            }
            self.list(id);
        }
    }

    /// Messages of users that have come to a task and wait for their receive.
    fn unmatched(&self, task: TaskId) -> Vec<MsgId> {
        let waiting = self.tasks[task].matching_queues.items(QueueSide::Unexpected, &self.messages);
        let has_come = |&id: &MsgId| self.messages[id].channel.is_user() && self.messages[id].arrival().is_some();
        waiting.into_iter().filter(has_come).collect()
    }

    /// An arrival that a wildcard, a probe or a poll may have waited for.
    pub fn arrive(&mut self, id: MsgId, time: Picoseconds) {
        let message = self.messages[id];
        if message.recv().is_some() || !message.is_listed() || message.arrival() != Some(time) {
            return;
        }
        let waiting = message.channel.patterns().into_iter().filter_map(|pattern| {
            let matching_queues = &self.tasks[message.channel.to].matching_queues;
            matching_queues.head(QueueSide::Posted, pattern, &self.ops)
        });
        // Of the receives that fit, the one posted first (MPI 4.1, sec. 3.5).
        let Some(op) = waiting.min_by_key(|&op| self.ops[op].open().map(|open| open.number)) else {
            return self.notice(message.channel, time);
        };
        let pattern = self.ops[op].channel;
        if pattern.is_wild() {
            self.tasks[pattern.to].matching_queues.wildcards -= 1;
        }
        self.take_posted(pattern);
        if let Some(first) = self.take_unexpected(message.channel) {
            self.bind(first, op);
        }
    }

    /// Takes a receive back that still waits for its message (MPI 4.0, 3.8.4: either it is cancelled or it gets its
    /// message).
    pub fn cancel(&mut self, id: TaskId, request: RequestId) -> bool {
        let call = self.costs.call;
        self.tasks[id].pass(Part::Recv, call);
        if !self.take_back(id, request) {
            self.report(id, Outcome::NotYet);
        }
        self.return_from_call(id);
        true
    }

    /// Whether a receive waits for its message; then it waits no more and is forgotten.
    fn take_back(&mut self, id: TaskId, request: RequestId) -> bool {
        let item = self.tasks[id].waiting.requests_mut().get(request);
        let Some(WaitItem::Op(op)) = item.map(WaitItem::of) else { return false };
        let is_wild = self.ops[op].channel.is_wild();
        let queues = &mut self.tasks[id].matching_queues;
        if self.ops[op].kind() != OpKind::Recv || !queues.take(QueueSide::Posted, op, &mut self.ops) {
            return false;
        }
        queues.wildcards -= u32::from(is_wild);
        self.release_item(WaitItem::Op(op).number());
        true
    }

    /// Enters a message into the list of its receiver by arrival; those of equal time by sender, and in the order of
    /// sending.
    pub fn list(&mut self, id: MsgId) {
        let place = self.place_by_arrival(id);
        let to = self.messages[id].channel.to;
        self.messages[id].set_listed(true);
        self.tasks[to].extras_mut().arrived.insert(place, id);
    }

    pub(crate) fn unlist(&mut self, id: MsgId) {
        if self.messages[id].is_listed() {
            let place = self.place_by_arrival(id);
            let to = self.messages[id].channel.to;
            self.messages[id].set_listed(false);
            self.tasks[to].extras_mut().arrived.remove(place);
        }
    }

    /// Where a message is in the list of its receiver, or would be.
    fn place_by_arrival(&self, id: MsgId) -> usize {
        let key = |id: MsgId| {
            let message = &self.messages[id];
            (message.arrival(), message.channel.from, message.order)
        };
        let extras = self.tasks[self.messages[id].channel.to].extras();
        extras.map_or(0, |extras| extras.arrived.partition_point(|&other| key(other) < key(id)))
    }
}
