//! What `chronos check --mpi` finds: the errors of an evaluation, and warnings about what is unsafe.
//!
//! The analyses themselves look on while the job is evaluated (`chronos_mpi_calls::checks`) or come from the replay,
//! which knows who waits for whom. This module picks what concerns the use of MPI, and evaluates the job once more as
//! an MPI without buffers would run it. It must not know files, flags or the terminal.

pub mod codes;
mod orders;
mod other_arguments;
mod unbuffered;

use crate::evaluation::Job;
use crate::profile::Counted;
use chronos_base::diag::{Code, Diagnostic, Severity};
use chronos_base::span::Span;
use chronos_machine::network::Network;
use chronos_mpi_calls as mpi;
use chronos_replay as replay;

/// What is found of a job with `correctness` that was counted: errors, and warnings about the use of MPI.
pub fn findings(job: &Job, network: &Network, counted: &Counted) -> Vec<Diagnostic> {
    let mut found = of_evaluation(&counted.diagnostics);
    if counted.complete && !found.iter().any(Diagnostic::is_error) {
        found.extend(unbuffered::unbuffered(job, network));
        found.extend(other_arguments::findings(job, network));
        found.extend(orders::other_orders(job, network));
    }
    found
}

/// What the prediction can do with, but MPI forbids, is an error here.
fn of_evaluation(diagnostics: &[Diagnostic]) -> Vec<Diagnostic> {
    // Requests are looked at by the analyses, which know of those that were cancelled.
    let other = |d: &&Diagnostic| d.code != &replay::codes::UNWAITED;
    let told = diagnostics.iter().filter(|d| d.is_error() || is_finding(d)).filter(other);
    let mut found = without_repetitions(told.cloned().collect());
    let forbidden = [&replay::codes::UNRECEIVED, &replay::codes::ENDED_BY_LAUNCHER];
    for finding in found.iter_mut().filter(|finding| forbidden.contains(&finding.code)) {
        finding.severity = Severity::Error;
    }
    found
}

/// Datatypes of a collective operation are compared between members and again where the data arrives: it is told once.
fn without_repetitions(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let places = found.iter().filter(|d| d.code == &mpi::DISAGREE).flat_map(|d| &d.labels);
    let told: Vec<Span> = places.map(|label| label.span).collect();
    let again = |d: &Diagnostic| d.code == &mpi::DATATYPES && d.labels.iter().any(|label| told.contains(&label.span));
    found.into_iter().filter(|d| !again(d)).collect()
}

/// A finding about the use of MPI, and not about what the prediction does not know.
pub fn is_finding(diagnostic: &Diagnostic) -> bool {
    let is = |code: &&'static Code| *code == diagnostic.code;
    diagnostic.severity > Severity::Note
        && (mpi::CHECK_CODES.iter().any(is)
            || codes::ALL.iter().any(is)
            || mpi::MISUSE.iter().any(is)
            || replay::codes::MISUSE.iter().any(is))
}

/// The closing line: how many errors and warnings about the use of MPI there are.
pub fn summary(diagnostics: &[Diagnostic], tasks: usize, followed: bool) -> String {
    let count = |severity| diagnostics.iter().filter(|d| is_finding(d) && d.severity == severity).count();
    let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let on = plural(tasks, "task");
    let part = if followed { "" } else { ", which could not be followed to their end" };
    match (errors, warnings) {
        (0, 0) => format!("MPI: nothing wrong found on {on}{part}\n"),
        _ => format!("MPI: {}, {} on {on}{part}\n", plural(errors, "error"), plural(warnings, "warning")),
    }
}
