//! Whether messages are what classes of tasks take them to be, as the replay of what they execute shows; else each task is
//! followed by itself.

use crate::evaluation::Job;
use crate::target::Target;
use crate::{Outcome, predict_once};
use chronos_replay::ReplayResult;

/// What a replay shows of the messages of tasks that were followed without it.
pub struct ShownMessages {
    complete: bool,
    other_sizes: bool,
}

impl ShownMessages {
    pub fn of(result: &ReplayResult) -> Self {
        Self { complete: result.complete, other_sizes: result.other_sizes }
    }

    /// Every task gets to its end, and every message fills the room that it is received in.
    pub fn are_as_expected(&self) -> bool {
        self.complete && !self.other_sizes
    }
}

/// Predicts where each task is followed by itself.
pub fn predict_separately(job: &Job, target: Target<'_>) -> Outcome {
    let mut separate = job.clone();
    separate.assumptions.separate_ranks = true;
    predict_once(&separate, target)
}
