//! Predictions of recorded runs: their activity on a target, and the estimate of the paper that they follow.
//!
//! This module must not know how a record is written or read.

use crate::evaluation::{Found, Job};
use crate::target::Target;
use crate::{Evaluated, nodes};
use chronos_activity::transform::{Transform, apply};
use chronos_activity::{Activity, Event, Operation, TaskId, Work};
use chronos_base::diag::Diagnostic;
use chronos_base::units::Picoseconds;
use chronos_machine::network::{Nearness, Network};
use chronos_record::codes::NO_LONGEST_PATH;
use chronos_record::longest_path::longest_path;
use chronos_replay as replay;

/// What a run did, as if it had been evaluated.
pub fn evaluated(activity: Activity, diagnostics: Vec<Diagnostic>) -> Evaluated {
    Evaluated { activity, found: Found::default(), diagnostics }
}

/// The longest path of computation and messages, where each message takes what the idle network takes and nothing else delays
/// anything (Drozdowski 2001).
///
/// # Errors
/// It is not known which message a receive got.
pub fn estimate(job: &Job, target: Target<'_>, evaluated: &Evaluated) -> Result<Picoseconds, Diagnostic> {
    // Calls themselves take no time in this model.
    let network = Network { call_ns: 0.0, ..target.network.clone() };
    let activity = apply(&evaluated.activity, &mut ProbesAreFree);
    let schedule =
        replay::unfold(&activity, &network, &mut |_, work| given(work)).map_err(|error| none(&error.message))?;
    let nodes = nodes(job, target);
    let sockets = target.platform.map_or_else(Vec::new, |platform| platform.sockets(&nodes));
    let nearness = |from: usize, to: usize| match nodes[from] == nodes[to] {
        false => Nearness::Network,
        true if sockets.get(from).is_some_and(|socket| Some(socket) == sockets.get(to)) => Nearness::Socket,
        true => Nearness::Node,
    };
    let time = |from: TaskId, to: TaskId, bytes| {
        let (from, to) = (from.0 as usize, to.0 as usize);
        match nearness(from, to) {
            Nearness::Network => network.idle_time_between(nodes[from], nodes[to], bytes),
            near => network.idle_time(near, bytes),
        }
    };
    longest_path(&schedule, &time).ok_or_else(|| none("a receive has no message of its own in the record"))
}

fn given(work: Work) -> Picoseconds {
    match work {
        Work::Time(time) => time,
        // Counts of calls.
        Work::Segment(_) => Picoseconds::ZERO,
    }
}

fn none(why: &str) -> Diagnostic {
    Diagnostic::warning(&NO_LONGEST_PATH, format!("the longest path is not known: {why}")).help(
        "the prediction by replay stands; record a whole run of messages and collective operations, without --re-match",
    )
}

/// A probe waits for what the receive behind it waits for.
struct ProbesAreFree;

impl Transform for ProbesAreFree {
    fn event(&mut self, _task: TaskId, event: &Event) -> Option<Event> {
        let is_probe = matches!(event.operation, Operation::Probe { .. });
        is_probe.then(|| Event { operation: Operation::Local { function: "probe".into() }, ..event.clone() })
    }
}
