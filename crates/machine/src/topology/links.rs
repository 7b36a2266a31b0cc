//! Channels and routes of each shape. Routes are computed, not stored, but for those of arbitrary graphs.

use super::graph::Paths;
use super::{Contention, Shape, Topology};
use chronos_base::units::Picoseconds;

/// The width of a port: so fine that a million messages on one link have their parts of it to a millionth.
pub const FULL: u64 = 1 << 40;

/// The widest link: what all nodes that can be numbered need together.
const WIDEST: u64 = 1 << 62;

/// A topology with its nodes: what the replay asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Links {
    shape: Shape,
    /// What happens where messages meet.
    pub contention: Contention,
    hop: Picoseconds,
    /// Of each channel, where `FULL` is a node's port.
    capacities: Vec<u64>,
    paths: Paths,
}

impl Links {
    /// Of a topology without faults. `loads`: what others use of the port of each node.
    pub fn new(topology: &Topology, nodes: u32, loads: &[f64]) -> Self {
        let shape = topology.shape.clone();
        let channels = shape.channels(nodes);
        let mut widths: Vec<f64> = (0..channels).map(|channel| shape.width(channel, nodes)).collect();
        for load in &topology.loads {
            if let Some(width) = widths.get_mut(load.channel as usize) {
                *width *= 1.0 - load.share;
            }
        }
        let paths = Paths::new(&shape, nodes);
        for (node, load) in (0..nodes).zip(loads).filter(|(_, load)| **load > 0.0) {
            for channel in shape.ports(node, &paths) {
                widths[channel as usize] *= 1.0 - load;
            }
        }
        let capacity = |width: f64| (width * FULL as f64).round().clamp(1.0, WIDEST as f64) as u64;
        let capacities = widths.into_iter().map(capacity).collect();
        let hop = Picoseconds::from_nanoseconds(topology.hop_ns);
        Self { shape, contention: topology.contention, hop, capacities, paths }
    }

    /// Width of a channel, where [`FULL`] is the port of a node.
    pub fn capacity(&self, channel: u32) -> u64 {
        self.capacities[channel as usize]
    }

    /// The same links with one of them wider, so that what goes over it takes such a part of its time there; where nothing is
    /// left, it is as wide as anything.
    pub fn widened(&self, channel: u32, left: f64) -> Self {
        let mut links = self.clone();
        if let Some(capacity) = links.capacities.get_mut(channel as usize) {
            let wider = if left > 0.0 { *capacity as f64 / left } else { WIDEST as f64 };
            *capacity = wider.clamp(1.0, WIDEST as f64) as u64;
        }
        links
    }

    /// How a channel is called: its number, as platform files have it, with the node whose port it is.
    pub fn name(&self, channel: u32) -> String {
        let per_node = match &self.shape {
            Shape::Torus { dimensions, .. } => 2 + 2 * dimensions.len() as u32,
            Shape::Bus | Shape::Graph { .. } => return format!("channel {channel}"),
            _ => 2,
        };
        // Nodes' ports come first; in a torus each node has all of its channels together.
        let nodes = u32::try_from(self.shape.room()).ok().filter(|_| !matches!(self.shape, Shape::Switch));
        let node = channel / per_node;
        match (channel % per_node, nodes.is_none_or(|nodes| node < nodes)) {
            (0, true) => format!("channel {channel} (from node {node})"),
            (1, true) => format!("channel {channel} (to node {node})"),
            _ => format!("channel {channel}"),
        }
    }

    /// Number of channels.
    pub fn channels(&self) -> usize {
        self.capacities.len()
    }

    /// The channels from one node to another one, in order.
    pub fn route(&self, from: u32, to: u32) -> Vec<u32> {
        match &self.shape {
            Shape::Switch => vec![2 * from, 2 * to + 1],
            Shape::Bus => vec![0],
            Shape::FatTree { down, .. } => tree_route(down, from, to),
            Shape::Torus { dimensions, .. } => torus_route(dimensions, from, to),
            Shape::Dragonfly { groups, routers, nodes, .. } => dragonfly_route([*groups, *routers, *nodes], from, to),
            Shape::Graph { .. } => self.paths.route(from, to),
        }
    }

    /// What the way between two nodes adds to the latency of two links.
    pub fn detour(&self, from: u32, to: u32) -> Picoseconds {
        if self.hop == Picoseconds::ZERO {
            return Picoseconds::ZERO;
        }
        self.hop.saturating_mul(self.route(from, to).len().saturating_sub(2) as u64)
    }
}

impl Shape {
    /// Nodes that it has room for.
    pub(super) fn room(&self) -> u64 {
        let product = |parts: &[u32]| parts.iter().fold(1u64, |all, &part| all.saturating_mul(u64::from(part)));
        match self {
            Self::Switch | Self::Bus | Self::Graph { .. } => u64::MAX,
            Self::FatTree { down, .. } => product(down),
            Self::Torus { dimensions, .. } => product(dimensions),
            Self::Dragonfly { groups, routers, nodes, .. } => product(&[*groups, *routers, *nodes]),
        }
    }

    /// Widths that a file gives, by field.
    pub(super) fn widths(&self) -> Vec<(String, f64)> {
        match self {
            Self::Switch | Self::Bus => Vec::new(),
            Self::FatTree { width, .. } => {
                width.iter().enumerate().map(|(index, &width)| (format!("fat-tree.width[{index}]"), width)).collect()
            }
            Self::Torus { width, .. } => vec![("torus.width".to_owned(), *width)],
            Self::Dragonfly { local_width, global_width, .. } => vec![
                ("dragonfly.local_width".to_owned(), *local_width),
                ("dragonfly.global_width".to_owned(), *global_width),
            ],
            Self::Graph { links, .. } => {
                let width =
                    |(index, link): (usize, &super::GraphLink)| (format!("graph.links[{index}].width"), link.width);
                links.iter().enumerate().map(width).collect()
            }
        }
    }

    /// Channels that it has, or at least `u64::MAX` where they are more than can be numbered.
    pub(super) fn channels(&self, nodes: u32) -> u64 {
        let nodes = u64::from(nodes);
        match self {
            Self::Switch => 2 * nodes,
            Self::Bus => 1,
            Self::FatTree { down, .. } => {
                let whole = self.room();
                let mut below = 1u64;
                let at_level = |&fan: &u32| {
                    let links = (whole / below).saturating_mul(2);
                    below = below.saturating_mul(u64::from(fan.max(1)));
                    links
                };
                down.iter().map(at_level).fold(0, u64::saturating_add)
            }
            Self::Torus { dimensions, .. } => self.room().saturating_mul(2 + 2 * dimensions.len() as u64),
            Self::Dragonfly { groups, routers, .. } => {
                let (groups, routers) = (u64::from(*groups), u64::from(*routers));
                let within = groups.saturating_mul(routers).saturating_mul(routers);
                self.room().saturating_mul(2).saturating_add(within).saturating_add(groups.saturating_mul(groups))
            }
            Self::Graph { links, .. } => 2 * links.len() as u64,
        }
    }

    /// Nodes and switches that paths are looked for among; none where routes are computed.
    pub(super) fn vertices(&self, nodes: u32) -> u64 {
        match self {
            Self::Graph { switches, .. } => u64::from(nodes) + u64::from(*switches),
            _ => 0,
        }
    }

    fn width(&self, channel: u64, _nodes: u32) -> f64 {
        match self {
            Self::Switch | Self::Bus => 1.0,
            Self::FatTree { down, width } => {
                let (level, below) = tree_level(down, channel);
                let full = below as f64;
                if level == 0 { 1.0 } else { width.get(level - 1).copied().unwrap_or(full) }
            }
            Self::Torus { dimensions, width } => {
                if channel % (2 + 2 * dimensions.len() as u64) < 2 {
                    1.0
                } else {
                    *width
                }
            }
            Self::Dragonfly { groups, routers, local_width, global_width, .. } => {
                let local = 2 * self.room();
                let global = local + u64::from(*groups) * u64::from(*routers) * u64::from(*routers);
                if channel < local {
                    1.0
                } else if channel < global {
                    *local_width
                } else {
                    *global_width
                }
            }
            Self::Graph { links, .. } => links[(channel / 2) as usize].width,
        }
    }

    /// The channels by which a node is reached and reaches others.
    fn ports(&self, node: u32, paths: &Paths) -> Vec<u32> {
        match self {
            Self::Bus => Vec::new(),
            Self::Switch | Self::FatTree { .. } | Self::Dragonfly { .. } => vec![2 * node, 2 * node + 1],
            Self::Torus { dimensions, .. } => {
                let first = node * (2 + 2 * dimensions.len() as u32);
                vec![first, first + 1]
            }
            Self::Graph { .. } => paths.of_vertex(node),
        }
    }

    /// Why messages of a graph do not get everywhere.
    pub(super) fn torn(&self, nodes: u32) -> Option<String> {
        let Self::Graph { switches, links } = self else { return None };
        let vertices = u64::from(nodes) + u64::from(*switches);
        let outside = |link: &super::GraphLink| link.between.iter().copied().find(|&end| u64::from(end) >= vertices);
        if let Some(vertex) = links.iter().find_map(outside) {
            return Some(format!("vertex {vertex} of {vertices}"));
        }
        let reached = Paths::new(self, nodes).reached(0);
        (1..nodes).find(|&node| !reached[node as usize]).map(|node| format!("no way from node 0 to node {node}"))
    }
}

/// Level of a channel of a tree, and nodes below its lower end.
fn tree_level(down: &[u32], channel: u64) -> (usize, u64) {
    let whole = down.iter().fold(1u64, |all, &fan| all * u64::from(fan.max(1)));
    let (mut first, mut below) = (0, 1);
    for (level, &fan) in down.iter().enumerate() {
        let links = 2 * whole / below;
        if channel < first + links {
            return (level, below);
        }
        first += links;
        below *= u64::from(fan.max(1));
    }
    (down.len(), below)
}

/// Up to the first switch above both, and down.
fn tree_route(down: &[u32], from: u32, to: u32) -> Vec<u32> {
    let whole: u32 = down.iter().product();
    let (mut ups, mut downs) = (Vec::new(), Vec::new());
    let (mut first, mut below) = (0, 1);
    for &fan in down {
        ups.push(first + 2 * (from / below));
        downs.push(first + 2 * (to / below) + 1);
        first += 2 * (whole / below);
        below *= fan.max(1);
        if from / below == to / below {
            break;
        }
    }
    ups.extend(downs.into_iter().rev());
    ups
}

/// One dimension after the other, the shorter way round (upwards where both are as long).
fn torus_route(dimensions: &[u32], from: u32, to: u32) -> Vec<u32> {
    let channels = 2 + 2 * dimensions.len() as u32;
    let mut route = vec![from * channels];
    let (mut at, mut stride) = (from, 1);
    for (index, &length) in dimensions.iter().enumerate() {
        let place = |node: u32| node / stride % length;
        let ahead = (place(to) + length - place(at)) % length;
        let upwards = 2 * ahead <= length;
        for _ in 0..if upwards { ahead } else { length - ahead } {
            route.push(at * channels + 2 + 2 * index as u32 + u32::from(!upwards));
            let next = (place(at) + if upwards { 1 } else { length - 1 }) % length;
            at = at - place(at) * stride + next * stride;
        }
        stride *= length;
    }
    route.push(to * channels + 1);
    route
}

/// To the router with the link to the other group, over it, and from there to the node's router.
fn dragonfly_route([groups, routers, nodes]: [u32; 3], from: u32, to: u32) -> Vec<u32> {
    let local = 2 * groups * routers * nodes;
    let global = local + groups * routers * routers;
    let place = |node: u32| (node / (routers * nodes), node / nodes % routers);
    let within = |group: u32, a: u32, b: u32| (a != b).then(|| local + (group * routers + a) * routers + b);
    // The links of a group are dealt to its routers in turn, nearest group first.
    let gateway = |group: u32, other: u32| (other + groups - group - 1) % groups % routers;
    let ((group, router), (to_group, to_router)) = (place(from), place(to));
    let mut route = vec![2 * from];
    if group == to_group {
        route.extend(within(group, router, to_router));
    } else {
        let (leave, enter) = (gateway(group, to_group), gateway(to_group, group));
        route.extend(within(group, router, leave));
        route.push(global + group * groups + to_group);
        route.extend(within(to_group, enter, to_router));
    }
    route.push(2 * to + 1);
    route
}
