//! The network of a platform by parameters of its computers: `amakata` of a platform file.

use crate::network::{Delays, MessageParameters, Network};
use chronos_base::diag::Diagnostic;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Times of messages by distance, signal speed, rate and overhead (Amakata, Shinano, Nakamori), for all nodes, single ones and
/// pairs. Messages between two nodes take the slower value of both for each parameter, unless their pair has its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AmakataNetwork {
    /// How many times the signal travels the distance before the data do.
    pub alpha: f64,
    /// Between sender and receiver, in m.
    pub distance_m: f64,
    /// Of the signal, in m/s.
    pub signal_speed_m_s: f64,
    /// Bits per second.
    pub rate_bit_s: f64,
    /// Of each message, in s.
    pub overhead_s: f64,
    /// Time to start a task that the program asks for (`MPI_Comm_spawn`), in s; absent: not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_s: Option<f64>,
    /// Nodes with other values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeParameters>,
    /// Pairs of nodes with other values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<PairParameters>,
}

/// What is other of one node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeParameters {
    /// Its number.
    pub node: u32,
    /// In place of that of all nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
    /// In place of that of all nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance_m: Option<f64>,
    /// In place of that of all nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal_speed_m_s: Option<f64>,
    /// In place of that of all nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_bit_s: Option<f64>,
    /// In place of that of all nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overhead_s: Option<f64>,
    /// Time to start a task on this node, in s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_s: Option<f64>,
}

/// What is other between two nodes, in both directions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PairParameters {
    /// Numbers of the two nodes.
    pub between: [u32; 2],
    /// In place of that of both nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
    /// In place of that of both nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance_m: Option<f64>,
    /// In place of that of both nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal_speed_m_s: Option<f64>,
    /// In place of that of both nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_bit_s: Option<f64>,
    /// In place of that of both nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overhead_s: Option<f64>,
}

/// A field, what is expected there, and what was found.
type Fault = (String, String, String);

impl AmakataNetwork {
    /// What is wrong with it for so many nodes.
    pub(super) fn faults(&self, nodes: u64) -> Vec<Fault> {
        let mut faults = Vec::new();
        values(self.usual(), "", &mut faults);
        time("start_s".to_owned(), self.start_s, &mut faults);
        let delays = self.delays();
        for (index, node) in self.nodes.iter().enumerate() {
            let field = format!("nodes[{index}].");
            below(format!("{field}node"), node.node, nodes, &mut faults);
            values(node.parameters(self.usual()), &field, &mut faults);
            time(format!("{field}start_s"), node.start_s, &mut faults);
        }
        for (index, pair) in self.pairs.iter().enumerate() {
            let field = format!("pairs[{index}].");
            pair.between.iter().for_each(|&node| below(format!("{field}between"), node, nodes, &mut faults));
            values(delays.parameters(pair.between[0], pair.between[1]), &field, &mut faults);
        }
        let mut fault = |field: &str, expected: &str| {
            faults.push((field.to_owned(), expected.to_owned(), "a list that does not".to_owned()));
        };
        if delays.nodes.len() < self.nodes.len() {
            fault("nodes", "a list that names each node once");
        }
        let is_loop = |pair: &PairParameters| pair.between[0] == pair.between[1];
        if delays.pairs.len() < self.pairs.len() || self.pairs.iter().any(is_loop) {
            fault("pairs", "a list that names each pair of two nodes once");
        }
        faults
    }

    /// The network that it stands for.
    pub(super) fn network(&self) -> Result<Network, Vec<Diagnostic>> {
        let start = self.start_s.map_or_else(String::new, |time| format!(",ts={time}"));
        let usual = format!(
            "amakata:alpha={},D={},C={},W={},tc={}{start}",
            self.alpha, self.distance_m, self.signal_speed_m_s, self.rate_bit_s, self.overhead_s
        );
        let (name, delays) = ("amakata by node".to_owned(), Some(Arc::new(self.delays())));
        Ok(Network { name, delays, ..Network::load(&usual)? })
    }

    fn usual(&self) -> MessageParameters {
        MessageParameters {
            alpha: self.alpha,
            distance_m: self.distance_m,
            signal_speed_m_s: self.signal_speed_m_s,
            rate_bit_s: self.rate_bit_s,
            overhead_s: self.overhead_s,
        }
    }

    fn delays(&self) -> Delays {
        let usual = self.usual();
        let of_nodes = Delays {
            usual,
            nodes: self.nodes.iter().map(|node| (node.node, node.parameters(usual))).collect(),
            pairs: std::collections::BTreeMap::new(),
            starts_s: self.nodes.iter().filter_map(|node| Some((node.node, node.start_s?))).collect(),
            faster_latency: 1.0,
            faster_rate: 1.0,
        };
        let of_pair = |pair: &PairParameters| {
            let [a, b] = pair.between;
            ((a.min(b), a.max(b)), pair.parameters(of_nodes.parameters(a, b)))
        };
        Delays { pairs: self.pairs.iter().map(of_pair).collect(), ..of_nodes }
    }
}

impl NodeParameters {
    fn parameters(&self, usual: MessageParameters) -> MessageParameters {
        MessageParameters {
            alpha: self.alpha.unwrap_or(usual.alpha),
            distance_m: self.distance_m.unwrap_or(usual.distance_m),
            signal_speed_m_s: self.signal_speed_m_s.unwrap_or(usual.signal_speed_m_s),
            rate_bit_s: self.rate_bit_s.unwrap_or(usual.rate_bit_s),
            overhead_s: self.overhead_s.unwrap_or(usual.overhead_s),
        }
    }
}

impl PairParameters {
    fn parameters(&self, usual: MessageParameters) -> MessageParameters {
        MessageParameters {
            alpha: self.alpha.unwrap_or(usual.alpha),
            distance_m: self.distance_m.unwrap_or(usual.distance_m),
            signal_speed_m_s: self.signal_speed_m_s.unwrap_or(usual.signal_speed_m_s),
            rate_bit_s: self.rate_bit_s.unwrap_or(usual.rate_bit_s),
            overhead_s: self.overhead_s.unwrap_or(usual.overhead_s),
        }
    }
}

fn values(found: MessageParameters, of: &str, faults: &mut Vec<Fault>) {
    time(format!("{of}alpha"), Some(found.alpha), faults);
    time(format!("{of}distance_m"), Some(found.distance_m), faults);
    time(format!("{of}overhead_s"), Some(found.overhead_s), faults);
    for (name, value) in [("signal_speed_m_s", found.signal_speed_m_s), ("rate_bit_s", found.rate_bit_s)] {
        if !value.is_finite() || value <= 0.0 {
            faults.push((format!("{of}{name}"), "a finite number above 0".to_owned(), value.to_string()));
        }
    }
}

fn time(field: String, value: Option<f64>, faults: &mut Vec<Fault>) {
    if let Some(value) = value.filter(|value| !value.is_finite() || *value < 0.0) {
        faults.push((field, "a finite number that is not negative".to_owned(), value.to_string()));
    }
}

fn below(field: String, node: u32, nodes: u64, faults: &mut Vec<Fault>) {
    if u64::from(node) >= nodes {
        faults.push((field, format!("nodes below {nodes}"), node.to_string()));
    }
}
