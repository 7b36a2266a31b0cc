//! What can be said of a program before anything is evaluated.

use super::codes;
use chronos_base::diag::Diagnostic;
use chronos_base::spelling::nearest;
use chronos_ir::{Callee, Program};

/// Programs that start tasks are predicted, but not run with measurements: those that are started would write over the
/// others.
pub fn recording_unsupported(program: &Program) -> Option<Diagnostic> {
    let places = chronos_mpi_calls::spawns(program);
    let message = "runs of programs that start tasks (MPI_Comm_spawn) are not recorded";
    let fault = Diagnostic::error(&chronos_mpi_calls::UNSUPPORTED, message)
        .help("run it in virtual time (chronos run), predict it without a run, or start all tasks at once (-n) in the version that is traced");
    (!places.is_empty()).then(|| places.into_iter().fold(fault, |fault, span| fault.label(span, "starts tasks")))
}

/// What can be said before anything is evaluated: no `main`, unsupported MPI calls.
pub fn before_evaluation(program: &Program) -> Vec<Diagnostic> {
    if program.main.is_none() {
        let error = Diagnostic::error(&codes::NO_MAIN, "no file given defines `main`");
        return vec![error.help("name all source files of the program")];
    }
    chronos_mpi_calls::unsupported_calls(program)
}

/// A note where several tasks are asked for and none talks to another.
pub fn without_mpi(program: &Program, several: bool) -> Option<Diagnostic> {
    let note = || Diagnostic::note(&codes::NO_MPI, "the program calls no MPI function: every task does the same");
    (several && !calls_mpi(program)).then(|| note().help("leave out -n to predict one run of it"))
}

/// Whether the program calls any function of MPI.
pub fn calls_mpi(program: &Program) -> bool {
    let is_mpi = |callee: &Callee| matches!(callee, Callee::Mpi(name) if !chronos_ir::openmp::stops(name));
    program.blocks.ids().any(|id| program.call(id).is_some_and(|call| is_mpi(&call.callee)))
}

/// What is wrong with the name of a function that `option` gives.
pub fn unknown_function(option: &str, wanted: &str, program: &Program) -> Option<Diagnostic> {
    if program.function_named(wanted).is_some() {
        return None;
    }
    let names = program.functions.values().map(|function| &*function.name);
    let help = match nearest(wanted, names.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the program defines {}", names.take(12).collect::<Vec<_>>().join(", ")),
    };
    let message = format!("{option} {wanted}: no file given defines it");
    Some(Diagnostic::error(&codes::UNKNOWN_FUNCTION, message).help(help))
}
