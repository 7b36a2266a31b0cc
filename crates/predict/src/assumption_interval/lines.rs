//! The total as the greatest of sums: of the critical path, and of what each task does without waiting.
//!
//! Each is a way through the program, so that the total is at least that, whatever the factors are.

use super::governed::Governed;
use crate::replays::{PathTimes, Replayed, Replays, unchanged};
use chronos_activity::TaskId;
use chronos_base::units::Picoseconds;
use std::collections::BTreeMap;

/// Tasks that are followed, those that take most of all.
const MOST_TASKS: usize = 64;

/// A sum of times.
#[derive(Default)]
struct Line {
    /// Seconds that depend on no assumption.
    fixed: f64,
    /// Seconds by set of assumptions.
    by_set: BTreeMap<usize, f64>,
}

pub struct Lines(Vec<Line>);

impl Lines {
    pub fn new(replays: &Replays<'_>, replayed: &Replayed<'_>, governed: &Governed) -> Self {
        let tasks = tasks(replays, replayed, governed);
        // Where each replay evaluates the program anew, the tasks have to do.
        let path = (!replays.activity().timing_dependent).then(|| {
            let total = replayed.result.total.as_seconds();
            of_path(&replays.path_times(replayed, &unchanged), total, governed)
        });
        Self(path.into_iter().chain(tasks).collect())
    }

    /// The most seconds of some sets in one of the sums.
    pub fn longest(&self, is_one: &dyn Fn(usize) -> bool) -> f64 {
        let one = |line: &Line| line.by_set.iter().filter(|(set, _)| is_one(**set)).map(|(_, time)| time).sum::<f64>();
        self.0.iter().map(one).fold(0.0, f64::max)
    }

    /// The total, where the time of each set is multiplied.
    pub fn total(&self, factor: &dyn Fn(usize) -> f64) -> f64 {
        let one =
            |line: &Line| line.fixed + line.by_set.iter().map(|(&set, seconds)| seconds * factor(set)).sum::<f64>();
        self.0.iter().map(one).fold(0.0, f64::max)
    }
}

impl Line {
    fn add(&mut self, set: usize, seconds: f64) {
        if set > 0 {
            *self.by_set.entry(set).or_default() += seconds;
            self.fixed -= seconds;
        }
    }

    fn lasting(seconds: f64) -> Self {
        Self { fixed: seconds, ..Self::default() }
    }
}

fn of_path(path: &PathTimes, total: f64, governed: &Governed) -> Line {
    let mut line = Line::lasting(total);
    for (&(_, context, block), &seconds) in &path.computing {
        line.add(governed.number(context, block), seconds);
    }
    line
}

fn tasks(replays: &Replays<'_>, replayed: &Replayed<'_>, governed: &Governed) -> Vec<Line> {
    let mut prices = replays.prices_of_replay();
    let times = &replayed.result.tasks;
    let mut longest: Vec<usize> = (0..times.len()).collect();
    longest.sort_by_key(|&task| (std::cmp::Reverse(times[task].compute), task));
    longest.truncate(MOST_TASKS);
    let of_task = |task: usize| {
        let time = &times[task];
        let busy = time.end.as_seconds() - Picoseconds::as_seconds(time.idle);
        let mut line = Line::lasting(busy);
        for &(id, executed) in &time.segments {
            let task = TaskId(task as u32);
            let priced = prices.price(task, id, &replayed.segments);
            for entry in &priced.entries {
                line.add(governed.number(entry.context, entry.block), entry.time.0 * executed as f64 / 1e9);
            }
        }
        line
    };
    longest.into_iter().map(of_task).collect()
}
