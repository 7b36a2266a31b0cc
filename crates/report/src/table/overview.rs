//! Many predictions side by side, a row each; rows can be told before the others are known.

use super::Grid;
use crate::model::{Prediction, SweepValue, Task};
use crate::number::{seconds, share};

/// What is known of a row before its prediction is made.
#[derive(Clone, Debug)]
pub struct OverviewRow {
    /// Name of the machine.
    pub machine: String,
    /// Swept values.
    pub sweep: Vec<SweepValue>,
    /// The number of tasks.
    pub tasks: usize,
}

/// See the module.
pub struct Overview {
    grid: Grid,
}

/// Widths of the columns behind machine, sweeps and tasks: time, computation, communication, idle time.
const WIDTHS: [usize; 4] = [10, 7, 13, 6];

impl Overview {
    /// A table whose columns are as wide as these rows need.
    pub fn new(rows: &[OverviewRow], room: Option<usize>) -> Self {
        let sweeps: Vec<&str> = rows.first().map_or_else(Vec::new, |row| row.sweep.iter().map(|v| &*v.name).collect());
        let mut header = vec!["Machine"];
        header.extend(&sweeps);
        header.extend(["Tasks", "Time", "Compute", "Communication", "Idle"]);
        let widest = |cell: &dyn Fn(&OverviewRow) -> usize| rows.iter().map(cell).max().unwrap_or(0);
        let mut widths = vec![widest(&|row| row.machine.chars().count())];
        widths
            .extend((0..sweeps.len()).map(|i| widest(&|row| row.sweep.get(i).map_or(0, |v| v.value.chars().count()))));
        widths.push(widest(&|row| row.tasks.to_string().len()));
        widths.extend(WIDTHS);
        Self { grid: Grid::new(&header, &[0]).at_least(widths).within(room) }
    }

    /// The title and the header.
    pub fn header(&self) -> String {
        format!("Predictions\n{}", self.grid.render())
    }

    /// The line of one prediction.
    pub fn row(&self, p: &Prediction) -> String {
        let m = Task::mean(&p.tasks);
        let part = |time: f64| share(time, m.total_s);
        let communication = part(m.send_s + m.recv_s + m.collective_s);
        let time = p.total_s.map_or_else(|| format!("> {}", seconds(p.known_s)), seconds);
        let mut cells = vec![p.platform.machine.clone()];
        cells.extend(p.sweep.iter().map(|value| value.value.clone()));
        cells.extend([p.tasks_count.to_string(), time, part(m.compute_s), communication, part(m.idle_s)]);
        self.grid.render_row(&cells)
    }
}
