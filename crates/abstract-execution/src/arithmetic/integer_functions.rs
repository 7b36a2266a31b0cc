//! Functions of one integer: square roots, logarithms and powers.

use crate::expressions::affine::Affine;
use crate::expressions::derived::{Derived, IntegerFunction};
use crate::expressions::symbols::Symbols;
use num_integer::Roots;

impl Symbols {
    /// An integer function; `None` where something is left free and a counter matters.
    pub fn function(&mut self, function: IntegerFunction, argument: &Affine) -> Option<Affine> {
        if let Some(number) = argument.as_constant() {
            return Some(Affine::constant(function.value(number)));
        }
        let known = |symbol| self.quotients.is_free(symbol) || self.quotients.free.is_empty() || self.may_sum();
        let countable = argument.symbols().all(known);
        countable.then(|| self.derived(Derived::Function(function, argument.clone())))
    }
}

impl IntegerFunction {
    /// Value of the function at a number; the square root of a negative number counts as that of 0.
    pub fn value(self, argument: i128) -> i128 {
        match self {
            Self::SquareRoot => argument.max(0).sqrt(),
            Self::FloorLog(base) => powers(i128::from(base), |power| power <= argument) - 1,
            Self::CeilLog(base) => powers(i128::from(base), |power| power < argument),
            Self::Power(base) => {
                let exponent = u32::try_from(argument.max(0)).unwrap_or(u32::MAX);
                i128::from(base).checked_pow(exponent).unwrap_or(i128::MAX)
            }
        }
    }
}

/// How many powers of the factor, from the 0th on, fulfil a condition that does not come back.
pub(crate) fn powers(factor: i128, holds: impl Fn(i128) -> bool) -> i128 {
    let powers = std::iter::successors(Some(1_i128), |power| power.checked_mul(factor));
    powers.take_while(|&power| holds(power)).count() as i128
}

impl IntegerFunction {
    /// An expression that is not negative just where `sign * function(argument) + constant` is not.
    pub(crate) fn bounded(self, argument: &Affine, sign: i128, constant: i128) -> Option<Affine> {
        // The function is at least `bound`, or it is not.
        let bound = if sign > 0 { constant.checked_neg()? } else { constant.checked_add(1)? };
        let power = |base: u32, exponent: i128| i128::from(base).checked_pow(u32::try_from(exponent).ok()?);
        let least = match self {
            Self::SquareRoot if bound >= 1 => bound.checked_mul(bound)?,
            Self::FloorLog(base) if bound >= 0 => power(base, bound)?,
            Self::CeilLog(base) if bound >= 1 => power(base, bound - 1)?.checked_add(1)?,
            _ => return None,
        };
        let enough = argument.plus(least.checked_neg()?)?;
        if sign > 0 { Some(enough) } else { enough.negate()?.plus(-1) }
    }
}
