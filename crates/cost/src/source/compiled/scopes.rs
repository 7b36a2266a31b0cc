//! Scopes that are timed by their object code, as data: the counts of a context carry them, and must not know how they came
//! about.

use crate::Coverage;
use std::collections::{BTreeMap, BTreeSet};

/// What a scope takes of its own, all executions of the context together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct CompiledScope {
    pub cycles: f64,
    /// Of them, where no instruction waited for the result of another one.
    pub busy: f64,
    /// `cycles` at the fastest and at the slowest place in lines that a linker may give to it.
    pub places: [f64; 2],
    /// Iterations of machine loops, all entries together.
    pub turns: f64,
    /// Conditional jumps of the source are left in it.
    pub chooses: bool,
    /// Source iterations in one of its main loop.
    pub elements: u32,
    /// Machine iterations times the source iterations of the loops around that each entry stands for.
    pub together: f64,
}

/// The scopes of a context that are priced from object code, and why others are not.
#[derive(Clone, Debug, Default)]
pub(crate) struct CompiledTimes {
    pub priced: BTreeMap<usize, CompiledScope>,
    /// Loops in whose place the object code calls the library: the source prices such calls as well.
    pub called: BTreeSet<usize>,
    pub refused: BTreeMap<usize, String>,
}

/// How often a scope was executed in contexts in which its object code is priced, and in others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcomes {
    pub priced: f64,
    pub refused: f64,
    /// Why, in the last context in which it is not.
    pub reason: Option<String>,
}

impl Outcomes {
    pub fn coverage(&self) -> Coverage {
        let all = self.priced + self.refused;
        let share = if all > 0.0 { self.priced / all } else { 1.0 };
        Coverage { share, reason: self.reason.clone().filter(|_| share < 1.0) }
    }
}
