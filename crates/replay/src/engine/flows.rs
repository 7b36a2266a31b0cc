//! Messages that share the links of a topology, as flows begin and end.

use super::Engine;
use crate::events::queue::EventKind;
use crate::ids::MsgId;
use crate::network::origins::Origin;
use chronos_activity::{Feed, TaskId};
use chronos_base::units::Picoseconds;

impl<F: Feed> Engine<'_, '_, F> {
    /// A message, or its request, comes to the network.
    pub(crate) fn enter_connection(&mut self, id: MsgId, now: Picoseconds) {
        let channel = self.messages[id].channel;
        let Some(flows) = &mut self.flows else { return };
        let connection = flows.connections.entry((channel.from, channel.to)).or_default();
        connection.waiting.push_back(id);
        if !connection.busy {
            self.next_of_connection((channel.from, channel.to), now);
        }
    }

    /// Requests go at once; the first message behind them becomes a flow.
    fn next_of_connection(&mut self, pair: (TaskId, TaskId), now: Picoseconds) {
        loop {
            let Some(connection) = self.flows.as_mut().and_then(|flows| flows.connections.get_mut(&pair)) else {
                return;
            };
            connection.busy = false;
            let Some(id) = connection.waiting.pop_front() else { return };
            let cost = self.cost_of(id);
            let message = self.messages[id];
            let own = self.origins.as_ref().map_or_else(Origin::default, |origins| origins.message(id));
            let origin = self.origin_in_order(&message, own, now > message.left);
            self.set_origin(id, origin);
            // A request is too small to share a link with anything.
            if message.is_rendezvous() && !message.is_granted() {
                let at = self.keep_order(pair, now + cost.request);
                self.arrived(id, at, &cost);
                continue;
            }
            let nodes = (self.nodes[pair.0], self.nodes[pair.1]);
            let Some(flows) = &mut self.flows else { return };
            let route = flows.links.route(nodes.0.0, nodes.1.0);
            flows.begin(id, route, cost.occupancy, now);
            if let Some(connection) = flows.connections.get_mut(&pair) {
                connection.busy = true;
            }
            return self.share_later(now);
        }
    }

    /// Once for all that begins and ends at one time.
    fn share_later(&mut self, now: Picoseconds) {
        let Some(flows) = &mut self.flows else { return };
        if flows.due != Some(now) {
            flows.due = Some(now);
            self.queue.push(now, EventKind::Share, 0, 0);
        }
    }

    /// Rates are shared out anew.
    pub(crate) fn share_links(&mut self, now: Picoseconds) {
        let Some(flows) = &mut self.flows else { return };
        if flows.due != Some(now) {
            return;
        }
        for (id, epoch, end) in flows.share_out(now) {
            self.queue.push(end, EventKind::Through, epoch, id);
        }
    }

    /// A flow is through, unless its rate has changed since that was expected.
    pub fn through(&mut self, id: u32, epoch: u32, now: Picoseconds) {
        let Some(flows) = &mut self.flows else { return };
        if !flows.flows.get(id as usize).is_some_and(|flow| flow.active && flow.epoch == epoch) {
            return;
        }
        let message_id = flows.end(id);
        self.share_later(now);
        let message = self.messages[message_id];
        let pair = (message.channel.from, message.channel.to);
        let cost = self.cost_of(message_id);
        // The gap keeps the links, not the message: it has left before the flow ends.
        let sent = now - (cost.occupancy - cost.transfer);
        let at = self.keep_order(pair, sent + cost.head);
        if message.is_granted() {
            self.complete_send(message_id, sent);
            self.deliver(message_id, at, &cost);
        } else {
            self.arrived(message_id, at, &cost);
        }
        self.next_of_connection(pair, now);
    }

    /// Messages of one pair do not overtake each other.
    fn keep_order(&mut self, pair: (TaskId, TaskId), at: Picoseconds) -> Picoseconds {
        let Some(connection) = self.flows.as_mut().and_then(|flows| flows.connections.get_mut(&pair)) else {
            return at;
        };
        connection.latest = at.max(connection.latest + Picoseconds(1));
        connection.latest
    }
}
