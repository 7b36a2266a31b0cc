//! Numbers of type double as the fractions that they were meant to be.

use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};

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
