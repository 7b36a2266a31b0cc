//! The meaning of MPI without time: groups, topologies, datatypes, type signatures and predefined reductions.
//!
//! # Purpose
//!
//! The crate exists so that everybody who follows a program, reads a trace or writes one agrees on what MPI means. It
//! knows neither C programs nor the memory of an interpreter, and no time.
//!
//! # How it works
//!
//! - [`group`] holds ordered sets of tasks and their unions, intersections and comparisons. [`sides`] holds the two
//!   groups of an intercommunicator.
//! - [`topology`] holds Cartesian grids, graphs and distributed graphs: coordinates, shifts, neighbours, and balanced
//!   dimensions (`MPI_Dims_create`).
//! - [`predefined`], [`datatype`] and [`darray`] hold predefined and derived datatypes: size, extent, true extent,
//!   alignment. [`layout`] lists the contiguous pieces of memory that a datatype describes.
//! - [`signature`] compares the type signatures of what is sent and what is received.
//! - [`reduction`] combines known scalars by the predefined operators, and says which operators a datatype allows.
//! - [`handles`] holds the numbers of handles and constants in the bundled `runtime/mpi.h`; [`libraries`] what numbers mean
//!   that a program writes in place of constants.
//!
//! # Invariants
//!
//! - A datatype is a tree of repetitions, never a list of elements. Memory and time therefore grow with the number of
//!   constructor calls and not with the number of elements.
//! - Displacements and extents are signed bytes; sizes are unsigned bytes. Arithmetic saturates and never overflows.
//! - The numbers in [`handles`] equal those of `runtime/mpi.h`.
//!
//! # Limits
//!
//! - A datatype with an absolute address or with an unknown displacement is marked `scattered`: only its size is
//!   known.
//! - Reductions compute in double precision and in machine words. Of complex numbers only the sum is combined; wider
//!   types and other operators on complex numbers give unknown values (`chronos_mpi_calls`).
//! - `MPI_Dims_create` deals out prime factors greedily, the largest first. The standard leaves the choice to the
//!   library, so another library may choose otherwise.
//!
//! # Literature
//!
//! Message Passing Interface Forum: MPI, version 4.0, 2021: chapters 5 (datatypes), 6 (collective communication), 7
//! (groups and communicators) and 8 (topologies).

#![forbid(unsafe_code)]

pub mod darray;
pub mod datatype;
pub mod group;
pub mod handles;
pub mod layout;
pub mod libraries;
pub mod predefined;
pub mod reduction;
pub mod sides;
pub mod signature;
pub mod topology;

pub use darray::{DistributedDimension, Distribution};
pub use datatype::Datatype;
pub use group::{Comparison, Group};
pub use layout::{Piece, Resized};
pub use predefined::Predefined;
pub use reduction::{ReduceOp, Scalar};
pub use sides::Sides;
pub use topology::{Cartesian, Graph, Neighbours, Topology};
