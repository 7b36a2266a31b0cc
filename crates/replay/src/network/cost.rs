//! What a message of a given size costs, in picoseconds.

use chronos_base::units::Picoseconds;
use chronos_machine::network::{Link, Network};
use chronos_machine::topology::{Contention, Links};

/// The network's curves at one size.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MessageCost {
    pub(crate) send_overhead: Picoseconds,
    pub(crate) recv_overhead: Picoseconds,
    /// From the port of the sender until the first frame may enter the receiver's port.
    pub head: Picoseconds,
    pub transfer: Picoseconds,
    /// How long the message keeps a port from the next one.
    pub(crate) occupancy: Picoseconds,
    pub request: Picoseconds,
    pub grant: Picoseconds,
    pub eager: bool,
    pub ports: bool,
    /// All nodes share one medium.
    pub medium: bool,
    /// Longest that it may be held up by messages the other way.
    pub two_way: Picoseconds,
}

impl MessageCost {
    /// The same over the links of a topology.
    pub fn over(self, links: &Links, from: u32, to: u32) -> Self {
        let detour = links.detour(from, to);
        Self {
            head: self.head + detour,
            request: self.request + detour,
            grant: self.grant + detour,
            // Without contention the messages of a topology do not queue anywhere.
            ports: self.ports && links.contention != Contention::None,
            ..self
        }
    }
}

impl MessageCost {
    /// What is left of it where the message takes such a part of its time.
    pub fn reduced(self, left: f64) -> Self {
        let time = |time: Picoseconds| Picoseconds((time.0 as f64 * left).round() as u64);
        Self {
            send_overhead: time(self.send_overhead),
            recv_overhead: time(self.recv_overhead),
            head: time(self.head),
            transfer: time(self.transfer),
            occupancy: time(self.occupancy),
            request: time(self.request),
            grant: time(self.grant),
            two_way: time(self.two_way),
            ..self
        }
    }
}

/// How far two tasks are apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    Socket,
    Node,
    Network,
}

const CACHED_COSTS: usize = 64;

#[derive(Clone, Copy)]
struct CachedCost {
    bytes: u64,
    /// `None`: nothing was asked for yet.
    distance: Option<Distance>,
    cost: MessageCost,
}

/// Costs by size and kind of link, with a small memory: programs send few different sizes.
pub(crate) struct MessageCosts<'a> {
    network: &'a Network,
    slots: Vec<CachedCost>,
    /// Of an MPI call that moves nothing.
    pub call: Picoseconds,
    /// Of a test or probe that finds nothing.
    pub poll: Picoseconds,
}

impl<'a> MessageCosts<'a> {
    pub fn new(network: &'a Network) -> Self {
        let call = Picoseconds::from_nanoseconds(network.call_ns);
        let poll = network.poll_ns.map_or(call, Picoseconds::from_nanoseconds);
        Self {
            network,
            slots: vec![CachedCost { bytes: 0, distance: None, cost: MessageCost::default() }; CACHED_COSTS],
            call,
            poll,
        }
    }

    pub fn network(&self) -> &'a Network {
        self.network
    }

    #[inline]
    pub fn message(&mut self, bytes: u64, distance: Distance) -> &MessageCost {
        // Sizes of messages are multiples of powers of two, whose lowest bits are all the same: higher ones are folded in.
        let slot_index = (bytes ^ (bytes >> 6) ^ (bytes >> 12)) as usize % CACHED_COSTS;
        let slot = &mut self.slots[slot_index];
        if slot.bytes != bytes || slot.distance != Some(distance) {
            let link = match distance {
                Distance::Socket => self.network.within_socket.as_ref().unwrap_or(&self.network.within_node),
                Distance::Node => &self.network.within_node,
                Distance::Network => &self.network.between_nodes,
            };
            *slot = CachedCost { bytes, distance: Some(distance), cost: evaluate(link, bytes) };
        }
        &slot.cost
    }

    /// The same from one node to another one.
    pub fn between(&mut self, bytes: u64, from: u32, to: u32) -> MessageCost {
        let cost = *self.message(bytes, Distance::Network);
        match &self.network.delays {
            None => cost,
            Some(delays) => MessageCost { head: delays.message(from, to, bytes), ..cost },
        }
    }

    /// Latency and transfer of a request to the file system; free where the network says nothing of it.
    pub fn storage(&self, bytes: u64) -> (Picoseconds, Picoseconds) {
        self.network.storage.map_or_else(Default::default, |storage| storage.times(bytes))
    }

    /// Arithmetic of a reduction on one operand of so many bytes.
    pub fn reduction(&self, bytes: u64) -> Picoseconds {
        Self::reduction_on(self.network, bytes)
    }

    /// The same on any network.
    pub fn reduction_on(network: &Network, bytes: u64) -> Picoseconds {
        Picoseconds::from_nanoseconds(network.reduction_ns_per_byte * bytes as f64)
    }
}

fn evaluate(link: &Link, bytes: u64) -> MessageCost {
    let transfer = link.transfer_ns.at(bytes);
    let first_frame = link.store_and_forward_bytes.map_or(Picoseconds::ZERO, |f| link.transfer_ns.at(bytes.min(f)));
    MessageCost {
        send_overhead: link.send_overhead_ns.at(bytes),
        recv_overhead: link.recv_overhead_ns.at(bytes),
        // A switch that stores and forwards sends the first frame on when it has all of it.
        head: link.latency_ns.at(bytes) + first_frame,
        transfer,
        // Small messages are limited by their rate (g), large ones by the bandwidth (nG).
        occupancy: transfer.max(link.gap_ns.at(bytes)),
        request: Picoseconds::from_nanoseconds(link.request_ns),
        grant: Picoseconds::from_nanoseconds(link.grant_ns),
        eager: bytes <= link.eager_limit_bytes,
        ports: link.ports,
        medium: link.ports && link.shared_medium,
        two_way: link.two_way.surplus(bytes, transfer),
    }
}

/// A factor of message costs, in 65,536ths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CostFactor(u32);

impl CostFactor {
    pub const NONE: Self = Self(1 << 16);

    pub fn of_ratio(ratio: f64) -> Self {
        const MOST: f64 = 1e4;
        Self((ratio.clamp(1.0 / 4096.0, MOST) * 65536.0).round() as u32)
    }

    /// For comparisons.
    pub fn word(self) -> u64 {
        u64::from(self.0)
    }

    pub fn ratio(self) -> f64 {
        f64::from(self.0) / 65536.0
    }

    fn time(self, time: Picoseconds) -> Picoseconds {
        Picoseconds(((u128::from(time.0) * u128::from(self.0)) >> 16).min(u128::from(u64::MAX)) as u64)
    }

    /// The cost of a message, scaled.
    #[inline]
    pub fn of(self, cost: MessageCost) -> MessageCost {
        if self == Self::NONE {
            return cost;
        }
        MessageCost {
            send_overhead: self.time(cost.send_overhead),
            recv_overhead: self.time(cost.recv_overhead),
            head: self.time(cost.head),
            transfer: self.time(cost.transfer),
            occupancy: self.time(cost.occupancy),
            request: self.time(cost.request),
            grant: self.time(cost.grant),
            // What was measured has it.
            two_way: Picoseconds::ZERO,
            ..cost
        }
    }
}
