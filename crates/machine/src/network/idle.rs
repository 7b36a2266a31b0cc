//! What a message takes where nothing else is under way.

use super::{Link, Network};
use chronos_base::units::Picoseconds;

/// How close two tasks are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nearness {
    /// On one socket of a node.
    Socket,
    /// On one node.
    Node,
    /// On two nodes.
    Network,
}

impl Network {
    /// From the begin of the call that sends a message to the end of the call that receives it, on the idle network.
    pub fn idle_time(&self, nearness: Nearness, bytes: u64) -> Picoseconds {
        match nearness {
            Nearness::Socket => self.within_socket.as_ref().unwrap_or(&self.within_node),
            Nearness::Node => &self.within_node,
            Nearness::Network => &self.between_nodes,
        }
        .idle_time(bytes)
    }
}

impl Network {
    /// The same between two nodes.
    pub fn idle_time_between(&self, from: u32, to: u32, bytes: u64) -> Picoseconds {
        match &self.delays {
            Some(delays) => delays.message(from, to, bytes),
            None => self.idle_time(Nearness::Network, bytes),
        }
    }

    /// From the arrival of the message that asks for a task until its process is started on a node; `None` where that is not
    /// known.
    pub fn start_time(&self, node: u32) -> Option<Picoseconds> {
        let of_node = self.delays.as_ref().and_then(|delays| delays.start(node));
        of_node.or_else(|| self.spawn_ns.map(Picoseconds::from_nanoseconds))
    }
}

impl Link {
    /// The same on one kind of way.
    pub fn idle_time(&self, bytes: u64) -> Picoseconds {
        let first_frame = self.store_and_forward_bytes.map_or(Picoseconds::ZERO, |f| self.transfer_ns.at(bytes.min(f)));
        let agreed = if bytes > self.eager_limit_bytes { self.request_ns + self.grant_ns } else { 0.0 };
        self.send_overhead_ns.at(bytes)
            + Picoseconds::from_nanoseconds(agreed)
            + self.latency_ns.at(bytes)
            + first_frame
            + self.transfer_ns.at(bytes)
            + self.recv_overhead_ns.at(bytes)
    }
}
