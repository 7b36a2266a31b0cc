//! Affine expressions, formulas over them, and the values of abstract execution.
//!
//! A value is an expression of symbols: counters of loops, parameters that are left free, and symbols derived from
//! others. This room says what they are and what is known of them. It does not know C arithmetic, how iterations are
//! counted, or the program.

pub(crate) mod affine;
pub(crate) mod bounds;
pub(crate) mod derived;
pub(crate) mod formula;
pub(crate) mod quotients;
pub(crate) mod rational;
pub(crate) mod symbolic;
pub(crate) mod symbols;
