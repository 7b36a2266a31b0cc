//! Execution counts: exact where integers determine them, expected where chance does, unknown where
//! nobody knows.

use std::hash::{Hash, Hasher};
use std::ops::{Add, AddAssign};

/// How often something is executed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Count {
    /// How often.
    pub value: CountValue,
    /// How the value is known.
    pub source: CountSource,
}

/// The value of a count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CountValue {
    /// An integer.
    Exact(u128),
    /// Expected value; finite and not negative.
    Expected(f64),
    /// Nobody can tell it.
    Unknown,
}

/// Where a count comes from; of two that are added the later one in this list remains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CountSource {
    /// It follows from the sources, arguments and input.
    Static,
    /// A run counted it.
    Trace,
    /// Weighted by a probability or trip count that the user gave.
    Probability,
    /// Weighted by a probability that nobody gave.
    Assumed,
    /// Depends on the order in which messages arrive.
    Timing,
    /// Nothing tells it.
    Unknown,
}

impl Count {
    /// What is never executed.
    pub const ZERO: Self = Self::exact(0);
    /// What is executed once.
    pub const ONE: Self = Self::exact(1);
    /// What nobody can tell.
    pub const UNKNOWN: Self = Self { value: CountValue::Unknown, source: CountSource::Unknown };

    /// A count that follows from the sources.
    pub const fn exact(n: u128) -> Self {
        Self { value: CountValue::Exact(n), source: CountSource::Static }
    }

    /// An expected value; `n` is finite and not negative.
    pub const fn expected(n: f64, source: CountSource) -> Self {
        Self { value: CountValue::Expected(n), source }
    }

    /// Whether it is known to be 0.
    pub fn is_zero(self) -> bool {
        matches!(self.value, CountValue::Exact(0)) || self.value == CountValue::Expected(0.0)
    }

    /// As a number; `None` where it is unknown.
    pub fn as_f64(self) -> Option<f64> {
        match self.value {
            CountValue::Exact(n) => Some(n as f64),
            CountValue::Expected(x) => Some(x),
            CountValue::Unknown => None,
        }
    }

    /// `times` executions of what is executed `self` times each; both sources count.
    #[must_use]
    pub fn times(self, times: Self) -> Self {
        let source = self.source.max(times.source);
        let value = match (self.value, times.value) {
            (CountValue::Exact(0), _) | (_, CountValue::Exact(0)) => return Self::ZERO,
            (CountValue::Unknown, _) | (_, CountValue::Unknown) => CountValue::Unknown,
            (CountValue::Exact(a), CountValue::Exact(b)) => {
                a.checked_mul(b).map_or(CountValue::Expected(a as f64 * b as f64), CountValue::Exact)
            }
            (a, b) => CountValue::Expected(a.approximate() * b.approximate()),
        };
        Self { value, source }
    }

    pub(super) fn hash_bits(&self, state: &mut impl Hasher) {
        self.source.hash(state);
        match self.value {
            CountValue::Exact(n) => n.hash(state),
            CountValue::Expected(x) => x.to_bits().hash(state),
            CountValue::Unknown => u8::MAX.hash(state),
        }
    }
}

impl CountValue {
    fn approximate(self) -> f64 {
        match self {
            Self::Exact(n) => n as f64,
            Self::Expected(x) => x,
            Self::Unknown => f64::NAN,
        }
    }
}

impl Add for Count {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        if self.is_zero() {
            return other;
        }
        if other.is_zero() {
            return self;
        }
        let value = match (self.value, other.value) {
            (CountValue::Unknown, _) | (_, CountValue::Unknown) => CountValue::Unknown,
            (CountValue::Exact(a), CountValue::Exact(b)) => {
                a.checked_add(b).map_or(CountValue::Expected(a as f64 + b as f64), CountValue::Exact)
            }
            (a, b) => CountValue::Expected(a.approximate() + b.approximate()),
        };
        Self { value, source: self.source.max(other.source) }
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}
