//! Scopes that are timed by their object code, as data: the counts of a context carry them, and must not know how they came
//! about.

use std::collections::BTreeMap;

/// What a scope takes of its own, all executions of the context together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct CompiledScope {
    pub cycles: f64,
    /// Of them, where no instruction waited for the result of another one.
    pub busy: f64,
    /// Iterations of machine loops, all entries together.
    pub turns: f64,
    /// Conditional jumps of the source are left in it.
    pub chooses: bool,
    /// Source iterations in one of its main loop.
    pub elements: u32,
    /// Machine iterations times the source iterations of the loops around that each entry stands for.
    pub together: f64,
}

/// The scopes of a context that are priced from object code.
#[derive(Clone, Debug, Default)]
pub(crate) struct CompiledTimes(pub BTreeMap<usize, CompiledScope>);
