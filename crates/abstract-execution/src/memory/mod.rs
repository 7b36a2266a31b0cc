//! Reads, writes and operations on the memory of abstract execution.
//!
//! What is written at a known place is kept as an expression. What is written elsewhere is lost with its reason. This room
//! knows no control flow: an operation is executed for all executions that reach it.

pub(crate) mod locations;
pub(crate) mod operands;
pub(crate) mod operations;
pub(crate) mod reads;
pub(crate) mod writes;
