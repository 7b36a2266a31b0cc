//! Messages that share the links of a topology: each is a flow over all channels of its way at once, whose rate changes
//! whenever another one begins or ends.
//!
//! Of two tasks, messages in one direction follow one another: a connection keeps their order. The size of a flow is the time
//! for which it would keep a port; it is through when that is used up, and has arrived after the latency.

mod share;

use super::engine::Engine;
use super::queue::EventKind;
use super::slab::NONE;
use crate::activity::Feed;
use crate::hash::FastMap;
use crate::machine::topology::{Contention, FULL, Links};
use crate::units::Picoseconds;
use share::FlowDemand;
use std::collections::{BTreeSet, VecDeque};

/// All flows under way.
#[derive(Debug)]
pub(super) struct Flows<'a> {
    links: &'a Links,
    flows: Vec<Flow>,
    free: Vec<u32>,
    /// Flows over each channel, in order of entry.
    flows_of_link: Vec<Vec<u32>>,
    /// Messages of each pair of tasks.
    connections: FastMap<(u32, u32), Connection>,
    /// Channels whose flows have changed since rates were shared out.
    changed: BTreeSet<u32>,
    /// Rates are to be shared out at this time.
    due: Option<Picoseconds>,
}

#[derive(Debug)]
struct Flow {
    message: u32,
    route: Vec<u32>,
    /// Time that is left at the rate of a port.
    left: u64,
    rate: u32,
    /// When `left` was what it is.
    since: Picoseconds,
    /// Rises whenever the end changes, and with every use of the entry.
    epoch: u32,
    active: bool,
}

/// Messages of a pair that wait for the one before them.
#[derive(Debug, Default)]
struct Connection {
    waiting: VecDeque<u32>,
    busy: bool,
    /// Latest arrival.
    latest: Picoseconds,
}

impl<'a> Flows<'a> {
    /// `None` where messages do not share links.
    pub fn new(links: Option<&'a Links>) -> Option<Box<Self>> {
        let links = links.filter(|links| links.contention == Contention::Fair)?;
        Some(Box::new(Self {
            links,
            flows: Vec::new(),
            free: Vec::new(),
            flows_of_link: vec![Vec::new(); links.channels()],
            connections: FastMap::default(),
            changed: BTreeSet::new(),
            due: None,
        }))
    }

    fn begin(&mut self, message: u32, route: Vec<u32>, left: Picoseconds, now: Picoseconds) {
        let id = self.free.pop().unwrap_or_else(|| {
            self.flows.push(Flow::default());
            (self.flows.len() - 1) as u32
        });
        for &channel in &route {
            self.flows_of_link[channel as usize].push(id);
            self.changed.insert(channel);
        }
        let epoch = self.flows[id as usize].epoch.wrapping_add(1);
        self.flows[id as usize] = Flow { message, route, left: left.0, rate: 0, since: now, epoch, active: true };
    }

    /// Takes a flow out; its message.
    fn end(&mut self, id: u32) -> u32 {
        let flow = &mut self.flows[id as usize];
        flow.active = false;
        flow.epoch = flow.epoch.wrapping_add(1);
        let (route, message) = (std::mem::take(&mut flow.route), flow.message);
        for channel in route {
            self.flows_of_link[channel as usize].retain(|&other| other != id);
            self.changed.insert(channel);
        }
        self.free.push(id);
        message
    }

    /// Flows that the changes may concern: those that are connected by channels with the changed ones.
    fn connected_flows(&mut self) -> Vec<u32> {
        let mut channels: Vec<u32> = std::mem::take(&mut self.changed).into_iter().collect();
        let mut seen: BTreeSet<u32> = channels.iter().copied().collect();
        let mut found = BTreeSet::new();
        while let Some(channel) = channels.pop() {
            for &id in &self.flows_of_link[channel as usize] {
                if found.insert(id) {
                    channels.extend(self.flows[id as usize].route.iter().filter(|&&other| seen.insert(other)));
                }
            }
        }
        found.into_iter().collect()
    }

    /// New rates; the flows whose end has changed, with their epochs and ends.
    fn share_out(&mut self, now: Picoseconds) -> Vec<(u32, u32, Picoseconds)> {
        self.due = None;
        let connected_flows = self.connected_flows();
        let flows = &self.flows;
        let demand = |&id: &u32| FlowDemand { route: &flows[id as usize].route, rate: 0 };
        let mut demands: Vec<FlowDemand<'_>> = connected_flows.iter().map(demand).collect();
        share::progressive_filling(&mut demands, |channel| self.links.capacity(channel));
        let rates: Vec<u32> = demands.iter().map(|demand| demand.rate).collect();
        let mut ends = Vec::new();
        for (id, rate) in connected_flows.into_iter().zip(rates) {
            let flow = &mut self.flows[id as usize];
            if flow.rate != rate {
                flow.advance(now, rate);
                ends.push((id, flow.epoch, now + flow.remaining()));
            }
        }
        ends
    }
}

impl Default for Flow {
    fn default() -> Self {
        let (message, since) = (NONE, Picoseconds::ZERO);
        Self { message, route: Vec::new(), left: 0, rate: 0, since, epoch: 0, active: false }
    }
}

impl Flow {
    /// Uses up what passed at the old rate and goes on at a new one.
    fn advance(&mut self, now: Picoseconds, rate: u32) {
        let passed = u128::from((now - self.since).0) * u128::from(self.rate) / u128::from(FULL);
        self.left = self.left.saturating_sub(u64::try_from(passed).unwrap_or(u64::MAX));
        (self.since, self.rate, self.epoch) = (now, rate, self.epoch.wrapping_add(1));
    }

    fn remaining(&self) -> Picoseconds {
        let time = (u128::from(self.left) * u128::from(FULL)).div_ceil(u128::from(self.rate.max(1)));
        Picoseconds(u64::try_from(time).unwrap_or(u64::MAX))
    }
}

impl<F: Feed> Engine<'_, '_, F> {
    /// A message, or its request, comes to the network.
    pub fn enter_connection(&mut self, id: u32, now: Picoseconds) {
        let channel = self.messages[id].channel;
        let Some(flows) = &mut self.flows else { return };
        let connection = flows.connections.entry((channel.from, channel.to)).or_default();
        connection.waiting.push_back(id);
        if !connection.busy {
            self.next_of_connection((channel.from, channel.to), now);
        }
    }

    /// Requests go at once; the first message behind them becomes a flow.
    fn next_of_connection(&mut self, pair: (u32, u32), now: Picoseconds) {
        loop {
            let Some(connection) = self.flows.as_mut().and_then(|flows| flows.connections.get_mut(&pair)) else {
                return;
            };
            connection.busy = false;
            let Some(id) = connection.waiting.pop_front() else { return };
            let cost = self.cost_of(id);
            let message = self.messages[id];
            if message.is_rendezvous() && !message.is_granted() {
                let at = self.keep_order(pair, now + cost.request);
                self.arrived(id, at, &cost);
                continue;
            }
            let nodes = (self.nodes[pair.0 as usize], self.nodes[pair.1 as usize]);
            let Some(flows) = &mut self.flows else { return };
            let route = flows.links.route(nodes.0, nodes.1);
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
    pub fn share_links(&mut self, now: Picoseconds) {
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
    fn keep_order(&mut self, pair: (u32, u32), at: Picoseconds) -> Picoseconds {
        let Some(connection) = self.flows.as_mut().and_then(|flows| flows.connections.get_mut(&pair)) else {
            return at;
        };
        connection.latest = at.max(connection.latest + Picoseconds(1));
        connection.latest
    }
}
