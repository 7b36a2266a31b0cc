//! How often something is executed on a task: a number, or a lower bound of one.

use crate::activity::{Count, CountSource, CountValue};
use crate::report::counts::model;

/// A count, added and compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Amount {
    count: Count,
    /// Of an unknown count: what is certain.
    at_least: Count,
}

/// What makes two amounts equal in every respect.
pub type Key = (CountSource, u8, u128, u128);

impl Amount {
    pub const ZERO: Self = Self { count: Count::ZERO, at_least: Count::ZERO };

    pub fn number(count: Count) -> Self {
        Self { count, at_least: Count::ZERO }
    }

    /// The same as a lower bound of a count that is not known.
    #[must_use]
    pub fn at_least_that(self) -> Self {
        let certain = matches!(self.count.value, CountValue::Exact(_));
        Self { at_least: if certain { self.count } else { self.at_least }, count: Count::UNKNOWN }
    }

    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self { count: self.count + other.count, at_least: self.at_least + other.at_least }
    }

    /// The larger one; an unknown one is never known to be the smaller.
    #[must_use]
    pub fn most(self, other: Self) -> Self {
        let at_least = if rank(self.at_least) < rank(other.at_least) { other.at_least } else { self.at_least };
        let larger = if rank(self.count) < rank(other.count) { other.count } else { self.count };
        Self { count: larger, at_least }
    }

    #[must_use]
    pub fn at_source(mut self, source: CountSource) -> Self {
        self.count.source = self.count.source.max(source);
        self
    }

    pub fn source(&self) -> CountSource {
        self.count.source
    }

    pub fn count(&self) -> Count {
        self.count
    }

    pub fn expression(&self) -> Option<String> {
        None
    }

    /// A lower bound of what is executed once at most.
    #[must_use]
    pub fn at_most_once(self) -> Self {
        if self.at_least == Count::ONE { Self::number(Count::ONE) } else { self }
    }

    pub fn is_zero(&self) -> bool {
        self.count.is_zero()
    }

    pub fn key(&self) -> Key {
        let (kind, bits) = match self.count.value {
            CountValue::Exact(n) => (0, n),
            CountValue::Expected(x) => (1, u128::from(x.to_bits())),
            CountValue::Unknown => (2, 0),
        };
        let certain = match self.at_least.value {
            CountValue::Exact(n) => n,
            _ => 0,
        };
        (self.count.source, kind, bits, certain)
    }

    pub fn data(&self) -> model::Amount {
        let bound = self.count.value == CountValue::Unknown && !self.at_least.is_zero();
        model::Amount {
            count: self.count,
            expression: None,
            latex: None,
            python: None,
            at_least: bound.then_some(self.at_least),
        }
    }
}

fn rank(count: Count) -> f64 {
    count.as_f64().unwrap_or(f64::INFINITY)
}
