//! The model `compiled`: execution times of loops and functions from their object code.
//!
//! Machine loops are matched to the loops of the block tree, and the object code is simulated with the counts of a
//! context (crate `chronos_compiled`). Only the execution of instructions comes from there: lines of memory,
//! mispredictions, first touches, and calls of the library are those of the model `source`. So is everything where a
//! loop cannot be matched, which is told with its reason.

mod calls;
mod code;
mod hosts;
mod known_times;
mod scopes;
mod times;
mod totals;

pub use code::{CompiledCode, ObjectCode};
pub(crate) use scopes::{CompiledScope, CompiledTimes};
pub(crate) use totals::Totals;
