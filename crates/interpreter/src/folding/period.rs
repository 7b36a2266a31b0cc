//! The last iterations of a loop, and how long what they did goes on alike.

use crate::state::location::Location;
use chronos_base::hash::FxHashSet;
use chronos_ir::{BinaryOp, CounterId, ScalarType};
use chronos_values::Value;
use chronos_values::arith::wrap;
use std::collections::BTreeMap;

/// The last iterations of a loop, after which the steps repeat.
pub(crate) struct Period {
    /// How many.
    pub iterations: u64,
    /// Places that were written, with their values before.
    pub(crate) first: BTreeMap<Location, Value>,
    pub(crate) executed: FxHashSet<CounterId>,
}

impl Period {
    /// Places that were written, with their values before.
    pub fn changes(&self) -> impl Iterator<Item = (Location, Value)> + '_ {
        self.first.iter().map(|(&place, &old)| (place, old))
    }

    /// One of the blocks was executed.
    pub(crate) fn executes_any(&self, blocks: &[CounterId]) -> bool {
        blocks.iter().any(|block| self.executed.contains(block))
    }

    pub(crate) fn leaves_alone(&self, place: Location) -> bool {
        match place {
            Location::Memory(object, ..) => {
                !self.first.keys().any(|other| matches!(other, Location::Memory(written, ..) if *written == object))
            }
            _ => !self.first.contains_key(&place),
        }
    }
}

/// How often the step can be added to `now + addend` so that the sum fits.
pub(crate) fn room(now: i64, addend: i64, step: i64, fits: impl Fn(i64) -> bool) -> u64 {
    let holds = |times: u64| {
        let sum = i128::from(now) + i128::from(addend) + i128::from(times) * i128::from(step);
        i64::try_from(sum).is_ok_and(&fits)
    };
    if step == 0 && holds(0) {
        return u64::MAX;
    }
    let (mut least, mut most) = (0, u64::MAX);
    while least < most {
        let middle = least + (most - least).div_ceil(2);
        if holds(middle) { least = middle } else { most = middle - 1 }
    }
    least
}

/// The type has this integer, and all that lie between it and 0.
pub(crate) fn holds(ty: ScalarType, n: i64) -> bool {
    match ty {
        ScalarType::F32 => n.unsigned_abs() <= 1 << f32::MANTISSA_DIGITS,
        ScalarType::F64 => n.unsigned_abs() <= 1 << f64::MANTISSA_DIGITS,
        ty => wrap(n, ty) == n,
    }
}

/// The integer with which the comparison has the same result for each integer that the type holds.
pub(crate) fn integer_bound(op: BinaryOp, ty: ScalarType, bound: Value) -> Option<i64> {
    let bound = match bound {
        Value::Int(bound) if ty.is_integer() => return Some(bound),
        Value::Float(bound) if !ty.is_integer() => bound,
        _ => return None,
    };
    let bound = match op {
        BinaryOp::Lt | BinaryOp::Ge => bound.ceil(),
        BinaryOp::Le | BinaryOp::Gt => bound.floor(),
        _ if bound.fract() == 0.0 => bound,
        _ => return None,
    };
    let exact = bound.abs() <= (1u64 << f64::MANTISSA_DIGITS) as f64;
    exact.then_some(bound as i64).filter(|&bound| holds(ty, bound))
}
