//! Programs that come to their end only because MPI buffers messages.
//!
//! The standard lets `MPI_Send` wait for its receive, and a collective wait for all of its members. The job is
//! evaluated again as if they always did (the zero-buffer semantics of S. Vakkalanka et al., "ISP", PPoPP 2008): who
//! then waits for ever does so in some real run.

use super::codes::NEEDS_BUFFERS;
use crate::evaluation;
use crate::evaluation::Job;
use chronos_activity::{
    Collective, CollectiveKind, CommId, Event, Feed, Operation, Outcome, Repeat, Segments, SendMode, Site, Step,
    TaskId, Volume,
};
use chronos_base::diag::{Code, Diagnostic};
use chronos_base::units::{Bytes, Picoseconds};
use chronos_machine::network::Network;
use chronos_replay::{self as replay, ReplayOptions};
use std::sync::Arc;

/// What waits for ever where nothing is buffered; to be asked where the program ends otherwise.
pub(crate) fn unbuffered(job: &Job, network: &Network) -> Vec<Diagnostic> {
    let job = Job { correctness: false, ..job.clone() };
    let locate = |site: Site| job.program.blocks.get(site.block).map(|block| block.span);
    let mut pricing = |_, _, _: &_| Picoseconds(0);
    let options = ReplayOptions::new(network, &mut pricing, &locate);
    let mut feed = Unbuffered(evaluation::feed(&job, options.placement.nodes.clone()));
    let hangs: [&'static Code; 2] = [&replay::codes::DEADLOCK, &replay::codes::NEVER];
    let found = replay::replay_dyn(&mut feed, options).diagnostics;
    found.into_iter().filter(|d| hangs.contains(&d.code)).map(warning).collect()
}

fn warning(hang: Diagnostic) -> Diagnostic {
    let message = format!("without buffers for messages, the program hangs: {}", hang.message);
    let mut warning = Diagnostic::warning(&NEEDS_BUFFERS, message);
    warning.labels = hang.labels;
    warning.help("let one side receive first, or use MPI_Sendrecv or non-blocking calls")
}

/// A feed whose sends wait for their receives and whose collectives wait for all members.
struct Unbuffered<F>(F);

fn strict(step: Step) -> Step {
    match step {
        Step::Event(event) => Step::Event(strict_event(&event)),
        Step::Repeat(repeat) => {
            let steps = repeat.steps.iter().cloned().map(strict).collect();
            Step::Repeat(Arc::new(Repeat { steps, ..(*repeat).clone() }))
        }
        other => other,
    }
}

fn strict_event(event: &Arc<Event>) -> Arc<Event> {
    let mut operation = event.operation.clone();
    match &mut operation {
        Operation::Send { mode: mode @ SendMode::Standard, .. } => *mode = SendMode::Synchronous,
        Operation::Collective(collective) => synchronise(collective),
        _ => return event.clone(),
    }
    Arc::new(Event { operation, site: event.site })
}

fn synchronise(collective: &mut Collective) {
    use CollectiveKind::{Barrier, Bcast, Exscan, Gather, Reduce, Scan, Scatter};
    if matches!(collective.kind, Bcast | Exscan | Gather | Reduce | Scan | Scatter) {
        (collective.kind, collective.root, collective.volume) = (Barrier, None, Volume::Each(Bytes(0)));
    }
}

impl<F: Feed> Feed for Unbuffered<F> {
    fn tasks(&self) -> usize {
        self.0.tasks()
    }

    fn next(&mut self, task: TaskId, outcome: Outcome) -> Step {
        strict(self.0.next(task, outcome))
    }

    fn group(&self, comm: CommId) -> Arc<[TaskId]> {
        self.0.group(comm)
    }

    fn window(&self, comm: CommId) -> Option<usize> {
        self.0.window(comm)
    }

    fn segments(&self) -> &Segments {
        self.0.segments()
    }
}
