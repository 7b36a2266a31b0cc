//! Arithmetic of the plain instructions, inlined into their dispatch.

use crate::code::fast::{Order, Three, Width};
use chronos_values::Value;

/// As a type of 32 bits holds it.
#[inline(always)]
pub(super) fn word(n: i64) -> i64 {
    i64::from(n as i32)
}

/// As an unsigned type of 32 bits holds it.
#[inline(always)]
pub(super) fn unsigned(n: i64) -> i64 {
    i64::from(n as u32)
}

/// A result as its type holds it, and whether the type would have to be larger for it if it is signed.
#[derive(Clone, Copy)]
pub(super) struct Wrapped {
    pub result: i64,
    pub overflows: bool,
}

/// The result of an operation on 32 bits, which 64 hold.
#[inline(always)]
pub(super) fn words(registers: &mut [Value], three: Three, compute: impl Fn(i64, i64) -> i64) -> Option<Wrapped> {
    wrapped(registers, three, |a, b| {
        let exact = compute(a, b);
        (word(exact), word(exact) != exact)
    })
}

/// The result of an operation on two integers that may not be what it is without bounds. It is stored as well.
#[inline(always)]
pub(super) fn wrapped(
    registers: &mut [Value],
    three: Three,
    compute: impl Fn(i64, i64) -> (i64, bool),
) -> Option<Wrapped> {
    let (Value::Int(a), Value::Int(b)) = (&registers[usize::from(three.a)], &registers[usize::from(three.b)]) else {
        return None;
    };
    let (result, overflows) = compute(*a, *b);
    registers[usize::from(three.to)] = Value::Int(result);
    Some(Wrapped { result, overflows })
}

/// The result for two integers, which is stored as well.
#[inline(always)]
pub(super) fn integers(registers: &mut [Value], three: Three, compute: impl Fn(i64, i64) -> i64) -> Option<i64> {
    let (Value::Int(a), Value::Int(b)) = (&registers[usize::from(three.a)], &registers[usize::from(three.b)]) else {
        return None;
    };
    let result = compute(*a, *b);
    registers[usize::from(three.to)] = Value::Int(result);
    Some(result)
}

#[inline(always)]
pub(super) fn reals(registers: &mut [Value], three: Three, compute: impl Fn(f64, f64) -> f64) -> Option<f64> {
    let (Value::Float(a), Value::Float(b)) = (&registers[usize::from(three.a)], &registers[usize::from(three.b)])
    else {
        return None;
    };
    let result = compute(*a, *b);
    registers[usize::from(three.to)] = Value::Float(result);
    Some(result)
}

/// A division where neither its result nor its rest can be out of range: by zero there is none, and by -1 the least number
/// has none.
#[inline(always)]
pub(super) fn divided(registers: &mut [Value], three: Three, compute: impl Fn(i64, i64) -> i64) -> bool {
    let (Value::Int(a), Value::Int(b)) = (&registers[usize::from(three.a)], &registers[usize::from(three.b)]) else {
        return false;
    };
    if matches!(*b, 0 | -1) {
        return false;
    }
    registers[usize::from(three.to)] = Value::Int(compute(*a, *b));
    true
}

/// A shift by fewer bits than the type has; the others are undefined (C11 6.5.7).
#[inline(always)]
pub(super) fn shifted(registers: &mut [Value], three: Three, width: Width, compute: impl Fn(i64, u32) -> i64) -> bool {
    let (Value::Int(a), Value::Int(b)) = (&registers[usize::from(three.a)], &registers[usize::from(three.b)]) else {
        return false;
    };
    let (a, b) = (*a, *b);
    let bits = if width == Width::Long { 64 } else { 32 };
    if !(0..bits).contains(&b) {
        return false;
    }
    let exact = compute(a, b as u32);
    registers[usize::from(three.to)] = Value::Int(match width {
        Width::Word => word(exact),
        Width::UnsignedWord => unsigned(exact),
        Width::Long => exact,
    });
    true
}

/// A floating number without its fraction, where 32 bits hold it.
#[inline(always)]
pub(super) fn truncated(value: Value) -> Option<i64> {
    let Value::Float(x) = value else { return None };
    let whole = x.trunc();
    (whole >= f64::from(i32::MIN) && whole <= f64::from(i32::MAX)).then_some(whole as i64)
}

/// The rest of a division of 32 bits, where there is one.
#[inline(always)]
pub(super) fn remainder(registers: &mut [Value], three: Three) -> bool {
    let (Value::Int(a), Value::Int(b)) = (registers[usize::from(three.a)], registers[usize::from(three.b)]) else {
        return false;
    };
    if b == 0 {
        return false;
    }
    registers[usize::from(three.to)] = Value::Int(i64::from((a as i32).wrapping_rem(b as i32)));
    true
}

/// Whether a comparison of integers holds; `None` where an operand is none. The result is stored as well.
#[inline(always)]
pub(super) fn compared(registers: &mut [Value], three: Three, holds: impl Fn(i64, i64) -> bool) -> Option<bool> {
    let (Value::Int(a), Value::Int(b)) = (&registers[usize::from(three.a)], &registers[usize::from(three.b)]) else {
        return None;
    };
    let holds = holds(*a, *b);
    registers[usize::from(three.to)] = Value::Int(i64::from(holds));
    Some(holds)
}

#[inline(always)]
pub(super) fn compare(registers: &mut [Value], three: Three, order: Order) -> Option<bool> {
    compared(registers, three, |a, b| match order {
        Order::Less => a < b,
        Order::LessEqual => a <= b,
        Order::Greater => a > b,
        Order::GreaterEqual => a >= b,
        Order::Equal => a == b,
        Order::Unequal => a != b,
    })
}
