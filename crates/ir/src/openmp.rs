//! What a program has of OpenMP beside its calls of `__chronos_omp_...`, which the front end writes in place of directives.
//!
//! The names of these calls, and which of them stop a thread, are known here alone; what they do, the evaluation knows.

use crate::{Program, VarId};
use chronos_base::span::Span;

/// Facts of a program whose compilers are told of OpenMP.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenMp {
    /// Threads of a parallel region that asks for no other number.
    pub threads: u32,
    /// Somebody said so.
    pub given: bool,
    /// The first parallel region.
    pub region: Option<Span>,
    /// Variables that each thread has for itself.
    pub threadprivate: Vec<VarId>,
}

/// What the names of the calls begin with.
pub const PREFIX: &str = "__chronos_omp_";
/// Begins a team of threads: their number (0 for the usual one), flags, and the number of the construct.
pub const FORK: &str = "__chronos_omp_fork";
/// Ends a team.
pub const JOIN: &str = "__chronos_omp_join";
/// All threads of the team come here before one goes on.
pub const BARRIER: &str = "__chronos_omp_barrier";
/// A thread looks at what others have written: where it waits for them, these must run.
pub const FLUSH: &str = "__chronos_omp_flush";
/// Local variables between two of these names, with the number of the construct behind them, belong to each thread.
pub const REGION: &str = "__chronos_omp_region";
/// See [`REGION`].
pub const REGION_END: &str = "__chronos_omp_end";

/// Whether the front end wrote the call in place of a directive.
pub fn is_directive(name: &str) -> bool {
    name.starts_with(PREFIX)
}

/// What people are told of such a call: the step of OpenMP that it stands for.
pub fn shown(name: &str) -> Option<String> {
    name.strip_prefix(PREFIX).map(|step| format!("OpenMP {step}"))
}

/// Whether the execution of a thread stops at the call, so that others run.
pub fn stops(name: &str) -> bool {
    matches!(name, FORK | JOIN | BARRIER | FLUSH)
}

/// Whether the program has parallel regions that hold.
pub fn has_regions(program: &Program) -> bool {
    program.openmp.as_ref().is_some_and(|openmp| openmp.region.is_some())
}
