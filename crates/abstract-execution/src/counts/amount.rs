//! How often a place is executed: a number, or an expression of what is left free.

use chronos_activity::{Count, CountSource, CountValue};
use chronos_math::quasi::QuasiPolynomial;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub enum Amount {
    Number(Count),
    Expression(Arc<QuasiPolynomial>, CountSource),
}

impl Amount {
    pub const ZERO: Self = Self::Number(Count::ZERO);

    /// `points` places of weight `weight`.
    pub fn weighted(points: QuasiPolynomial, weight: Count) -> Self {
        match weight.value {
            CountValue::Unknown => Self::Number(Count::UNKNOWN),
            CountValue::Exact(1) => Self::Expression(Arc::new(points), weight.source),
            CountValue::Exact(n) => Self::Expression(Arc::new(points.scale(&BigInt::from(n))), weight.source),
            CountValue::Expected(p) => Self::Expression(Arc::new(points.scale_exactly(&rational(p))), weight.source),
        }
    }

    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => Self::Number(a + b),
            (Self::Number(Count { value: CountValue::Unknown, .. }), _)
            | (_, Self::Number(Count { value: CountValue::Unknown, .. })) => Self::Number(Count::UNKNOWN),
            (a, b) if b.is_zero() => a,
            (a, b) if a.is_zero() => b,
            (a, b) => match (a.expression(), b.expression()) {
                (Some(x), Some(y)) => Self::Expression(Arc::new(x.add(&y)), a.source().max(b.source())),
                _ => Self::Number(Count::UNKNOWN),
            },
        }
    }

    #[must_use]
    pub fn times(self, times: u128) -> Self {
        match self {
            Self::Number(count) => Self::Number(count.times(Count::exact(times))),
            Self::Expression(value, source) => Self::Expression(Arc::new(value.scale(&BigInt::from(times))), source),
        }
    }

    pub fn is_zero(&self) -> bool {
        match self {
            Self::Number(count) => count.is_zero(),
            Self::Expression(value, _) => value.constant().is_some_and(|n| n.is_zero()),
        }
    }

    pub fn source(&self) -> CountSource {
        match self {
            Self::Number(count) => count.source,
            Self::Expression(_, source) => *source,
        }
    }

    /// The number; an expression is none.
    pub fn number(&self) -> Count {
        match self {
            Self::Number(count) => *count,
            Self::Expression(..) => Count::UNKNOWN,
        }
    }

    /// `None` where it is unknown.
    pub fn expression(&self) -> Option<Arc<QuasiPolynomial>> {
        match self {
            Self::Expression(value, _) => Some(value.clone()),
            Self::Number(count) => {
                let value = match count.value {
                    CountValue::Exact(n) => QuasiPolynomial::from(BigInt::from(n)),
                    CountValue::Expected(x) => QuasiPolynomial::from(BigInt::one()).scale_exactly(&rational(x)),
                    CountValue::Unknown => return None,
                };
                Some(Arc::new(value))
            }
        }
    }
}

/// Relative distance below which a fraction is what a rounded number was meant to be.
const CLOSE: f64 = 4e-16;
/// Greatest denominator tried.
const MAX_DENOMINATOR: u64 = 1 << 24;

/// The simplest fraction that rounds to the number: probabilities are written in decimals, and products of
/// them are rounded.
pub fn rational(x: f64) -> BigRational {
    simplest(x).or_else(|| BigRational::from_float(x)).unwrap_or_else(BigRational::zero)
}

/// By continued fractions.
fn simplest(x: f64) -> Option<BigRational> {
    let (mut before, mut now) = ((0_u64, 1_u64), (1_u64, 0_u64));
    let mut rest = x;
    for _ in 0..40 {
        let whole = rest.floor().to_u64()?;
        let next = (whole.checked_mul(now.0)?.checked_add(before.0)?, whole.checked_mul(now.1)?.checked_add(before.1)?);
        if next.1 > MAX_DENOMINATOR {
            return None;
        }
        (before, now) = (now, next);
        if (now.0 as f64 / now.1 as f64 - x).abs() <= CLOSE * x.abs() {
            return Some(BigRational::new(now.0.into(), now.1.into()));
        }
        rest = 1.0 / (rest - rest.floor());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounded_numbers_are_what_they_were_meant_to_be() {
        for (x, text) in [(0.5, "1/2"), (1.0 / 3.0, "1/3"), (0.1 * 0.1, "1/100"), (2.5, "5/2"), (7.0, "7"), (0.0, "0")]
        {
            assert_eq!(rational(x).to_string(), text);
        }
    }
}
