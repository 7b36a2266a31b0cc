//! From measurements to a machine file: costs of instruction classes, memory, pipeline and library functions.
//!
//! This room must not know how programs are built and run.

pub(crate) mod assemble;
pub(crate) mod classes;
pub(crate) mod effective;
pub(crate) mod exits;
pub(crate) mod fit;
pub(crate) mod levels;
pub(crate) mod library;
pub(crate) mod pipeline;
pub(crate) mod rules;
mod threads;
