//! C arithmetic on symbolic values.
//!
//! An operation gives an expression, or nothing where its value is not followed. The types of C decide where a value wraps
//! around. This room knows no program and no state: bounds of counters are passed to it.

pub(crate) mod fractions;
pub(crate) mod integer_functions;
pub(crate) mod operators;
pub(crate) mod products;
pub(crate) mod ranges;
pub(crate) mod ratios;
pub(crate) mod reals;
