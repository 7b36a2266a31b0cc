//! What a program communicates, as expressions of the number of tasks, and the times that follow from them without a fit
//! to times.
//!
//! `profile` counts the calls and bytes of each call site in an evaluated activity. `call_laws` finds their expressions in
//! the number of tasks from the counts of a few numbers of tasks: counts are integers without noise, so an expression
//! that gives them again exactly is most likely the program's own. `skeleton` replays the calls of any number of tasks on
//! the target, with nothing between them: so the times follow the algorithms that the network's rules choose for so many
//! tasks and bytes, which no curve through times with fewer tasks can know.
//!
//! Where tasks can be followed without each other (`alone`), a few of the tasks of any number of them are, and what they
//! compute and call is counted with that number (`counted`): then computing times are known a priori as well, and nothing
//! of what ends beyond the points, such as rows to compute, is taken to go on (`exhausted`). Expressions serve where
//! tasks depend on what others send.
//!
//! The times lack what computation does to calls, such as waiting for a task that computes longer; the laws of
//! `chronos_scaling` take them as a basis and find by how much the parts differ. With the numbers of tasks that are known
//! they also find out whether the tasks that were followed stand for all.
//!
//! Literature: Wu, Mueller: ScalaExtrap, PPoPP 2011 (communication of larger runs from the traces of small ones);
//! Calotoiu and others, SC13 (a model for each call path).

mod alone;
mod call_laws;
pub mod codes;
mod counted;
mod exhausted;
mod profile;
mod skeleton;
#[cfg(test)]
mod tests;

pub use call_laws::{CallLaws, PlannedCall};
pub use profile::{Call, CallKind, CallProfile, CommunicationProfile};

use crate::{Job, Target};
use chronos_base::diag::Diagnostic;
use chronos_base::units::Seconds;
use chronos_scaling::{Parts, Priors};
use counted::CountedTasks;
use rayon::prelude::*;
use std::collections::BTreeMap;

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

    /// The parts of the time for these numbers of tasks, and what they show. Computation is 0 where it is not known.
    pub fn priors(
        &self,
        job: &Job,
        target: Target<'_>,
        tasks: impl IntoIterator<Item = usize>,
    ) -> (Priors, Vec<Diagnostic>) {
        if self.laws.is_empty() {
            return (Priors::new(), Vec::new());
        }
        // The largest take nearly all of the time, so they come first and each is taken by whoever is free.
        let mut tasks: Vec<usize> = tasks.into_iter().filter(|&n| n > 1).collect();
        tasks.sort_unstable_by_key(|&n| std::cmp::Reverse(n));
        let counted = counted::all(job, target, &tasks);
        let diagnostics = counted.as_ref().and_then(|counted| exhausted::without_work(job, counted));
        let each = tasks.into_par_iter().with_max_len(1);
        let priors = each.map(|n| (n, self.parts(job, target, n, counted.as_ref()))).collect();
        (priors, diagnostics.into_iter().collect())
    }

    fn parts(
        &self,
        job: &Job,
        target: Target<'_>,
        tasks: usize,
        counted: Option<&BTreeMap<usize, CountedTasks>>,
    ) -> Parts {
        let skeleton = skeleton::Skeleton { job, target };
        let own = counted.and_then(|counted| Some((counted::planned(counted, tasks)?, counted.get(&tasks)?)));
        let Some((calls, own)) = own else { return self.parts_by_laws(&skeleton, tasks) };
        let parts = skeleton.parts(&calls, tasks);
        Parts { compute: own.compute, idle: Seconds(parts.idle.0 + own.behind.0), ..parts }
    }

    fn parts_by_laws(&self, skeleton: &skeleton::Skeleton<'_>, tasks: usize) -> Parts {
        let planned: Vec<Option<PlannedCall>> = self.laws.iter().map(|law| law.planned(tasks)).collect();
        let calls: Vec<PlannedCall> = planned.iter().flatten().cloned().collect();
        let parts = skeleton.parts(&calls, tasks);
        let missing = |(law, planned): (&CallLaws, &Option<PlannedCall>)| law.is_message() && planned.is_none();
        let unknown = self.laws.iter().zip(&planned).any(missing);
        if unknown { Parts { messages: Seconds(0.0), ..parts } } else { parts }
    }
}
