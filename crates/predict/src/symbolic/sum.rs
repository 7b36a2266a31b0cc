//! Sums of counts times costs.

use chronos_activity::CountSource;
use chronos_base::units::Nanoseconds;
use chronos_math::quasi::{Limits, QuasiPolynomial, Symbol};
use chronos_symbolic::SymbolicCount;
use chronos_values::ReasonId;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};
use std::sync::Arc;

/// A time under construction: equal counts are priced together.
#[derive(Clone, Debug)]
pub(crate) struct TimeSum {
    terms: Vec<(Arc<QuasiPolynomial>, BigRational)>,
    found: Certainty,
}

/// How certain a time is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Certainty {
    /// No count is unknown.
    pub complete: bool,
    pub source: CountSource,
    /// Why it is not exact, where it is not.
    pub reason: Option<ReasonId>,
}

/// A time in nanoseconds, as a function of symbols.
#[derive(Clone, Debug, PartialEq)]
pub struct Time {
    pub value: QuasiPolynomial,
    pub certainty: Certainty,
}

impl Default for TimeSum {
    fn default() -> Self {
        let found = Certainty { complete: true, source: CountSource::Static, reason: None };
        Self { terms: Vec::new(), found }
    }
}

impl TimeSum {
    /// Adds what is done `count` times and takes `cost` each time.
    pub fn add(&mut self, count: &SymbolicCount, cost: Nanoseconds) {
        // A cost that is no number is none that a machine file can hold.
        let Some(cost) = BigRational::from_float(cost.0).filter(|cost| !cost.is_zero()) else { return };
        self.note(Certainty { complete: count.value.is_some(), source: count.source, reason: count.reason });
        if let Some(value) = &count.value {
            self.add_term(value, &cost);
        }
    }

    pub(crate) fn add_sum(&mut self, other: &Self) {
        self.note(other.found);
        other.terms.iter().for_each(|(value, cost)| self.add_term(value, cost));
    }

    fn add_term(&mut self, value: &Arc<QuasiPolynomial>, cost: &BigRational) {
        match self.terms.iter_mut().find(|(known, _)| Arc::ptr_eq(known, value) || known == value) {
            Some((_, sum)) => *sum += cost,
            None => self.terms.push((value.clone(), cost.clone())),
        }
    }

    fn note(&mut self, other: Certainty) {
        self.found.complete &= other.complete;
        self.found.reason = self.found.reason.or(other.reason);
        self.found.source = self.found.source.max(other.source);
    }

    /// The sum; its pieces are made disjoint where they are few.
    pub fn finish(&self) -> Time {
        let sum =
            self.terms.iter().fold(QuasiPolynomial::zero(), |sum, (value, cost)| sum.add(&value.scale_exactly(cost)));
        let value = sum.clone().simplified(&Limits::default()).unwrap_or(sum);
        Time { value, certainty: self.found }
    }
}

impl Time {
    /// The value where those of all symbols are known.
    pub fn nanoseconds(&self, values: &[BigRational]) -> f64 {
        let at = |symbol: Symbol| values.get(symbol.0 as usize).cloned().unwrap_or_default();
        self.value.evaluate_exactly(&at).to_f64().unwrap_or(f64::MAX)
    }

    /// No time at all, for certain.
    pub fn is_nothing(&self) -> bool {
        self.certainty.complete && self.value == QuasiPolynomial::zero()
    }
}
