//! `chronos-platform/1`: which machines stand where, and which task runs on which of them.
//!
//! A platform names machine files and a network; it adds how many nodes there are of each kind, how many
//! processors a node lends to the program, what else runs there, and how tasks are placed.

mod amakata;
mod file;
#[cfg(test)]
mod tests;

pub use amakata::{AmakataNetwork, NodeParameters, PairParameters};
use file::MOST_NODES;
pub use file::{NodeKind, PlacementRule, PlatformFile, SCHEMA};

use super::Machine;
use super::codes;
use super::network::Network;
use super::topology::{Links, Topology};
use chronos_base::diag::Diagnostic;

/// Nodes with their machines, and the rule by which tasks are placed on them.
#[derive(Clone, Debug, PartialEq)]
pub struct Platform {
    /// A short name for tables.
    pub name: String,
    /// The different machines of the nodes; nodes refer to them.
    pub machines: Vec<Machine>,
    /// Nodes by number, from 0.
    pub nodes: Vec<Node>,
    /// The rule by which tasks are placed on nodes.
    pub placement: PlacementRule,
    /// Where the file names one.
    pub network: Option<Network>,
    /// How the nodes are wired, where the file says or their ports are loaded.
    pub links: Option<Links>,
}

/// One node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// Position in `machines`.
    pub machine: usize,
    /// Processors that tasks may use.
    pub processors: u32,
    /// Other programs that compute there all the time; a fraction for part of the time.
    pub load: f64,
    /// Sockets that the processors are on.
    pub sockets: u32,
}

impl Platform {
    /// Of `a:3,b:1`: so many nodes of each machine, `processors` tasks on each.
    ///
    /// # Errors
    /// A machine that cannot be loaded, or a count that is none.
    pub fn of_kinds(text: &str, processors: u32) -> Result<Self, Diagnostic> {
        let mut kinds = Vec::new();
        for part in text.split(',') {
            let (machine, count) = part.rsplit_once(':').unwrap_or((part, "1"));
            let possible = |&count: &u32| (1..=MOST_NODES).contains(&u64::from(count));
            let count = count.parse().ok().filter(possible).ok_or_else(|| wrong_form(text, part))?;
            let (machine, processors) = (machine.to_owned(), Some(processors));
            kinds.push(NodeKind { machine, count, processors, load: 0.0, network_load: 0.0, sockets: 1 });
        }
        Self::build(text, &kinds, PlacementRule::Block, None)
    }

    /// Of a file of schema `chronos-platform/1`.
    ///
    /// # Errors
    /// Unreadable, not of the schema, impossible values, or machines or a network that cannot be loaded.
    pub fn load(path: &str) -> Result<Self, Vec<Diagnostic>> {
        let file = PlatformFile::load(path)?;
        let network = match &file.amakata {
            Some(parameters) => Some(parameters.network()?),
            None => file.network.as_deref().map(Network::load).transpose()?,
        };
        let links = links(&file);
        let platform = Self::build(&file.name, &file.nodes, file.placement, network).map_err(|error| vec![error])?;
        Ok(Self { links, ..platform })
    }

    fn build(
        name: &str,
        kinds: &[NodeKind],
        placement: PlacementRule,
        network: Option<Network>,
    ) -> Result<Self, Diagnostic> {
        let mut platform =
            Self { name: name.to_owned(), machines: Vec::new(), nodes: Vec::new(), placement, network, links: None };
        for kind in kinds {
            let machine = Machine::load(&kind.machine)?;
            let processors = kind.processors.unwrap_or(machine.cores).max(1);
            let node = Node { machine: platform.machines.len(), processors, load: kind.load, sockets: kind.sockets };
            platform.machines.push(machine);
            platform.nodes.extend(std::iter::repeat_n(node, kind.count as usize));
        }
        Ok(platform)
    }

    /// Node of each of so many tasks.
    ///
    /// # Errors
    /// An explicit placement has fewer places than there are tasks.
    pub fn place(&self, tasks: usize) -> Result<Vec<u32>, Diagnostic> {
        // Only as many places as there are tasks are ever made: a node may be said to have billions of processors.
        match &self.placement {
            PlacementRule::Block => Ok(self.round(|node| node.processors).cycle().take(tasks).collect()),
            PlacementRule::Cyclic => Ok(self.cyclic(tasks)),
            PlacementRule::Explicit(map) if map.len() >= tasks => Ok(map[..tasks].to_vec()),
            PlacementRule::Explicit(map) => Err(too_few(&self.name, map.len(), tasks)),
        }
    }

    /// Socket of each of so many placed tasks: those of a node take its processors in turn.
    pub fn sockets(&self, placed: &[u32]) -> Vec<u32> {
        if self.nodes.iter().all(|node| node.sockets < 2) {
            return Vec::new();
        }
        let mut taken = vec![0; self.nodes.len()];
        let socket = |&node: &u32| {
            let (Node { processors, sockets, .. }, taken) = (self.nodes[node as usize], &mut taken[node as usize]);
            let processor = *taken % processors;
            *taken += 1;
            (u64::from(processor) * u64::from(sockets) / u64::from(processors)) as u32
        };
        placed.iter().map(socket).collect()
    }

    /// Nodes in order, each as often as said.
    fn round(&self, times: impl Fn(&Node) -> u32 + Clone) -> impl Iterator<Item = u32> + Clone {
        (0..).zip(&self.nodes).flat_map(move |(id, node)| std::iter::repeat_n(id, times(node) as usize))
    }

    /// One task for each node that has a processor left, again and again.
    fn cyclic(&self, tasks: usize) -> Vec<u32> {
        let most = self.nodes.iter().map(|node| node.processors).max().unwrap_or(1);
        let turns = (0..most).cycle();
        turns.flat_map(|turn| self.round(move |node| u32::from(node.processors > turn))).take(tasks).collect()
    }

    /// The machine of a node.
    pub fn machine(&self, node: u32) -> &Machine {
        &self.machines[self.nodes[node as usize].machine]
    }
}

/// Loaded ports are shared with what loads them, so messages must share them too.
fn links(file: &PlatformFile) -> Option<Links> {
    let each = |kind: &NodeKind| std::iter::repeat_n(kind.network_load, kind.count as usize);
    let loads: Vec<f64> = file.nodes.iter().flat_map(each).collect();
    let loaded = loads.iter().any(|&load| load > 0.0);
    let topology = file.topology.clone().or_else(|| loaded.then(Topology::switch))?;
    Some(Links::new(&topology, u32::try_from(loads.len()).unwrap_or(u32::MAX), &loads))
}

fn wrong_form(text: &str, part: &str) -> Diagnostic {
    Diagnostic::error(&codes::PLATFORM_FORM, format!("`{part}` in `{text}` is no machine with a number of nodes"))
        .help("a cluster of several kinds reads MACHINE:COUNT,MACHINE:COUNT, for instance fast.json:3,slow.json:1")
}

fn too_few(name: &str, places: usize, tasks: usize) -> Diagnostic {
    let message = format!("the platform `{name}` places {places} tasks, and there are {tasks}");
    Diagnostic::error(&codes::PLATFORM_FORM, message)
        .help("extend its `placement`, or let it be \"block\" or \"cyclic\", which go round")
}
