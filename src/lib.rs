//! Predicts how long a C/MPI program takes, per task, function and block, without running it.
//!
//! ARCHITECTURE.md is the map. Phases are plain data in, plain data out; only `cli` touches the
//! terminal, the arguments and the environment.

#![forbid(unsafe_code)]

pub mod activity;
pub mod assumptions;
pub(crate) mod atomic_file;
pub mod calibrate;
pub(crate) mod children;
pub mod cli;
pub mod correctness;
pub mod cost;
pub mod count;
pub mod counts;
pub mod diag;
pub mod evaluation;
pub mod exchange;
pub mod functions;
pub mod governor;
pub(crate) mod hash;
pub mod ids;
pub mod instrument;
pub mod library_costs;
pub mod linear;
pub mod machine;
pub mod mpi;
pub mod pipeline;
pub mod predict;
pub(crate) mod prefetch;
pub mod program;
pub mod replay;
pub mod report;
pub mod scaling;
pub mod source;
pub mod span;
pub mod spelling;
pub mod suite;
pub(crate) mod temporary;
pub mod trace;
pub mod units;
pub mod validate;
pub mod wide;
