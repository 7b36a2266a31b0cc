//! From options to predictions: reads programs and systems, sweeps values and numbers of tasks, and keeps results.
//!
//! [`predict`] does all of it; a [`SweepPlan`] lets its user hear of each prediction as soon as it is made. This module reads
//! the files that its options name and writes those of `RunOptions::resume`. It prints nothing, reads no environment variable
//! and must not know flags or the terminal; how far it is, it tells by the trait [`Progress`].

#![forbid(unsafe_code)]

mod assumption_files;
mod cache;
mod cache_key;
mod checks;
mod codes;
mod diagnostic_set;
mod locations;
mod options;
mod plan;
mod point;
mod prepared;
mod progress;
mod recorded;
mod replayed_run;
mod run;
pub mod saved_report;
mod sources;
mod sweeps;
mod systems;
#[cfg(test)]
mod tests;
pub mod times_file;
mod traces;
mod values;
mod variants;
mod workers;

pub use checks::{before_evaluation, calls_mpi, recording_unsupported, without_mpi};
use chronos_report::model::Prediction;
pub use codes::{ALL as CODES, find as find_code, needs_value, not_written};
pub use diagnostic_set::DiagnosticSet;
pub use options::{
    DEFAULT_BUDGET, PredictOptions, ProgramOptions, RecordedTimes, RunOptions, SystemOptions, TraceOptions,
};
pub use plan::{SweepPlan, fallback};
pub use point::{PointResult, SweepPoint};
pub use prepared::{ORDERING_NETWORK, PreparedProgram, Refused, RequiredFunction, job, with_spawned};
pub use progress::{Progress, Silent};
pub use replayed_run::ReplayedRun;
pub use sources::{files, flags_of_files, info, program, program_names, source_options};
pub use sweeps::{combinations, split, with_values};
pub use systems::is_cluster;
pub use traces::read_trace;
pub use values::{InputFile, LocatedValue, Setting, SpawnedProgram, Sweep, TaskCounts, identifier, task_count};
pub use workers::{Indexed, WorkQueue};

/// Makes all predictions that the options ask for: in their order, with every diagnostic once.
///
/// # Errors
/// A program or a system that cannot be taken, or a prediction that cannot be begun.
pub fn predict(
    options: PredictOptions,
    progress: &dyn Progress,
) -> Result<(Vec<Prediction>, DiagnosticSet), Box<Refused>> {
    let plan = SweepPlan::new(options, progress)?;
    let mut diagnostics = DiagnosticSet::default();
    plan.read().for_each(|(files, found)| diagnostics.add(found, files));
    let mut predictions = Vec::with_capacity(plan.points.len());
    plan.run(progress, |point, result| {
        diagnostics.add(&result.diagnostics, plan.files(point));
        predictions.push(result.prediction);
    })?;
    Ok((predictions, diagnostics))
}
