//! Wide numbers against what gcc's programs print.

use super::*;
use crate::BinaryOp::{Add, Div, Lt, Mul, Rem, Shl, Shr, Sub};
use ScalarType::{F32, F64, F80, F128, I64, I128, U64, U128};

fn float(ty: ScalarType, text: &str) -> Number {
    parse(ty, text).expect("a number")
}

#[track_caller]
fn check(op: BinaryOp, ty: ScalarType, a: Number, b: Number, expected: Number) {
    assert_eq!(binary(op, ty, a, b), Ok(expected));
}

#[test]
fn precision_is_that_of_the_format() {
    for (ty, digits) in [(F80, 64), (F128, 113)] {
        let mut x = Number::Float(1.0);
        let mut count = 0;
        while binary(Lt, ty, x, binary(Add, ty, x, Number::Float(1.0)).expect("a sum")) == Ok(Number::Int(1)) {
            x = binary(Mul, ty, x, Number::Float(2.0)).expect("a product");
            count += 1;
        }
        assert_eq!(count, digits);
    }
}

#[test]
fn literals_are_rounded_once() {
    assert_eq!(to_bytes(F80, float(F80, "0.1")), [0xcd, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xfb, 0x3f]);
    assert_eq!(float(F80, "0x1.8p3"), Number::Float(12.0));
    assert_eq!(float(F80, "-0.5"), Number::Float(-0.5));
    assert_eq!(convert(F80, F64, float(F80, "0.1")), Ok(Number::Float(0.1)));
    assert_eq!(convert(F80, F32, float(F80, "0.1")), Ok(Number::Float(f64::from(0.1f32))));
}

#[test]
fn exact_results_take_the_short_form() {
    check(Add, F80, Number::Float(1.0), Number::Float(2.0), Number::Float(3.0));
    check(Div, F80, Number::Float(1.0), Number::Float(4.0), Number::Float(0.25));
    check(Sub, F80, float(F80, "0.1"), float(F80, "0.1"), Number::Float(0.0));
    let third = binary(Div, F80, Number::Float(1.0), Number::Float(3.0));
    assert!(matches!(third, Ok(Number::Bits(_))), "{third:?}");
}

#[test]
fn integers_have_128_bits() {
    let high = binary(Shl, U128, Number::Int(1), Number::Int(127)).expect("a shift");
    check(Shr, U128, high, Number::Int(127), Number::Int(1));
    check(Shr, I128, high, Number::Int(127), Number::Int(-1));
    check(Rem, U128, Number::Int(-1), Number::Int(10), Number::Int(5));
    check(Add, U128, high, high, Number::Int(0));
    assert_eq!(binary(Div, I128, high, Number::Int(0)), Err(Undetermined::DivisionByZero));
    let word = convert(U64, U128, Number::Int(-1)).expect("an integer");
    check(Shr, U128, word, Number::Int(63), Number::Int(1));
    assert_eq!(convert(U128, F80, word), Ok(float(F80, "18446744073709551615")));
    assert_eq!(convert(F80, I64, float(F80, "9007199254740993")), Ok(Number::Int(9_007_199_254_740_993)));
    assert!(convert(F80, I64, float(F80, "1e30")).is_err());
}

#[test]
fn roots_are_rounded_correctly() {
    assert_eq!(function(Function::Sqrt, F80, Number::Float(9.0)), Number::Float(3.0));
    let root = function(Function::Sqrt, F80, Number::Float(2.0));
    assert_eq!(root, float(F80, "1.414213562373095048801688724209698078569671875376948"));
    let root = function(Function::Sqrt, F128, Number::Float(2.0));
    assert_eq!(root, float(F128, "1.414213562373095048801688724209698078569671875376948073"));
    assert_eq!(function(Function::Floor, F80, float(F80, "-0.1")), Number::Float(-1.0));
}

#[test]
fn decimal_digits_are_exact() {
    let digits = |text| Digits::new(F80, float(F80, text)).expect("a finite number");
    assert_eq!(digits("0.1").fixed(30), "0.100000000000000000001355252716");
    assert_eq!(digits("2.5").fixed(0), "2");
    assert_eq!(digits("1234.5678").scientific(3), ("1.235".to_owned(), 3));
    assert_eq!(digits("9.9996e-5").scientific(3), ("1.000".to_owned(), -4));
    assert_eq!(digits("0").scientific(2), ("0.00".to_owned(), 0));
}

#[test]
fn storage_keeps_all_bits() {
    for bits in [0, 1, u128::MAX, 1 << 127, 0x0123_4567_89ab_cdef_0123_4567_89ab_cdef, u128::MAX >> 1] {
        assert_eq!(Wide::new(bits).map(Wide::bits), Some(bits));
    }
    assert_eq!(size_of::<chronos_values::Value>(), 16);
}
