//! Predictions of programs that run meanwhile, in virtual time: the feed talks with their processes.
//!
//! What is said of them statically plays no part, so that any program has a complete report. This module must not know
//! how processes are started, nor what they are told.

use crate::evaluation::operations::by_operations;
use crate::evaluation::{self, Job};
use crate::pricing::Prices;
use crate::target::Target;
use crate::{Outcome, settled, with_options};
use chronos_activity::{Activity, Feed};
use chronos_ir::{BlockId, Program};
use chronos_replay::ReplayOptions;
use std::collections::BTreeSet;

/// Operations that all tasks together are followed for statically: some seconds. Programs that take more differ from what
/// is predicted without a run in what their trace points do not tell, such as the calling contexts of their blocks.
const FOLLOWED: u64 = 100_000_000;

/// What is known statically of what the tasks execute on the target: all, or up to where the first of them has used up its
/// part of `FOLLOWED`. The run itself tells the rest.
pub fn known(job: &Job, target: Target<'_>) -> Activity {
    let operations = FOLLOWED / job.tasks.max(1) as u64;
    let mut prices = Prices::new(job, target);
    with_options(job, target, &mut prices, |options| {
        let options = ReplayOptions { record: true, critical_path: false, ..options };
        evaluation::exact_prefix(job, options, operations)
    })
}

/// Blocks that the MPI library may execute where it reduces by functions of the program: no evaluation tells how often.
pub fn of_reductions(program: &Program) -> BTreeSet<BlockId> {
    by_operations(program).into_keys().collect()
}

/// Drives the tasks to their end and tells their times on the target.
pub fn predict_executed(job: &Job, target: Target<'_>, feed: &mut dyn Feed) -> Outcome {
    let mut prices = Prices::new(job, target);
    let evaluation = with_options(job, target, &mut prices, |options| {
        evaluation::followed(job, feed, ReplayOptions { record: true, ..options })
    });
    settled(job, target, prices, evaluation)
}
