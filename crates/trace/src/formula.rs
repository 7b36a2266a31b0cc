//! Counts as sums of trace points: what a spanning tree would call derived counters.

use std::collections::BTreeMap;

chronos_base::define_ids! {
    /// A trace point. Dense over the whole program.
    PointId = "p";
}

/// A sum of executions of trace points, each with a factor; never negative as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Formula {
    terms: BTreeMap<PointId, i32>,
}

impl Formula {
    /// What is never executed.
    pub fn zero() -> Self {
        Self::default()
    }

    /// As often as a point is executed.
    pub fn point(point: PointId) -> Self {
        Self { terms: BTreeMap::from([(point, 1)]) }
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        self.combined(other, 1)
    }

    /// The difference of both.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        self.combined(other, -1)
    }

    fn combined(&self, other: &Self, factor: i32) -> Self {
        let mut terms = self.terms.clone();
        for (&point, &times) in &other.terms {
            let entry = terms.entry(point).or_insert(0);
            *entry = entry.saturating_add(times.saturating_mul(factor));
        }
        terms.retain(|_, times| *times != 0);
        Self { terms }
    }

    /// Points with their factors, none of them 0, by point.
    pub fn terms(&self) -> impl Iterator<Item = (PointId, i32)> {
        self.terms.iter().map(|(&point, &times)| (point, times))
    }

    /// With other names for its points; those without one are dropped.
    #[must_use]
    pub fn renamed(&self, names: &BTreeMap<PointId, PointId>) -> Self {
        let terms = self.terms.iter().filter_map(|(point, &times)| Some((*names.get(point)?, times))).collect();
        Self { terms }
    }

    /// The formula with these terms.
    pub(crate) fn from_terms(terms: impl IntoIterator<Item = (PointId, i32)>) -> Self {
        Self { terms: terms.into_iter().collect() }
    }

    /// Number of terms.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there are no terms: what is counted is never executed.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }
}

/// What is known of control flow at a place: `None` where a call may not have come back or MPI began another segment.
pub type Flow = Option<Formula>;

/// The sum of two flows, known where both are.
pub fn sum(a: &Flow, b: &Flow) -> Flow {
    Some(a.as_ref()?.plus(b.as_ref()?))
}

/// The difference, known where both are.
pub fn difference(a: &Flow, b: &Flow) -> Flow {
    Some(a.as_ref()?.minus(b.as_ref()?))
}
