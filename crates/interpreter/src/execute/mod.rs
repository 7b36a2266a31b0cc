//! The execution of code: one task with what it needs to run ([`machine::Machine`]), operation by operation.
//!
//! `machine` has the types alone; every other file adds to what a machine can do. This room must not know jobs of several
//! tasks.

pub(crate) mod access;
pub(crate) mod bounded_loops;
pub(crate) mod branches;
pub(crate) mod by_rank;
pub(crate) mod by_rank_mpi;
mod by_rank_tables;
pub(crate) mod c_types;
pub(crate) mod calls;
pub(crate) mod effort;
pub(crate) mod external_calls;
pub(crate) mod fast;
pub(crate) mod fast_arithmetic;
pub(crate) mod forced_loops;
pub(crate) mod frames;
pub(crate) mod leaving;
pub(crate) mod linear;
pub(crate) mod loops;
pub(crate) mod machine;
pub(crate) mod missing_arguments;
pub(crate) mod mpi_environment;
pub(crate) mod mpi_steps;
pub(crate) mod native;
pub(crate) mod outside;
pub(crate) mod posix_doubts;
mod posix_threads;
mod process;
pub(crate) mod remembered_calls;
pub(crate) mod splits;
pub(crate) mod step;
pub(crate) mod summaries;
pub(crate) mod threads;
pub(crate) mod unwritten;
pub(crate) mod user_assumptions;
