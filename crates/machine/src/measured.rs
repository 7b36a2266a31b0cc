//! What a machine file keeps of its measurement: samples, and how well cost models explain them.

use chronos_base::units::Nanoseconds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One microbenchmark's outcome, in nanoseconds per unit of work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// Name of the microbenchmark.
    pub name: String,
    /// Least of all repetitions, in nanoseconds.
    pub min_ns: Nanoseconds,
    /// Median of all repetitions, in nanoseconds.
    pub median_ns: Nanoseconds,
    /// Repetitions.
    pub repetitions: u32,
    /// Units of work of one run of the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<f64>,
    /// Of the calibration suite: the kind of code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The least of each round, in nanoseconds, in order; their lower quartile is what counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds_ns: Vec<Nanoseconds>,
}

impl Sample {
    /// What counts: the lower quartile of the rounds; the least where rounds were not kept.
    pub fn ns(&self) -> Nanoseconds {
        let mut rounds = self.rounds_ns.clone();
        rounds.sort_by(|a, b| a.0.total_cmp(&b.0));
        let last = rounds.len().saturating_sub(1);
        rounds.get((last as f64 * 0.25).round() as usize).copied().unwrap_or(self.min_ns)
    }
}

/// Relative errors of a cost model on the calibration suite (0.1: ten percent).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Residuals {
    /// Kernels in the suite.
    pub kernels: u32,
    /// Median of |predicted / measured - 1|.
    pub median_relative: f64,
    /// 90th percentile of |predicted / measured - 1|.
    pub p90_relative: f64,
    /// Greatest |predicted / measured - 1|.
    pub max_relative: f64,
    /// Signed error, predicted / measured - 1, of each kernel by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by_kernel: BTreeMap<String, f64>,
    /// What each kernel is like, by name: errors of code that is like it are.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub shapes: BTreeMap<String, KernelShape>,
    /// The same by kind of code: `stream`, `reduction`, `division`, `branch`, `call`, ...
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by_kind: BTreeMap<String, KindResiduals>,
}

/// What bounds a piece of code, as far as errors differ by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CodeKind {
    /// Iterations wait for each other.
    Latency,
    /// The processor executes no more per cycle.
    Throughput,
    /// Divisions and square roots.
    Division,
    /// Lines of memory.
    Memory,
    /// Branches that data decides, indices and trip counts that it gives.
    Irregular,
    /// Everything else: calls, code outside loops, code that is not optimised.
    Mixed,
}

/// The loop that takes most of a kernel's time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KernelShape {
    /// What bounds such a loop: the errors of kernels of one kind are alike.
    pub kind: CodeKind,
    /// Iterations per entry, in the mean.
    pub trips: f64,
    /// It runs on vectors.
    pub vectorised: bool,
}

/// How far predictions of one kind of code lie from measurements.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KindResiduals {
    /// Kernels of this kind.
    pub kernels: u32,
    /// Median of predicted / measured.
    pub median_ratio: f64,
    /// 90th percentile of the factor between predicted and measured, whichever is greater: at least 1.
    pub p90_factor: f64,
}
