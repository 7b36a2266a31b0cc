//! What a program communicates, as expressions of the number of tasks, and the times that follow from them without a fit
//! to times.
//!
//! `profile` counts the calls and bytes of each call site in an evaluated activity. `call_laws` finds their expressions in
//! the number of tasks from the counts of a few numbers of tasks: counts are integers without noise, so an expression
//! that gives them again exactly is most likely the program's own. `skeleton` replays the calls of any number of tasks on
//! the target, with nothing between them: so the times follow the algorithms that the network's rules choose for so many
//! tasks and bytes, which no curve through times with fewer tasks can know.
//!
//! The times lack what computation does to calls, such as waiting for a task that computes longer; the laws of
//! `chronos_scaling` take them as a basis and find by how much the parts differ.
//!
//! Literature: Wu, Mueller: ScalaExtrap, PPoPP 2011 (communication of larger runs from the traces of small ones);
//! Calotoiu and others, SC13 (a model for each call path).

mod call_laws;
mod profile;
mod skeleton;
#[cfg(test)]
mod tests;

pub use call_laws::{CallLaws, PlannedCall};
pub use profile::{Call, CallKind, CallProfile, CommunicationProfile};

use crate::{Job, Target};
use chronos_base::units::Seconds;
use chronos_scaling::{Parts, Priors};
use rayon::prelude::*;

/// What the calls of a program cost on a target, by numbers of tasks that it was not evaluated with.
pub struct APriori {
    laws: Vec<CallLaws>,
}

impl APriori {
    /// From what the same program communicated with several numbers of tasks; calls without an expression are left out.
    pub fn new(profiles: &[CommunicationProfile]) -> Self {
        Self { laws: call_laws::all(profiles) }
    }

    /// The calls whose number and bytes are expressions of the number of tasks, in the order of their first execution.
    pub fn calls(&self) -> &[CallLaws] {
        &self.laws
    }

    /// The parts of the time for these numbers of tasks; computation is 0, because it is not known from calls.
    pub fn priors(&self, job: &Job, target: Target<'_>, tasks: impl IntoIterator<Item = usize>) -> Priors {
        if self.laws.is_empty() {
            return Priors::new();
        }
        // The largest take nearly all of the time, so they come first and each is taken by whoever is free.
        let mut tasks: Vec<usize> = tasks.into_iter().filter(|&n| n > 1).collect();
        tasks.sort_unstable_by_key(|&n| std::cmp::Reverse(n));
        let each = tasks.into_par_iter().with_max_len(1);
        each.map(|n| (n, self.parts(job, target, n))).collect()
    }

    fn parts(&self, job: &Job, target: Target<'_>, tasks: usize) -> Parts {
        let planned: Vec<Option<PlannedCall>> = self.laws.iter().map(|law| law.planned(tasks)).collect();
        let calls: Vec<PlannedCall> = planned.iter().copied().flatten().collect();
        let parts = skeleton::Skeleton { job, target }.parts(&calls, tasks);
        let missing = |(law, planned): (&CallLaws, &Option<PlannedCall>)| law.is_message() && planned.is_none();
        let unknown = self.laws.iter().zip(&planned).any(missing);
        if unknown { Parts { messages: Seconds(0.0), ..parts } } else { parts }
    }
}
