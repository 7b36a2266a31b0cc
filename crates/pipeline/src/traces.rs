//! What was counted in a run.

use super::codes::needs_value;
use super::options::{TRACED_BUDGET, TraceOptions};
use chronos_base::diag::Diagnostic;
use chronos_predict::evaluation::Job;
use chronos_trace::Trace;

/// A job of which a run tells what an evaluation does not follow within `TRACED_BUDGET`, after which programs are traced:
/// all blocks that are not exact then have trace points.
///
/// `budget`: what the user allows, which holds.
pub fn with_little_effort(job: &Job, trace: &Trace, budget: Option<u64>) -> Job {
    let mut job = job.clone();
    if budget.is_none() && trace.shared.is_none() {
        job.assumptions.budget = TRACED_BUDGET;
    }
    job
}

/// The trace of a job, and where it is partial.
///
/// # Errors
/// The program has free parameters, the folder holds no trace of this program, or one of other arguments.
pub fn read_trace(options: &TraceOptions, job: &Job) -> Result<(Trace, Vec<Diagnostic>), Vec<Diagnostic>> {
    if let Some(free) = job.program.parameters.values().next() {
        return Err(vec![needs_value(&free.name)]);
    }
    let read = Trace::read_for(&options.folder, &job.program, job.tasks, options.sharing);
    let checked = read.and_then(|read| read.0.check_arguments(&job.arguments).map(|()| read));
    checked.map_err(|error| vec![*error])
}
