//! Loops whose number of iterations is no affine expression.
//!
//! Logarithms, square roots, steps that other counters give, and searches that data end: this room says how often such a
//! loop runs. It executes iterations on trial and counts nothing.

pub(crate) mod expectation;
pub(crate) mod recognition;
pub(crate) mod recurrence;
pub(crate) mod scaled_counters;
pub(crate) mod searches;
pub(crate) mod strides;
pub(crate) mod trip_form;
pub(crate) mod ways;
