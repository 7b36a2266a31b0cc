//! The data flow of one iteration, as an optimiser leaves it: value numbering (Click, PLDI 1995; Muchnick 1997, 12.4),
//! loop-invariant code motion (Muchnick 1997, 13.2), strength reduction, if-conversion and dead code.
//!
//! It must not know how often code runs, nor whether iterations may run in the lanes of a vector.

pub mod accesses;
pub mod arithmetic;
pub mod build;
pub mod comparison;
pub mod graph;
pub(crate) mod if_conversion;
pub mod opcode;
