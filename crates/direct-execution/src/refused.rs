//! Programs that do something behind the driver's back.

use crate::codes;
use chronos_base::diag::Diagnostic;
use chronos_functions::{Traced, lookup};
use chronos_ir::openmp::{START, shown};
use chronos_ir::{BlockKind, Callee, Program};
use chronos_mpi_calls::moves_messages;

/// Functions that no virtual clock can be given to, and why.
const REFUSED: [(&str, &str); 7] = [
    ("fork", "starts a process that has no virtual clock"),
    ("vfork", "starts a process that has no virtual clock"),
    ("pthread_create", "starts a thread that has no virtual clock"),
    (START, "starts a thread that has no virtual clock"),
    ("thrd_create", "starts a thread that has no virtual clock"),
    ("MPI_Win_allocate_shared", "shares memory between tasks without messages"),
    ("MPI_Intercomm_create", "meets other tasks before chronos can be told who they are"),
];

/// Whether the call, or a start of the request that it makes, concerns other tasks.
fn reaches_others(name: &str) -> bool {
    moves_messages(name) || name.ends_with("_init")
}

/// The first call of the program that cannot run in virtual time.
pub fn refused(program: &Program) -> Option<Diagnostic> {
    program.blocks.values().find_map(|block| {
        let BlockKind::Call(call) = &block.kind else { return None };
        let (name, is_mpi) = match &call.callee {
            Callee::Library(name) => (name, false),
            Callee::Mpi(name) => (name, true),
            Callee::Function(_) | Callee::Indirect(_) => return None,
        };
        let listed = REFUSED.iter().find(|(refused, _)| **refused == **name).map(|(_, why)| *why);
        let is_missing = is_mpi
            && lookup(name).is_none_or(|row| row.traced == Traced::Missing && !row.spawns && reaches_others(name));
        let why = listed.or(is_missing.then_some("is not followed by the runtime of a run in virtual time"))?;
        let name = shown(name).unwrap_or_else(|| name.to_string());
        let message = format!("the program cannot run in virtual time: {name} {why}");
        let help = "predict it without a run (chronos predict), or record a run on an installed MPI (chronos trace)";
        Some(Diagnostic::error(&codes::REFUSED, message).label(block.span, "called here").help(help))
    })
}
