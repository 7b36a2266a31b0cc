//! What to measure, and what was measured.

use super::build::Macros;
use super::emitted::Emitted;
use super::host::Host;
use super::output::Measurements;
use super::plan::Effort;

/// What to measure.
#[derive(Clone, Debug)]
pub struct Options {
    /// Compiler command with its flags, as words: `["gcc", "-O2"]`.
    pub compiler: Vec<String>,
    /// Name of the machine; made from processor, compiler and level where it is `None`.
    pub name: Option<String>,
    /// How thoroughly it measures, which decides how long the calibration takes.
    pub effort: Effort,
    /// Make a machine file however noisy the timings are.
    pub allow_noise: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { compiler: vec!["cc".to_owned()], name: None, effort: Effort::Full, allow_noise: false }
    }
}

/// How far a calibration has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Number of steps that are done.
    pub done: u32,
    /// Number of all steps.
    pub total: u32,
    /// What is being done now, in a few words.
    pub what: String,
}

/// What was measured, where.
pub(crate) struct Measured {
    pub(crate) host: Host,
    pub(crate) macros: Macros,
    pub(crate) emitted: Emitted,
    pub(crate) results: Measurements,
    /// Rounds of the programs.
    pub(crate) rounds: usize,
}
