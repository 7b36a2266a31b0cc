//! A trace for another number of tasks than it has: only as the user says, and never as what a run told.

use super::TracedCounts;
use super::codes::{self, SHARED};
use super::number;
use chronos_base::diag::Diagnostic;
use std::fmt;
use std::path::Path;

/// What stays the same where the number of tasks does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Sharing {
    /// The sum over all tasks: the work is divided anew.
    Total,
    /// The mean of a task: each new one does as much.
    PerTask,
}

impl Sharing {
    /// What so many tasks count, from what the traced ones did. Numbers stay whole: the first tasks take what is left
    /// over.
    pub fn shared(self, traced: &[TracedCounts], tasks: usize) -> Vec<TracedCounts> {
        let mut sums = TracedCounts::new();
        for (&counter, &count) in traced.iter().flatten() {
            let sum = sums.entry(counter).or_insert(0);
            *sum = count.saturating_add(*sum);
        }
        let (old, new) = (divisor(traced.len()), divisor(tasks));
        let total = |sum: u128| match self {
            Self::Total => sum,
            Self::PerTask => sum.saturating_mul(new).saturating_add(old / 2) / old,
        };
        let part = |sum: u128, rank: u128| total(sum) / new + u128::from(rank < total(sum) % new);
        (0..new).map(|rank| sums.iter().map(|(&counter, &sum)| (counter, part(sum, rank))).collect()).collect()
    }
}

fn divisor(tasks: usize) -> u128 {
    tasks.max(1) as u128
}

impl fmt::Display for Sharing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Total => "total",
            Self::PerTask => "per-task",
        })
    }
}

/// Refuses a trace of another number of tasks where nobody said what stays the same.
///
/// # Errors
/// As said.
pub fn check(folder: &Path, traced: usize, tasks: usize, sharing: Option<Sharing>) -> Result<(), Box<Diagnostic>> {
    if traced == tasks || sharing.is_some() {
        return Ok(());
    }
    let message = format!("{} is a trace of {}, not of {tasks}", folder.display(), number(traced));
    let help = format!(
        "give -n {traced}, trace the program with -n {tasks}, or say what stays the same: --share-trace total or per-task"
    );
    Err(Box::new(Diagnostic::error(&codes::OTHER_TASKS, message).help(help)))
}

/// What is said of counts that were shared out.
pub fn told(folder: &Path, traced: usize, tasks: usize, sharing: Sharing) -> Diagnostic {
    let how = match sharing {
        Sharing::Total => "sums over all tasks are divided evenly",
        Sharing::PerTask => "each task counts as the mean of the traced ones",
    };
    let message = format!("counts of {}, a trace of {}, stand for {tasks}: {how}", folder.display(), number(traced));
    Diagnostic::warning(&SHARED, message)
        .help("they are assumed, not counted; trace the program with this number of tasks")
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_ir::CounterId;

    fn check(sharing: Sharing, traced: &[u128], tasks: usize) -> Vec<u128> {
        let traced: Vec<TracedCounts> = traced.iter().map(|&n| TracedCounts::from([(CounterId(7), n)])).collect();
        sharing.shared(&traced, tasks).iter().map(|counts| counts[&CounterId(7)]).collect()
    }

    #[test]
    fn totals_are_divided_and_means_repeated() {
        assert_eq!(check(Sharing::Total, &[10, 1], 3), [4, 4, 3]);
        assert_eq!(check(Sharing::Total, &[1, 0, 0], 2), [1, 0]);
        assert_eq!(check(Sharing::PerTask, &[10, 2], 3), [6, 6, 6]);
        assert_eq!(check(Sharing::PerTask, &[1, 0, 0], 6), [1, 1, 0, 0, 0, 0]);
    }
}
