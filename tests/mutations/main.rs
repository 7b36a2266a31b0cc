//! Damaged inputs of every reader and damaged command lines: whatever they are, an answer or a diagnostic.
//!
//! Mutations of the files under testdata, without instrumentation of the code and without a nightly compiler; the targets under
//! fuzz/ are guided by coverage. `MUTATIONS` is the number for each reader (2,000), `MUTATED_RUNS` that of runs of the binary
//! (60), `SEED` where they begin. A panic, an abort, an end by a signal, and what takes longer than any input of this size should
//! are faults; the message has the input.

mod mutate;
mod readers;
mod runs;

use std::time::Duration;

/// What no reader of a few kilobytes needs on the slowest and busiest machine: longer is a hang.
const HANG: Duration = Duration::from_mins(20);

/// A number from the environment.
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}
