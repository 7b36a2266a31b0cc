//! What a calibration measured, kept beside what was made of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One point that was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// As microbench/mpi/network.c names it: `network.one-way`, `node.gap`, `allreduce`, ...
    pub quantity: String,
    pub tasks: u32,
    pub bytes: u64,
    pub median_ns: f64,
    pub minimum_ns: f64,
    /// Of the middle four fifths.
    pub mean_ns: f64,
    /// Relative standard error of the median.
    pub error: f64,
    pub repetitions: u32,
    /// The first repetitions, in the order in which they were made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ns: Vec<f64>,
}
