//! What depends on how often a program polls.
//!
//! A call that looks whether the message of one sender is there (`MPI_Iprobe`) tells nothing but the time: most
//! programs poll again until it is. What follows the answer in storage is nearly everything, so the dependences of
//! `chronos_slicing` say little about such programs. Here the program is evaluated again while messages take longer,
//! and while computation takes longer, and what is counted otherwise then depends on the time.

use super::tally::Class;
use super::{evaluate, tally};
use crate::evaluation::arrival::Polls;
use crate::evaluation::{Evaluation, Job};
use chronos_base::units::Picoseconds;
use chronos_ir::BlockId;
use chronos_machine::network::Network;
use chronos_slicing::arrival::Arrival;
use std::collections::BTreeSet;

/// Longer than any message is under way.
const LONG: Picoseconds = Picoseconds(1_000_000_000);

/// What depends on the order of arrival in a job that was evaluated.
pub fn arrival(job: &Job, network: &Network, evaluation: &Evaluation) -> Arrival {
    let found = &evaluation.found;
    if found.polls.is_empty() {
        return found.arrival.clone();
    }
    let base = tally::classes(&job.program, evaluation);
    let others = [(Picoseconds(0), Polls::FailOnce), (LONG, Polls::AsReplayed), (LONG, Polls::FailOnce)];
    let mut blocks = found.without_polls.blocks.clone();
    for (work, polls) in others {
        let other = evaluate(job, network, work, polls);
        let ends = |e: &Evaluation| e.result.tasks.iter().map(|task| task.finish).collect::<Vec<_>>();
        if ends(&other) != ends(evaluation) {
            return found.arrival.clone();
        }
        blocks.extend(different(job, &base, &tally::classes(&job.program, &other)));
    }
    Arrival { blocks, structure: found.without_polls.structure }
}

/// Blocks with a counter that some task counts otherwise.
pub fn different(job: &Job, a: &[Class], b: &[Class]) -> BTreeSet<BlockId> {
    let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (a, b)));
    let common = pairs.filter(|(a, b)| a.tasks.iter().any(|task| b.tasks.binary_search(task).is_ok()));
    let counters = common.flat_map(|(a, b)| a.different(b));
    counters.map(|counter| job.program.block_of(counter)).collect()
}
