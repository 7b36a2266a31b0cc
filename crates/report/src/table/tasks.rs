//! The times of tasks: a row each, or for each class where they are many.

use super::View;
use crate::classes::{self, FEW};
use crate::model::Task;
use crate::number::Scale;

/// Columns that the ranks of a class may take.
const RANKS: usize = 24;

impl View<'_> {
    pub(super) fn tasks(&self) -> String {
        match self.p.tasks.len() > FEW && !self.limits.per_task {
            true => self.classes(),
            false => self.single_tasks(),
        }
    }

    fn single_tasks(&self) -> String {
        let tasks = &self.p.tasks;
        let mut shown: Vec<&Task> = tasks.iter().collect();
        if shown.len() > self.limits.tasks && !self.limits.per_task {
            shown.sort_by(|a, b| b.total_s.total_cmp(&a.total_s).then(a.rank.cmp(&b.rank)));
            shown.truncate(self.limits.tasks);
        }
        let title = format!("Time of each task, in {}", self.scale_of_tasks().unit);
        let rows = shown.iter().map(|task| (vec![task.rank.to_string()], *task)).collect();
        let grid = self.grid_of_tasks(&["Task"], rows);
        match shown.len() < tasks.len() {
            true => format!("{title} (the slowest {} of {})\n{grid}", shown.len(), tasks.len()),
            false => format!("{title}\n{grid}"),
        }
    }

    /// As many classes as a table of single tasks has rows.
    fn classes(&self) -> String {
        let (scale, all) = (self.scale_of_tasks(), self.p.tasks.len());
        let shown = classes::rows_of(self.p, self.limits.tasks, scale.step_s());
        let spread = shown.iter().filter_map(|row| Some(row.class.as_ref()?.spread_s)).fold(0.0, f64::max);
        let within = match spread > 0.0 {
            true => format!("; in one row, times differ by up to {}", scale.show(spread)),
            false => String::new(),
        };
        let name = |row: &Task| {
            let ranks = row.class.as_ref().map(|class| class.ranks.shortened(RANKS));
            vec![ranks.unwrap_or_else(|| row.rank.to_string()), row.count().to_string()]
        };
        let rows = shown.iter().map(|row| (name(row), row)).collect();
        let grid = self.grid_of_tasks(&["Tasks", "Number"], rows);
        format!("Times of {all} tasks in {} classes, mean of each, in {}{within}\n{grid}", shown.len(), scale.unit)
    }

    fn scale_of_tasks(&self) -> Scale {
        Scale::of(self.p.tasks.iter().map(|t| t.total_s).fold(0.0, f64::max))
    }

    /// Rows behind their names, and the mean of all tasks.
    fn grid_of_tasks(&self, names: &[&str], rows: Vec<(Vec<String>, &Task)>) -> String {
        let (tasks, scale) = (&self.p.tasks, self.scale_of_tasks());
        let mut header = [names, &["Total", "= Compute", "+ Send", "+ Receive", "+ Collective", "+ Idle"]].concat();
        let shares = tasks.iter().any(|task| task.ready_s > 0.0);
        header.extend(shares.then_some("+ Ready"));
        let mut grid = self.grid(&header, &[]);
        for (name, task) in rows {
            grid.row(task_row(name, task, shares, scale));
        }
        if tasks.len() > 1 {
            let all = [self.p.tasks.len().to_string()];
            let name = std::iter::once("mean".to_owned()).chain(all).take(names.len());
            grid.row(task_row(name.collect(), &Task::mean(tasks), shares, scale));
        }
        grid.render()
    }
}

/// `shares`: with the time in which tasks wait for a processor.
fn task_row(name: Vec<String>, t: &Task, shares: bool, scale: Scale) -> Vec<String> {
    let times = [t.total_s, t.compute_s, t.send_s, t.recv_s, t.collective_s, t.idle_s];
    let times = times.into_iter().chain(shares.then_some(t.ready_s));
    name.into_iter().chain(times.map(|time| scale.show(time))).collect()
}
