//! math.h, and the absolute values of stdlib.h's kin. A row of `double` stands for its `float` and `long double` as well.

use super::Rows;
use crate::abstract_model::AbstractModel;
use crate::params::{INT, LONG, OUT, Param, REAL, TEXT, Type};
use crate::row::{Class, Function, Purity, Variant};

const FLOATING: &[Variant] = &[Variant::Float, Variant::LongDouble];

/// A function of its arguments that a few instructions compute, and that never fails.
const fn exact(name: &'static str, result: Type, params: &'static [Param]) -> Function {
    Function::new(name, Class::Arithmetic, result, params).purity(Purity::Arguments).keeps_errno().with(FLOATING)
}

/// A function of its arguments that may set `errno`: outside of its domain, at a pole, or where the result is out of range.
const fn real(name: &'static str, params: &'static [Param]) -> Function {
    Function::new(name, Class::Elementary, Type::Double, params).purity(Purity::Arguments).with(FLOATING)
}

/// A test of a number, a macro in math.h: compilers and headers have functions of such names.
const fn test(name: &'static str) -> Function {
    exact(name, Type::Int, &[REAL])
}

pub(super) const ROWS: &[Rows] = &[("math.h", NUMBERS)];

const NUMBERS: &[Function] = &[
    exact("fabs", Type::Double, &[REAL]).abstractly(AbstractModel::Magnitude),
    exact("floor", Type::Double, &[REAL]).abstractly(AbstractModel::Floor),
    exact("ceil", Type::Double, &[REAL]).abstractly(AbstractModel::Ceiling),
    exact("trunc", Type::Double, &[REAL]).abstractly(AbstractModel::Truncation),
    exact("round", Type::Double, &[REAL]),
    exact("rint", Type::Double, &[REAL]).priced_as("floor"),
    exact("nearbyint", Type::Double, &[REAL]).priced_as("floor"),
    exact("lround", Type::Long, &[REAL]).priced_as("round"),
    exact("llround", Type::LongLong, &[REAL]).priced_as("round"),
    exact("lrint", Type::Long, &[REAL]).priced_as("round"),
    exact("llrint", Type::LongLong, &[REAL]).priced_as("round"),
    exact("fmin", Type::Double, &[REAL, REAL]).abstractly(AbstractModel::Minimum),
    exact("fmax", Type::Double, &[REAL, REAL]).abstractly(AbstractModel::Maximum),
    exact("copysign", Type::Double, &[REAL, REAL]),
    exact("fma", Type::Double, &[REAL, REAL, REAL]),
    exact("nan", Type::Double, &[TEXT]).purity(Purity::Memory),
    real("fdim", &[REAL, REAL]),
    real("sqrt", &[REAL]).abstractly(AbstractModel::SquareRoot),
    real("cbrt", &[REAL]),
    real("hypot", &[REAL, REAL]),
    real("pow", &[REAL, REAL]),
    real("exp", &[REAL]),
    real("exp2", &[REAL]),
    real("expm1", &[REAL]),
    real("log", &[REAL]),
    real("log2", &[REAL]).abstractly(AbstractModel::BinaryLogarithm),
    real("log10", &[REAL]),
    real("log1p", &[REAL]),
    real("sin", &[REAL]),
    real("cos", &[REAL]),
    real("tan", &[REAL]),
    real("asin", &[REAL]),
    real("acos", &[REAL]),
    real("atan", &[REAL]),
    real("atan2", &[REAL, REAL]),
    real("sinh", &[REAL]),
    real("cosh", &[REAL]),
    real("tanh", &[REAL]),
    real("asinh", &[REAL]).unmodelled(),
    real("acosh", &[REAL]).unmodelled(),
    real("atanh", &[REAL]).unmodelled(),
    real("erf", &[REAL]).unmodelled(),
    real("erfc", &[REAL]).unmodelled(),
    real("tgamma", &[REAL]).unmodelled(),
    // lgamma is no function of its argument alone: it sets `signgam`.
    Function::new("lgamma", Class::Elementary, Type::Double, &[REAL]).with(FLOATING).unmodelled(),
    real("fmod", &[REAL, REAL]),
    real("remainder", &[REAL, REAL]).unmodelled(),
    real("nextafter", &[REAL, REAL]).unmodelled(),
    real("logb", &[REAL]).unmodelled(),
    real("ldexp", &[REAL, INT]),
    real("scalbn", &[REAL, INT]),
    real("scalbln", &[REAL, LONG]),
    Function::new("ilogb", Class::Arithmetic, Type::Int, &[REAL]).purity(Purity::Arguments).with(FLOATING).unmodelled(),
    Function::new("frexp", Class::Arithmetic, Type::Double, &[REAL, OUT]).keeps_errno().with(FLOATING),
    Function::new("modf", Class::Arithmetic, Type::Double, &[REAL, OUT]).keeps_errno().with(FLOATING),
    Function::new("remquo", Class::Arithmetic, Type::Double, &[REAL, REAL, OUT]).with(FLOATING).unmodelled(),
    Function::new("sincos", Class::Elementary, Type::Void, &[REAL, OUT, OUT]).with(FLOATING),
    test("isnan"),
    test("isinf"),
    test("finite"),
    test("isfinite"),
    test("signbit"),
];
