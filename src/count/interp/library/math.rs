//! math.h, computed in double precision; of the functions of `long double` those whose result is exact.

use super::{Call, Model};
use crate::count::interp::machine::Flow;
use crate::count::value::Value;
use crate::program::{BinaryOp, ScalarType};
use crate::wide::{self, Function};

/// Also finds the `f` and `l` forms.
pub fn lookup(name: &str) -> Option<Model> {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    let single = || double(name.strip_suffix('f')?);
    double(name).or_else(single).or_else(|| extended(name.strip_suffix('l')?))
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
    call.dst.map_or(ScalarType::F80, |(_, ty)| ty)
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

fn double(name: &str) -> Option<Model> {
    Some(match name {
        "sqrt" => |c| one(c, f64::sqrt),
        "cbrt" => |c| one(c, f64::cbrt),
        "sin" => |c| one(c, f64::sin),
        "cos" => |c| one(c, f64::cos),
        "tan" => |c| one(c, f64::tan),
        "asin" => |c| one(c, f64::asin),
        "acos" => |c| one(c, f64::acos),
        "atan" => |c| one(c, f64::atan),
        "sinh" => |c| one(c, f64::sinh),
        "cosh" => |c| one(c, f64::cosh),
        "tanh" => |c| one(c, f64::tanh),
        "exp" => |c| one(c, f64::exp),
        "exp2" => |c| one(c, f64::exp2),
        "expm1" => |c| one(c, f64::exp_m1),
        "log" => |c| one(c, f64::ln),
        "log2" => |c| one(c, f64::log2),
        "log10" => |c| one(c, f64::log10),
        "log1p" => |c| one(c, f64::ln_1p),
        "fabs" => |c| one(c, f64::abs),
        "floor" => |c| one(c, f64::floor),
        "ceil" => |c| one(c, f64::ceil),
        "trunc" => |c| one(c, f64::trunc),
        "round" => |c| one(c, f64::round),
        "rint" | "nearbyint" => |c| one(c, f64::round_ties_even),
        "pow" => |c| two(c, f64::powf),
        "atan2" => |c| two(c, f64::atan2),
        "fmod" => |c| two(c, |a, b| a % b),
        "hypot" => |c| two(c, f64::hypot),
        "fmax" => |c| two(c, f64::max),
        "fmin" => |c| two(c, f64::min),
        "fdim" => |c| two(c, |a, b| if a > b { a - b } else { 0.0 }),
        "copysign" => |c| two(c, f64::copysign),
        "ldexp" | "scalbn" => |c| two(c, |a, b| a * b.exp2()),
        "fma" => fma,
        "lround" | "llround" => |c| whole(c, f64::round),
        "lrint" | "llrint" => |c| whole(c, f64::round_ties_even),
        "isnan" | "__isnan" => |c| test(c, f64::is_nan),
        "isinf" | "__isinf" => |c| test(c, f64::is_infinite),
        "finite" | "isfinite" | "__finite" => |c| test(c, f64::is_finite),
        "signbit" | "__signbit" => |c| test(c, f64::is_sign_negative),
        "frexp" => frexp,
        "modf" => modf,
        "huge_val" | "inf" => |_| Ok(Value::Float(f64::INFINITY)),
        "nan" => |_| Ok(Value::Float(f64::NAN)),
        _ => return None,
    })
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

fn fma(call: &mut Call) -> Flow<Value> {
    Ok(match (call.float(0), call.float(1), call.float(2)) {
        (Some(a), Some(b), Some(c)) => Value::Float(a.mul_add(b, c)),
        _ => call.unknown(),
    })
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

fn frexp(call: &mut Call) -> Flow<Value> {
    let (Some(x), Some(to)) = (call.float(0), call.pointer(1)?) else { return Ok(call.unknown()) };
    let exponent = if x == 0.0 || !x.is_finite() { 0 } else { x.abs().log2().floor() as i64 + 1 };
    call.machine.store_at(to, ScalarType::I32, Value::Int(exponent), "memory")?;
    Ok(Value::Float(x / (exponent as f64).exp2()))
}

fn modf(call: &mut Call) -> Flow<Value> {
    let (Some(x), Some(to)) = (call.float(0), call.pointer(1)?) else { return Ok(call.unknown()) };
    call.machine.store_at(to, ScalarType::F64, Value::Float(x.trunc()), "memory")?;
    Ok(Value::Float(x.fract()))
}
