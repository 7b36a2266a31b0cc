//! Loops that hold MPI calls: equal iterations become repeats, and loops that poll spin.
//!
//! This room must not know how operations are executed.

pub(crate) mod changes;
pub(crate) mod comparisons;
pub(crate) mod fold;
pub(crate) mod jumps;
pub(crate) mod linear;
pub(crate) mod moving;
pub(crate) mod passing_time;
pub(crate) mod period;
pub(crate) mod remaining;
pub(crate) mod spin;
pub(crate) mod trial;
