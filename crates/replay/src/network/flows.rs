//! Messages that share the links of a topology: each is a flow over all links of its route at once (a fluid model),
//! whose rate changes whenever another one begins or ends.
//!
//! Of two tasks, messages in one direction follow one another: a connection keeps their order. The size of a flow is
//! the time for which it would keep a port; it is through when that is used up, and has arrived after the latency.

use super::fair_share::{FlowDemand, progressive_filling};
use crate::ids::MsgId;
use crate::memory::slab::NONE;
use chronos_activity::TaskId;
use chronos_base::hash::FxHashMap;
use chronos_base::units::Picoseconds;
use chronos_machine::topology::{Contention, FULL, Links};
use std::collections::{BTreeSet, VecDeque};

/// All flows under way.
#[derive(Debug)]
pub struct Flows<'a> {
    pub links: &'a Links,
    pub flows: Vec<Flow>,
    free: Vec<u32>,
    /// Flows over each channel, in order of entry.
    flows_of_link: Vec<Vec<u32>>,
    /// Messages of each pair of tasks.
    pub(crate) connections: FxHashMap<(TaskId, TaskId), Connection>,
    /// Channels whose flows have changed since rates were shared out.
    changed: BTreeSet<u32>,
    /// Rates are to be shared out at this time.
    pub due: Option<Picoseconds>,
}

#[derive(Debug)]
pub struct Flow {
    message: MsgId,
    route: Vec<u32>,
    /// Time that is left at the rate of a port, in parts of a picosecond of which a rate uses a whole number in each: nothing
    /// is lost, however often rates change.
    left: u128,
    rate: u64,
    /// When `left` was what it is.
    since: Picoseconds,
    /// Rises whenever the end changes, and with every use of the entry.
    pub epoch: u32,
    pub active: bool,
}

/// Messages of a pair that wait for the one before them.
#[derive(Debug, Default)]
pub(crate) struct Connection {
    pub waiting: VecDeque<MsgId>,
    pub busy: bool,
    /// Latest arrival.
    pub latest: Picoseconds,
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
            connections: FxHashMap::default(),
            changed: BTreeSet::new(),
            due: None,
        }))
    }

    pub fn begin(&mut self, message: MsgId, route: Vec<u32>, left: Picoseconds, now: Picoseconds) {
        let id = self.free.pop().unwrap_or_else(|| {
            self.flows.push(Flow::default());
            (self.flows.len() - 1) as u32
        });
        for &channel in &route {
            self.flows_of_link[channel as usize].push(id);
            self.changed.insert(channel);
        }
        let epoch = self.flows[id as usize].epoch.wrapping_add(1);
        self.flows[id as usize] = Flow {
            message,
            route,
            left: u128::from(left.0) * u128::from(FULL),
            rate: 0,
            since: now,
            epoch,
            active: true,
        };
    }

    /// Takes a flow out; its message.
    pub fn end(&mut self, id: u32) -> MsgId {
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
    pub(crate) fn share_out(&mut self, now: Picoseconds) -> Vec<(u32, u32, Picoseconds)> {
        self.due = None;
        let connected_flows = self.connected_flows();
        let flows = &self.flows;
        let demand = |&id: &u32| FlowDemand { route: &flows[id as usize].route, rate: 0 };
        let mut demands: Vec<FlowDemand<'_>> = connected_flows.iter().map(demand).collect();
        progressive_filling(&mut demands, |channel| self.links.capacity(channel));
        let rates: Vec<u64> = demands.iter().map(|demand| demand.rate).collect();
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
        let (message, since) = (MsgId(NONE), Picoseconds::ZERO);
        Self { message, route: Vec::new(), left: 0, rate: 0, since, epoch: 0, active: false }
    }
}

impl Flow {
    /// Uses up what passed at the old rate and goes on at a new one.
    pub fn advance(&mut self, now: Picoseconds, rate: u64) {
        let passed = u128::from((now - self.since).0) * u128::from(self.rate);
        self.left = self.left.saturating_sub(passed);
        (self.since, self.rate, self.epoch) = (now, rate, self.epoch.wrapping_add(1));
    }

    fn remaining(&self) -> Picoseconds {
        let time = self.left.div_ceil(u128::from(self.rate.max(1)));
        Picoseconds(u64::try_from(time).unwrap_or(u64::MAX))
    }
}
