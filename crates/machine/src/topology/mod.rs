//! How nodes are wired: which links a message between two nodes goes over, and how wide they are.
//!
//! A topology knows nodes by their numbers and links by theirs, nothing else: how long a message takes alone is the
//! network's business, how messages share links the replay's. Widths are relative to the port of a node.

mod graph;
mod links;
#[cfg(test)]
mod tests;

pub use links::{FULL, Links};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Channels and vertices that a topology has at most, so that its tables have their place in memory: some hundred times
/// those of the largest computers.
pub const MOST_CHANNELS: u64 = 1 << 24;

/// The wiring of a platform.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Topology {
    /// Which links there are between nodes and switches.
    pub shape: Shape,
    /// What each link beyond two adds to the latency; the network file's holds for two, to a switch and from it.
    #[serde(default)]
    pub hop_ns: f64,
    /// What happens where messages meet on a link; shared as fairly as possible where it is absent.
    #[serde(default)]
    pub contention: Contention,
    /// What others use of links.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<LinkLoad>,
}

/// What happens where messages meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Contention {
    /// They share links as fairly as possible (max-min).
    #[default]
    Fair,
    /// What the network file says: they queue at the ports of nodes.
    Ports,
    /// Nothing.
    None,
}

/// Which links there are. Every link is two channels, one for each direction, but for a bus.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Shape {
    /// One switch; channels 2n from and 2n + 1 to node n.
    Switch,
    /// One medium for all; channel 0.
    Bus,
    /// Switches in a tree; those of the lowest level have `down[0]` nodes, those above `down[1]` switches, ...
    FatTree {
        /// Nodes or switches below each switch, by level from the lowest.
        down: Vec<u32>,
        /// Widths of the links above switches of each level but the highest; absent: as wide as all ports below.
        #[serde(default)]
        width: Vec<f64>,
    },
    /// A grid that is closed in every dimension; a router for each node. Messages go one dimension after the other.
    Torus {
        /// Number of routers in each dimension; their product is the number of nodes.
        dimensions: Vec<u32>,
        /// Width of each link, as a multiple of a port's; 1 where it is absent.
        #[serde(default = "one")]
        width: f64,
    },
    /// Groups of routers that all know each other; between any two groups there is a link.
    Dragonfly {
        /// Number of groups.
        groups: u32,
        /// Routers of a group.
        routers: u32,
        /// Nodes of a router.
        nodes: u32,
        /// Width of links within a group, as a multiple of a port's; 1 where it is absent.
        #[serde(default = "one")]
        local_width: f64,
        /// Width of links between groups, as a multiple of a port's; 1 where it is absent.
        #[serde(default = "one")]
        global_width: f64,
    },
    /// Any graph; messages take a path of the fewest links. Vertices are numbered: nodes first, then switches.
    Graph {
        /// Number of switches; their vertices follow those of the nodes.
        switches: u32,
        /// The links between vertices.
        links: Vec<GraphLink>,
    },
}

/// A link of a graph; its channels are numbered 2l from `between[0]` and 2l + 1 back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GraphLink {
    /// The two vertices that the link joins.
    pub between: [u32; 2],
    /// Its width, as a multiple of a port's; 1 where it is absent.
    #[serde(default = "one")]
    pub width: f64,
}

/// What others use of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkLoad {
    /// Number of the channel, as the shape numbers them.
    pub channel: u32,
    /// Of its width.
    pub share: f64,
}

fn counted(parts: u64) -> String {
    if parts == u64::MAX { "more than can be numbered".to_owned() } else { parts.to_string() }
}

fn one() -> f64 {
    1.0
}

impl Topology {
    /// A single switch, as every network file has it, with fair sharing.
    pub fn switch() -> Self {
        Self { shape: Shape::Switch, hop_ns: 0.0, contention: Contention::Fair, loads: Vec::new() }
    }

    /// What is wrong with it for so many nodes: field, what is expected there, what was found.
    pub fn faults(&self, nodes: u32) -> Vec<(String, String, String)> {
        let mut faults = Vec::new();
        let mut fault = |field: &str, expected: String, found: String| faults.push((field.to_owned(), expected, found));
        if !self.hop_ns.is_finite() || self.hop_ns < 0.0 {
            fault("hop_ns", "a finite number that is not negative".to_owned(), self.hop_ns.to_string());
        }
        let parts = self.shape.channels(nodes).max(self.shape.vertices(nodes));
        if parts > MOST_CHANNELS {
            fault("shape", format!("one of at most {MOST_CHANNELS} channels"), format!("one of {}", counted(parts)));
            return faults;
        }
        let room = self.shape.room();
        if room < u64::from(nodes) {
            fault("shape", format!("room for {nodes} nodes"), format!("one with room for {room}"));
        }
        for (field, width) in self.shape.widths() {
            if !(0.001..=65536.0).contains(&width) {
                fault(&format!("shape.{field}"), "a width from 0.001 to 65536".to_owned(), width.to_string());
            }
        }
        if let Some(found) = self.shape.torn(nodes) {
            fault("shape.graph.links", "vertices that exist, and a way between all nodes".to_owned(), found);
        }
        if let Some(expected) = self.unheeded() {
            fault("contention", expected.to_owned(), self.contention.name().to_owned());
        }
        let channels = self.shape.channels(nodes);
        for (index, load) in self.loads.iter().enumerate() {
            if u64::from(load.channel) >= channels {
                let field = format!("loads[{index}].channel");
                fault(&field, format!("a channel below {channels}"), load.channel.to_string());
            }
            if !(0.0..=0.99).contains(&load.share) {
                fault(&format!("loads[{index}].share"), "a share from 0 to 0.99".to_owned(), load.share.to_string());
            }
        }
        faults
    }

    /// What has to be given instead, where links are described that no message would heed.
    fn unheeded(&self) -> Option<&'static str> {
        let has_links = !matches!(self.shape, Shape::Switch);
        match self.contention {
            Contention::Fair => None,
            _ if !self.loads.is_empty() => Some("`fair`, because `loads` are shares of links"),
            Contention::None => None,
            Contention::Ports if matches!(self.shape, Shape::Bus) => Some(
                "`fair`, or `shared_medium` in the network file, because at ports messages do not share the medium",
            ),
            Contention::Ports if !self.shape.widths().iter().all(|&(_, width)| width == 1.0) => {
                Some("`fair`, because links have widths, and messages at ports do not share links")
            }
            Contention::Ports if has_links && self.hop_ns == 0.0 => {
                Some("`fair`, or a `hop_ns`, because messages at ports do not share the links of the shape")
            }
            Contention::Ports => None,
        }
    }
}

impl Contention {
    /// As files have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fair => "fair",
            Self::Ports => "ports",
            Self::None => "none",
        }
    }
}
