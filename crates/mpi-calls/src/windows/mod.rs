//! One-sided communication: windows, and who may access them when (MPI 4.0, chapter 12).
//!
//! A window is named by the communicator that its members share and nobody else uses. An access takes effect when it
//! is issued, in the order of simulated time; synchronisation waits until what was issued is complete. Programs that
//! depend on anything else are wrong in MPI.

pub(crate) mod access;
pub(crate) mod creation;
pub(crate) mod dynamic;
pub(crate) mod exposure;
pub(crate) mod sync;
