//! `chronos-validation/1`: predicted times beside measured ones, and how far they are apart.
//!
//! This module must not know how either came about.

mod csv;
mod table;
#[cfg(test)]
mod tests;

use super::model::{DiagnosticData, Platform, ProgramInfo};
use schemars::JsonSchema;
use serde::Serialize;

pub use csv::render as csv;
pub use table::render as table;

/// A validation. All times are in seconds; errors are predicted / measured - 1.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ValidationReport {
    /// `chronos-validation/1`.
    pub schema: &'static str,
    /// The program that was predicted and measured: its files, arguments and settings.
    pub program: ProgramInfo,
    /// The machine and the network that it was predicted for.
    pub platform: Platform,
    /// Name of the cost model that gave segments their times.
    pub cost_model: String,
    /// Number of tasks (MPI processes) of both.
    pub tasks_count: usize,
    /// How the program was built and run.
    pub measurement: Measurement,
    /// From the begin of `main` to its end; with several tasks, to the last one's.
    pub total: Comparison,
    /// Those that were timed, the longest first. Times are inclusive: callees and MPI calls count.
    pub functions: Vec<FunctionComparison>,
    /// Functions that were executed and not timed by themselves; their callers' times hold them.
    pub untimed: Vec<Untimed>,
    /// The distribution of errors over the functions that were timed.
    pub summary: Summary,
    /// Notes, warnings and errors of the prediction and of the measurement.
    pub diagnostics: Vec<DiagnosticData>,
}

impl ValidationReport {
    /// The name and version of the format.
    pub const SCHEMA: &'static str = "chronos-validation/1";
}

/// How the program was built and run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Measurement {
    /// The compiler with its flags.
    pub compiler: String,
    /// How often the program was run.
    pub runs: u32,
    /// Functions with a shorter predicted call were not timed by themselves.
    pub least_call_s: f64,
    /// What timing one call costs; it is subtracted.
    pub overhead_s: f64,
    /// Mean number of processes that wanted a processor in the minute before; null where the system does not say.
    pub load: Option<f64>,
    /// Number of processor cores that the measurement could use.
    pub cores: u32,
    /// The clock of the moment; null where it was not measured or is not to count: with --no-clock, for another processor
    /// or a program that calls MPI.
    pub clock: Option<Clock>,
}

/// How long a cycle takes, by a chain of dependent additions. Predicted times stand multiplied by `factor`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Clock {
    /// In the machine file.
    pub machine_ns_per_cycle: f64,
    /// Directly before the runs.
    pub before_ns_per_cycle: f64,
    /// Directly after them.
    pub after_ns_per_cycle: f64,
    /// The shorter of both over that of the machine file.
    pub factor: f64,
}

/// One time, twice.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Comparison {
    /// Predicted time in seconds.
    pub predicted_s: f64,
    /// 90 % interval of the prediction; null where the machine file has no residuals to derive it from.
    pub interval_s: Option<[f64; 2]>,
    /// The shortest of all runs.
    pub measured_s: f64,
    /// The median of all runs.
    pub measured_median_s: f64,
    /// predicted / measured - 1; null where nothing was measured.
    pub error: Option<f64>,
}

impl Comparison {
    /// The measured time lies inside the interval; `None` without one.
    pub(crate) fn is_covered(&self) -> Option<bool> {
        self.interval_s.map(|[low, high]| (low..=high).contains(&self.measured_s))
    }
}

/// A function that was timed; means over the tasks.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FunctionComparison {
    /// Name of the function as in the source.
    pub name: String,
    /// Source file that defines the function.
    pub file: String,
    /// Line in which its definition begins, from 1.
    pub line: u32,
    /// Null where the number is not known.
    pub calls_predicted: Option<f64>,
    /// Number of calls that were counted in the run.
    pub calls_measured: f64,
    /// Predicted and measured time, callees and MPI calls included.
    #[serde(flatten)]
    pub time: Comparison,
}

/// A function that was not timed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Untimed {
    /// Name of the function as in the source.
    pub name: String,
    /// Source file that defines the function.
    pub file: String,
    /// Line in which its definition begins, from 1.
    pub line: u32,
    /// Why it was not timed by itself, in words.
    pub why: String,
}

/// The distribution of |error| over the functions that were timed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Summary {
    /// Number of the functions that were timed.
    pub functions: usize,
    /// The median; 0.1 is an error of 10 %. Null where no function was timed.
    pub(crate) median_error: Option<f64>,
    /// The 90th percentile, likewise.
    pub(crate) p90_error: Option<f64>,
    /// The greatest error, likewise.
    pub(crate) max_error: Option<f64>,
    /// Kendall's tau-b between predicted and measured times: whether they rank the functions alike; null below two.
    pub(crate) kendall_tau: Option<f64>,
    /// Share of the functions whose measured time lies inside the interval; null without intervals.
    pub covered: Option<f64>,
}

impl Summary {
    /// The distribution of errors over the functions with these times; fields are `None` where no time has an error.
    pub fn of(times: &[&Comparison]) -> Self {
        let mut errors: Vec<f64> = times.iter().filter_map(|time| Some(time.error?.abs())).collect();
        errors.sort_by(f64::total_cmp);
        let pairs: Vec<(f64, f64)> = times.iter().map(|time| (time.predicted_s, time.measured_s)).collect();
        let inside: Vec<bool> = times.iter().filter_map(|time| time.is_covered()).collect();
        let covered = inside.iter().filter(|&&inside| inside).count() as f64 / inside.len() as f64;
        Self {
            functions: times.len(),
            median_error: quantile(&errors, 0.5),
            p90_error: quantile(&errors, 0.9),
            max_error: errors.last().copied(),
            kendall_tau: tau(&pairs),
            covered: (!inside.is_empty()).then_some(covered),
        }
    }
}

/// Of sorted values, between neighbours in proportion.
pub fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let position = share * last as f64;
    let below = (position.floor() as usize).min(last);
    let above = (below + 1).min(last);
    Some(sorted[below] + (sorted[above] - sorted[below]) * (position - below as f64))
}

/// Kendall's tau-b; `None` where one side has a single value.
pub(crate) fn tau(pairs: &[(f64, f64)]) -> Option<f64> {
    let (mut agree, mut left, mut right) = (0.0, 0.0, 0.0);
    for (index, a) in pairs.iter().enumerate() {
        for b in &pairs[index + 1..] {
            let (x, y) = (sign(a.0 - b.0), sign(a.1 - b.1));
            agree += x * y;
            left += x * x;
            right += y * y;
        }
    }
    (left * right > 0.0).then(|| agree / (left * right).sqrt())
}

fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}
