//! Counts of every counter, by tasks that count alike.

use super::amount::Amount;
use crate::activity::{SegmentId, Segments};
use crate::evaluation::Evaluation;
use crate::program::CounterId;
use crate::replay::Finish;
use std::collections::HashMap;

/// Tasks with the same count of every counter.
#[derive(Clone, Debug, Default)]
pub struct Class {
    /// Ascending.
    pub tasks: Vec<u32>,
    /// Counters that are not here were not executed.
    counts: HashMap<CounterId, Amount>,
    /// The evaluation did not get to the end: what was counted is a lower bound.
    partial: bool,
}

impl Class {
    pub fn new(tasks: Vec<u32>, counts: HashMap<CounterId, Amount>, partial: bool) -> Self {
        Self { tasks, counts, partial }
    }

    pub fn is_partial(&self) -> bool {
        self.partial
    }

    pub fn amount(&self, counter: CounterId) -> Amount {
        let counted = self.counted(counter);
        if self.partial { counted.at_least_that() } else { counted }
    }

    /// Counters with another count.
    pub fn different(&self, other: &Self) -> Vec<CounterId> {
        let all = self.counts.keys().chain(other.counts.keys().filter(|counter| !self.counts.contains_key(counter)));
        all.copied().filter(|&counter| self.counted(counter) != other.counted(counter)).collect()
    }

    /// As far as the evaluation got.
    pub fn counted(&self, counter: CounterId) -> Amount {
        self.counts.get(&counter).cloned().unwrap_or(Amount::ZERO)
    }
}

/// What a task executed, and whether all of it is known.
type Executed<'a> = (&'a [(SegmentId, u64)], bool);

/// The classes of an evaluation, in the order of their first tasks.
pub fn classes(evaluation: &Evaluation) -> Vec<Class> {
    let tasks = &evaluation.result.tasks;
    let any_stuck = tasks.iter().any(|task| task.finish == Finish::Stuck);
    let mut known: HashMap<Executed<'_>, usize> = HashMap::new();
    let mut members: Vec<(Executed<'_>, Vec<u32>)> = Vec::new();
    for (task, rank) in tasks.iter().zip(0_u32..) {
        let partial = any_stuck && matches!(task.finish, Finish::Stuck | Finish::Blocked);
        let executed = (task.segments.as_slice(), partial);
        let index = *known.entry(executed).or_insert(members.len());
        if index == members.len() {
            members.push((executed, Vec::new()));
        }
        members[index].1.push(rank);
    }
    let class = |((executed, partial), tasks)| Class::new(tasks, sums(executed, &evaluation.segments), partial);
    members.into_iter().map(class).collect()
}

fn sums(executed: &[(SegmentId, u64)], segments: &Segments) -> HashMap<CounterId, Amount> {
    let mut counts: HashMap<CounterId, Amount> = HashMap::new();
    for &(segment, times) in executed {
        for (counter, count) in segments.get(segment).by_counter() {
            let amount = Amount::number(count.times(crate::activity::Count::exact(times.into())));
            let sum = counts.entry(counter).or_insert(Amount::ZERO);
            *sum = sum.plus(&amount);
        }
    }
    counts
}
