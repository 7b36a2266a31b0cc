//! Where messages leave and come: the ports of nodes, and who uses them.

use crate::ids::NodeId;
use crate::options::ReplayOptions;
use chronos_activity::TaskId;
use chronos_base::ids::Table;
use chronos_base::units::Picoseconds;

/// Where the messages of a node leave and come.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Port {
    /// When it is free again.
    pub(crate) out_free: Picoseconds,
    pub(crate) in_free: Picoseconds,
    /// What may use it independently of one another: tasks of the node and non-blocking collectives. One alone need not
    /// look at the clock of others, nor at `requests` before these can be answered.
    pub users: u32,
    /// Rendezvous sends whose data have not begun to leave.
    requests: u32,
    /// Where there are any, none of these data leaves before.
    soonest: Picoseconds,
}

impl Port {
    /// The request of a rendezvous leaves, whose data leave at this time or later.
    #[inline]
    pub fn request(&mut self, soonest: Picoseconds) {
        self.soonest = if self.requests == 0 { soonest } else { self.soonest.min(soonest) };
        self.requests += 1;
    }

    /// The data of a rendezvous leave.
    #[inline]
    pub fn answer(&mut self) {
        self.requests -= 1;
    }

    #[inline]
    pub fn is_shared(&self, at: Picoseconds) -> bool {
        // One user alone sees its own messages in order; a rendezvous whose grant may have come competes with it.
        self.users > 1 || self.requests > 0 && at >= self.soonest
    }
}

/// What messages between nodes have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessagePath {
    /// The links of a topology.
    Links,
    /// A medium, or the way in both directions: the order of all matters.
    Common,
    /// The ports of their nodes.
    Ports,
}

impl MessagePath {
    pub fn of(options: &ReplayOptions<'_>, flows: bool) -> Self {
        let link = &options.network.between_nodes;
        match flows {
            true => Self::Links,
            false if link.shared_medium || !link.two_way.is_empty() => Self::Common,
            false => Self::Ports,
        }
    }
}

/// Nodes of all tasks; those that the placement leaves out get nodes of their own.
pub(crate) fn nodes_of(tasks: usize, placed: &[u32]) -> Table<TaskId, NodeId> {
    let fresh = placed.iter().take(tasks).max().map_or(0, |&node| node + 1);
    (0..tasks)
        .map(|task| NodeId(placed.get(task).copied().unwrap_or(fresh + task.saturating_sub(placed.len()) as u32)))
        .collect()
}

/// The ports of so many nodes, with the number of tasks that use each.
pub fn ports_of(nodes: &Table<TaskId, NodeId>, ports: usize) -> Table<NodeId, Port> {
    let mut ports: Table<NodeId, Port> = (0..ports).map(|_| Port::default()).collect();
    nodes.values().for_each(|&node| ports[node].users += 1);
    ports
}
