//! Files that tasks share (MPI 4.0, chapter 14).
//!
//! Files live in memory, by name: what is written with known content is read back, sizes are followed. A file that was
//! given to the prediction has its own content; one that was neither given nor created has an unknown size and
//! unknown content. Every access takes its time at the file system, which all tasks share.

pub(crate) mod management;
pub(crate) mod transfer;
