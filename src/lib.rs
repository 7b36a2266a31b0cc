//! Predicts how long a C/MPI program takes, per task, function and block, without running it.
//!
//! This package is the command line; everything else is in the crates under `crates/`, which ARCHITECTURE.md maps. They are
//! re-exported here for tests, benchmarks and fuzz targets.

#![forbid(unsafe_code)]

pub mod cli;

pub use chronos_abstract_execution as abstract_execution;
pub use chronos_activity as activity;
pub use chronos_base as base;
pub use chronos_build as build;
pub use chronos_calibrate as calibrate;
pub use chronos_cost as cost;
pub use chronos_direct_execution as direct_execution;
pub use chronos_frontend as frontend;
pub use chronos_functions as functions;
pub use chronos_instrument as instrument;
pub use chronos_interpreter as interpreter;
pub use chronos_ir as ir;
pub use chronos_machine as machine;
pub use chronos_math as math;
pub use chronos_mpi as mpi;
pub use chronos_mpi_calls as mpi_calls;
pub use chronos_pipeline as pipeline;
pub use chronos_predict as predict;
pub use chronos_record as record;
pub use chronos_replay as replay;
pub use chronos_report as report;
pub use chronos_scaling as scaling;
pub use chronos_slicing as slicing;
pub use chronos_symbolic as symbolic;
pub use chronos_tool_formats as tool_formats;
pub use chronos_trace as trace;
pub use chronos_validate as validate;
pub use chronos_values as values;
pub use chronos_whatif as whatif;
