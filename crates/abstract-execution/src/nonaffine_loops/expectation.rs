//! What is expected of the rest of a loop, and the state of a search for it.

use crate::counts::path::Path;
use crate::expressions::affine::Symbol;
use crate::expressions::symbolic::Symbolic;
use crate::state::store::State;
use chronos_activity::{Count, CountSource};
use chronos_base::hash::FxHashMap;
use chronos_ir::{Loop, ScalarType, ValueId, VarId};

/// What is expected of the rest of a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Expectation {
    /// Expected iterations.
    pub iterations: f64,
    /// Expected evaluations of the condition.
    pub tests: f64,
    /// How likely control comes out behind the loop, neither by a return nor by a jump further out.
    pub through: f64,
    /// Fewest and most iterations.
    pub least: u32,
    pub most: u32,
    /// A probability comes from heuristics.
    pub assumed: bool,
}

impl Expectation {
    pub(crate) const OVER: Self = Self { iterations: 0.0, tests: 0.0, through: 1.0, least: 0, most: 0, assumed: false };

    /// One of several next states.
    pub(crate) fn mixed(parts: &[(f64, Self)]) -> Self {
        let mean = |of: fn(&Self) -> f64| parts.iter().map(|(share, part)| share * of(part)).sum();
        Self {
            iterations: mean(|part| part.iterations),
            tests: mean(|part| part.tests),
            through: mean(|part| part.through),
            least: parts.iter().map(|(_, part)| part.least).min().unwrap_or(0),
            most: parts.iter().map(|(_, part)| part.most).max().unwrap_or(0),
            assumed: parts.iter().any(|(_, part)| part.assumed),
        }
    }

    pub fn is_exact(&self) -> bool {
        self.least == self.most
    }

    pub(crate) fn count(&self, mean: f64) -> Count {
        match self.is_exact() {
            // Every way takes as many iterations, whatever the chances are.
            true => Count::exact(mean.round() as u128),
            false => Count::expected(mean, self.source()),
        }
    }

    pub(crate) fn source(&self) -> CountSource {
        if self.assumed { CountSource::Assumed } else { CountSource::Probability }
    }
}

/// A variable that the condition reads and the loop writes.
#[derive(Clone, Copy)]
pub(crate) struct Tracked {
    pub variable: VarId,
    pub ty: ScalarType,
    pub role: Role,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Role {
    /// Its value is part of the state.
    Absolute,
    /// The others are measured from it.
    Base,
    /// Its distance from the base is part of the state.
    Distance,
}

/// The state at the head of an iteration: a number per tracked variable; 0 for the base.
pub(crate) type Key = Vec<i128>;

pub(crate) struct Search<'a> {
    pub l: &'a Loop,
    pub tracked: Vec<Tracked>,
    /// The base's value at the head of an iteration.
    pub base: Symbol,
    /// The base is not negative at the entry, so it must not fall.
    pub grows: bool,
    pub head: State,
    pub path: Path,
    /// `None` for states whose outlook is being computed.
    pub known: FxHashMap<Key, Option<Expectation>>,
    pub assumed: bool,
}

impl<'a> Search<'a> {
    /// Any iteration of a loop, its counter being the base.
    pub(crate) fn at(l: &'a Loop, counter: Symbol, head: State, path: Path) -> Self {
        Self {
            l,
            tracked: Vec::new(),
            base: counter,
            grows: false,
            head,
            path,
            known: FxHashMap::default(),
            assumed: false,
        }
    }
}

/// One way through a part of an iteration.
pub(crate) struct Way {
    pub share: f64,
    pub state: State,
    pub values: FxHashMap<ValueId, Symbolic>,
    pub end: End,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum End {
    Through,
    Continue,
    Break,
    Outward,
}
