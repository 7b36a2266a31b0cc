//! Calls of functions and of library functions.
//!
//! Functions of the program are executed in their place, or by a summary where there is one. Library functions do what
//! their rows in the table of functions say. Calls of MPI are another room's.

pub(crate) mod functions;
pub(crate) mod generators;
pub(crate) mod library;
pub(crate) mod printed_bytes;
pub(crate) mod string_functions;
pub(crate) mod volumes;
