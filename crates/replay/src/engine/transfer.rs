//! The way of a message: protocol, ports, and its meeting with a receive.

use super::Engine;
use crate::codes;
use crate::events::queue::EventKind;
use crate::ids::{MsgId, NodeId, OpId};
use crate::matching::channel::Channel;
use crate::matching::completion::numbered;
use crate::matching::message::{Message, MessageExtras};
use crate::matching::operation::{Completion, Owner, PendingOp};
use crate::matching::queues::QueueSide;
use crate::matching::requests::WaitItem;
use crate::memory::call_site::CallSite;
use crate::network::cost::{Distance, MessageCost};
use crate::network::origins::Origin;
use crate::result::MessageTime;
use chronos_activity::{Arrival, Feed, MessageId, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::units::{Bytes, Picoseconds};

impl<F: Feed> Engine<'_, '_, F> {
    #[inline]
    pub fn cost(&mut self, from: TaskId, to: TaskId, bytes: u64) -> MessageCost {
        // Of most networks the size decides alone: every message would pay for asking the others.
        if self.costs_by_size {
            let distance = self.distance(from, to);
            return *self.costs.message(bytes, distance);
        }
        let cost = self.cost_by_nodes(from, to, bytes);
        match self.options.faster {
            Some(faster) if faster.are_between(from, to) => cost.reduced(faster.left),
            _ => cost,
        }
    }

    /// The cost of a message of a call, which may be one whose messages take less time.
    pub(crate) fn of_call(&self, site: CallSite, cost: MessageCost) -> MessageCost {
        match self.options.faster {
            Some(faster) if faster.are_of(|| site.get().map(|site| site.block)) => cost.reduced(faster.left),
            _ => cost,
        }
    }

    fn cost_by_nodes(&mut self, from: TaskId, to: TaskId, bytes: u64) -> MessageCost {
        let nodes = (self.nodes[from].0, self.nodes[to].0);
        match self.distance(from, to) {
            Distance::Network => {
                let cost = self.costs.between(bytes, nodes.0, nodes.1);
                self.options.links.map_or(cost, |links| cost.over(links, nodes.0, nodes.1))
            }
            distance => *self.costs.message(bytes, distance),
        }
    }

    #[inline]
    fn distance(&self, from: TaskId, to: TaskId) -> Distance {
        if self.nodes[from] != self.nodes[to] {
            return Distance::Network;
        }
        let socket = |task: TaskId| self.options.placement.sockets.get(task.0 as usize).copied().unwrap_or(0);
        if socket(from) == socket(to) { Distance::Socket } else { Distance::Node }
    }

    /// What a message costs that is under way.
    #[inline]
    pub(crate) fn cost_of(&mut self, id: MsgId) -> MessageCost {
        let &Message { channel, bytes, .. } = &self.messages[id];
        let mut cost = self.cost(channel.from, channel.to, bytes);
        if self.costs_by_size && channel.is_user() {
            return cost;
        }
        if !channel.is_user() {
            cost = self.messages.scale(id).of(cost);
        }
        // Extras are far away, and seldom asked for.
        if self.options.faster.is_some() {
            cost = self.of_call(self.messages.extras(id).site, cost);
        }
        cost
    }

    /// Hands a message to the network at `message.left`.
    #[inline]
    pub fn launch(&mut self, mut message: Message, mut extras: MessageExtras, cost: &MessageCost) {
        let sender = &mut self.tasks[message.channel.from];
        // Ties of arrival at one port are broken by sender and number, so that a replay is the same in every run.
        message.order = sender.launched;
        sender.launched = sender.launched.wrapping_add(1);
        // On a topology, links and not ports decide; within a node there are none of both.
        if cost.ports && self.flows.is_some() {
            return self.launch_flow(message, extras);
        }
        let origin = self.origin_at_launch(&message, extras.send.is_some(), cost);
        let alone = self.depart(&message, &mut extras, cost);
        // Non-overtaking (MPI 4.1, sec. 3.5); rounds of collective operations have one message per channel.
        let head = if message.channel.is_user() { self.in_order(&message, alone) } else { alone };
        let origin =
            if message.channel.is_user() { self.origin_in_order(&message, origin, head > alone) } else { origin };
        let to = message.channel.to;
        if extras.send.is_some() && cost.ports {
            // What the steps of collective operations cost may differ when the answer comes.
            let soonest = if message.channel.is_user() { head + cost.grant } else { Picoseconds::ZERO };
            self.port_mut(message.channel.from).request(soonest);
        }
        let id = self.messages.insert(message, extras);
        self.set_origin(id, origin);
        // Without a port there is no later event that could match it; inside a collective its receive may wait already.
        if !cost.ports || !message.channel.is_user() {
            self.offer(id);
        }
        if cost.ports {
            let port = self.nodes[to];
            self.queue.push_head(head, port, &message, id);
        } else {
            self.arrived(id, head, cost);
        }
    }

    /// The same where links are shared: when it arrives will be seen.
    fn launch_flow(&mut self, message: Message, extras: MessageExtras) {
        if message.channel.is_user() {
            self.count_traffic(message.channel.from, message.channel.to, message.bytes);
        }
        let (to, left) = (message.channel.to, message.left);
        let id = self.messages.insert(message, extras);
        self.set_origin(id, Origin { task: message.channel.from, left });
        self.offer(id);
        self.queue.push(left, EventKind::Enter, to.0, id.0);
    }

    /// When the message, or its request, is at the receiver's port.
    #[inline]
    fn depart(&mut self, message: &Message, extras: &mut MessageExtras, cost: &MessageCost) -> Picoseconds {
        // Rendezvous: only the request (RTS) leaves now. It is small and does not occupy the port.
        if extras.send.is_some() {
            return message.left + cost.request;
        }
        // Shared memory: LogGP without gaps, L + nG after the overhead.
        if !cost.ports {
            return message.left + cost.head + cost.transfer;
        }
        self.leave_port(message, extras, message.left, cost) + cost.head
    }

    /// When the message begins to leave the port of its sender.
    #[inline]
    fn leave_port(
        &mut self,
        message: &Message,
        extras: &mut MessageExtras,
        ready: Picoseconds,
        cost: &MessageCost,
    ) -> Picoseconds {
        let from = message.channel.from;
        let start = ready.max(self.ports[self.port_of(from, cost)].out_free);
        if cost.two_way > Picoseconds::ZERO {
            let to = self.nodes[message.channel.to];
            extras.delay = self.held_up(self.nodes[from], to, start, cost);
        }
        self.occupy_port(from, ready, cost)
    }

    /// Takes the port of a task for something that is ready to leave; when it begins to.
    #[inline]
    pub(crate) fn occupy_port(&mut self, from: TaskId, ready: Picoseconds, cost: &MessageCost) -> Picoseconds {
        let port = self.port_of(from, cost);
        let port = &mut self.ports[port];
        let start = ready.max(port.out_free);
        // The port is free for the next message after max(g, nG): the gap of LogGP. One that is held up by another direction leaves
        // the line idle, which others of the node use. So n messages of t in both directions at once take n t + t, as measured.
        port.out_free = start + cost.occupancy;
        start
    }

    #[inline]
    pub(crate) fn port_of(&self, task: TaskId, cost: &MessageCost) -> NodeId {
        if cost.medium { NodeId(0) } else { self.nodes[task] }
    }

    /// How much longer a message takes because of one that goes the other way, as long as both are under way. The one
    /// that began first is not held up: both are through when the second one is.
    fn held_up(&mut self, from: NodeId, to: NodeId, start: Picoseconds, cost: &MessageCost) -> Picoseconds {
        let opposite = self.under_way.get(&(to, from)).copied().unwrap_or_default();
        // The surplus is that of full overlap; a part of it for a part of the transfer.
        let overlap = (opposite - start).min(cost.transfer);
        let part = u128::from(cost.two_way.0) * u128::from(overlap.0) / u128::from(cost.transfer.0.max(1));
        let delay = Picoseconds(u64::try_from(part).unwrap_or(u64::MAX));
        self.under_way.insert((from, to), start + cost.transfer + delay);
        delay
    }

    /// When a message is there, not before one of the same pair that was held up: they share a connection.
    #[inline]
    fn behind_held_up(&mut self, id: MsgId, at: Picoseconds, delay: Picoseconds) -> Picoseconds {
        if delay == Picoseconds::ZERO && self.held_until.is_empty() {
            return at;
        }
        let Channel { from, to, .. } = self.messages[id].channel;
        let at = at.max(self.held_until.get(&(from, to)).copied().unwrap_or_default());
        if delay > Picoseconds::ZERO {
            self.held_until.insert((from, to), at);
        }
        at
    }

    /// Messages of one pair do not overtake each other.
    #[inline]
    fn in_order(&mut self, message: &Message, head: Picoseconds) -> Picoseconds {
        let Channel { from, to, .. } = message.channel;
        self.sent_traffic.in_order(&mut self.tasks[from].sent_traffic, from.0, to.0, message.bytes, head)
    }

    /// Finds the receive for a new message, or lets it wait.
    #[inline]
    fn offer(&mut self, id: MsgId) {
        let channel = self.messages[id].channel;
        let matching_queues = &self.tasks[channel.to].matching_queues;
        if matching_queues.lazy_receives > 0 && channel.is_user() && self.claim(id) {
            return;
        }
        let matching_queues = &self.tasks[channel.to].matching_queues;
        let open = !channel.is_user() || !matching_queues.observes_arrivals;
        let first = || matching_queues.head(QueueSide::Unexpected, channel, &self.messages).is_none();
        // While arrivals decide (wildcards wait, or an earlier message of the channel does), the match is made at the arrival.
        let may = open || (matching_queues.wildcards == 0 && first());
        let op = if may { self.take_posted(channel) } else { None };
        match op {
            Some(op) => self.bind(id, op),
            None => self.tasks[channel.to].matching_queues.append(QueueSide::Unexpected, id, &mut self.messages),
        }
    }

    #[inline]
    pub(crate) fn take_posted(&mut self, channel: Channel) -> Option<OpId> {
        self.tasks[channel.to].matching_queues.pop(QueueSide::Posted, channel, &mut self.ops)
    }

    #[inline]
    pub(crate) fn take_unexpected(&mut self, channel: Channel) -> Option<MsgId> {
        let id = self.tasks[channel.to].matching_queues.pop(QueueSide::Unexpected, channel, &mut self.messages)?;
        self.unlist(id);
        Some(id)
    }

    /// Posts a receive; it may be complete at once.
    #[inline]
    pub fn post(&mut self, mut op: PendingOp, site: CallSite) -> OpId {
        self.receives += 1;
        let channel = op.channel;
        let Some(open) = op.open() else { return self.ops.insert(op, site) };
        op.set_number(self.receives);
        let posted = open.posted;
        let id = self.ops.insert(op, site);
        match self.find_message(channel, posted) {
            Some(message) => self.bind(message, id),
            None => self.wait_for_message(id, channel),
        }
        id
    }

    pub(crate) fn wait_for_message(&mut self, id: OpId, channel: Channel) {
        let matching_queues = &mut self.tasks[channel.to].matching_queues;
        if channel.is_wild() {
            matching_queues.wildcards += 1;
        }
        matching_queues.append(QueueSide::Posted, id, &mut self.ops);
    }

    #[inline]
    fn find_message(&mut self, channel: Channel, posted: Picoseconds) -> Option<MsgId> {
        if channel.is_wild() {
            self.observe_arrivals(channel.to, posted);
            let found = self.arrived_message(channel, posted)?;
            return self.take_unexpected(self.messages[found].channel);
        }
        let matching_queues = &self.tasks[channel.to].matching_queues;
        if channel.is_user() && matching_queues.observes_arrivals {
            let head = matching_queues.head(QueueSide::Unexpected, channel, &self.messages)?;
            // A wildcard posted earlier may still take this message, unless it has arrived before.
            let there = self.messages[head].arrival().is_some_and(|at| at <= posted);
            let earlier = matching_queues.head(QueueSide::Posted, channel, &self.ops).is_some();
            if earlier || (matching_queues.wildcards > 0 && !there) {
                return None;
            }
        }
        self.take_unexpected(channel)
    }

    /// The first frame is at the receiver's port.
    pub fn head(&mut self, id: MsgId, time: Picoseconds) {
        let cost = self.cost_of(id);
        // Not before, so that sending touches nothing of the receiver; messages of a pair come in the order of sending.
        if self.messages[id].recv().is_none() && self.messages[id].channel.is_user() {
            self.offer(id);
        }
        let message = &self.messages[id];
        let port = &mut self.ports[self.nodes[message.channel.to]].in_free;
        // What comes over a shared medium has waited for it at the sender.
        let begin = if cost.medium { time } else { time.max(*port) };
        let is_busy = begin > time;
        let is_granted = message.is_granted();
        let delay = if cost.two_way > Picoseconds::ZERO { self.messages.extras(id).delay } else { Picoseconds::ZERO };
        // A request waits for the port as any frame does, and takes none of its time.
        if message.is_rendezvous() && !is_granted {
            self.note_entry(id, is_busy, false);
            return self.arrived(id, begin, &cost);
        }
        // The receiving port is kept for max(g, nG); the message is there after nG, or later if it was held up.
        *port = begin + cost.occupancy;
        let at = self.behind_held_up(id, begin + cost.transfer + delay, delay);
        // What comes over a shared medium keeps no port of its receiver.
        self.note_entry(id, is_busy, !cost.medium);
        if is_granted { self.deliver(id, at, &cost) } else { self.arrived(id, at, &cost) }
    }

    /// A rendezvous may send its data.
    pub fn data(&mut self, id: MsgId, time: Picoseconds) {
        if self.flows.is_some() {
            self.messages[id].grant(time);
            return self.enter_connection(id, time);
        }
        let cost = self.cost_of(id);
        let (message, mut extras) = (self.messages[id], self.messages.extras(id));
        let origin = self.origins.as_ref().map_or_else(Origin::default, |origins| origins.message(id));
        let origin = self.origin_through_port(&message, time, origin, &cost);
        self.set_origin(id, origin);
        // The data take the port when the grant has come, behind what left in the meantime.
        let start = self.leave_port(&message, &mut extras, time, &cost);
        self.messages.set_extras(id, extras);
        self.port_mut(message.channel.from).answer();
        self.messages[id].grant(start);
        let port = self.nodes[message.channel.to];
        self.queue.push_head(start + cost.head, port, &message, id);
        // A synchronous send is complete when its last byte has left: the buffer can be used again.
        self.complete_send(id, start + cost.transfer + extras.delay);
    }

    pub(crate) fn complete_send(&mut self, id: MsgId, at: Picoseconds) {
        let Some(recv) = self.messages[id].recv().map(|recv| &self.ops[recv]) else { return };
        let Some(open) = recv.open() else { return };
        let completion =
            Completion { at, overhead: Picoseconds::ZERO, partner: open.partner, from: recv.task(), left: open.posted };
        if let Some(send) = self.messages.extras(id).send {
            self.note_completion_of(send, id, &completion);
            self.complete(send, completion);
        }
    }

    /// The message's (or its request's) arrival is known.
    #[inline]
    pub fn arrived(&mut self, id: MsgId, at: Picoseconds, cost: &MessageCost) {
        self.messages[id].arrive(at);
        if self.messages[id].recv().is_some() {
            return self.meet(id, cost);
        }
        if self.messages[id].claimed().is_some() {
            return self.receive_claimed(id, cost);
        }
        let channel = self.messages[id].channel;
        if channel.is_user() && self.tasks[channel.to].matching_queues.observes_arrivals {
            self.list(id);
            self.queue.push_arrival(at, &self.messages[id], id);
        }
    }

    /// Message and receive belong together.
    pub fn bind(&mut self, id: MsgId, op: OpId) {
        let message = &mut self.messages[id];
        message.bind(op);
        let receive = &mut self.ops[op];
        let (room, has_arrived) = (receive.bytes(), message.arrival().is_some());
        receive.get(message.channel, message.bytes, message.sequence);
        self.other_sizes |= message.bytes != room && message.channel.is_user();
        if message.bytes > room {
            self.truncated(id, room, op);
        }
        if has_arrived {
            let cost = self.cost_of(id);
            self.meet(id, &cost);
        }
    }

    /// The message that a receive got.
    pub fn arrival(&self, item: u32) -> Option<Arrival> {
        let op = match WaitItem::of(item) {
            WaitItem::Op(op) => op,
            WaitItem::LazyReceive(_) => return None,
            WaitItem::Message(message) => return self.arrival_of(message),
        };
        let op = Some(&self.ops[op]).filter(|op| op.is_matched())?;
        let (sender, tag) = (op.channel.from, op.channel.tag);
        let request = if let Owner::Request(request) = op.owner() { Some(request) } else { None };
        let sequence = numbered(self.tasks[sender].sent, op.sequence());
        let message = MessageId { sender: TaskId(sender.0), sequence };
        Some(Arrival { message, tag, bytes: Bytes(op.bytes()), request })
    }

    /// Both are there: an eager message is received, a rendezvous granted.
    #[inline]
    fn meet(&mut self, id: MsgId, cost: &MessageCost) {
        let Some(arrival) = self.messages[id].arrival() else { return };
        let message = self.messages[id];
        if !message.is_rendezvous() {
            return self.deliver(id, arrival, cost);
        }
        let Some(posted) = message.recv().and_then(|recv| self.ops[recv].open()).map(|open| open.posted) else {
            return;
        };
        self.note_grant(id, arrival, posted);
        // The grant (CTS) leaves when both the request and the receive are there; no call of the receiver is needed for it.
        let grant = arrival.max(posted) + cost.grant;
        if cost.ports {
            return self.queue.push_data(grant, &message, id);
        }
        let at = grant + cost.head + cost.transfer;
        self.complete_send(id, at);
        self.deliver(id, at, cost);
    }

    #[inline]
    pub fn deliver(&mut self, id: MsgId, at: Picoseconds, cost: &MessageCost) {
        let message = self.messages[id];
        let Some(receive) = message.recv() else { return };
        let listed = self.log.len() < self.options.messages;
        if message.channel.is_user() && listed && self.shows_message(message.channel) {
            self.log_message(id, receive, at, cost);
        }
        let from = message.channel.from;
        let completion =
            Completion { at, overhead: cost.recv_overhead, partner: message.partner, from, left: message.left };
        self.note_completion_of(receive, id, &completion);
        self.messages[id].set_listed(false);
        self.messages.release(id);
        self.complete(receive, completion);
    }

    fn log_message(&mut self, id: MsgId, op: OpId, at: Picoseconds, cost: &MessageCost) {
        let (message, receive) = (&self.messages[id], &self.ops[op]);
        let posted = receive.open().map_or(at, |open| open.posted);
        self.log.push(MessageTime {
            from: message.channel.from,
            to: message.channel.to,
            tag: message.channel.tag,
            bytes: Bytes(message.bytes),
            sent: message.left,
            received: at.max(posted) + cost.recv_overhead,
            send_site: self.messages.extras(id).site.get(),
            recv_site: self.ops.site(op).get(),
        });
    }

    fn truncated(&mut self, id: MsgId, room: u64, op: OpId) {
        let Message { channel: Channel { from, to, tag, .. }, bytes, .. } = self.messages[id];
        let text = format!(
            "task {to} receives a message of {bytes} bytes from task {from} (tag {tag}) into room for {room}",
            from = from.0,
            to = to.0
        );
        let fault =
            Diagnostic::error(&codes::TRUNCATION, text).help("make the receive at least as large as the message");
        let fault = self.at_site(fault, self.ops.site(op).get(), "received here");
        let fault = self.at_site(fault, self.messages.extras(id).site.get(), "sent here");
        self.report_once(fault);
    }
}
