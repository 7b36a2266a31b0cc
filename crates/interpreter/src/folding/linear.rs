//! Arithmetic of values that gain the same with every period: what the result gains, and for how many periods that holds.
//!
//! A guarded trace whose guards are inequalities of linear functions (the acceleration of loops whose transitions are translations
//! under bounds: H. Comon and Y. Jurski, "Multiple counters automata, safety analysis and Presburger arithmetic", CAV 1998).

use crate::folding::period::{holds, integer_bound, room};
use chronos_ir::{BinaryOp, ScalarType, UnaryOp};
use chronos_values::Value;
use chronos_values::arith::{mirrored, wrap};

/// An operand, and what it gains with every period to come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    pub now: Value,
    pub gain: i64,
}

/// What a result gains, in so many periods.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gained {
    pub gain: i64,
    pub room: u64,
}

impl Gained {
    /// Something that does not change, as long as its operands stay where they are.
    fn constant(room: u64) -> Option<Self> {
        (room > 0).then_some(Self { gain: 0, room })
    }

    /// What is `now` gains as long as this holds of it; `None` where it does not even now.
    fn while_it(now: i64, step: i64, gain: i64, is: impl Fn(i64) -> bool) -> Option<Self> {
        is(now).then(|| Self { gain, room: room(now, 0, step, is) })
    }
}

/// The type holds the number as it is.
fn fits(ty: ScalarType) -> impl Fn(i64) -> bool {
    move |n| wrap(n, ty) == n
}

/// `a op b`, of operands of the type; `None` where it is not linear.
pub(crate) fn binary(op: BinaryOp, ty: ScalarType, a: Term, b: Term) -> Option<Gained> {
    if op.is_comparison() {
        return compared(op, ty, a, b);
    }
    if !ty.is_integer() {
        return None;
    }
    let (x, y) = (a.now.as_int()?, b.now.as_int()?);
    match op {
        BinaryOp::Add => sum(x.checked_add(y)?, a.gain.checked_add(b.gain)?, ty),
        BinaryOp::Sub => sum(x.checked_sub(y)?, a.gain.checked_sub(b.gain)?, ty),
        BinaryOp::Mul if b.gain == 0 => sum(x.checked_mul(y)?, a.gain.checked_mul(y)?, ty),
        BinaryOp::Mul if a.gain == 0 => sum(x.checked_mul(y)?, b.gain.checked_mul(x)?, ty),
        BinaryOp::Shl if b.gain == 0 => {
            let factor = power(y)?;
            sum(x.checked_mul(factor)?, a.gain.checked_mul(factor)?, ty)
        }
        BinaryOp::Rem if b.gain == 0 => remainder(x, a.gain, y),
        BinaryOp::Div if b.gain == 0 => quotient(x, a.gain, y),
        BinaryOp::Shr if b.gain == 0 => quotient(x, a.gain, power(y)?),
        BinaryOp::And if b.gain == 0 => remainder(x, a.gain, mask(y)?),
        BinaryOp::And if a.gain == 0 => remainder(y, b.gain, mask(x)?),
        _ => None,
    }
}

fn sum(now: i64, gain: i64, ty: ScalarType) -> Option<Gained> {
    Gained::while_it(now, gain, gain, fits(ty))
}

fn power(exponent: i64) -> Option<i64> {
    (0..62).contains(&exponent).then(|| 1 << exponent)
}

/// The divisor of which an `&` with the mask is the remainder.
fn mask(mask: i64) -> Option<i64> {
    let divisor = mask.checked_add(1)?;
    (divisor > 0 && divisor & mask == 0).then_some(divisor)
}

/// C rounds towards 0, so a quotient is looked at where nothing is negative.
fn remainder(now: i64, step: i64, divisor: i64) -> Option<Gained> {
    if now < 0 || divisor <= 0 {
        return None;
    }
    if step % divisor == 0 {
        return Gained::while_it(now, step, 0, |n| n >= 0);
    }
    Gained::while_it(now, step, step, |n| n >= 0 && n / divisor == now / divisor)
}

fn quotient(now: i64, step: i64, divisor: i64) -> Option<Gained> {
    if now < 0 || divisor <= 0 {
        return None;
    }
    if step % divisor == 0 {
        return Gained::while_it(now, step, step / divisor, |n| n >= 0);
    }
    Gained::while_it(now, step, 0, |n| n >= 0 && n / divisor == now / divisor)
}

/// A comparison has the same result until its sides meet.
fn compared(op: BinaryOp, ty: ScalarType, a: Term, b: Term) -> Option<Gained> {
    if !ty.is_integer() {
        return compared_reals(op, ty, a, b);
    }
    let (x, y) = (a.now.as_int()?, b.now.as_int()?);
    // Numbers without a sign are held as 64 bits, where those from 2^63 on look negative.
    let plain = |now: i64, step| match ty.is_signed() {
        true => u64::MAX,
        false if now < 0 => 0,
        false => room(now, 0, step, |n| n >= 0),
    };
    let room = plain(x, a.gain).min(plain(y, b.gain));
    let same = same_order(op, x.checked_sub(y)?, a.gain.checked_sub(b.gain)?)?;
    Gained::constant(room.min(same))
}

/// Where one side is an integer that was converted, and the other one does not change.
fn compared_reals(op: BinaryOp, ty: ScalarType, a: Term, b: Term) -> Option<Gained> {
    let (op, moving, bound) = match (a.gain, b.gain) {
        (_, 0) => (op, a, b),
        (0, _) => (mirrored(op), b, a),
        _ => return None,
    };
    let Value::Float(now) = moving.now else { return None };
    let bound = integer_bound(op, ty, bound.now)?;
    let room = room(now as i64, 0, moving.gain, |n| holds(ty, n));
    Gained::constant(room.min(same_order(op, (now as i64).checked_sub(bound)?, moving.gain)?))
}

/// In how many periods the comparison of a difference with 0 has the same result.
fn same_order(op: BinaryOp, difference: i64, step: i64) -> Option<u64> {
    let same: &dyn Fn(i64) -> bool = match op {
        BinaryOp::Lt | BinaryOp::Ge => &|n| (n < 0) == (difference < 0),
        BinaryOp::Le | BinaryOp::Gt => &|n| (n <= 0) == (difference <= 0),
        BinaryOp::Eq | BinaryOp::Ne => &|n| n.signum() == difference.signum(),
        _ => return None,
    };
    Some(room(difference, 0, step, same))
}

/// An operation with one operand of the type.
pub(crate) fn unary(op: UnaryOp, ty: ScalarType, a: Term) -> Option<Gained> {
    let now = a.now.as_int()?;
    match op {
        UnaryOp::Neg => sum(now.checked_neg()?, a.gain.checked_neg()?, ty),
        UnaryOp::Not => sum(!now, a.gain.checked_neg()?, ty),
        UnaryOp::LogicalNot => truth(a),
    }
}

/// A condition that is nonzero, or 0, as it is now.
pub(crate) fn truth(a: Term) -> Option<Gained> {
    Gained::constant(same_order(BinaryOp::Ne, a.now.as_int()?, a.gain)?)
}

/// A value that chooses a case of a switch: all its ranges contain it, or do not, as now.
pub(crate) fn selection(a: Term, cases: &[(i64, i64, u32)]) -> Option<Gained> {
    let now = a.now.as_int()?;
    let side = |n: i64, low: i64, high: i64| (n < low, n > high);
    let same = |n: i64| cases.iter().all(|&(low, high, _)| side(n, low, high) == side(now, low, high));
    Gained::constant(room(now, 0, a.gain, same))
}

/// A conversion between types.
pub(crate) fn converted(from: ScalarType, to: ScalarType, a: Term) -> Option<Gained> {
    match a.now {
        Value::Int(_) if to == ScalarType::Bool => truth(a),
        Value::Int(now) if from.is_integer() && to.is_integer() => {
            Gained::while_it(now, a.gain, a.gain, |n| wrap(n, to) == n)
        }
        Value::Int(now) if from.is_integer() && matches!(to, ScalarType::F32 | ScalarType::F64) => {
            Gained::while_it(now, a.gain, a.gain, |n| holds(to, n))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_values::arith;
    use proptest::prelude::*;

    fn term(now: i64, gain: i64) -> Term {
        Term { now: Value::Int(now), gain }
    }

    fn after(term: Term, periods: u64) -> Value {
        match term.now {
            Value::Int(n) => Value::Int(n + periods as i64 * term.gain),
            other => other,
        }
    }

    /// What an operation gives after some periods is what it gained, as long as there is room.
    fn check(op: BinaryOp, ty: ScalarType, a: Term, b: Term) {
        let Some(gained) = binary(op, ty, a, b) else { return };
        let Ok(Value::Int(now)) = arith::binary(op, ty, a.now, b.now) else { return };
        let far = [1, 2, 3, 7, 50, gained.room.saturating_sub(1), gained.room];
        // Operands have come to their type before, so that it holds them.
        let holds = |term: Term, n: u64| after(term, n).as_int().is_some_and(fits(ty));
        let holds = |n: &u64| *n <= gained.room && *n < 1 << 40 && holds(a, *n) && holds(b, *n);
        for periods in far.into_iter().filter(holds) {
            let then = arith::binary(op, ty, after(a, periods), after(b, periods));
            assert_eq!(then, Ok(Value::Int(now + periods as i64 * gained.gain)), "{op:?} {ty:?} {a:?} {b:?} {periods}");
        }
    }

    proptest! {
        #[test]
        fn results_gain_as_it_is_said(
            (x, y) in (-300i64..3000, -20i64..3000),
            (g, h) in (-9i64..9, prop_oneof![Just(0i64), -9i64..9]),
        ) {
            use BinaryOp::*;
            for op in [Add, Sub, Mul, Div, Rem, And, Shl, Shr, Eq, Ne, Lt, Le, Gt, Ge] {
                let shift = if matches!(op, Shl | Shr) { y.rem_euclid(8) } else { y };
                check(op, ScalarType::I32, term(x, g), term(shift, h));
                check(op, ScalarType::U8, term(x.rem_euclid(256), g), term(shift.rem_euclid(256), h));
                check(op, ScalarType::I64, term(x, h), term(shift, g));
            }
        }
    }

    #[test]
    fn room_ends_where_a_comparison_turns() {
        let below = binary(BinaryOp::Lt, ScalarType::I32, term(5, 2), term(100, 0));
        assert_eq!(below, Some(Gained { gain: 0, room: 47 }));
        assert_eq!(binary(BinaryOp::Eq, ScalarType::I32, term(5, 2), term(5, 0)), None);
        let cases = [(0, 9, 0), (30, 40, 1)];
        assert_eq!(selection(term(12, 3), &cases), Some(Gained { gain: 0, room: 5 }));
        let narrow = converted(ScalarType::I32, ScalarType::I8, term(100, 1));
        assert_eq!(narrow, Some(Gained { gain: 1, room: 27 }));
    }
}
