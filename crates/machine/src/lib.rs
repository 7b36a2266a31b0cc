//! Machine and network files: their schemas, the embedded libraries of them, their checks.
//!
//! This module must not know programs or MPI. What a file means for a prediction is the business of
//! `cost` (machines) and `replay` (networks).

#![forbid(unsafe_code)]

pub mod codes;
pub mod diff;
mod hardware;
pub mod json_path;
pub mod load;
mod measured;
pub mod network;
pub mod platform;
mod sanity;
pub mod scale;
mod text;
pub mod topology;
pub mod workstation;

#[cfg(test)]
mod tests;

pub use hardware::{
    ElementsCost, ExitCost, Memory, MemoryLevel, PageFault, Pipeline, SharedCost, SplitCost, Translation,
};
pub use load::embedded_names;
pub use measured::{CodeKind, KernelShape, KindResiduals, Residuals, Sample};
pub use workstation::{ClassCost, Compiler, LibraryCost, Machine, Provenance, ProvenanceKind, Rules, VectorCost};
