//! Classes of tasks: one row for all tasks that spend their time alike, so that the report of many tasks stays as readable
//! and as small as that of a few.
//!
//! Up to [`FEW`] tasks have a row each. Of more, tasks that do the same for the same time have one row; where more than
//! `FEW` rows differ, those that differ least are joined, and the row says by how much they do. [`FEW`] is the number up to
//! which blocks tell the counts of each task, too: whoever looks at single tasks of small programs finds all of them, and
//! a row per task says no more than its class once nobody reads all rows.
//!
//! Must not know how times come about, and how rows are shown.

mod cut;
mod prediction;
mod ranks;
mod roles;
mod task_class;

pub use prediction::{in_classes, representatives};
pub use ranks::Ranks;
pub use task_class::TaskClass;

use crate::model::{Prediction, Task};

/// Up to so many tasks have a row each; of more there are so many rows at most.
pub const FEW: usize = 64;

/// Tasks by what a table shows of them, whose last digit is `step_s`: those that look the same have one row, and of more
/// than `most` rows (or roles, where they are more) those that differ least are joined.
pub fn rows_of(p: &Prediction, most: usize, step_s: f64) -> Vec<Task> {
    let rounded = |time: &fn(&Task) -> f64| p.tasks.iter().map(|task| (time(task) / step_s).round() * step_s).collect();
    let columns: Vec<Vec<f64>> = Task::TIMES[..SHOWN].iter().map(rounded).collect();
    let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let groups = roles::groups(p, [columns[1], columns[2]], most);
    cut::classes(&columns, groups, most, 0.0).iter().map(|class| prediction::row(&p.tasks, class)).collect()
}

/// Of a task's times, those that tables show: total and its parts.
const SHOWN: usize = 7;

#[cfg(test)]
mod tests;
