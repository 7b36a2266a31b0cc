//! Expressions: places, values and their conversions, operators, calls, constants.
//!
//! An expression becomes operations and an `ExprResult`. This room does not know which statement it stands in.

pub(crate) mod assignments;
pub(crate) mod atomics;
pub(crate) mod builtins;
pub(crate) mod calls;
pub(crate) mod constant_expressions;
pub(crate) mod conversions;
pub(crate) mod dispatch;
pub(crate) mod literals;
pub(crate) mod logic;
pub(crate) mod lvalues;
pub(crate) mod openmp;
pub(crate) mod operators;
pub(crate) mod variadic;
pub(crate) mod vectors;
