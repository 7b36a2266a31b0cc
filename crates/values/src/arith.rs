//! Arithmetic with the semantics of C: wraparound by type, conversions, comparisons.

use crate::{Distance, Pointer, Quotient, Value, clock};
use chronos_ir::wide::{self, Number, Undetermined};
use chronos_ir::{BinaryOp, ScalarType, UnaryOp};
use std::cmp::Ordering;

/// Why an operation has no known result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// An integer is divided by 0.
    DivisionByZero,
    /// An operand is unknown, or the result is not determined; with a name for the latter.
    Undefined(&'static str),
    /// The difference of two clock readings.
    Clocks {
        /// The call that read the clock whose reading is subtracted.
        from: chronos_ir::BlockId,
        /// The call that read the clock from whose reading it is subtracted.
        to: chronos_ir::BlockId,
        /// What it is, where the times are known.
        elapsed: Option<Value>,
    },
}

/// Bits of an integer type; pointers count as 64.
pub fn bits(ty: ScalarType) -> u32 {
    match ty {
        ScalarType::Bool | ScalarType::I8 | ScalarType::U8 => 8,
        ScalarType::I16 | ScalarType::U16 => 16,
        ScalarType::I32 | ScalarType::U32 => 32,
        ScalarType::I128 | ScalarType::U128 | ScalarType::F80 | ScalarType::F128 => 128,
        _ => 64,
    }
}

/// `n` as an integer type holds it.
#[inline]
pub fn wrap(n: i64, ty: ScalarType) -> i64 {
    match ty {
        ScalarType::I32 => i64::from(n as i32),
        ScalarType::U32 => i64::from(n as u32),
        ScalarType::I8 => i64::from(n as i8),
        ScalarType::U8 => i64::from(n as u8),
        ScalarType::I16 => i64::from(n as i16),
        ScalarType::U16 => i64::from(n as u16),
        ScalarType::Bool => i64::from(n != 0),
        _ => n,
    }
}

/// `x` as a floating type holds it.
#[inline]
pub fn round(x: f64, ty: ScalarType) -> f64 {
    if ty == ScalarType::F32 { f64::from(x as f32) } else { x }
}

/// `a op b` of integers.
///
/// # Errors
/// The fault.
#[inline(always)]
pub fn integer(op: BinaryOp, ty: ScalarType, a: i64, b: i64) -> Result<i64, Fault> {
    use BinaryOp::{Add, And, Div, Mul, Or, Rem, Shl, Shr, Sub, Xor};
    let unsigned = !ty.is_signed();
    Ok(match op {
        Add => wrap(a.wrapping_add(b), ty),
        Sub => wrap(a.wrapping_sub(b), ty),
        Mul => wrap(a.wrapping_mul(b), ty),
        Div | Rem if b == 0 => return Err(Fault::DivisionByZero),
        Div if unsigned => wrap(((a as u64) / (b as u64)) as i64, ty),
        Rem if unsigned => wrap(((a as u64) % (b as u64)) as i64, ty),
        Div => wrap(a.wrapping_div(b), ty),
        Rem => wrap(a.wrapping_rem(b), ty),
        And => a & b,
        Or => a | b,
        Xor => wrap(a ^ b, ty),
        Shl | Shr if b < 0 || b >= i64::from(bits(ty)) => return Err(Fault::Undefined("shift by too many bits")),
        Shl => wrap(a.wrapping_shl(b as u32), ty),
        Shr if unsigned => wrap(((a as u64) >> b) as i64, ty),
        Shr => a >> b,
        _ => i64::from(op.holds(order_integers(a, b, unsigned))),
    })
}

/// Whether `a op b` is not representable in the signed type `ty`, which C leaves undefined. Types narrower than `int` are
/// promoted before they are computed with; unsigned ones wrap around by definition.
#[inline]
pub fn overflows(op: BinaryOp, ty: ScalarType, a: i64, b: i64) -> bool {
    let exact = match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Div if b == -1 => a.checked_neg(),
        _ => return false,
    };
    match ty {
        ScalarType::I32 => exact.is_none_or(|n| wrap(n, ty) != n),
        ScalarType::I64 => exact.is_none(),
        _ => false,
    }
}

impl Value {
    /// Whether `self op b` [overflows] the signed type `ty`; not where one of them is no known integer.
    #[inline]
    pub fn overflows(self, op: BinaryOp, ty: ScalarType, b: Self) -> bool {
        matches!((self, b), (Self::Int(a), Self::Int(b)) if overflows(op, ty, a, b))
    }
}

#[inline(always)]
fn order_integers(a: i64, b: i64, unsigned: bool) -> Option<Ordering> {
    Some(if unsigned { (a as u64).cmp(&(b as u64)) } else { a.cmp(&b) })
}

fn floating(op: BinaryOp, ty: ScalarType, a: f64, b: f64) -> Value {
    match float_result(op, ty, a, b) {
        Some(x) => Value::Float(x),
        None => Value::Int(i64::from(float_holds(op, a, b))),
    }
}

/// `a op b` where that is a floating number.
#[inline(always)]
pub(crate) fn float_result(op: BinaryOp, ty: ScalarType, a: f64, b: f64) -> Option<f64> {
    let x = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div => a / b,
        _ => return None,
    };
    Some(round(x, ty))
}

/// The comparison `a op b` holds.
#[inline(always)]
pub(crate) fn float_holds(op: BinaryOp, a: f64, b: f64) -> bool {
    op.holds(a.partial_cmp(&b))
}

/// `a op b`, both of type `ty`.
///
/// # Errors
/// The fault; unknown operands give themselves as value.
#[inline]
pub fn binary(op: BinaryOp, ty: ScalarType, a: Value, b: Value) -> Result<Value, Fault> {
    if ty.is_wide() {
        return wide_binary(op, ty, a, b);
    }
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => integer(op, ty, a, b).map(Value::Int),
        (Value::Float(a), Value::Float(b)) => Ok(floating(op, ty, a, b)),
        (Value::Unknown(_), _) => Ok(a),
        (_, Value::Unknown(_)) => Ok(b),
        _ => rare(op, ty, a, b),
    }
}

#[inline(never)]
fn wide_binary(op: BinaryOp, ty: ScalarType, a: Value, b: Value) -> Result<Value, Fault> {
    match (a.number(), b.number()) {
        (Some(a), Some(b)) => from_wide(wide::binary(op, ty, a, b)),
        _ if a.is_unknown() => Ok(a),
        _ if b.is_unknown() => Ok(b),
        _ => rare(op, ty, a, b),
    }
}

/// The value of a result of [`wide`].
fn from_wide(number: wide::Result<Number>) -> Result<Value, Fault> {
    match number {
        Ok(number) => Value::of_number(number).ok_or(Fault::Undefined("more numbers of 128 bits than are kept")),
        Err(Undetermined::DivisionByZero) => Err(Fault::DivisionByZero),
        Err(Undetermined::Undefined(what)) => Err(Fault::Undefined(what)),
    }
}

fn rare(op: BinaryOp, ty: ScalarType, a: Value, b: Value) -> Result<Value, Fault> {
    match (a, b) {
        (Value::Clock(_), _) | (_, Value::Clock(_)) => clock::binary(op, ty, a, b),
        (Value::Pointer(a), Value::Pointer(b)) => pointers(op, a, b),
        (Value::Pointer(a), Value::Int(n)) if op == BinaryOp::Div => quotient(a, n),
        (Value::Quotient(a), Value::Int(n)) | (Value::Int(n), Value::Quotient(a))
            if op == BinaryOp::Mul && n == i64::from(a.divisor) =>
        {
            Ok(Value::Pointer(Pointer { object: a.object, offset: i64::from(a.quotient) * n }))
        }
        (Value::Pointer(a), Value::Distance(d)) | (Value::Distance(d), Value::Pointer(a)) if op == BinaryOp::Add => {
            d.added_to(a).map(Value::Pointer).ok_or(Fault::Undefined("arithmetic with addresses of different objects"))
        }
        (Value::Pointer(a), Value::Int(n)) => pointer_and_integer(op, a, n),
        (Value::Int(n), Value::Pointer(b)) if op == BinaryOp::Add => pointer_and_integer(op, b, n),
        (Value::Int(n), Value::Pointer(b)) if op.is_comparison() => pointer_and_integer(mirrored(op), b, n),
        _ => match op {
            BinaryOp::Eq => Ok(Value::Int(i64::from(a == b))),
            BinaryOp::Ne => Ok(Value::Int(i64::from(a != b))),
            _ => Err(Fault::Undefined("arithmetic with an address")),
        },
    }
}

/// Alignments up to which an object may be taken to begin at a multiple.
const LARGEST_ALIGNMENT: i64 = 4096;

/// An address divided by an alignment: multiplied by it again it is the address rounded down.
fn quotient(a: Pointer, n: i64) -> Result<Value, Fault> {
    let is_alignment = n.count_ones() == 1 && (1..=LARGEST_ALIGNMENT).contains(&n);
    match i32::try_from(a.offset.div_euclid(n.max(1))) {
        Ok(quotient) if is_alignment => Ok(Value::Quotient(Quotient { object: a.object, quotient, divisor: n as u32 })),
        _ => Err(Fault::Undefined("arithmetic with an address")),
    }
}

/// The comparison that holds of `b` and `a` where `op` holds of `a` and `b`.
pub fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Ge => BinaryOp::Le,
        other => other,
    }
}

fn pointers(op: BinaryOp, a: Pointer, b: Pointer) -> Result<Value, Fault> {
    if a.object == b.object {
        return match op {
            BinaryOp::Sub => Ok(Value::Int(a.offset.wrapping_sub(b.offset))),
            op if op.is_comparison() => {
                let (a, b) = (a.offset, b.offset);
                Ok(Value::Int(i64::from(op.holds(Some(a.cmp(&b))))))
            }
            _ => Err(Fault::Undefined("arithmetic with addresses")),
        };
    }
    match op {
        BinaryOp::Eq => Ok(Value::Int(0)),
        BinaryOp::Ne => Ok(Value::Int(1)),
        BinaryOp::Sub => Distance::between(a, b)
            .map(Value::Distance)
            .ok_or(Fault::Undefined("a difference of addresses of different objects")),
        _ => Err(Fault::Undefined("comparison of addresses of different objects")),
    }
}

/// Addresses of objects are multiples of 16 and above all integers that programs compare them with.
fn pointer_and_integer(op: BinaryOp, a: Pointer, n: i64) -> Result<Value, Fault> {
    let moved = |offset| Ok(Value::Pointer(Pointer { object: a.object, offset }));
    match op {
        BinaryOp::Add => moved(a.offset.wrapping_add(n)),
        BinaryOp::Sub => moved(a.offset.wrapping_sub(n)),
        BinaryOp::Rem if n > 0 && 16 % n == 0 => Ok(Value::Int(a.offset.rem_euclid(n))),
        BinaryOp::And if (0..16).contains(&n) => Ok(Value::Int(a.offset & n)),
        BinaryOp::And if (-16..0).contains(&n) => moved(a.offset & n),
        _ if op.is_comparison() => Ok(Value::Int(i64::from(op.holds(Some(Ordering::Greater))))),
        _ => Err(Fault::Undefined("arithmetic with an address")),
    }
}

/// A unary operation on a value of type `ty`.
///
/// # Errors
/// The fault where the result is not determined.
pub fn unary(op: UnaryOp, ty: ScalarType, a: Value) -> Result<Value, Fault> {
    Ok(match (op, a) {
        (_, Value::Unknown(_)) => a,
        (UnaryOp::Neg | UnaryOp::Not, _) if ty.is_wide() => {
            let number = a.number().and_then(|a| wide::unary(op, ty, a));
            return from_wide(number.ok_or(Undetermined::Undefined("arithmetic with an address")));
        }
        (UnaryOp::Neg, Value::Int(n)) => Value::Int(wrap(n.wrapping_neg(), ty)),
        (UnaryOp::Neg, Value::Float(x)) => Value::Float(-x),
        (UnaryOp::Neg, Value::Clock(reading)) => Value::Clock(reading.negated()),
        (UnaryOp::Not, Value::Int(n)) => Value::Int(wrap(!n, ty)),
        (UnaryOp::LogicalNot, _) => match a.truth() {
            Ok(truth) => Value::Int(i64::from(!truth)),
            Err(_) => return Err(Fault::Undefined("arithmetic with the time")),
        },
        _ => return Err(Fault::Undefined("arithmetic with an address")),
    })
}

/// `(to) value`, a value of type `from`.
///
/// # Errors
/// The fault where the result is not determined.
#[inline]
pub fn convert(from: ScalarType, to: ScalarType, value: Value) -> Result<Value, Fault> {
    match value {
        // Most conversions of a program are those of indices.
        Value::Int(n) if !to.is_float() && !from.is_wide() && !to.is_wide() => Ok(Value::Int(wrap(n, to))),
        _ => convert_any(from, to, value),
    }
}

#[inline(never)]
fn convert_any(from: ScalarType, to: ScalarType, value: Value) -> Result<Value, Fault> {
    if (from.is_wide() || to.is_wide())
        && let Some(number) = value.number()
    {
        return from_wide(wide::convert(from, to, number));
    }
    Ok(match value {
        Value::Int(n) if to.is_float() && from == ScalarType::U64 => Value::Float(round(n as u64 as f64, to)),
        Value::Int(n) if to == ScalarType::F32 => Value::Float(f64::from(n as f32)),
        Value::Int(n) if to.is_float() => Value::Float(n as f64),
        Value::Int(n) => Value::Int(wrap(n, to)),
        Value::Float(x) if to.is_float() => Value::Float(round(x, to)),
        Value::Float(x) if to == ScalarType::Bool => Value::Int(i64::from(x != 0.0)),
        Value::Float(x) => Value::Int(float_to_integer(x, to).ok_or(Fault::Undefined("conversion out of range"))?),
        Value::Pointer(_) | Value::Function(_) | Value::Library(_) if to == ScalarType::Bool => Value::Int(1),
        Value::Pointer(_) | Value::Quotient(_) | Value::Distance(_) | Value::Function(_) | Value::Library(_)
            if bits(to) >= 64 && !to.is_float() =>
        {
            value
        }
        Value::Clock(reading) => Value::Clock(reading.converted(to)),
        Value::Unknown(_) => value,
        _ => return Err(Fault::Undefined("conversion of an address")),
    })
}

fn float_to_integer(x: f64, to: ScalarType) -> Option<i64> {
    let truncated = x.trunc();
    let (low, high) = match (bits(to), to.is_signed()) {
        (64, true) => (-(2f64.powi(63)), 2f64.powi(63)),
        (64, false) => (0.0, 2f64.powi(64)),
        (n, true) => (-(2f64.powi(n as i32 - 1)), 2f64.powi(n as i32 - 1)),
        (n, false) => (0.0, 2f64.powi(n as i32)),
    };
    if !(truncated >= low && truncated < high) {
        return None;
    }
    Some(if to.is_signed() { truncated as i64 } else { truncated as u64 as i64 })
}

/// The bytes of a known number of type `ty`, little-endian.
pub fn to_bytes(value: Value, ty: ScalarType) -> Option<Vec<u8>> {
    match (value, ty) {
        (_, ty) if ty.is_wide() => Some(wide::to_bytes(ty, value.number()?)),
        (Value::Float(x), ScalarType::F32) => Some((x as f32).to_le_bytes().to_vec()),
        (Value::Float(x), ScalarType::F64) => Some(x.to_le_bytes().to_vec()),
        (Value::Int(n), ty) if !ty.is_float() => Some(n.to_le_bytes()[..bits(ty) as usize / 8].to_vec()),
        _ => None,
    }
}

/// A number of type `ty` from its bytes.
pub fn from_bytes(bytes: &[u8], ty: ScalarType) -> Option<Value> {
    if ty.is_wide() {
        return Value::of_number(wide::from_bytes(ty, bytes)?);
    }
    let mut word = [0u8; 8];
    word.get_mut(..bytes.len())?.copy_from_slice(bytes);
    match ty {
        ScalarType::F32 => Some(Value::Float(f64::from(f32::from_le_bytes(bytes.try_into().ok()?)))),
        ScalarType::F64 => Some(Value::Float(f64::from_le_bytes(word))),
        _ => Some(Value::Int(wrap(i64::from_le_bytes(word), ty))),
    }
}

/// A value stored as `from`, read as `to` of the same size.
pub fn reinterpret(value: Value, from: ScalarType, to: ScalarType) -> Option<Value> {
    if from == to {
        return Some(value);
    }
    match value {
        Value::Int(_) | Value::Float(_) | Value::Wide(_) if from.is_wide() || to.is_wide() => {
            from_bytes(&to_bytes(value, from)?, to)
        }
        Value::Int(n) if !from.is_float() && !to.is_float() => Some(Value::Int(wrap(n, to))),
        Value::Int(_) | Value::Float(_) => from_bytes(&to_bytes(value, from)?, to),
        _ if to.is_float() => matches!(value, Value::Unknown(_) | Value::Clock(_)).then_some(value),
        _ => Some(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(op: BinaryOp, ty: ScalarType, a: i64, b: i64, expected: i64) {
        assert_eq!(binary(op, ty, Value::Int(a), Value::Int(b)), Ok(Value::Int(expected)));
    }

    #[test]
    fn integers_wrap_by_their_type() {
        check(BinaryOp::Add, ScalarType::I32, i64::from(i32::MAX), 1, i64::from(i32::MIN));
        check(BinaryOp::Sub, ScalarType::U32, 0, 1, i64::from(u32::MAX));
        check(BinaryOp::Mul, ScalarType::U64, -1, 2, -2);
        check(BinaryOp::Shl, ScalarType::I32, 1, 31, i64::from(i32::MIN));
    }

    #[test]
    fn unsigned_operations_differ_from_signed_ones() {
        check(BinaryOp::Div, ScalarType::U64, -1, 2, i64::MAX);
        check(BinaryOp::Div, ScalarType::I64, -7, 2, -3);
        check(BinaryOp::Rem, ScalarType::I64, -7, 2, -1);
        check(BinaryOp::Lt, ScalarType::U64, -1, 1, 0);
        check(BinaryOp::Lt, ScalarType::I64, -1, 1, 1);
        check(BinaryOp::Shr, ScalarType::U32, 0x8000_0000, 31, 1);
        check(BinaryOp::Shr, ScalarType::I32, i64::from(i32::MIN), 31, -1);
    }

    #[test]
    fn addresses_are_aligned_by_division_and_multiplication() {
        let address = |offset| Value::Pointer(Pointer { object: crate::ObjectId(7), offset });
        let divided = binary(BinaryOp::Div, ScalarType::U64, address(63), Value::Int(64)).expect("a quotient");
        assert_eq!(binary(BinaryOp::Mul, ScalarType::U64, divided, Value::Int(64)), Ok(address(0)));
        assert!(binary(BinaryOp::Mul, ScalarType::U64, divided, Value::Int(32)).is_err());
        assert!(binary(BinaryOp::Add, ScalarType::U64, divided, Value::Int(1)).is_err());
        assert!(binary(BinaryOp::Div, ScalarType::U64, address(63), Value::Int(48)).is_err());
    }

    #[test]
    fn division_by_zero_is_a_fault() {
        let zero = binary(BinaryOp::Div, ScalarType::I32, Value::Int(1), Value::Int(0));
        assert_eq!(zero, Err(Fault::DivisionByZero));
    }

    #[test]
    fn conversions_round_and_truncate() {
        let third = convert(ScalarType::F64, ScalarType::F32, Value::Float(1.0 / 3.0));
        assert_eq!(third, Ok(Value::Float(f64::from(1.0f32 / 3.0))));
        assert_eq!(convert(ScalarType::F64, ScalarType::I32, Value::Float(-2.9)), Ok(Value::Int(-2)));
        assert!(convert(ScalarType::F64, ScalarType::I32, Value::Float(3e9)).is_err());
        let large = convert(ScalarType::F64, ScalarType::U64, Value::Float(1e19));
        assert_eq!(large, Ok(Value::Int(10_000_000_000_000_000_000u64 as i64)));
    }

    #[test]
    fn punning_reads_the_bytes() {
        let one = reinterpret(Value::Float(1.0), ScalarType::F32, ScalarType::U32);
        assert_eq!(one, Some(Value::Int(0x3f80_0000)));
    }
}
