//! What depends on whether files exist that were not given.
//!
//! A file that the program can do without is taken not to exist, so that its evaluation goes on with known values. What
//! these values decide is no more certain than that. To find it, the program is evaluated once more as if the files
//! were there, and what is counted otherwise then rests on the assumption. Where that evaluation ends early, because what
//! is in the file decides how the program goes on, so does what was executed by then in the one and not in the other.

use super::tally::Class;
use super::{evaluate, polls, tally};
use crate::evaluation::arrival::Polls;
use crate::evaluation::{Found, Job};
use chronos_base::units::Picoseconds;
use chronos_interpreter::{Inputs, Missing};
use chronos_ir::BlockId;
use chronos_machine::network::Network;
use std::collections::BTreeSet;

/// Blocks whose counts are others if the files exist, as far as the program can be followed then.
pub fn doubtful(job: &Job, network: &Network, classes: &[Class], found: &Found) -> BTreeSet<BlockId> {
    if found.absent.is_empty() {
        return BTreeSet::new();
    }
    let inputs = Inputs { missing: Missing::There, ..job.inputs.clone() };
    let job = Job { inputs, ..job.clone() };
    let other = tally::classes(&job.program, &evaluate(&job, network, Picoseconds(0), Polls::AsReplayed));
    polls::different(&job, classes, &other)
}
