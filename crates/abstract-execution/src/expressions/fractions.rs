//! Quotients of integer expressions: what the source says of branches and loops, as in `PIC_proba(1.0 / N)`.
//!
//! Nothing is compared with them. An integer expression is counted by one more counter that ranges over it, so a count
//! times a fraction is the number of points of such a set, divided by the divisor: see [`crate::counts::path::Piece::divisors`].

use super::affine::{Affine, Symbol};
use super::arithmetic::Symbols;
use super::derived::Derived;
use super::formula::{Constraint, Formula};
use super::symbolic::Symbolic;
use crate::Value;
use crate::counts::amount::{Amount, rational};
use crate::counts::cardinality::Quotients;
use crate::counts::path::Path;
use chronos_activity::{Count, CountSource, CountValue};
use chronos_ir::BinaryOp;
use chronos_math::quasi::{self, Polynomial, QuasiPolynomial};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;
use std::sync::Arc;

/// `dividend / divisor`; the divisor is not zero where it is executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fraction {
    pub dividend: Affine,
    pub divisor: Affine,
}

impl Fraction {
    pub fn integer(dividend: Affine) -> Self {
        Self { dividend, divisor: Affine::constant(1) }
    }

    /// With a divisor whose first coefficient is positive; `None` for a division by zero.
    pub fn new(dividend: Affine, divisor: Affine) -> Option<Self> {
        match divisor.terms.first().map_or(divisor.constant, |term| term.1) {
            0 => None,
            1.. => Some(Self { dividend, divisor }),
            _ => Some(Self { dividend: dividend.negate()?, divisor: divisor.negate()? }),
        }
    }

    /// The number, where it is one that is known exactly.
    pub fn of(value: &Symbolic) -> Option<Self> {
        match value {
            Symbolic::Int(affine) => Some(Self::integer(affine.clone())),
            Symbolic::Fraction(fraction) => Some(fraction.clone()),
            Symbolic::Real(real) => real.exact.clone().or_else(|| Some(Self::integer(real.as_integer()?.clone()))),
            Symbolic::Constant(Value::Float(x)) => {
                let exact = rational(*x);
                let same = exact.to_f64() == Some(*x);
                let part = |part: &BigInt| part.to_i128().map(Affine::constant).filter(|_| same);
                Some(Self { dividend: part(exact.numer())?, divisor: part(exact.denom())? })
            }
            _ => None,
        }
    }

    /// What is missing of 1.
    pub fn complement(&self) -> Option<Self> {
        Some(Self { dividend: self.divisor.sub(&self.dividend)?, divisor: self.divisor.clone() })
    }

    pub fn symbols(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.dividend.symbols().chain(self.divisor.symbols())
    }

    /// Both parts as `replace` says.
    pub fn mapped(&self, mut replace: impl FnMut(&Affine) -> Option<Affine>) -> Option<Self> {
        Self::new(replace(&self.dividend)?, replace(&self.divisor)?)
    }
}

impl Symbols {
    /// Arithmetic with quotients; `None` where the value is lost.
    pub(crate) fn fraction_binary(&mut self, op: BinaryOp, a: &Symbolic, b: &Symbolic) -> Option<Symbolic> {
        let (a, b) = (Fraction::of(a)?, Fraction::of(b)?);
        let fraction = match op {
            BinaryOp::Mul => {
                Fraction::new(self.multiplied(&a.dividend, &b.dividend)?, self.multiplied(&a.divisor, &b.divisor)?)?
            }
            BinaryOp::Div => {
                Fraction::new(self.multiplied(&a.dividend, &b.divisor)?, self.multiplied(&a.divisor, &b.dividend)?)?
            }
            BinaryOp::Add => self.fraction_sum(&a, &b)?,
            BinaryOp::Sub => {
                let negative = Fraction { dividend: b.dividend.negate()?, divisor: b.divisor };
                self.fraction_sum(&a, &negative)?
            }
            _ => return None,
        };
        Some(Symbolic::Fraction(fraction))
    }

    fn fraction_sum(&mut self, a: &Fraction, b: &Fraction) -> Option<Fraction> {
        if a.divisor == b.divisor {
            return Fraction::new(a.dividend.add(&b.dividend)?, a.divisor.clone());
        }
        let (left, right) = (self.multiplied(&a.dividend, &b.divisor)?, self.multiplied(&b.dividend, &a.divisor)?);
        Fraction::new(left.add(&right)?, self.multiplied(&a.divisor, &b.divisor)?)
    }

    fn multiplied(&mut self, a: &Affine, b: &Affine) -> Option<Affine> {
        match (a.as_constant(), b.as_constant()) {
            (Some(a), _) => b.scale(a),
            (_, Some(b)) => a.scale(b),
            (None, None) => self.product(a, b),
        }
    }
}

impl Path {
    /// The same executions, each counted as often as the fraction says; never where it is negative. `counter` is a
    /// symbol that is used nowhere else. `None` where the set becomes too complex.
    pub(crate) fn times_fraction(&self, fraction: &Fraction, counter: Symbol) -> Option<Self> {
        let given = |value| Count { value, source: CountSource::Probability };
        let times = match fraction.dividend.as_constant() {
            Some(times) => self.weighted(given(CountValue::Exact(u128::try_from(times).unwrap_or(0)))),
            None => {
                let symbol = Affine::symbol(counter);
                let below = fraction.dividend.sub(&symbol)?.plus(-1)?;
                let within = Formula::atom(Constraint::Nonnegative(symbol));
                let within = within.and(&Formula::atom(Constraint::Nonnegative(below)))?;
                self.extended(counter).restricted(&within)?.weighted(given(CountValue::Exact(1)))
            }
        };
        Some(times.divided(&fraction.divisor))
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
            let reciprocal = self.free.found_or_late(Derived::Reciprocal(factor.clone()));
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
