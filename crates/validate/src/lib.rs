//! How far to trust predictions here: the program is compiled and run on this workstation, and measured times stand
//! beside the predicted ones.
//!
//! # Purpose
//!
//! `chronos validate` asks whether a machine file and a cost model hold for a program and a workstation. This crate
//! builds the program, times whole runs and single functions, and joins the figures with a prediction
//! (`chronos_report::validation`).
//!
//! # How it works
//!
//! 1. Functions are chosen whose predicted call takes long enough for two readings of the clock not to matter. Timing a
//!    shorter function would make it another one.
//! 2. A copy of each source gets clock readings (`instrument`): a declaration behind the opening brace of a function,
//!    on the same line, times it however it is left. Lines keep their numbers, and the compiler still optimises the
//!    function as a whole.
//! 3. The copies are compiled (`build`) and run several times (`measure`); each process leaves its timings in a file.
//! 4. `compare` joins predicted and measured times, function by function. What one timing costs is measured as well.
//! 5. The clock of the moment is read before and after (`clock`), if asked for: a shared machine's drifts by a tenth
//!    from one hour to the next, and a machine file holds that of the hour of its calibration.
//!
//! # Invariants
//!
//! - The crate knows neither flags nor the terminal, nor how predictions are made.
//! - Everything is built in a temporary folder that goes away; the user's sources are not changed.
//! - A program that does not compile or does not come to its end is a diagnostic with what the compiler or the program
//!   said.
//!
//! # Limits
//!
//! - A function's floating-point result lives over the last clock reading, so at -O1 gcc may keep it in memory.
//! - MPI programs need an MPI on this workstation.
//! - Functions that are too short are listed as untimed, with the reason.

#![forbid(unsafe_code)]

mod build;
mod clock;
pub mod codes;
mod compare;
mod instrument;
mod measure;

pub use build::Compilation;
pub use measure::Running;

use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id as _;
use chronos_base::span::FileId;
use chronos_ir::{FuncId, Program};
use chronos_report::model::{Function, Prediction};
use chronos_report::validation::{Clock, Comparison, FunctionComparison, Summary, Untimed};
use measure::Process;

/// What is to be measured.
#[derive(Clone, Debug)]
pub struct Options {
    /// How the program is compiled.
    pub compilation: Compilation,
    /// How it is run.
    pub running: Running,
    /// The files that are compiled.
    pub units: Vec<FileId>,
    /// How often it is run; at least once.
    pub runs: u32,
    /// Functions whose predicted call is shorter are not timed by themselves, in seconds.
    pub least_call_s: f64,
    /// Nanoseconds per cycle that predictions rest on, where they are to be corrected for the clock of the moment.
    pub ns_per_cycle: Option<f64>,
}

/// Predicted and measured times.
#[derive(Clone, Debug)]
pub struct Validation {
    /// The time of `main`.
    pub total: Comparison,
    /// Functions that were timed by themselves.
    pub functions: Vec<FunctionComparison>,
    /// Functions that were not, with the reason.
    pub untimed: Vec<Untimed>,
    /// The distribution of the errors.
    pub summary: Summary,
    /// What timing one call costs, in seconds.
    pub overhead_s: f64,
    /// The clock before and after the runs, where it was measured.
    pub clock: Option<Clock>,
}

/// Builds and runs the program; `progress` is told how many of all runs are done.
///
/// # Errors
/// It does not compile, does not run to its end, or nothing can be written.
pub fn validate(
    options: &Options,
    program: &Program,
    prediction: &Prediction,
    progress: &mut dyn FnMut(u32),
) -> Result<(Validation, Vec<Diagnostic>), Diagnostic> {
    let folder = chronos_base::temporary::Folder::new().map_err(|error| build::no_workplace(&error))?;
    let (timed, mut untimed) = chosen(options, program, prediction);
    let copies = instrument::instrument(program, &options.units, &timed);
    let executable = build::build(&options.compilation, program, &copies, timed.len(), folder.path())?;
    let mut runs: Vec<Vec<Process>> = Vec::new();
    let mut diagnostics = Vec::new();
    let watch = options.ns_per_cycle.map(|_| clock::Watch::build(&options.compilation)).transpose();
    let (watch, no_clock) = match watch {
        Ok(watch) => (watch, None),
        Err(why) => (None, Some(clock::not_measured(&why))),
    };
    let before = watch.as_ref().map(clock::Watch::ns_per_cycle);
    for run in 0..options.runs.max(1) {
        progress(run);
        let (processes, warnings) = measure::run(&options.running, run, &executable, folder.path())?;
        runs.push(processes);
        diagnostics = warnings;
    }
    untimed.extend(copies.missed.iter().map(|&function| why_not(program, function, MISSED)));
    let timed: Vec<(usize, FuncId)> =
        timed.into_iter().enumerate().filter(|(_, function)| !copies.missed.contains(function)).collect();
    let after = watch.as_ref().map(clock::Watch::ns_per_cycle);
    let clock = clock::between(options.ns_per_cycle, before, after).unwrap_or_else(|why| {
        diagnostics.push(clock::not_measured(&why));
        None
    });
    diagnostics.extend(no_clock);
    let validation = compare::compare(program, prediction, clock, &timed, &runs, untimed);
    diagnostics.extend(compare::other_calls(&validation.functions));
    Ok((validation, diagnostics))
}

const MISSED: &str = "its begin stands in a header or a macro";

/// `main`, and what is long enough; with the others, and why they are not timed.
fn chosen(options: &Options, program: &Program, prediction: &Prediction) -> (Vec<FuncId>, Vec<Untimed>) {
    let mut timed: Vec<FuncId> = program.main.into_iter().collect();
    let mut untimed = Vec::new();
    for function in &prediction.functions {
        let Some(id) = find(program, function).filter(|id| !timed.contains(id)) else { continue };
        let calls = function.per_task.calls.iter().filter_map(|calls| calls.as_f64()).sum::<f64>();
        let all: f64 = function.per_task.inclusive_s.iter().sum();
        if calls > 0.0 && all / calls < options.least_call_s {
            untimed.push(why_not(
                program,
                id,
                &format!("a call is predicted to take {}", chronos_report::number::seconds(all / calls)),
            ));
        } else {
            timed.push(id);
        }
    }
    (timed, untimed)
}

/// The function that a report names.
fn find(program: &Program, function: &Function) -> Option<FuncId> {
    let same = |(_, known): &(FuncId, &chronos_ir::Function)| {
        *known.name == *function.name
            && function.unit.as_ref().is_none_or(|unit| *program.files.get(known.unit).name == **unit)
            && known.span.line_start == function.line
            && *program.files.get(known.span.file).name == *function.file
    };
    program.functions.iter().find(same).map(|(id, _)| id)
}

fn why_not(program: &Program, function: FuncId, why: &str) -> Untimed {
    debug_assert!(function.index() < program.functions.len());
    let function = &program.functions[function];
    Untimed {
        name: function.name.to_string(),
        file: program.files.get(function.span.file).name.to_string(),
        line: function.span.line_start,
        why: why.to_owned(),
    }
}
