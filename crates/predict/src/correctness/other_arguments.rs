//! Programs whose calls match only for some arguments.
//!
//! A condition on an argument may guard an MPI call on some tasks alone, and one evaluation sees one of its ways. So
//! the job is evaluated again with each of its first arguments that is a number increased by one, which turns tests of
//! parity and of equality. What is told is an input for which the program fails, never a guess.

use super::codes::OTHER_ARGUMENTS;
use crate::evaluation;
use crate::evaluation::Job;
use chronos_activity::Site;
use chronos_base::diag::{Code, Diagnostic};
use chronos_base::units::Picoseconds;
use chronos_machine::network::Network;
use chronos_mpi_calls as mpi;
use chronos_replay::{self as replay, ReplayOptions, codes};

/// Arguments that are changed.
const MOST: usize = 4;

/// What goes wrong with another argument; to be asked where nothing is wrong with those given.
pub fn findings(job: &Job, network: &Network) -> Vec<Diagnostic> {
    let numbers = job.arguments.iter().enumerate().filter_map(|(at, word)| Some((at, word.parse::<i64>().ok()?)));
    let mut found: Vec<Diagnostic> = Vec::new();
    for (at, number) in numbers.take(MOST) {
        let Some(next) = number.checked_add(1) else { continue };
        let mut arguments = job.arguments.clone();
        arguments[at] = next.to_string();
        let changed = Job { arguments, correctness: false, ..job.clone() };
        found.extend(wrong(&changed, network).map(|fault| warning(&fault, at, number, next)));
    }
    found
}

/// The first fault in how calls match.
fn wrong(job: &Job, network: &Network) -> Option<Diagnostic> {
    let locate = |site: Site| job.program.blocks.get(site.block).map(|block| block.span);
    let mut pricing = |_, _, _: &_| Picoseconds(0);
    let options = ReplayOptions::new(network, &mut pricing, &locate);
    let mut feed = evaluation::feed(job, options.placement.nodes.clone());
    let replayed = replay::replay_dyn(&mut feed, options).diagnostics;
    let matching: [&Code; 4] = [&codes::DEADLOCK, &codes::NEVER, &codes::MISMATCH, &codes::TRUNCATION];
    let all = feed.into_diagnostics().into_iter().chain(replayed);
    let is = |d: &Diagnostic| d.is_error() && (matching.contains(&d.code) || mpi::MATCHING.contains(&d.code));
    all.into_iter().find(is)
}

fn warning(fault: &Diagnostic, at: usize, given: i64, other: i64) -> Diagnostic {
    let message = format!("with {other} in place of {given} as argument {} of the program: {}", at + 1, fault.message);
    let mut warning = Diagnostic::warning(&OTHER_ARGUMENTS, message);
    warning.labels.clone_from(&fault.labels);
    warning.help("let all tasks communicate whatever the argument is, or refuse such arguments on all of them")
}
