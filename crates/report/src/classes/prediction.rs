//! A prediction of many tasks with a row for each class.

use super::cut::{self, Class};
use super::{FEW, TaskClass, roles};
use crate::model::{Function, PerTaskFunction, Prediction, Report, Task, Wtime};
use chronos_activity::{Count, CountSource};
use std::collections::BTreeMap;

/// Stretches of the critical path that are kept; of more, every so many are.
const PATH: usize = 4000;

/// Pairs of ranks on the critical path that are kept.
const LINKS: usize = 64;

impl Report {
    /// The same report with a row for each class of tasks, in predictions of many tasks.
    #[must_use]
    pub fn in_classes(mut self) -> Self {
        let changed = self.predictions.iter_mut().map(in_classes).fold(false, |any, one| any | one);
        if changed {
            self.schema = Self::SCHEMA_OF_CLASSES;
        }
        self
    }
}

/// The task that stands for each class, where the tasks of a prediction are many; none where they are few.
pub fn representatives(p: &Prediction) -> Vec<usize> {
    let found = if is_many(p) { classes(p) } else { Vec::new() };
    found.iter().map(|class| class.rows[0] as usize).collect()
}

/// The same prediction with a row for each class of tasks where they are many: of tasks, of what functions take on them,
/// and of clock differences. Whether it has changed.
pub fn in_classes(p: &mut Prediction) -> bool {
    if !is_many(p) {
        return false;
    }
    let found = classes(p);
    p.tasks = found.iter().map(|class| row(&p.tasks, class)).collect();
    p.functions.iter_mut().for_each(|function| join(function, &found));
    p.wtime = clocks(&p.wtime);
    bound(p);
    true
}

fn is_many(p: &Prediction) -> bool {
    p.tasks.len() > FEW && p.tasks.iter().all(|task| task.class.is_none())
}

/// By all times that a report tells of a task.
fn classes(p: &Prediction) -> Vec<Class> {
    let own: Vec<Vec<f64>> = Task::TIMES.iter().map(|time| p.tasks.iter().map(time).collect()).collect();
    let of_functions = p.functions.iter().flat_map(|f| [&f.per_task.inclusive_s, &f.per_task.exclusive_s]);
    let whole = of_functions.filter(|column| column.len() == p.tasks.len());
    let columns: Vec<&[f64]> = own.iter().chain(whole).map(Vec::as_slice).collect();
    cut::classes(&columns, roles::groups(p, [columns[1], columns[2]], FEW), FEW, 0.0)
}

/// The row of a class.
pub fn row(tasks: &[Task], class: &Class) -> Task {
    let first = &tasks[class.rows[0] as usize];
    let members: Vec<Task> = class.rows.iter().map(|&row| tasks[row as usize].clone()).collect();
    Task { rank: first.rank, machine: first.machine.clone(), class: TaskClass::new(class), ..Task::mean(&members) }
}

fn join(function: &mut Function, classes: &[Class]) {
    let all = &function.per_task;
    let times = |of: &[f64]| classes.iter().map(|class| time(of, class)).collect();
    let calls =
        if all.calls.is_empty() { Vec::new() } else { classes.iter().map(|class| count(&all.calls, class)).collect() };
    function.per_task =
        PerTaskFunction { calls, inclusive_s: times(&all.inclusive_s), exclusive_s: times(&all.exclusive_s) };
}

fn time(of: &[f64], class: &Class) -> f64 {
    let values = || class.rows.iter().filter_map(|&row| of.get(row as usize));
    let first = values().next().copied().unwrap_or(0.0);
    if values().all(|&value| value == first) { first } else { values().sum::<f64>() / class.rows.len() as f64 }
}

/// A mean where the counts of a class differ; unknown where one of them is.
fn count(of: &[Count], class: &Class) -> Count {
    let values = || class.rows.iter().filter_map(|&row| of.get(row as usize).copied());
    let first = values().next().unwrap_or(Count::UNKNOWN);
    if values().all(|count| count == first) {
        return first;
    }
    let source = values().map(|count| count.source).max().unwrap_or(CountSource::Unknown);
    let sum: Option<f64> = values().map(Count::as_f64).sum();
    sum.map_or(Count::UNKNOWN, |sum| Count::expected(sum / class.rows.len() as f64, source))
}

/// Differences of clock readings at the same places, by the times that tasks find.
fn clocks(all: &[Wtime]) -> Vec<Wtime> {
    let mut places: BTreeMap<(&str, &str, u64), Vec<u32>> = BTreeMap::new();
    for (row, one) in all.iter().enumerate() {
        places.entry((&one.from, &one.to, one.times)).or_default().push(row as u32);
    }
    let columns = [|w: &Wtime| w.total_s, |w: &Wtime| w.min_s, |w: &Wtime| w.max_s];
    let columns: Vec<Vec<f64>> = columns.iter().map(|time| all.iter().map(time).collect()).collect();
    let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let found = cut::classes(&columns, places.into_values().collect(), FEW, 0.0);
    found.iter().map(|class| clock(all, &columns, class)).collect()
}

fn clock(all: &[Wtime], columns: &[&[f64]], class: &Class) -> Wtime {
    let first = &all[class.rows[0] as usize];
    let ranks: Vec<u32> = class.rows.iter().map(|&row| all[row as usize].rank as u32).collect();
    let [total_s, min_s, max_s] = [0, 1, 2].map(|at| time(columns[at], class));
    let class = TaskClass::new(&Class { rows: ranks, ..class.clone() });
    Wtime { class, total_s, min_s, max_s, ..first.clone() }
}

/// What is one by one and grows with the tasks: the critical path, and the messages on it.
fn bound(p: &mut Prediction) {
    let all = p.critical_path.len();
    if all > PATH {
        let step = all.div_ceil(PATH - 1);
        let kept = p.critical_path.drain(..).enumerate().filter(|(at, _)| at % step == 0 || at + 1 == all);
        p.critical_path = kept.map(|(_, part)| part).collect();
        p.critical_path_of = Some(all);
    }
    let Some(critical) = p.replayed.as_mut().map(|replayed| &mut replayed.critical) else { return };
    if critical.links.len() > LINKS {
        critical.cut = Some(format!("the {LINKS} longest of {} pairs of tasks are listed", critical.links.len()));
        critical.links.truncate(LINKS);
    }
}
