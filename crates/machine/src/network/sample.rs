//! What a calibration measured, kept beside what was made of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One point that was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// As microbench/mpi/network.c names it: `network.one-way`, `node.gap`, `allreduce`, ...
    pub quantity: String,
    /// Number of tasks that took part.
    pub tasks: u32,
    /// Size of the message or operand, in bytes.
    pub bytes: u64,
    /// Median time of the repetitions, in nanoseconds.
    pub median_ns: f64,
    /// Least time of the repetitions, in nanoseconds.
    pub minimum_ns: f64,
    /// Of the middle four fifths.
    pub mean_ns: f64,
    /// Relative standard error of the median.
    pub error: f64,
    /// How often it was timed.
    pub repetitions: u32,
    /// The first repetitions, in the order in which they were made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ns: Vec<f64>,
}
