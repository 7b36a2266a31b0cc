//! math.h, computed in double precision; of the functions of `long double` those whose result is exact.

use super::{Call, Model};
use crate::execute::machine::Flow;
use chronos_functions as functions;
use chronos_ir::wide::{self, Function};
use chronos_ir::{BinaryOp, Callee, ScalarType};
use chronos_native::code::Function as OfNumbers;
use chronos_values::Value;

/// Also finds the `f` and `l` forms.
pub fn lookup(name: &str) -> Option<Model> {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    let rounded = || double(name.strip_suffix('f')?);
    double(name).or_else(|| single(name)).or_else(rounded).or_else(|| extended(name.strip_suffix('l')?))
}

/// The functions of `long double` with a name without its `l`.
fn extended(name: &str) -> Option<Model> {
    Some(match name {
        "sqrt" => |c| precise(c, Function::Sqrt),
        "fabs" => |c| precise(c, Function::Fabs),
        "floor" => |c| precise(c, Function::Floor),
        "ceil" => |c| precise(c, Function::Ceil),
        "trunc" => |c| precise(c, Function::Trunc),
        "round" => |c| precise(c, Function::Round),
        "rint" | "nearbyint" => |c| precise(c, Function::Rint),
        "modf" => parts,
        "sincos" => sincos,
        // Exact where the operands are numbers of double precision; of others nothing is said.
        "fmod" | "fmax" | "fmin" | "copysign" | "ldexp" | "scalbn" | "lround" | "llround" | "lrint" | "llrint"
        | "isnan" | "__isnan" | "isinf" | "__isinf" | "finite" | "__finite" | "signbit" | "__signbit" | "frexp"
        | "huge_val" | "inf" | "nan" => return double(name),
        // The last bits depend on the library.
        _ => {
            double(name)?;
            |c| Ok(c.undefined("the last bits of a function of long double"))
        }
    })
}

/// The type of the result: what `long double` is on the target.
fn result_type(call: &Call) -> ScalarType {
    call.dst.map_or(call.model().long_double(), |(_, ty)| ty)
}

fn precise(call: &mut Call, function: Function) -> Flow<Value> {
    let known = call.arg(0).number().filter(|_| call.dst.is_some());
    let value = known.and_then(|x| Value::of_number(wide::function(function, result_type(call), x)));
    Ok(value.unwrap_or_else(|| call.unknown()))
}

/// modfl
fn parts(call: &mut Call) -> Flow<Value> {
    let ty = result_type(call);
    let Some(to) = call.pointer(1)? else { return Ok(call.unknown()) };
    let parts = call.arg(0).number().and_then(|x| {
        let whole = wide::function(Function::Trunc, ty, x);
        let rest = wide::binary(BinaryOp::Sub, ty, x, whole).ok()?;
        Some((Value::of_number(whole)?, Value::of_number(rest)?))
    });
    let (whole, rest) = parts.unwrap_or_else(|| (call.unknown(), call.unknown()));
    call.machine.store_at(to, ty, whole, "memory")?;
    Ok(rest)
}

/// The functions of `float` whose last bits differ where they are computed in `double` and rounded.
fn single(name: &str) -> Option<Model> {
    Some(match name {
        "cbrtf" => |c| one_single(c, f32::cbrt),
        "sinf" => |c| one_single(c, f32::sin),
        "cosf" => |c| one_single(c, f32::cos),
        "tanf" => |c| one_single(c, f32::tan),
        "asinf" => |c| one_single(c, f32::asin),
        "acosf" => |c| one_single(c, f32::acos),
        "atanf" => |c| one_single(c, f32::atan),
        "sinhf" => |c| one_single(c, f32::sinh),
        "coshf" => |c| one_single(c, f32::cosh),
        "tanhf" => |c| one_single(c, f32::tanh),
        "expf" => |c| one_single(c, f32::exp),
        "exp2f" => |c| one_single(c, f32::exp2),
        "expm1f" => |c| one_single(c, f32::exp_m1),
        "logf" => |c| one_single(c, f32::ln),
        "log2f" => |c| one_single(c, f32::log2),
        "log10f" => |c| one_single(c, f32::log10),
        "log1pf" => |c| one_single(c, f32::ln_1p),
        "powf" => |c| two(c, |a, b| (a as f32).powf(b as f32).into()),
        "atan2f" => |c| two(c, |a, b| (a as f32).atan2(b as f32).into()),
        "hypotf" => |c| two(c, |a, b| (a as f32).hypot(b as f32).into()),
        "fmaf" => |c| fused(c, |a, b, d| (a as f32).mul_add(b as f32, d as f32).into()),
        "modff" => |c| modf(c, ScalarType::F32),
        _ => return None,
    })
}

/// Functions of numbers alone: as models, and as what code of this processor calls.
macro_rules! of_numbers {
    ($($($name:literal)|+ => $numbers:ident $function:expr,)*) => {
        #[cfg(test)]
        pub const NAMES_OF_NUMBERS: &[&str] = &[$($($name),+),*];

        fn double(name: &str) -> Option<Model> {
            Some(match name {
                $($($name)|+ => |c| $numbers(c, $function),)*
                _ => return double_otherwise(name),
            })
        }

        fn called(name: &str) -> Option<OfNumbers> {
            Some(match name {
                $($($name)|+ => of_numbers!(@$numbers $function),)*
                _ => return None,
            })
        }
    };
    (@one $function:expr) => { OfNumbers::One($function) };
    (@two $function:expr) => { OfNumbers::Two($function) };
}

/// A function of double precision whose result depends on its arguments alone, and that does nothing else.
pub fn function_of_numbers(name: &str) -> Option<OfNumbers> {
    match name {
        // Processors have instructions for these.
        "sqrt" => Some(OfNumbers::Sqrt),
        "fabs" => Some(OfNumbers::Fabs),
        name => called(name),
    }
}

of_numbers! {
    "sqrt" => one f64::sqrt,
    "cbrt" => one f64::cbrt,
    "sin" => one f64::sin,
    "cos" => one f64::cos,
    "tan" => one f64::tan,
    "asin" => one f64::asin,
    "acos" => one f64::acos,
    "atan" => one f64::atan,
    "sinh" => one f64::sinh,
    "cosh" => one f64::cosh,
    "tanh" => one f64::tanh,
    "exp" => one f64::exp,
    "exp2" => one f64::exp2,
    "expm1" => one f64::exp_m1,
    "log" => one f64::ln,
    "log2" => one f64::log2,
    "log10" => one f64::log10,
    "log1p" => one f64::ln_1p,
    "fabs" => one f64::abs,
    "floor" => one f64::floor,
    "ceil" => one f64::ceil,
    "trunc" => one f64::trunc,
    "round" => one f64::round,
    "rint" | "nearbyint" => one f64::round_ties_even,
    "pow" => two f64::powf,
    "atan2" => two f64::atan2,
    "fmod" => two |a, b| a % b,
    "hypot" => two f64::hypot,
    "fmax" => two f64::max,
    "fmin" => two f64::min,
    "fdim" => two |a, b| if a <= b { 0.0 } else { a - b },
    "copysign" => two f64::copysign,
    "ldexp" | "scalbn" | "scalbln" => two scaled,
}

models! {
    fn double_otherwise(name: &str) -> Option<Model> {
        "fma" => |c| fused(c, f64::mul_add),
        "lround" | "llround" => |c| whole(c, f64::round),
        "lrint" | "llrint" => |c| whole(c, f64::round_ties_even),
        "isnan" | "__isnan" => |c| test(c, f64::is_nan),
        "isinf" | "__isinf" | "isinf_sign" => infinite,
        "finite" | "isfinite" | "__finite" => |c| test(c, f64::is_finite),
        "signbit" | "__signbit" => |c| test(c, f64::is_sign_negative),
        "frexp" => frexp,
        "modf" => |c| modf(c, ScalarType::F64),
        "sincos" => sincos,
        "huge_val" | "inf" => |_| Ok(Value::Float(f64::INFINITY)),
        "nan" => |_| Ok(Value::Float(f64::NAN)),
    }
}

fn one(call: &mut Call, f: fn(f64) -> f64) -> Flow<Value> {
    Ok(match call.float(0) {
        Some(x) => Value::Float(f(x)),
        None => call.unknown(),
    })
}

fn two(call: &mut Call, f: fn(f64, f64) -> f64) -> Flow<Value> {
    Ok(match (call.float(0), call.float(1)) {
        (Some(a), Some(b)) => Value::Float(f(a, b)),
        _ => call.unknown(),
    })
}

fn one_single(call: &mut Call, f: fn(f32) -> f32) -> Flow<Value> {
    Ok(match call.float(0) {
        Some(x) => Value::Float(f(x as f32).into()),
        None => call.unknown(),
    })
}

fn fused(call: &mut Call, f: fn(f64, f64, f64) -> f64) -> Flow<Value> {
    Ok(match (call.float(0), call.float(1), call.float(2)) {
        (Some(a), Some(b), Some(c)) => Value::Float(f(a, b, c)),
        _ => call.unknown(),
    })
}

/// `x` times a power of two, rounded once: all factors but the last give an exact product.
fn scaled(x: f64, exponent: f64) -> f64 {
    let (fraction, own) = split(x);
    let exponent = own + exponent.clamp(-5000.0, 5000.0) as i32;
    match exponent {
        // The fraction is below one, so its product is finite where the result is.
        1024.. => fraction * 2f64.powi(1023) * 2f64.powi((exponent - 1023).min(1023)),
        -1021..1024 => fraction * 2f64.powi(exponent),
        _ => fraction * 2f64.powi(-1021) * 2f64.powi((exponent + 1021).max(-1074)),
    }
}

fn whole(call: &mut Call, f: fn(f64) -> f64) -> Flow<Value> {
    Ok(match call.float(0).map(f) {
        Some(x) if x.abs() < 9e18 => Value::Int(x as i64),
        _ => call.unknown(),
    })
}

fn test(call: &mut Call, f: fn(f64) -> bool) -> Flow<Value> {
    Ok(match call.float(0) {
        Some(x) => Value::Int(i64::from(f(x))),
        None => call.unknown(),
    })
}

/// glibc's function and the compiler's own give the sign as well.
fn infinite(call: &mut Call) -> Flow<Value> {
    Ok(match call.float(0) {
        Some(x) if x.is_infinite() => Value::Int(if x < 0.0 { -1 } else { 1 }),
        Some(_) => Value::Int(0),
        None => call.unknown(),
    })
}

/// A fraction from a half on below one, and the power of two that gives the number; exact.
fn split(x: f64) -> (f64, i32) {
    const FIELD: u64 = 0x7ff << 52;
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let (normal, shift) = if x.is_normal() { (x, 0) } else { (x * 2f64.powi(64), 64) };
    let exponent = ((normal.to_bits() & FIELD) >> 52) as i32 - 1022;
    (f64::from_bits(normal.to_bits() & !FIELD | 1022 << 52), exponent - shift)
}

fn frexp(call: &mut Call) -> Flow<Value> {
    let (Some(x), Some(to)) = (call.float(0), call.pointer(1)?) else { return Ok(call.unknown()) };
    let (fraction, exponent) = split(x);
    call.machine.store_at(to, ScalarType::I32, Value::Int(exponent.into()), "memory")?;
    Ok(Value::Float(fraction))
}

fn modf(call: &mut Call, ty: ScalarType) -> Flow<Value> {
    let (Some(x), Some(to)) = (call.float(0), call.pointer(1)?) else { return Ok(call.unknown()) };
    call.machine.store_at(to, ty, Value::Float(x.trunc()), "memory")?;
    Ok(Value::Float(if x.is_infinite() { 0f64.copysign(x) } else { x.fract() }))
}

/// The type of numbers that the function takes: its row says which variant it is.
fn element(call: &Call) -> ScalarType {
    let called = call.machine.code.program.call(call.call.block).map(|call| &call.callee);
    let Some(Callee::Library(name)) = called else { return ScalarType::F64 };
    match functions::lookup(name).map(|row| row.variant) {
        Some(functions::Variant::Float) => ScalarType::F32,
        Some(functions::Variant::LongDouble) => call.model().long_double(),
        _ => ScalarType::F64,
    }
}

fn sincos(call: &mut Call) -> Flow<Value> {
    let ty = element(call);
    let known = call.float(0).filter(|_| !ty.is_wide());
    for (argument, value) in [(1, known.map(f64::sin)), (2, known.map(f64::cos))] {
        let Some(to) = call.pointer(argument)? else { continue };
        let value = match value {
            Some(x) if ty == ScalarType::F32 => Value::Float(f64::from(x as f32)),
            Some(x) => Value::Float(x),
            None => call.unknown(),
        };
        call.machine.store_at(to, ty, value, "memory")?;
    }
    Ok(Value::Int(0))
}
