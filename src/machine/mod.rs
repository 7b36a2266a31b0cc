//! Machine and network files: their schemas, the embedded libraries of them, their checks.
//!
//! This module must not know programs or MPI. What a file means for a prediction is the business of
//! `cost` (machines) and `replay` (networks).

pub mod codes;
pub(crate) mod json_path;
pub(crate) mod load;
pub mod network;
mod sanity;
pub mod workstation;

#[cfg(test)]
mod tests;

pub use load::embedded_names;
pub use workstation::{
    ClassCost, Compiler, LibraryCost, Machine, Memory, MemoryLevel, Pipeline, Provenance, ProvenanceKind, Residuals,
    Rules, Sample,
};
