//! Real numbers between integers: what loop bounds are made of in `N / 2.0`, `sqrt(N)`, `ceil(N * 0.5)`.
//!
//! Of such a number its floor and ceiling are known, no more; that is enough to convert it back and to compare it
//! with integers. Integers up to 2^40 are taken: far enough from 2^52 that no rounding of a quotient, a square root
//! or a logarithm reaches the next integer.

use crate::expressions::affine::Affine;
use crate::expressions::bounds::Bounds;
use crate::expressions::derived::{Derived, IntegerFunction};
use crate::expressions::formula::Formula;
use crate::expressions::symbolic::{Fraction, Real, Symbolic, limits};
use crate::expressions::symbols::Symbols;
use chronos_functions::AbstractModel;
use chronos_ir::{BinaryOp, ScalarType};
use chronos_values::Value;
use chronos_values::arith::mirrored;

/// Greatest integer that is taken.
const MAX_INTEGER: i128 = 1 << 40;
/// Greatest factor that an integer is multiplied by.
const MAX_FACTOR: i128 = 16;
/// Greatest divisor. Whatever it is, an integer divided by it lies at least 1 / divisor from the next integer, and is rounded by
/// 2^40 / divisor * 2^-53 at most.
const MAX_DIVISOR: i128 = 1 << 32;

impl Real {
    fn integer(affine: Affine) -> Self {
        Self { floor: affine.clone(), ceiling: Some(affine), exact: None }
    }

    /// The integer that it is, if it is one.
    pub fn as_integer(&self) -> Option<&Affine> {
        (self.ceiling.as_ref() == Some(&self.floor)).then_some(&self.floor)
    }

    /// A number of the source, or a real number.
    pub(crate) fn of(value: &Symbolic) -> Option<Self> {
        match value {
            Symbolic::Real(real) => Some(real.clone()),
            Symbolic::Constant(Value::Float(x)) if x.abs() <= MAX_INTEGER as f64 => Some(Self {
                floor: Affine::constant(x.floor() as i128),
                ceiling: Some(Affine::constant(x.ceil() as i128)),
                exact: Fraction::of(value).filter(|_| x.fract() != 0.0),
            }),
            _ => None,
        }
    }

    /// With an integer added.
    fn shifted(&self, by: &Affine) -> Option<Self> {
        let ceiling = self.ceiling.as_ref().and_then(|ceiling| ceiling.add(by));
        let exact = self.exact.as_ref().and_then(|exact| {
            let more = by.scale(exact.divisor.as_constant()?)?;
            Fraction::new(exact.dividend.add(&more)?, exact.divisor.clone())
        });
        Some(Self { floor: self.floor.add(by)?, ceiling, exact })
    }
}

impl Symbols {
    /// An integer as a number of type double.
    pub fn real(from: ScalarType, affine: &Affine, bounds: &Bounds) -> Option<Symbolic> {
        let (low, high) = limits(from);
        let (least, greatest) = bounds.range(affine);
        let fits = least.unwrap_or(low) >= -MAX_INTEGER && greatest.unwrap_or(high) <= MAX_INTEGER;
        fits.then(|| Symbolic::Real(Real::integer(affine.clone())))
    }

    /// Arithmetic and comparisons of real numbers; `None` where their value is lost.
    pub(crate) fn real_binary(&mut self, op: BinaryOp, a: &Symbolic, b: &Symbolic) -> Option<Symbolic> {
        if op.is_comparison() {
            return self.real_comparison(op, &Real::of(a)?, &Real::of(b)?);
        }
        let scaled = |symbols: &mut Self, real: &Symbolic, by: f64| {
            let (factor, divisor) = dyadic(by)?;
            symbols.scaled(Real::of(real)?.as_integer()?, factor, divisor)
        };
        let real = match (op, a, b) {
            // Integers that fit are finite; whether the zero has a sign no comparison sees.
            (BinaryOp::Mul, real, Symbolic::Constant(Value::Float(0.0)))
            | (BinaryOp::Mul, Symbolic::Constant(Value::Float(0.0)), real) => {
                Real::of(real)?;
                Real::integer(Affine::constant(0))
            }
            (BinaryOp::Mul, real, Symbolic::Constant(Value::Float(x)))
            | (BinaryOp::Mul, Symbolic::Constant(Value::Float(x)), real) => scaled(self, real, *x)?,
            (BinaryOp::Div, real, Symbolic::Constant(Value::Float(x))) => {
                let whole = x.fract() == 0.0 && (1.0..=MAX_DIVISOR as f64).contains(x);
                let divisor = whole.then_some(*x as i128)?;
                self.scaled(Real::of(real)?.as_integer()?, 1, divisor)?
            }
            (BinaryOp::Add, _, _) => {
                let (a, b) = (Real::of(a)?, Real::of(b)?);
                match (a.as_integer(), b.as_integer()) {
                    (Some(integer), _) => b.shifted(integer)?,
                    (None, Some(integer)) => a.shifted(integer)?,
                    (None, None) => return None,
                }
            }
            (BinaryOp::Sub, _, _) => Real::of(a)?.shifted(&Real::of(b)?.as_integer()?.negate()?)?,
            _ => return None,
        };
        Some(Symbolic::Real(real))
    }

    /// `integer * factor / divisor`
    pub(crate) fn scaled(&mut self, integer: &Affine, factor: i128, divisor: i128) -> Option<Real> {
        let dividend = integer.scale(factor)?;
        let up = dividend.plus(divisor - 1)?;
        let floor = self.quotient(&dividend, divisor);
        let exact = Fraction::new(dividend, Affine::constant(divisor)).filter(|_| divisor != 1);
        Some(Real { floor, ceiling: Some(self.quotient(&up, divisor)), exact })
    }

    /// Of an integer with any real number.
    fn real_comparison(&self, op: BinaryOp, a: &Real, b: &Real) -> Option<Symbolic> {
        let (integer, real, op) = match (a.as_integer(), b.as_integer()) {
            (Some(integer), _) => (integer, b, op),
            (None, Some(integer)) => (integer, a, mirrored(op)),
            (None, None) => return None,
        };
        let formula = match op {
            BinaryOp::Lt => self.nonnegative(&real.ceiling.as_ref()?.sub(integer)?.plus(-1)?)?,
            BinaryOp::Le => self.nonnegative(&real.floor.sub(integer)?)?,
            BinaryOp::Gt => self.nonnegative(&integer.sub(&real.floor)?.plus(-1)?)?,
            BinaryOp::Ge => self.nonnegative(&integer.sub(real.ceiling.as_ref()?)?)?,
            BinaryOp::Eq | BinaryOp::Ne => {
                let same = self.zero(&real.as_integer()?.sub(integer)?)?;
                if op == BinaryOp::Eq { same } else { same.not()? }
            }
            _ => return None,
        };
        Some(Symbolic::Truth(formula).constant_folded())
    }

    /// Towards zero.
    pub fn truncated(&mut self, real: &Real, to: ScalarType, bounds: &Bounds) -> Option<Symbolic> {
        let (low, high) = limits(to);
        let (least, greatest) = bounds.range(&real.floor);
        let fits = least.is_none_or(|least| least >= low) && greatest.is_none_or(|greatest| greatest < high);
        if !fits {
            return None;
        }
        if real.as_integer().is_some() || bounds.is_nonnegative(&real.floor) || self.is_root_or_log(&real.floor) {
            return Some(Symbolic::Int(real.floor.clone()));
        }
        let above = self.nonnegative(&real.floor)?;
        let below = above.not()?;
        let cases = [(above, real.floor.clone()), (below, real.ceiling.clone()?)];
        let pieces = |(formula, value): (Formula, Affine)| {
            formula.pieces.into_iter().map(move |piece| (piece, value.clone())).collect::<Vec<_>>()
        };
        Symbolic::from_cases(cases.into_iter().flat_map(pieces).collect())
    }

    /// A square root or logarithm, with something added that is not negative: where C defines it, it is not either.
    fn is_root_or_log(&self, affine: &Affine) -> bool {
        let function = |symbol| matches!(self.quotients.free.get(symbol).as_deref(), Some(Derived::Function(..)));
        affine.constant >= 0 && affine.terms.iter().all(|&(symbol, coefficient)| coefficient > 0 && function(symbol))
    }

    /// What a mathematical function gives for a real number.
    pub(crate) fn real_function(
        &mut self,
        model: AbstractModel,
        argument: &Symbolic,
        bounds: &Bounds,
    ) -> Option<Symbolic> {
        let Symbolic::Real(real) = argument else { return None };
        let integer = real.as_integer();
        let result = match model {
            AbstractModel::Floor => Real::integer(real.floor.clone()),
            AbstractModel::Ceiling => Real::integer(real.ceiling.clone()?),
            AbstractModel::Truncation if bounds.is_nonnegative(&real.floor) => Real::integer(real.floor.clone()),
            AbstractModel::Magnitude if bounds.is_nonnegative(&real.floor) => real.clone(),
            AbstractModel::SquareRoot => {
                let floor = self.function(IntegerFunction::SquareRoot, integer?)?;
                let positive = bounds.least(integer?).is_some_and(|least| least >= 1);
                let below = integer?.plus(-1)?;
                let ceiling = if positive { self.function(IntegerFunction::SquareRoot, &below)?.plus(1) } else { None };
                Real { floor, ceiling, exact: None }
            }
            AbstractModel::BinaryLogarithm => {
                let ceiling = Some(self.function(IntegerFunction::CeilLog(2), integer?)?);
                Real { floor: self.function(IntegerFunction::FloorLog(2), integer?)?, ceiling, exact: None }
            }
            _ => return None,
        };
        Some(Symbolic::Real(result))
    }
}

/// A small factor and a power of two that the number is a quotient of, so that products with it are not rounded.
fn dyadic(x: f64) -> Option<(i128, i128)> {
    let divisor = (0..=10).map(|bits| 1_i128 << bits).find(|&divisor| (x * divisor as f64).fract() == 0.0)?;
    let factor = x * divisor as f64;
    (factor >= 1.0 && factor <= MAX_FACTOR as f64).then_some((factor as i128, divisor))
}
