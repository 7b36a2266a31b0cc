//! What the crate and an evaluation know of each other: the calls that begin and end, what a call may ask of its task,
//! contents of memory.
//!
//! The lowest room of the crate: it must not know how MPI keeps its state, nor how any function of MPI works.

pub(crate) mod calls;
pub(crate) mod environment;
pub(crate) mod file_names;
pub(crate) mod memory_access;
pub(crate) mod payload;
