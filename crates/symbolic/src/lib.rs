//! Symbolic counts: the whole program executed abstractly with some integers left free.
//!
//! Every task is followed with its rank and the number of tasks known and the program's parameters
//! free; each counter becomes a quasi-polynomial of the parameters. Knows no time, and nothing of
//! what messages bring: what is received is unknown. How blocks are executed abstractly is the
//! business of `count::summary`.

#![forbid(unsafe_code)]

mod atoms;
pub mod codes;
mod findings;
mod start;
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

/// What is executed behind one of some MPI calls, before the next one. Calls that only ask (MPI_Comm_rank,
/// MPI_Wtime) and MPI_Init are part of a segment. The sum of a counter over all segments is its whole count.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Segment {
    /// Some of it runs before any such call.
    pub from_start: bool,
    /// Calls of which one was the last before; sorted.
    pub after: Vec<(ContextId, BlockId)>,
    pub counts: Vec<(ContextId, CounterId, SymbolicCount)>,
    pub volumes: Vec<(ContextId, BlockId, SymbolicCount)>,
}

/// Counts of all tasks.
#[derive(Debug, Default)]
pub struct SymbolicCounts {
    pub atoms: Atoms,
    /// Tasks that count alike, with what they count.
    pub tasks: Vec<(Vec<TaskId>, TaskCounts)>,
    /// For the contexts.
    pub segments: Segments,
    pub reasons: Reasons,
}

/// Counts every block of the program for every task. Never fails: what cannot be known is an
/// unknown count with a reason and a diagnostic.
pub fn count(program: &Arc<Program>, options: &EvaluatorOptions) -> (SymbolicCounts, Vec<Diagnostic>) {
    let _phase = chronos_base::governor::enter(chronos_base::governor::Phase::Symbolic, None);
    tasks::count(program, options)
}
