//! Readings of clocks: what can be computed with them before and after somebody says what time it was.
//!
//! Nobody knows when a program is started, so a reading is no number. Differences of readings are numbers where the simulated
//! clock is followed; a reading is then kept as the time since the program began, in the unit to which the program has brought it.

use crate::Value;
use crate::arith::{Fault, round};
use chronos_ir::{BinaryOp, BlockId, ScalarType};

/// A reading of a clock, or one with its sign turned. Packed to twelve bytes, so that a value takes sixteen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(Rust, packed(4))]
pub struct Reading {
    /// The block of the call that read the clock, and `NEGATED`.
    call: u32,
    /// The bits of the time as a floating number; `UNKNOWN` where nobody has said it.
    time: u64,
}

const NEGATED: u32 = 1 << 31;
/// The bits of a NaN that no arithmetic makes.
const UNKNOWN: u64 = u64::MAX;

impl Reading {
    /// By this call, at a time that is not known.
    #[must_use]
    pub const fn by(call: BlockId) -> Self {
        Self { call: call.0, time: UNKNOWN }
    }

    /// By this call, so late after the begin of the program.
    #[must_use]
    pub const fn at(call: BlockId, time: f64) -> Self {
        Self { call: call.0, time: time.to_bits() }
    }

    /// The call that read the clock.
    #[must_use]
    pub const fn call(self) -> BlockId {
        BlockId(self.call & !NEGATED)
    }

    /// How late it was, where that is known.
    #[must_use]
    pub fn time(self) -> Option<f64> {
        (self.time != UNKNOWN).then(|| f64::from_bits(self.time))
    }

    const fn is_negated(self) -> bool {
        self.call & NEGATED != 0
    }

    /// With its sign turned.
    #[must_use]
    pub fn negated(self) -> Self {
        Self { call: self.call ^ NEGATED, ..self.moved(|time| -time) }
    }

    /// The same reading with other figures.
    fn moved(self, by: impl FnOnce(f64) -> f64) -> Self {
        let time = self.time().map(by).filter(|time| time.is_finite());
        Self { call: self.call, time: time.map_or(UNKNOWN, f64::to_bits) }
    }

    /// As a number of a type holds it.
    #[must_use]
    pub fn converted(self, to: ScalarType) -> Self {
        self.moved(|time| if to.is_float() { round(time, to) } else { time.trunc() })
    }

    /// `self op n`.
    fn with_number(self, op: BinaryOp, ty: ScalarType, n: f64) -> Self {
        let moved = match op {
            BinaryOp::Add => self.moved(|time| time + n),
            BinaryOp::Sub => self.moved(|time| time - n),
            BinaryOp::Mul => self.moved(|time| time * n),
            BinaryOp::Div => self.moved(|time| time / n),
            _ => Self { call: self.call, time: UNKNOWN },
        };
        moved.converted(ty)
    }
}

/// A known number that is small enough to be a time.
fn number(value: Value) -> Option<f64> {
    match value {
        Value::Int(n) => Some(n as f64),
        Value::Float(x) => Some(x),
        _ => None,
    }
}

/// The number of a type that a difference of times is.
fn as_number(time: f64, ty: ScalarType) -> Value {
    if ty.is_float() { Value::Float(round(time, ty)) } else { Value::Int(time as i64) }
}

/// `a op b`, where one of them is a reading and the other one is known.
pub(crate) fn binary(op: BinaryOp, ty: ScalarType, a: Value, b: Value) -> Result<Value, Fault> {
    match (a, b) {
        (Value::Clock(a), Value::Clock(b)) => readings(op, ty, a, b),
        // A time is none of the numbers that mark a clock as not started or as failed.
        _ if matches!(op, BinaryOp::Eq | BinaryOp::Ne) && (number(a).is_some() || number(b).is_some()) => {
            Ok(Value::Int(i64::from(op == BinaryOp::Ne)))
        }
        _ if op.is_comparison() => Err(UNDEFINED),
        (Value::Clock(a), b) => number(b).map(|n| Value::Clock(a.with_number(op, ty, n))).ok_or(UNDEFINED),
        (a, Value::Clock(b)) => match (number(a), op) {
            (Some(n), BinaryOp::Add | BinaryOp::Mul) => Ok(Value::Clock(b.with_number(op, ty, n))),
            (Some(n), BinaryOp::Sub) => Ok(Value::Clock(b.negated().with_number(BinaryOp::Add, ty, n))),
            _ => Err(UNDEFINED),
        },
        _ => Err(UNDEFINED),
    }
}

/// What makes a value unknown where times are not followed.
const UNDEFINED: Fault = Fault::Undefined(ARITHMETIC);
/// What such arithmetic is called.
pub(crate) const ARITHMETIC: &str = "arithmetic with the time";

fn readings(op: BinaryOp, ty: ScalarType, a: Reading, b: Reading) -> Result<Value, Fault> {
    let both = a.time().zip(b.time());
    let elapsed = |from: Reading, to: Reading, between: f64| {
        let elapsed = both.map(|_| as_number(between, ty));
        Fault::Clocks { from: from.call(), to: to.call(), elapsed }
    };
    let (first, second) = both.unwrap_or_default();
    match (op, a.is_negated(), b.is_negated()) {
        (BinaryOp::Sub, false, false) => Err(elapsed(b, a, first - second)),
        (BinaryOp::Sub, true, true) => Err(elapsed(a, b, first - second)),
        (BinaryOp::Add, true, false) => Err(elapsed(a, b, first + second)),
        (BinaryOp::Add, false, true) => Err(elapsed(b, a, first + second)),
        // Seconds and what is left of them come from one call.
        (BinaryOp::Add, false, false) if a.call() == b.call() => Ok(Value::Clock(match both {
            Some(_) => Reading::at(a.call(), first + second).converted(ty),
            None => Reading::by(a.call()),
        })),
        _ if op.is_comparison() && both.is_some() && a.is_negated() == b.is_negated() => {
            Ok(Value::Int(i64::from(op.holds(first.partial_cmp(&second)))))
        }
        _ => Err(UNDEFINED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith;

    fn at(call: u32, time: f64) -> Value {
        Value::Clock(Reading::at(BlockId(call), time))
    }

    fn double(op: BinaryOp, a: Value, b: Value) -> Result<Value, Fault> {
        arith::binary(op, ScalarType::F64, a, b)
    }

    #[track_caller]
    fn elapses(found: Result<Value, Fault>, from: u32, to: u32, elapsed: Option<Value>) {
        assert_eq!(found, Err(Fault::Clocks { from: BlockId(from), to: BlockId(to), elapsed }));
    }

    #[test]
    fn differences_of_known_times_are_numbers() {
        elapses(double(BinaryOp::Sub, at(2, 1.5), at(1, 0.5)), 1, 2, Some(Value::Float(1.0)));
        let unknown = Value::Clock(Reading::by(BlockId(1)));
        elapses(double(BinaryOp::Sub, at(2, 1.5), unknown), 1, 2, None);
    }

    #[test]
    fn a_time_that_is_subtracted_first_makes_a_difference_too() {
        let turned = arith::unary(chronos_ir::UnaryOp::Neg, ScalarType::F64, at(1, 0.5)).unwrap();
        elapses(double(BinaryOp::Add, turned, at(2, 2.0)), 1, 2, Some(Value::Float(1.5)));
        let subtracted = double(BinaryOp::Sub, Value::Float(3.0), at(1, 0.5)).unwrap();
        elapses(double(BinaryOp::Add, subtracted, at(2, 2.0)), 1, 2, Some(Value::Float(4.5)));
    }

    #[test]
    fn times_are_compared_with_deadlines() {
        let deadline = double(BinaryOp::Add, at(1, 0.5), Value::Float(1.0)).unwrap();
        assert_eq!(double(BinaryOp::Lt, at(2, 1.25), deadline), Ok(Value::Int(1)));
        assert_eq!(double(BinaryOp::Lt, at(2, 1.5), deadline), Ok(Value::Int(0)));
        assert_eq!(double(BinaryOp::Lt, at(2, 1.5), Value::Float(3.0)), Err(UNDEFINED));
        assert_eq!(double(BinaryOp::Ne, at(2, 1.5), Value::Float(0.0)), Ok(Value::Int(1)));
    }

    #[test]
    fn seconds_and_microseconds_make_a_time() {
        let micros = double(BinaryOp::Mul, at(1, 250_000.0), Value::Float(1e-6)).unwrap();
        let whole = double(BinaryOp::Add, at(1, 3.0), micros).unwrap();
        assert_eq!(whole, at(1, 3.25));
        let milliseconds = arith::binary(BinaryOp::Div, ScalarType::I64, at(1, 2999.0), Value::Int(1000));
        assert_eq!(milliseconds, Ok(at(1, 2.0)));
    }

    #[test]
    fn other_arithmetic_loses_the_time() {
        let found = arith::binary(BinaryOp::Rem, ScalarType::I64, at(1, 17.0), Value::Int(5));
        assert_eq!(found, Ok(Value::Clock(Reading::by(BlockId(1)))));
    }

    #[test]
    fn a_value_takes_sixteen_bytes() {
        assert_eq!(size_of::<Value>(), 16);
    }
}
