//! Symbolic counts: block counts of whole programs as expressions of parameters that are left free.
//!
//! # Purpose
//!
//! `count` executes a program abstractly (crate `chronos_abstract_execution`) for every task, with the rank and the
//! number of tasks known and the parameters of `--symbolic` free. Each counter becomes a quasi-polynomial of the
//! parameters, or unknown with its reason. The crate knows no time; crate `chronos_predict` (`symbolic`) multiplies
//! the counts with the cost of one execution of each block.
//!
//! # How it works
//!
//! - `initial_state` builds the state before `main`: static storage as it is initialised, arguments, and everything else
//!   unknown.
//! - `tasks` executes the program once for each task, or once for all tasks where nobody asks for the rank. Tasks that
//!   count alike are joined.
//! - `atoms` describes what the symbols of a count stand for: parameters, products, quotients, integer functions and
//!   sums. `values` evaluates them at a point, sums over an index included.
//! - `findings` reports what a run could not know, as diagnostics.
//!
//! The counts of a program with MPI are divided by the MPI call that was the last one before (`Segment`). Calls that
//! only ask, like `MPI_Comm_rank`, and `MPI_Init` do not begin a segment.
//!
//! # Invariants
//!
//! - `count` never fails. What cannot be known is a count without value, with a reason and a diagnostic.
//! - Coefficients are exact. Probabilities enter as rational numbers; nothing is rounded here.
//! - The sum of a counter over all segments is its whole count.
//! - At given parameters, the value of an exact expression is the count that the interpreter finds for them.
//!
//! # Limits
//!
//! - What messages bring is unknown, apart from what a root that was followed before broadcasts.
//! - The crate has the limits of abstract execution of whole programs (`chronos_abstract_execution`).
//! - Where C wants a constant, as in a `case` label, the source's own value of a parameter is used and reported; this
//!   is decided in `chronos_frontend`.
//!
//! # Literature
//!
//! The methods are those of `chronos_abstract_execution` and `chronos_math`, which cite their sources.

#![forbid(unsafe_code)]

mod atoms;
pub mod codes;
mod findings;
mod initial_state;
mod tasks;
#[cfg(test)]
mod tests;
mod values;

pub use atoms::{Atom, Atoms, Definition};
use chronos_activity::{ContextId, CountSource, Segments, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_interpreter::EvaluatorOptions;
use chronos_ir::{BlockId, CounterId, Program};
use chronos_math::quasi::QuasiPolynomial;
use chronos_values::{ReasonId, Reasons};
use std::sync::Arc;

/// How often something is executed, as a function of the parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct SymbolicCount {
    /// `None` where it is unknown. Coefficients are exact; probabilities enter as rationals.
    pub value: Option<Arc<QuasiPolynomial>>,
    /// How certain the count is.
    pub source: CountSource,
    /// Why it is not exact, where it is not.
    pub reason: Option<ReasonId>,
}

/// Counts of one task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskCounts {
    /// Sorted by context, then counter. Counters that are certainly never executed are left out.
    pub counts: Vec<(ContextId, CounterId, SymbolicCount)>,
    /// Bytes handled by library calls, as in [`chronos_activity::Segment::volumes`].
    pub volumes: Vec<(ContextId, BlockId, SymbolicCount)>,
    /// The same, by what ran before; empty for programs without MPI.
    pub segments: Vec<Segment>,
}

/// What is executed behind one of some MPI calls, before the next one. Calls that only ask (`MPI_Comm_rank`,
/// `MPI_Wtime`) and `MPI_Init` are part of a segment. The sum of a counter over all segments is its whole count.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Segment {
    /// Some of it runs before any such call.
    pub from_start: bool,
    /// Calls of which one was the last before; sorted.
    pub after: Vec<(ContextId, BlockId)>,
    /// Sorted by context, then counter.
    pub counts: Vec<(ContextId, CounterId, SymbolicCount)>,
    /// Bytes handled by library calls, by context and call.
    pub volumes: Vec<(ContextId, BlockId, SymbolicCount)>,
}

/// Counts of all tasks.
#[derive(Debug, Default)]
pub struct SymbolicCounts {
    /// What the symbols of all counts stand for.
    pub atoms: Atoms,
    /// Tasks that count alike, with what they count.
    pub tasks: Vec<(Vec<TaskId>, TaskCounts)>,
    /// For the contexts.
    pub segments: Segments,
    /// Why counts are not exact, by the ids in the counts.
    pub reasons: Reasons,
}

/// Counts every block of the program for every task. Never fails: what cannot be known is an
/// unknown count with a reason and a diagnostic.
pub fn count(program: &Arc<Program>, options: &EvaluatorOptions) -> (SymbolicCounts, Vec<Diagnostic>) {
    let _phase = chronos_base::governor::enter(chronos_base::governor::Phase::Symbolic, None);
    tasks::count(program, options)
}
