//! Whole programs with parameters left free, for crate `chronos_symbolic`.
//!
//! Execution begins before `main` and goes on behind what it cannot follow, whose counts become unknown with a reason. This
//! room does not know how counts of several tasks are joined.

pub(crate) mod endings;
pub(crate) mod failures;
mod program;
mod run;

pub use program::{InitialScalar, ProgramExecutor, TaskStart};
pub use run::{Run, RunCount, RunSegment, SumDefinition, SymbolDefinition};
