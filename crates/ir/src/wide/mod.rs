//! Numbers of types wider than a machine word: `long double` of x87 (80 bits), IEEE quad precision and integers of
//! 128 bits.
//!
//! Constants of the front end and values of the evaluation are `i64` and `f64`, which are fast and nearly always enough.
//! A number of a wide type is kept as one of these where that is exact, and as its bits elsewhere; every number has one
//! form only, so equal forms are equal numbers. Floating-point arithmetic is that of `rustc_apfloat`, the port of LLVM's
//! APFloat, unless an error-free transformation (Dekker 1971, Knuth's TwoSum) shows that `f64` gives the same.

mod decimal;
mod floats;
mod integers;
mod kept;
#[cfg(test)]
mod tests;

pub use decimal::Digits;
pub use floats::{Function, function, parse, power_of_two};
pub use kept::Wide;

use crate::types::ScalarType;
use crate::{BinaryOp, UnaryOp};

/// A number of a wide type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer, or one of the operands of a conversion; the value, or that of the bits as two's complement.
    Int(i64),
    /// A floating-point number that `f64` holds exactly.
    Float(f64),
    /// Any other: its bits as they lie in memory.
    Bits(u128),
}

/// Why an operation gives no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undetermined {
    /// An integer is divided by 0.
    DivisionByZero,
    /// The result is not determined; the text names what was asked for.
    Undefined(&'static str),
}

/// A number, or why there is none.
pub type Result<T> = std::result::Result<T, Undetermined>;

/// `a op b` of type `ty`; comparisons give 0 or 1.
///
/// # Errors
/// Why there is no result.
pub fn binary(op: BinaryOp, ty: ScalarType, a: Number, b: Number) -> Result<Number> {
    if ty.is_float() { floats::binary(op, ty, a, b) } else { integers::binary(op, ty, a, b) }
}

/// `op a`, which is of type `ty`; a logical negation is not asked for here.
pub fn unary(op: UnaryOp, ty: ScalarType, a: Number) -> Option<Number> {
    match op {
        UnaryOp::Neg if ty.is_float() => Some(floats::negated(ty, a)),
        UnaryOp::Neg => integers::binary(BinaryOp::Sub, ty, Number::Int(0), a).ok(),
        UnaryOp::Not => integers::binary(BinaryOp::Xor, ty, Number::Int(-1), a).ok(),
        UnaryOp::LogicalNot => None,
    }
}

/// `(to) a`, where one of the types is wide.
///
/// # Errors
/// Out of the range of an integer type.
pub fn convert(from: ScalarType, to: ScalarType, a: Number) -> Result<Number> {
    match (from.is_float(), to.is_float()) {
        (true, true) => Ok(floats::rounded(from, to, a)),
        (true, false) => floats::to_integer(from, to, a),
        (false, true) => Ok(floats::from_integer(from, to, a)),
        (false, false) => Ok(integers::convert(from, to, a)),
    }
}

/// Whether a number counts as true.
pub fn truth(a: Number) -> bool {
    match a {
        Number::Int(n) => n != 0,
        Number::Float(x) => x != 0.0,
        // Zero has a shorter form.
        Number::Bits(_) => true,
    }
}

/// The bytes that a type stores, little-endian; what pads it is left out.
pub fn to_bytes(ty: ScalarType, a: Number) -> Vec<u8> {
    let bits = if ty.is_float() { floats::bits(ty, a) } else { integers::bits(a) };
    bits.to_le_bytes()[..stored(ty)].to_vec()
}

/// A number from the bytes that its type stores and perhaps padding behind them.
pub fn from_bytes(ty: ScalarType, bytes: &[u8]) -> Option<Number> {
    let mut all = [0; 16];
    let count = stored(ty);
    all[..count].copy_from_slice(bytes.get(..count)?);
    Some(from_bits(ty, u128::from_le_bytes(all)))
}

/// A number from its bits.
pub fn from_bits(ty: ScalarType, bits: u128) -> Number {
    if ty.is_float() { floats::from_bits(ty, bits) } else { integers::number(bits) }
}

fn stored(ty: ScalarType) -> usize {
    if ty == ScalarType::F80 { 10 } else { 16 }
}
