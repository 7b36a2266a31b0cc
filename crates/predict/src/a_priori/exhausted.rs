//! From how many tasks on some have no work: where the data has fewer parts than there are tasks.

use super::alone::FollowedTasks;
use super::codes;
use super::counted::{CountedTasks, Executed, with_tasks};
use crate::Job;
use chronos_base::diag::Diagnostic;
use chronos_ir::CounterId;
use std::collections::BTreeMap;

/// What is executed nearly as often as what is executed most is the work: several blocks of a loop, some of which are
/// left out at borders of the data.
const NEARLY: f64 = 0.9;
/// Who executes less than this share of the mean has no work: loops without iterations are tested nevertheless.
const NO_WORK: f64 = 0.1;

/// The note that says so; `None` where all tasks have work with all of these numbers of tasks, or some never have.
pub(super) fn without_work(job: &Job, counted: &BTreeMap<usize, CountedTasks>) -> Option<Diagnostic> {
    let work = most_executed(&counted.values().next()?.executed);
    let share = |n: usize| counted.get(&n).map_or(0.0, |found| share_without(&work, &found.executed));
    let more = counted.keys().copied().find(|&n| share(n) > 0.0)?;
    let enough = counted.range(..more).next_back().map(|(&n, _)| n)?;
    let followed = |n: usize| FollowedTasks::new(&with_tasks(job, n));
    let has_work = |n: usize| followed(n).is_none_or(|found| share_without(&work, &found.executed()) == 0.0);
    let last = last_that(enough, more, &has_work);
    let span = job.program.blocks.get(job.program.block_of(*work.first()?)).map(|block| block.span)?;
    let percent = 100.0 * share(more);
    let message =
        format!("there is not enough work for more than {last} tasks: of {more} tasks {percent:.0} % have none");
    let note = Diagnostic::note(&codes::WITHOUT_WORK, message).label(span, "what most of the work is");
    Some(note.help("give the program more work (its arguments, or --sweep), or ask for fewer tasks (--to)"))
}

/// What all tasks together execute most, the most first.
fn most_executed(executed: &[Executed]) -> Vec<CounterId> {
    let mut sums: BTreeMap<CounterId, f64> = BTreeMap::new();
    for task in executed {
        task.counts.iter().for_each(|(&counter, count)| *sums.entry(counter).or_default() += task.tasks * count);
    }
    let most = sums.values().copied().fold(0.0, f64::max);
    let mut all: Vec<(CounterId, f64)> = sums.into_iter().filter(|(_, sum)| *sum >= NEARLY * most).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all.into_iter().map(|(counter, _)| counter).collect()
}

/// The share of the tasks that have no work.
fn share_without(work: &[CounterId], executed: &[Executed]) -> f64 {
    let own = |task: &Executed| work.iter().filter_map(|counter| task.counts.get(counter)).sum::<f64>();
    let tasks: f64 = executed.iter().map(|task| task.tasks).sum();
    let mean = executed.iter().map(|task| task.tasks * own(task)).sum::<f64>() / tasks;
    let idle = executed.iter().filter(|task| own(task) < NO_WORK * mean);
    idle.map(|task| task.tasks).sum::<f64>() / tasks
}

/// The last number between one that has a property and one that does not, by halving.
fn last_that(mut has: usize, mut has_not: usize, property: &dyn Fn(usize) -> bool) -> usize {
    while has_not - has > 1 {
        let middle = has + (has_not - has) / 2;
        if property(middle) {
            has = middle;
        } else {
            has_not = middle;
        }
    }
    has
}
