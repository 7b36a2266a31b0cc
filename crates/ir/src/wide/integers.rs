//! Integers of 128 bits, signed and unsigned.

use super::{Number, Result, Undetermined};
use crate::BinaryOp;
use crate::types::ScalarType;

/// The bits of an integer, sign-extended from the short form.
pub fn bits(a: Number) -> u128 {
    match a {
        Number::Int(n) => i128::from(n) as u128,
        Number::Float(x) => x as i128 as u128,
        Number::Bits(bits) => bits,
    }
}

/// The short form where there is one.
pub fn number(bits: u128) -> Number {
    i64::try_from(bits as i128).map_or(Number::Bits(bits), Number::Int)
}

pub fn binary(op: BinaryOp, ty: ScalarType, a: Number, b: Number) -> Result<Number> {
    use BinaryOp::{Add, And, Div, Mul, Or, Rem, Shl, Shr, Sub, Xor};
    let signed = ty.is_signed();
    let (a, b) = (bits(a), bits(b));
    let result = match op {
        Add => a.wrapping_add(b),
        Sub => a.wrapping_sub(b),
        Mul => a.wrapping_mul(b),
        Div | Rem if b == 0 => return Err(Undetermined::DivisionByZero),
        Div if signed => (a as i128).wrapping_div(b as i128) as u128,
        Rem if signed => (a as i128).wrapping_rem(b as i128) as u128,
        Div => a / b,
        Rem => a % b,
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Shl | Shr if b >= 128 => return Err(Undetermined::Undefined("shift by too many bits")),
        Shl => a << b,
        Shr if signed => (a as i128 >> b) as u128,
        Shr => a >> b,
        _ => {
            let order = if signed { (a as i128).cmp(&(b as i128)) } else { a.cmp(&b) };
            return Ok(Number::Int(op.holds(Some(order)).into()));
        }
    };
    Ok(number(result))
}

pub fn convert(from: ScalarType, to: ScalarType, a: Number) -> Number {
    // An unsigned word is zero-extended; narrower ones are so in their short form already.
    let bits = if from == ScalarType::U64 { bits(a) & u128::from(u64::MAX) } else { bits(a) };
    match to {
        ScalarType::I128 | ScalarType::U128 => number(bits),
        ScalarType::Bool => Number::Int(i64::from(bits != 0)),
        ScalarType::I8 => Number::Int(i64::from(bits as i8)),
        ScalarType::U8 => Number::Int(i64::from(bits as u8)),
        ScalarType::I16 => Number::Int(i64::from(bits as i16)),
        ScalarType::U16 => Number::Int(i64::from(bits as u16)),
        ScalarType::I32 => Number::Int(i64::from(bits as i32)),
        ScalarType::U32 => Number::Int(i64::from(bits as u32)),
        _ => Number::Int(bits as i64),
    }
}
