//! Machine, network and platform files: their schemas, the shipped files, checks, comparison and scaling.
//!
//! # Purpose
//!
//! The crate reads files and hands over checked data. It knows no programs. What the figures of a machine mean for a
//! prediction is decided in the crate `cost`, what those of a network mean in the crate `replay`.
//!
//! # How it works
//!
//! - [`workstation`] is the schema `chronos-machine/1`: processor, operating system, compiler and flags. [`load`]
//!   finds a file by a shipped name or by path and checks it; `sanity` knows values that no machine can have.
//!   [`choice`] finds the file that fits this processor and a build where none is named in full.
//!   [`diff`] compares two machines, [`scale`] makes prospective ones.
//! - [`network`] is the schema `chronos-network/1`: curves over the message size for overheads, latency, gap and
//!   transfer, rules for the algorithms of collective operations, and measured times of these. `network::described`
//!   makes a network of the parameters of a model (LogGOPS, linear and others).
//! - [`platform`] is the schema `chronos-platform/1`: kinds of nodes with their machine, processors and load, and the
//!   placement of tasks. A prediction has one cost model for each kind (crate `predict`); the replay gets nodes and
//!   shares of processors.
//! - [`topology`] says which links a message between two nodes goes over: a switch, a bus, a fat tree, a torus, a
//!   dragonfly, or any graph.
//!
//! Shipped files are embedded from `machines/` and `networks/`; docs/machines.md says where their figures come from.
//! The JSON schemas in `schemas/` are generated from the types of this crate (`UPDATE_SCHEMAS=1 cargo test`): doc
//! comments of their fields become descriptions there.
//!
//! # Invariants
//!
//! - Costs of instructions are cycles; times of memory and of networks are nanoseconds; sizes are bytes.
//! - A network that was loaded has passed every check that the replay relies on: curves are sorted and not negative.
//! - Routes of a topology are the same in every run.
//!
//! # Limits
//!
//! - A topology has at most [`topology::MOST_CHANNELS`] channels; a platform at most 16,777,216 nodes.
//! - A machine of which the file has no pipeline and no times of memory can be priced by the instruction sum alone.
//!
//! # Literature
//!
//! - LogGOPS: Hoefler, Schneider, Lumsdaine: LogGOPSim, HPDC 2010. Linear and interpolated costs: Drozdowski 2001.
//!   Start of tasks and distance: Amakata, Shinano, Nakamori. See `network::described` for the parameters.
//! - Algorithms of collective operations follow the published decision rules of Open MPI and MPICH
//!   (`networks/rules/`).

#![forbid(unsafe_code)]

#[macro_use]
mod shipped;

pub mod choice;
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
    CrowdedLines, ElementsCost, ExitCost, Memory, MemoryLevel, PageFault, Pipeline, SharedCost, SplitCost, ThreadCosts,
    Translation,
};
pub use load::embedded_names;
pub use measured::{CodeKind, KernelShape, KindResiduals, Residuals, Sample};
pub use workstation::{
    Architecture, ClassCost, Compiler, LibraryCost, Machine, Provenance, ProvenanceKind, Rules, VectorCost,
};
