//! Floating-point numbers with more precision than `f64`.

use super::integers;
use super::{Number, Result, Undetermined};
use crate::BinaryOp;
use crate::types::ScalarType;
use rustc_apfloat::ieee::{Double, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round};

/// What the arithmetic of one of the formats is written for.
trait Format:
    Float + FloatConvert<Double> + FloatConvert<Single> + FloatConvert<Quad> + FloatConvert<X87DoubleExtended>
where
    Double: FloatConvert<Self>,
{
}

impl Format for X87DoubleExtended {}
impl Format for Quad {}

/// Evaluates an expression with `F` as the format of a type.
macro_rules! with_format {
    ($ty:expr, $format:ident => $expression:expr) => {
        if $ty == ScalarType::F80 {
            type $format = X87DoubleExtended;
            $expression
        } else {
            type $format = Quad;
            $expression
        }
    };
}

fn double(x: f64) -> Double {
    Double::from_bits(x.to_bits().into())
}

fn decoded<F: Format>(a: Number) -> F
where
    Double: FloatConvert<F>,
{
    match a {
        Number::Int(n) => F::from_i128(n.into()).value,
        Number::Float(x) => double(x).convert(&mut false).value,
        Number::Bits(bits) => F::from_bits(bits),
    }
}

fn encoded<F: Format>(x: F) -> Number
where
    Double: FloatConvert<F>,
{
    if x.is_nan() {
        return Number::Float(f64::NAN);
    }
    let mut loses = false;
    let short: Double = x.convert(&mut loses).value;
    if loses { Number::Bits(x.to_bits()) } else { Number::Float(f64::from_bits(short.to_bits() as u64)) }
}

pub fn bits(ty: ScalarType, a: Number) -> u128 {
    match a {
        Number::Bits(bits) => bits,
        _ => with_format!(ty, F => decoded::<F>(a).to_bits()),
    }
}

pub fn from_bits(ty: ScalarType, bits: u128) -> Number {
    with_format!(ty, F => encoded(F::from_bits(bits)))
}

pub fn binary(op: BinaryOp, ty: ScalarType, a: Number, b: Number) -> Result<Number> {
    if let (Number::Float(a), Number::Float(b)) = (a, b)
        && let Some(exact) = exactly(op, a, b)
    {
        return Ok(exact);
    }
    with_format!(ty, F => precisely::<F>(op, decoded(a), decoded(b)))
}

fn precisely<F: Format>(op: BinaryOp, a: F, b: F) -> Result<Number>
where
    Double: FloatConvert<F>,
{
    Ok(encoded(match op {
        BinaryOp::Add => (a + b).value,
        BinaryOp::Sub => (a - b).value,
        BinaryOp::Mul => (a * b).value,
        BinaryOp::Div => (a / b).value,
        op if op.is_comparison() => return Ok(Number::Int(op.holds(a.partial_cmp(&b)).into())),
        _ => return Err(Undetermined::Undefined("bits of a floating-point number")),
    }))
}

/// Products and quotients nearer to zero may have lost bits that their error does not show.
const SMALLEST: f64 = 1e-250;

/// The result where `f64` has it without rounding.
fn exactly(op: BinaryOp, a: f64, b: f64) -> Option<Number> {
    let (result, exact) = match op {
        BinaryOp::Add => (a + b, sum_is_exact(a, b)),
        BinaryOp::Sub => (a - b, sum_is_exact(a, -b)),
        BinaryOp::Mul => (a * b, (a * b).abs() > SMALLEST && a.mul_add(b, -(a * b)) == 0.0),
        BinaryOp::Div => (a / b, a.abs() > SMALLEST && (a / b).abs() > SMALLEST && (a / b).mul_add(-b, a) == 0.0),
        op if op.is_comparison() => return Some(Number::Int(op.holds(a.partial_cmp(&b)).into())),
        _ => return None,
    };
    (exact && result.is_finite()).then_some(Number::Float(result))
}

/// Knuth's TwoSum has no error term.
fn sum_is_exact(a: f64, b: f64) -> bool {
    let sum = a + b;
    let second = sum - a;
    (a - (sum - second)) + (b - second) == 0.0
}

pub fn negated(ty: ScalarType, a: Number) -> Number {
    match a {
        Number::Float(x) => Number::Float(-x),
        _ => with_format!(ty, F => encoded(-decoded::<F>(a))),
    }
}

/// To another floating type, rounded once.
pub fn rounded(from: ScalarType, to: ScalarType, a: Number) -> Number {
    if let Number::Float(x) = a {
        return Number::Float(if to == ScalarType::F32 { f64::from(x as f32) } else { x });
    }
    with_format!(from, F => narrowed::<F>(decoded(a), to))
}

fn narrowed<F: Format>(x: F, to: ScalarType) -> Number
where
    Double: FloatConvert<F>,
{
    match to {
        ScalarType::F32 => {
            let x: Single = x.convert(&mut false).value;
            Number::Float(f64::from(f32::from_bits(x.to_bits() as u32)))
        }
        ScalarType::F80 => encoded::<X87DoubleExtended>(x.convert(&mut false).value),
        ScalarType::F128 => encoded::<Quad>(x.convert(&mut false).value),
        _ => {
            let x: Double = x.convert(&mut false).value;
            Number::Float(f64::from_bits(x.to_bits() as u64))
        }
    }
}

pub(crate) fn from_integer(from: ScalarType, to: ScalarType, a: Number) -> Number {
    let bits =
        integers::bits(integers::convert(from, if from.is_signed() { ScalarType::I128 } else { ScalarType::U128 }, a));
    match to {
        ScalarType::F32 if from.is_signed() => Number::Float(f64::from(bits as i128 as f32)),
        ScalarType::F32 => Number::Float(f64::from(bits as f32)),
        ScalarType::F64 if from.is_signed() => Number::Float(bits as i128 as f64),
        ScalarType::F64 => Number::Float(bits as f64),
        _ if from.is_signed() => with_format!(to, F => encoded(F::from_i128(bits as i128).value)),
        _ => with_format!(to, F => encoded(F::from_u128(bits).value)),
    }
}

pub fn to_integer(from: ScalarType, to: ScalarType, a: Number) -> Result<Number> {
    if to == ScalarType::Bool {
        return Ok(Number::Int(super::truth(a).into()));
    }
    // A narrower source has the same number in the wider format.
    with_format!(from, F => truncated::<F>(decoded(a), to)).ok_or(Undetermined::Undefined("conversion out of range"))
}

fn truncated<F: Format>(x: F, to: ScalarType) -> Option<Number>
where
    Double: FloatConvert<F>,
{
    let width = match to {
        ScalarType::I8 | ScalarType::U8 => 8,
        ScalarType::I16 | ScalarType::U16 => 16,
        ScalarType::I32 | ScalarType::U32 => 32,
        ScalarType::I128 | ScalarType::U128 => 128,
        _ => 64,
    };
    let bits = if to.is_signed() {
        let result = x.to_i128_r(width, Round::TowardZero, &mut false);
        (!result.status.contains(rustc_apfloat::Status::INVALID_OP)).then_some(result.value as u128)?
    } else {
        let result = x.to_u128_r(width, Round::TowardZero, &mut false);
        (!result.status.contains(rustc_apfloat::Status::INVALID_OP)).then_some(result.value)?
    };
    Some(integers::convert(ScalarType::U128, to, Number::Bits(bits)))
}

/// A literal or a number in a text, decimal or hexadecimal, correctly rounded.
pub fn parse(ty: ScalarType, text: &str) -> Option<Number> {
    let unsigned = text.trim_start_matches(['+', '-']).to_ascii_lowercase();
    let negative = text.starts_with('-');
    let number = match unsigned.as_str() {
        "inf" | "infinity" => Number::Float(f64::INFINITY),
        _ if unsigned.starts_with("nan") => Number::Float(f64::NAN),
        // The library wants an exponent in hexadecimal numbers.
        digits => {
            let digits =
                if digits.starts_with("0x") && !digits.contains('p') { format!("{digits}p0") } else { unsigned };
            with_format!(ty, F => encoded(F::from_str_r(&digits, Round::NearestTiesToEven).ok()?.value))
        }
    };
    Some(if negative { negated(ty, number) } else { number })
}

/// Functions of math.h whose result is exact, or rounded correctly by every library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// `sqrt`.
    Sqrt,
    /// `fabs`.
    Fabs,
    /// `floor`.
    Floor,
    /// `ceil`.
    Ceil,
    /// `trunc`.
    Trunc,
    /// `round`: halves away from zero.
    Round,
    /// `rint`: halves to even, in the default rounding mode.
    Rint,
}

/// The function's value at `a`, a number of a wide floating type.
pub fn function(function: Function, ty: ScalarType, a: Number) -> Number {
    with_format!(ty, F => {
        let x = decoded::<F>(a);
        let whole = |round| encoded(x.round_to_integral(round).value);
        match function {
            Function::Sqrt => root(ty, a),
            Function::Fabs => encoded(x.abs()),
            Function::Floor => whole(Round::TowardNegative),
            Function::Ceil => whole(Round::TowardPositive),
            Function::Trunc => whole(Round::TowardZero),
            Function::Round => whole(Round::NearestTiesToAway),
            Function::Rint => whole(Round::NearestTiesToEven),
        }
    })
}

/// The square root, correctly rounded: that of an integer with more digits than the format has, and a bit that says
/// whether it is exact.
fn root(ty: ScalarType, a: Number) -> Number {
    match a {
        Number::Float(x) if x == 0.0 || x.is_nan() || x == f64::INFINITY => return a,
        Number::Float(x) if x < 0.0 => return Number::Float(f64::NAN),
        _ => {}
    }
    let Some((false, mantissa, exponent)) = super::decimal::parts(ty, a) else { return Number::Float(f64::NAN) };
    // The exponent of what is rooted is even; its root has 125 digits at least.
    let shift = 250u64.saturating_sub(mantissa.bits());
    let shift = shift + u64::from((i64::from(exponent) - shift as i64) % 2 != 0);
    let shifted = mantissa << shift;
    let floor = shifted.sqrt();
    let inexact = &floor * &floor != shifted;
    let sticky: num_bigint::BigUint = (floor << 1u32) + u32::from(inexact);
    // More than 126 digits would not go into the integers that the library takes.
    let excess = sticky.bits().saturating_sub(126);
    let lost = (&sticky >> excess << excess) != sticky;
    let digits: u128 = u128::try_from(sticky >> excess).unwrap_or(0) | u128::from(lost);
    let scale = (i64::from(exponent) - shift as i64) / 2 - 1 + excess as i64;
    with_format!(ty, F => scaled::<F>(digits, scale as i32))
}

/// A number with more digits than the format has: the first rounding is to have been to odd.
fn scaled<F: Format>(digits: u128, exponent: i32) -> Number
where
    Double: FloatConvert<F>,
{
    encoded(F::from_u128(digits).value.scalbn(exponent))
}

/// `a * 2^exponent`.
pub fn power_of_two(ty: ScalarType, a: Number, exponent: i32) -> Number {
    with_format!(ty, F => encoded(decoded::<F>(a).scalbn(exponent)))
}
