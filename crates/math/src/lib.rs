//! Integer sets, quasi-polynomials and linear forms: how many integer points a set has, as an expression of parameters.
//! It knows nothing of programs. isl is used here alone.

#![forbid(unsafe_code)]

pub mod linear;
pub mod quasi;
