//! Predictions of programs that run meanwhile, in virtual time: the feed talks with their processes.
//!
//! What is said of them statically plays no part, so that any program has a complete report. This module must not know
//! how processes are started, nor what they are told.

use crate::evaluation::random_numbers;
use crate::evaluation::{self, Job};
use crate::pricing::Prices;
use crate::target::Target;
use crate::{Outcome, settled, with_options};
use chronos_activity::{Activity, Feed};
use chronos_replay::ReplayOptions;

/// What is known statically of what the tasks execute on the target; of tasks that cannot be followed to their end, up to
/// there.
pub fn known(job: &Job, target: Target<'_>) -> Activity {
    let evaluation = random_numbers::followed_if_few(job, |job| {
        let mut prices = Prices::new(job, target);
        with_options(job, target, &mut prices, |options| {
            evaluation::evaluate(job, ReplayOptions { record: true, critical_path: false, ..options })
        })
    });
    evaluation.result.activity.unwrap_or_default()
}

/// Drives the tasks to their end and tells their times on the target.
pub fn predict_executed(job: &Job, target: Target<'_>, feed: &mut dyn Feed) -> Outcome {
    let mut prices = Prices::new(job, target);
    let evaluation = with_options(job, target, &mut prices, |options| {
        evaluation::followed(job, feed, ReplayOptions { record: true, ..options })
    });
    settled(job, target, prices, evaluation)
}
