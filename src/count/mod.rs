//! Evaluation of the program without running it: all tasks together on the MPI-relevant slice,
//! loops outside the slice in closed form. Knows no time.

mod allocators;
pub mod annotations;
mod assumptions;
pub mod doubts;
pub mod heuristics;
pub mod interp;
pub mod mpi;
pub mod quasi;
pub mod relevance;
pub mod summary;
pub mod symbolic;
pub mod value;
pub mod work;

pub use assumptions::Assumptions;
