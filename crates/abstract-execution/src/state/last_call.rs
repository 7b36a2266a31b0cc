//! Which MPI call came last: a value of the state like any other.

use crate::counts::by_last_call::LastCallSetId;
use crate::expressions::affine::Affine;
use crate::expressions::formula::Conjunction;
use crate::expressions::symbolic::Symbolic;

/// What came last; a value of its own kind.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LastCall(pub Symbolic);

impl Default for LastCall {
    fn default() -> Self {
        Self::of(LastCallSetId::START)
    }
}

impl LastCall {
    pub(crate) fn of(set: LastCallSetId) -> Self {
        Self(Symbolic::int(set.number()))
    }

    /// Disjoint conditions, each with what came last there.
    pub(crate) fn cases(&self) -> Vec<(Conjunction, LastCallSetId)> {
        let set =
            |affine: &Affine| affine.as_constant().and_then(LastCallSetId::from_number).unwrap_or(LastCallSetId::START);
        self.0.cases().unwrap_or_default().into_iter().map(|(guard, affine)| (guard, set(&affine))).collect()
    }

    /// The same came last wherever execution stands.
    pub(crate) fn is_uniform(&self) -> bool {
        self.cases().len() == 1
    }

    /// `None` where these are too many.
    pub(crate) fn from_cases(cases: Vec<(Conjunction, LastCallSetId)>) -> Option<Self> {
        let number = |set: LastCallSetId| Affine::constant(set.number());
        Symbolic::from_cases(cases.into_iter().map(|(guard, set)| (guard, number(set))).collect()).map(Self)
    }
}
