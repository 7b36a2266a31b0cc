//! Recorded computing times, from their files into a prediction.

use super::codes;
use super::options::RecordedTimes;
use chronos_base::diag::{Diagnostic, system_cause};
use chronos_predict::recorded::{Stretches, predict_recorded};
use chronos_predict::{Job, Outcome, Target};

/// The same prediction with recorded computing times.
///
/// # Errors
/// MPI calls that are not all known, files that cannot be read, or those of another run.
pub(crate) fn with_recorded_times(
    job: &Job,
    target: Target<'_>,
    outcome: &Outcome,
    times: &RecordedTimes,
) -> Result<Outcome, Vec<Diagnostic>> {
    let known = outcome.activity.as_ref().or(outcome.untimed.as_ref());
    let evaluated = known.ok_or_else(|| unsettled(&outcome.diagnostics))?;
    let read = |path: String| std::fs::read(&path).map_err(|error| vec![unread(&path, &error)]);
    let files: Vec<Vec<u8>> = times.files(job.tasks).map(read).collect::<Result<_, _>>()?;
    let (outcome, used) = predict_recorded(job, target, evaluated, &Stretches::of_bytes(&files, times.slower));
    match used.iter().enumerate().find(|(_, (used, recorded))| used != recorded) {
        Some((rank, (used, recorded))) => Err(vec![unlike(rank, *used, *recorded)]),
        None => Ok(outcome),
    }
}

impl RecordedTimes {
    /// The file of each task.
    pub(super) fn files(&self, tasks: usize) -> impl Iterator<Item = String> {
        (0..tasks).map(|rank| format!("{}.{rank}", self.base.display()))
    }
}

/// Why there is nothing to put recorded times between.
fn unsettled(found: &[Diagnostic]) -> Vec<Diagnostic> {
    let message =
        "recorded times need MPI calls and sizes that are all known and do not depend on the order of arrival";
    let help = "raise --budget, or give what they depend on (--set, --prob, --iterations)";
    let refused = Diagnostic::error(&chronos_replay::codes::NO_SCHEDULE, message).help(help);
    found.iter().cloned().chain([refused]).collect()
}

fn unread(path: &str, error: &std::io::Error) -> Diagnostic {
    let message = format!("cannot read {path}: {}", system_cause(error));
    Diagnostic::error(&codes::INPUT_NOT_READ, message)
        .help("--recorded names the files without their last part, the rank")
}

fn unlike(rank: usize, used: usize, recorded: usize) -> Diagnostic {
    let message = format!("task {rank} has {used} stretches of computation, and {recorded} were recorded");
    Diagnostic::error(&codes::INPUT_NOT_READ, message)
        .help("record the same program with the same arguments, from the end of MPI_Init to MPI_Finalize")
}
