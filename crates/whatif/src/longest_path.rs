//! Whether the total is the longest of fixed paths, each a sum of times.
//!
//! Then what the critical path holds of a part is what a little less of it saves, and the total is convex in its time. That
//! ends where the time of one thing depends on what else goes on meanwhile: tasks that share processors slow each other
//! down, messages share the links of a topology, and a message is slower while one comes the other way.

use crate::codes;
use crate::study::Study;
use chronos_base::diag::Diagnostic;
use chronos_machine::platform::Platform;
use chronos_predict::{Job, Target, nodes};

/// What makes the time of one thing depend on what else goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interference {
    /// A node has more tasks, with its other load, than processors.
    SharedProcessors,
    /// Messages share the links of a topology.
    SharedLinks,
    /// Messages that go both ways between two nodes are slower.
    TwoWayMessages,
}

/// The first kind of it on a target.
pub fn interference(job: &Job, target: Target<'_>) -> Option<Interference> {
    if target.platform.is_some_and(|platform| is_crowded(job, target, platform)) {
        return Some(Interference::SharedProcessors);
    }
    if target.platform.is_some_and(|platform| platform.links.is_some()) {
        return Some(Interference::SharedLinks);
    }
    let network = target.network;
    let links = [&network.between_nodes, &network.within_node].into_iter().chain(&network.within_socket);
    links.into_iter().any(|link| !link.two_way.is_empty()).then_some(Interference::TwoWayMessages)
}

fn is_crowded(job: &Job, target: Target<'_>, platform: &Platform) -> bool {
    let mut tasks = vec![0.0; platform.nodes.len()];
    for node in nodes(job, target) {
        if let Some(tasks) = tasks.get_mut(node as usize) {
            *tasks += 1.0;
        }
    }
    platform.nodes.iter().zip(tasks).any(|(node, tasks)| tasks > 0.0 && tasks + node.load > f64::from(node.processors))
}

/// Says that times on the path are no slopes, where they are not.
pub fn note(study: &Study<'_>) -> Option<Diagnostic> {
    let why = match interference(study.job, study.target)? {
        Interference::SharedProcessors => "tasks share processors",
        Interference::SharedLinks => "messages share links",
        Interference::TwoWayMessages => "messages are slower while others come the other way",
    };
    let message = format!("what the critical path holds of a part may not be what it saves at first: {why}");
    Some(
        Diagnostic::note(&codes::NOT_LONGEST_PATH, message)
            .help("what is saved at 5 % and more is replayed for each percent, and holds"),
    )
}
