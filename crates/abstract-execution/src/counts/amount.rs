//! How often a place is executed: a number, or an expression of what is left free.

use crate::expressions::affine::Affine;
use crate::expressions::derived::Derived;
use crate::expressions::quotients::Quotients;
use crate::expressions::rational::rational;
use chronos_activity::{Count, CountSource, CountValue};
use chronos_math::quasi::{self, Polynomial, QuasiPolynomial};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};
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

impl Amount {
    /// Divided by expressions of free symbols.
    #[must_use]
    pub fn divided(self, divisors: &[Affine], quotients: &Quotients) -> Self {
        let source = self.source();
        let Some(value) = self.expression().filter(|_| !divisors.is_empty()) else { return self };
        let value = value.expanded(&|symbol| quotients.factors_of(symbol));
        match divisors.iter().try_fold(value, |value, divisor| quotients.divided(&value, divisor)) {
            Some(quotient) => Self::Expression(Arc::new(quotient), source),
            None => Self::Number(Count::UNKNOWN),
        }
    }
}

impl Quotients {
    fn divided(&self, value: &QuasiPolynomial, divisor: &Affine) -> Option<QuasiPolynomial> {
        let content = divisor.terms.iter().fold(divisor.constant, |gcd, term| num_integer::gcd(gcd, term.1));
        let primitive = Affine {
            constant: divisor.constant / content,
            terms: divisor.terms.iter().map(|term| (term.0, term.1 / content)).collect(),
        };
        let value = value.scale_exactly(&BigRational::new(1.into(), content.into()));
        if primitive.as_constant() == Some(1) {
            return Some(value);
        }
        self.factors(&primitive).iter().try_fold(value, |value, factor| {
            let reciprocal = self.free.find_or_define(Derived::Reciprocal(factor.clone()));
            let divisor = Polynomial::affine(factor).ok()?;
            Some(value.divided_with_rest(&divisor, &Polynomial::product(&[quasi::Symbol(reciprocal.0)])))
        })
    }

    /// What a product is made of; else the expression itself.
    fn factors(&self, affine: &Affine) -> Vec<Affine> {
        let symbol = affine.symbols().next().filter(|&symbol| *affine == Affine::symbol(symbol));
        match symbol.and_then(|symbol| self.free.get(symbol)).as_deref() {
            Some(Derived::Product(factors)) => factors.iter().map(|&factor| Affine::symbol(factor)).collect(),
            _ => vec![affine.clone()],
        }
    }
}
