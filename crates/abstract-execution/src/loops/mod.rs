//! The execution of loops: which method a loop takes, one abstract iteration, and what is known behind it.
//!
//! This room does not know how an iteration space or a closed form is found.

pub(crate) mod after_loop;
pub(crate) mod iteration;
pub(crate) mod one_by_one;
pub(crate) mod run;
pub(crate) mod unknown_trips;
pub(crate) mod unroll;
