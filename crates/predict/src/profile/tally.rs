//! Counts of every counter, by tasks that count alike.

use super::ahead::ahead;
use super::amount::Amount;
use crate::evaluation::Evaluation;
use chronos_activity::{SegmentId, Segments};
use chronos_base::diag::Code;
use chronos_base::governor;
use chronos_base::hash::{FxHashMap, FxHashSet};
use chronos_interpreter::Position;
use chronos_ir::{CounterId, Program};
use chronos_replay::{self as replay, Finish};

/// Tasks with the same count of every counter.
#[derive(Clone, Debug, Default)]
pub struct Class {
    /// Ascending.
    pub tasks: Vec<u32>,
    /// Counters that are not here were not executed.
    counts: FxHashMap<CounterId, Amount>,
    /// The evaluation did not get to the end: counters for which what was counted is a lower bound.
    open: Option<FxHashSet<CounterId>>,
}

impl Class {
    /// Of tasks that were followed to their end.
    pub fn new(tasks: Vec<u32>, counts: FxHashMap<CounterId, Amount>) -> Self {
        Self { tasks, counts, open: None }
    }

    pub fn is_partial(&self) -> bool {
        self.open.is_some()
    }

    pub fn amount(&self, counter: CounterId) -> Amount {
        let counted = self.counted(counter);
        let is_open = self.open.as_ref().is_some_and(|open| open.contains(&counter));
        if is_open { counted.at_least_that() } else { counted }
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

/// What a task executed, as far as it was followed.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Executed<'a> {
    segments: &'a [(SegmentId, u64)],
    /// Where it stands if that is not all.
    stands: Option<&'a [Position]>,
    /// It was left where it happened to be when a limit ended the replay: any block may go on.
    interrupted: bool,
}

/// The classes of an evaluation, in the order of their first tasks.
pub fn classes(program: &Program, evaluation: &Evaluation) -> Vec<Class> {
    let tasks = &evaluation.result.tasks;
    let any_stuck = tasks.iter().any(|task| task.finish == Finish::Stuck);
    let ended_by = |code: &Code| evaluation.result.diagnostics.iter().any(|diagnostic| diagnostic.code == code);
    let at_limit = ended_by(&governor::LIMIT) || ended_by(&replay::codes::STEP_LIMIT);
    let mut known: FxHashMap<Executed<'_>, usize> = FxHashMap::default();
    let mut members: Vec<(Executed<'_>, Vec<u32>)> = Vec::new();
    for ((task, positions), rank) in tasks.iter().zip(&evaluation.positions).zip(0_u32..) {
        let partial = any_stuck && matches!(task.finish, Finish::Stuck | Finish::Blocked);
        let executed = Executed {
            segments: &task.segments,
            stands: partial.then_some(positions.as_slice()),
            interrupted: at_limit && !matches!(task.finish, Finish::Ended | Finish::Aborted),
        };
        let index = *known.entry(executed).or_insert(members.len());
        if index == members.len() {
            members.push((executed, Vec::new()));
        }
        members[index].1.push(rank);
    }
    // Repeats that the replay did not come to are behind the position of a task: where it ended at a limit, any block may go on.
    let cut = ended_by(&replay::codes::END_OF_TIME);
    let class = |(executed, tasks): (Executed<'_>, _)| {
        let open = match executed.stands {
            _ if cut || executed.interrupted => Some(all_counters(program)),
            stands => stands.map(|positions| counters(program, positions)),
        };
        Class { open, ..Class::new(tasks, sums(executed.segments, &evaluation.segments)) }
    };
    members.into_iter().map(class).collect()
}

fn all_counters(program: &Program) -> FxHashSet<CounterId> {
    program.blocks.iter().flat_map(|(_, block)| (0..block.counters()).map(|i| block.counter(i))).collect()
}

/// Counters of what may still be executed.
fn counters(program: &Program, positions: &[Position]) -> FxHashSet<CounterId> {
    let blocks = ahead(program, positions).into_iter().map(|block| &program.blocks[block]);
    blocks.flat_map(|block| (0..block.counters()).map(|i| block.counter(i))).collect()
}

fn sums(executed: &[(SegmentId, u64)], segments: &Segments) -> FxHashMap<CounterId, Amount> {
    let mut counts: FxHashMap<CounterId, Amount> = FxHashMap::default();
    for &(segment, times) in executed {
        for (counter, count) in segments.get(segment).by_counter() {
            let amount = Amount::number(count.times(chronos_activity::Count::exact(times.into())));
            let sum = counts.entry(counter).or_insert(Amount::ZERO);
            *sum = sum.plus(&amount);
        }
    }
    counts
}
