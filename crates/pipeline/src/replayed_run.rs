//! A replay that was kept, as other tools take it.

use chronos_activity::Site;
use chronos_base::diag::Diagnostic;
use chronos_predict::{Evaluated, Job, call_name};
use chronos_replay::{ReplayResult, codes};
use std::sync::Arc;

/// The replay of one prediction with its timeline.
pub struct ReplayedRun {
    pub(super) job: Job,
    /// What was executed; `None` where it holds for this timing alone.
    pub(super) evaluated: Option<Arc<Evaluated>>,
    /// The replay with its timeline.
    pub result: ReplayResult,
    /// Node of each task.
    pub nodes: Vec<u32>,
}

impl ReplayedRun {
    /// What a call is named on a timeline.
    pub fn call_name(&self, site: Site) -> String {
        call_name(&self.job.program, site.block)
    }

    /// # Errors
    /// What was executed holds for this timing alone.
    pub(super) fn evaluated(&self) -> Result<&Evaluated, Diagnostic> {
        self.evaluated.as_deref().ok_or_else(no_schedule)
    }
}

fn no_schedule() -> Diagnostic {
    let message = "what the program does depends on the order in which messages arrive, or is not known to the end";
    Diagnostic::error(&codes::NO_SCHEDULE, message)
        .help("a schedule cannot express that; write a timeline instead (--trace-out chrome=FILE)")
}
