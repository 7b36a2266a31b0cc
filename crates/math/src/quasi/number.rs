//! Exact rational numbers that stay in machine words while they fit: most coefficients of a count
//! are small, and big ones must still be exact.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};

/// A fraction in lowest terms with a positive denominator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Rational {
    Small { numerator: i128, denominator: i128 },
    Big(Box<BigRational>),
}

impl Rational {
    pub const ZERO: Self = Self::integer(0);
    pub const ONE: Self = Self::integer(1);

    pub const fn integer(n: i128) -> Self {
        Self::Small { numerator: n, denominator: 1 }
    }

    pub(crate) fn from_big(value: BigRational) -> Self {
        match (value.numer().to_i128(), value.denom().to_i128()) {
            (Some(numerator), Some(denominator)) if numerator != i128::MIN => Self::Small { numerator, denominator },
            _ => Self::Big(Box::new(value)),
        }
    }

    pub(crate) fn to_big(&self) -> BigRational {
        match self {
            Self::Small { numerator, denominator } => {
                BigRational::new_raw(BigInt::from(*numerator), BigInt::from(*denominator))
            }
            Self::Big(value) => (**value).clone(),
        }
    }

    pub fn is_zero(&self) -> bool {
        matches!(self, Self::Small { numerator: 0, .. })
    }

    pub fn is_negative(&self) -> bool {
        match self {
            Self::Small { numerator, .. } => *numerator < 0,
            Self::Big(value) => value.numer() < &BigInt::zero(),
        }
    }

    pub fn denominator(&self) -> BigInt {
        match self {
            Self::Small { denominator, .. } => BigInt::from(*denominator),
            Self::Big(value) => value.denom().clone(),
        }
    }

    pub fn add(&self, other: &Self) -> Self {
        add_small(self, other).unwrap_or_else(|| Self::from_big(self.to_big() + other.to_big()))
    }

    pub fn multiply(&self, other: &Self) -> Self {
        multiply_small(self, other).unwrap_or_else(|| Self::from_big(self.to_big() * other.to_big()))
    }

    pub fn negate(&self) -> Self {
        self.multiply(&Self::integer(-1))
    }
}

fn add_small(a: &Rational, b: &Rational) -> Option<Rational> {
    let (Rational::Small { numerator: n, denominator: d }, Rational::Small { numerator: m, denominator: e }) = (a, b)
    else {
        return None;
    };
    if d == e {
        return reduced(n.checked_add(*m)?, *d);
    }
    let g = d.gcd(e);
    let numerator = n.checked_mul(e / g)?.checked_add(m.checked_mul(d / g)?)?;
    reduced(numerator, d.checked_mul(e / g)?)
}

fn multiply_small(a: &Rational, b: &Rational) -> Option<Rational> {
    let (Rational::Small { numerator: n, denominator: d }, Rational::Small { numerator: m, denominator: e }) = (a, b)
    else {
        return None;
    };
    reduced(n.checked_mul(*m)?, d.checked_mul(*e)?)
}

fn reduced(numerator: i128, denominator: i128) -> Option<Rational> {
    if numerator == i128::MIN {
        return None;
    }
    if denominator == 1 {
        return Some(Rational::integer(numerator));
    }
    let g = gcd(numerator, denominator);
    Some(Rational::Small { numerator: numerator / g, denominator: denominator / g })
}

/// Greatest common divisor, not negative; machine words are much faster than double ones.
pub(super) fn gcd(a: i128, b: i128) -> i128 {
    match (u64::try_from(a.unsigned_abs()), u64::try_from(b.unsigned_abs())) {
        (Ok(a), Ok(b)) => i128::from(a.gcd(&b)),
        _ => a.gcd(&b),
    }
}
