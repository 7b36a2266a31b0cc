//! Replay of plain jobs: many tasks that send, receive from whom they name, wait for all and take part in collective
//! operations, each on a node of its own, whose ports nobody shares.
//!
//! # Purpose
//!
//! In such a job nothing but the order of messages at the port of their receiver decides anything, so a fraction of the
//! engine's state is enough. A send may wait for its receive, as long as its task does nothing else meanwhile. The result is that of the engine, to the picosecond and with the same critical path. Whatever
//! is outside of these conditions is refused, at the beginning or on the way, and replayed by the engine.
//!
//! # How it works
//!
//! `course` writes the steps of tasks out as short operations with partners relative to the task, so that tasks which do the
//! same share them. `simulation` goes through the operations of each task until it waits. `arrivals` has the messages that
//! are under way to ports, by windows of the shortest latency: what comes to a port within one is complete when the window
//! opens, as in the engine. `frames` goes through the rounds of collective operations, `rendezvous` through sends that wait for their receives.
//!
//! # Invariants
//!
//! - Nothing is told that the engine would tell in a diagnostic, but that the critical path is left out.
//! - The rules of messages and waits are those of `engine::transfer`, `engine::waits` and `engine::collectives`.

mod arrivals;
mod course;
mod frames;
mod inbox;
mod messages;
mod outcome;
mod rendezvous;
mod simulation;

use crate::network::ports::nodes_of;
use crate::options::ReplayOptions;
use crate::result::ReplayResult;
use crate::task::processors::pools;
use chronos_activity::Activity;
use chronos_base::governor;
use chronos_base::units::Picoseconds;
use course::Courses;
use simulation::Simulation;

/// Replays an activity where it is plain; `None` where the engine has to.
pub(crate) fn replayed(activity: &Activity, options: &mut ReplayOptions<'_>) -> Option<ReplayResult> {
    if activity.tasks.len() < options.plain_from || !is_plain(activity.tasks.len(), options) {
        return None;
    }
    let _phase = governor::enter(governor::Phase::Replay, None);
    let courses = Courses::new(activity, options)?;
    let mut simulation = Simulation::new(activity, courses, options.network, options.critical_path);
    simulation.total_alone = options.total_alone;
    simulation.run()
}

/// Whether ports belong to one task each and nothing is asked for that only the engine keeps.
fn is_plain(tasks: usize, options: &ReplayOptions<'_>) -> bool {
    let told = options.record || options.messages > 0 || options.timeline > 0 || options.waiting;
    let changed = options.faster.is_some() || options.path_in_collectives || !options.windows.is_empty();
    let network = options.network;
    let link = &network.between_nodes;
    let by_ports = link.ports && !link.shared_medium && link.two_way.is_empty() && options.links.is_none();
    let same = network.delays.is_none() && network.measured_collectives.is_empty();
    let limited = options.step_limit < u64::MAX || !options.jump_ahead;
    let costs = !told && !changed && !limited && by_ports && same && link.shortest() > Picoseconds::ZERO;
    costs && has_own_nodes(tasks, options)
}

/// Whether each task has a node, and a processor, for itself.
fn has_own_nodes(tasks: usize, options: &ReplayOptions<'_>) -> bool {
    let nodes = nodes_of(tasks, &options.placement.nodes);
    let ports = nodes.values().max().map_or(0, |&node| node.0 as usize + 1);
    let mut taken = vec![false; ports];
    let alone = nodes.values().all(|node| !std::mem::replace(&mut taken[node.0 as usize], true));
    let (pools, shared) = pools(&nodes, ports, &options.placement);
    alone && shared.is_none() && pools.values().all(Option::is_none)
}
