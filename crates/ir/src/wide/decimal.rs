//! Numbers of wide floating types as text, exactly rounded as glibc prints them.

use super::{Number, floats};
use crate::types::ScalarType;
use num_bigint::BigUint;

/// A finite number as decimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digits {
    /// Whether the number has a minus sign (negative zero has one).
    pub negative: bool,
    mantissa: BigUint,
    exponent: i32,
}

/// Sign, mantissa and exponent of a finite number.
pub(super) fn parts(ty: ScalarType, a: Number) -> Option<(bool, BigUint, i32)> {
    let bits = floats::bits(ty, a);
    let (fraction, mantissa_bits) = match ty {
        ScalarType::F80 => (bits & u128::from(u64::MAX), 63),
        _ => (bits & ((1 << 112) - 1), 112),
    };
    let field = (bits >> if ty == ScalarType::F80 { 64 } else { 112 }) as i32 & 0x7fff;
    if field == 0x7fff {
        return None;
    }
    // x87 stores the digit before the point, quad precision does not.
    let whole = if ty == ScalarType::F80 || field == 0 { 0 } else { 1u128 << 112 };
    let negative = bits >> if ty == ScalarType::F80 { 79 } else { 127 } & 1 == 1;
    Some((negative, BigUint::from(fraction | whole), field.max(1) - 16383 - mantissa_bits))
}

impl Digits {
    /// `None` where it is infinite or no number.
    pub fn new(ty: ScalarType, a: Number) -> Option<Self> {
        let (negative, mantissa, exponent) = parts(ty, a)?;
        Some(Self { negative, mantissa, exponent })
    }

    /// The magnitude times 10^power, rounded to an integer, ties to even.
    fn scaled(&self, power: i64) -> BigUint {
        let ten = |n: i64| BigUint::from(10u32).pow(n.max(0) as u32);
        let numerator = (&self.mantissa * ten(power)) << self.exponent.max(0) as u32;
        let denominator: BigUint = ten(-power) << (-self.exponent).max(0) as u32;
        let (quotient, rest) = (&numerator / &denominator, &numerator % &denominator);
        let twice: BigUint = rest << 1u32;
        let up = twice > denominator || twice == denominator && quotient.bit(0);
        quotient + u32::from(up)
    }

    /// `%f` without its sign.
    pub fn fixed(&self, precision: usize) -> String {
        let digits = format!("{:0>width$}", self.scaled(precision as i64).to_string(), width = precision + 1);
        let (whole, fraction) = digits.split_at(digits.len() - precision);
        if precision == 0 { whole.to_owned() } else { format!("{whole}.{fraction}") }
    }

    /// The digits of `%e`, one before the point, and the exponent of ten.
    pub fn scientific(&self, precision: usize) -> (String, i32) {
        if self.mantissa == BigUint::ZERO {
            return (point(&"0".repeat(precision + 1)), 0);
        }
        // The logarithm may be one too large, and rounding may carry.
        let bits = self.mantissa.bits() as i64 + i64::from(self.exponent);
        let mut power = (bits as f64 * std::f64::consts::LOG10_2).floor() as i64;
        loop {
            let digits = self.scaled(precision as i64 - power).to_string();
            match digits.len().cmp(&(precision + 1)) {
                std::cmp::Ordering::Less => power -= 1,
                std::cmp::Ordering::Equal => return (point(&digits), power as i32),
                std::cmp::Ordering::Greater => power += 1,
            }
        }
    }
}

fn point(digits: &str) -> String {
    let (first, rest) = digits.split_at(1);
    if rest.is_empty() { first.to_owned() } else { format!("{first}.{rest}") }
}
