//! MPI semantics without time: groups, topologies, datatypes, reductions, and the numbers that
//! stand for handles in the bundled `mpi.h`.
//!
//! It exists so that whoever follows a program, reads a trace or writes one agrees on what MPI
//! means. It must not know C programs or the evaluator's memory, nor any time.

#![forbid(unsafe_code)]

pub mod darray;
pub mod datatype;
pub mod group;
pub mod handles;
pub mod layout;
pub mod predefined;
pub mod reduction;
pub mod sides;
pub mod signature;
pub mod topology;

pub use darray::{Dealt, Distribution};
pub use datatype::Datatype;
pub use group::{Comparison, Group};
pub use layout::Piece;
pub use predefined::Predefined;
pub use reduction::{ReduceOp, Scalar};
pub use sides::Sides;
pub use topology::{Cartesian, Graph, Neighbours, Topology};
