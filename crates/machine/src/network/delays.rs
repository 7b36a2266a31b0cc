//! Messages that take another time between some nodes than between others: the parameters of Amakata, Shinano and Nakamori
//! for each computer and for pairs of them.
//!
//! A message takes alpha times the distance by the speed of the signal, its bits by the rate, and the overhead. Nothing else
//! delays it. This module must not know files.

use chronos_base::units::Picoseconds;
use std::collections::BTreeMap;

/// What a message between two nodes depends on, besides its bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MessageParameters {
    /// How many times the signal travels the distance before the data do.
    pub alpha: f64,
    /// From sender to receiver, in m.
    pub distance_m: f64,
    /// Of the signal, in m/s.
    pub signal_speed_m_s: f64,
    /// Bits per second.
    pub rate_bit_s: f64,
    /// Of each message, in s.
    pub overhead_s: f64,
}

impl MessageParameters {
    /// A message goes through what both of its nodes have: the slower part of each decides.
    #[must_use]
    pub fn slower(self, other: Self) -> Self {
        Self {
            alpha: self.alpha.max(other.alpha),
            distance_m: self.distance_m.max(other.distance_m),
            signal_speed_m_s: self.signal_speed_m_s.min(other.signal_speed_m_s),
            rate_bit_s: self.rate_bit_s.min(other.rate_bit_s),
            overhead_s: self.overhead_s.max(other.overhead_s),
        }
    }

    fn fixed_seconds(self) -> f64 {
        self.alpha * self.distance_m / self.signal_speed_m_s + self.overhead_s
    }

    fn bits_seconds(self, bytes: u64) -> f64 {
        8.0 * bytes as f64 / self.rate_bit_s
    }
}

/// The parameters of all nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Delays {
    /// Of nodes of which nothing else is said.
    pub usual: MessageParameters,
    /// Of nodes by number.
    pub nodes: BTreeMap<u32, MessageParameters>,
    /// Of pairs, the lower number first; in place of those of their nodes.
    pub pairs: BTreeMap<(u32, u32), MessageParameters>,
    /// Time to start a task on a node, in s, where it is not the network's.
    pub starts_s: BTreeMap<u32, f64>,
    /// How many times as fast the signal and the overhead of all messages are (`--scale network.latency`).
    pub faster_latency: f64,
    /// How many times as fast their bits are (`--scale network.bandwidth`).
    pub faster_rate: f64,
}

impl Delays {
    /// Between two nodes.
    pub fn parameters(&self, from: u32, to: u32) -> MessageParameters {
        let of_node = |node: u32| self.nodes.get(&node).copied().unwrap_or(self.usual);
        let pair = self.pairs.get(&(from.min(to), from.max(to)));
        pair.copied().unwrap_or_else(|| of_node(from).slower(of_node(to)))
    }

    /// What a message takes.
    pub fn message(&self, from: u32, to: u32, bytes: u64) -> Picoseconds {
        let parameters = self.parameters(from, to);
        let bits = parameters.bits_seconds(bytes) / self.faster_rate;
        Picoseconds::from_seconds(parameters.fixed_seconds() / self.faster_latency + bits)
    }

    /// What starting a task on a node takes; `None` where that is not said of it.
    pub fn start(&self, node: u32) -> Option<Picoseconds> {
        self.starts_s.get(&node).map(|&time| Picoseconds::from_seconds(time))
    }
}
