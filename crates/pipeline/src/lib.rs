//! From options to predictions: reads programs and systems, sweeps values and numbers of tasks, and keeps results.
//!
//! # Purpose
//!
//! A command line is one way to ask for predictions, a file another. This crate takes plain data (`PredictOptions`) and
//! does all that stands between it and `chronos_predict`: it reads sources, machines, networks and traces by their
//! names, makes the sweep points, computes them on all processors, and keeps finished ones.
//!
//! # How it works
//!
//! [`predict`] does all of it; a [`SweepPlan`] lets its user hear of each prediction as soon as it is made.
//!
//! `PredictOptions` says what is predicted, where and how. It is made once (by `predict`, `compare` and `scale` of the
//! command line) and passed on whole; `Target` borrows its `ModelOptions`. `SweepPlan` makes sweep points of it
//! (program, swept values, system, tasks), computes them on all processors, and hands them over in order. Points of one
//! program and size share an evaluation.
//!
//! Finished predictions are kept (`RunOptions::resume`) by a hash (FNV-1a of 128 bits) of the point's options as serde
//! writes them, the contents of all files that they name, the program and the system as they were read, and the build
//! (`cache_key`). A new field of the options counts without further ado; where it names a file, the compiler asks for
//! it.
//!
//! # Invariants
//!
//! - The crate prints nothing, reads no environment variable, and knows neither flags nor the terminal; how far it is,
//!   it tells by the trait [`Progress`].
//! - It reads the files that its options name and writes those of `RunOptions::resume` and `RunOptions::objects`, whole or not
//!   at all.
//! - Predictions are handed over in the order of the sweep points, whatever the number of threads.
//! - A kept result is used only if nothing that it depends on has changed; what is stale has another name.
//! - Whose word a compilation database is (`ProgramOptions::trust`) decides what may be run, and is no part of the key.
//!
//! # Limits
//!
//! - The files of `--resume` are no interface: another build of chronos makes them anew.
//! - The hash guards against mistakes, not against malice.
//! - Of saved reports, only what comparisons and scaling studies need is read (`saved_report`).

#![forbid(unsafe_code)]

mod answers;
mod assumption_files;
mod cache;
mod cache_key;
mod calibrated;
mod checks;
mod codes;
mod content_hash;
mod data_models;
mod diagnostic_set;
mod evaluated_run;
mod executed;
mod interval;
mod kept_objects;
mod locations;
mod memory_forecast;
mod numeric;
mod object_code;
mod options;
mod plan;
mod point;
mod prepared;
mod progress;
mod recorded;
mod replayed_run;
mod run;
pub mod saved_report;
mod short_run;
mod sources;
mod sweeps;
mod systems;
#[cfg(test)]
mod tests;
pub mod times_file;
mod totals;
mod traces;
mod values;
mod variants;
mod workers;

pub use answers::Question;
pub use checks::{before_evaluation, calls_mpi, recording_unsupported, without_mpi};
use chronos_report::model::Prediction;
pub use codes::{ALL as CODES, find as find_code, needs_value, not_written};
pub use diagnostic_set::DiagnosticSet;
pub use evaluated_run::EvaluatedRun;
pub use executed::Execution;
pub use object_code::{CompilerUse, ObjectCache, core_of};
pub use options::{
    CalibrationOptions, DEFAULT_BUDGET, MachineRatio, OsShare, PredictOptions, ProgramOptions, RecordedOptions,
    RunOptions, Shard, SystemOptions, TRACED_BUDGET, TraceOptions,
};
pub use plan::{SweepPlan, fallback};
pub use point::{PointResult, SweepPoint};
pub use prepared::{ORDERING_NETWORK, PreparedProgram, Refused, RequiredFunction, job, with_spawned};
pub use progress::{Progress, Silent};
pub use replayed_run::ReplayedRun;
pub use sources::{files, flags_of_files, info, program, program_names, source_options};
pub use sweeps::{combinations, split, with_values};
pub use systems::is_cluster;
pub use traces::{read_trace, with_little_effort};
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
