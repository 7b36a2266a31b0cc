//! Speedups of one model by its parameters, a row for each number of tasks: the figures of Zuberek (2004).

use crate::table::Grid;
use chronos_scaling::Tasks;
use chronos_scaling::model::Model;

/// One model with several values of its ratio.
#[derive(Clone, Debug)]
pub struct Figure {
    /// A column each; all of one family.
    pub models: Vec<Model>,
    /// Numbers of tasks that the models are evaluated at, a row each.
    pub tasks: Vec<usize>,
}

impl Figure {
    fn header(&self) -> Vec<String> {
        let column = |model: &Model| match model.ratio() {
            Some(ratio) => format!("r = {ratio}"),
            None => model.name().to_owned(),
        };
        std::iter::once("Tasks".to_owned()).chain(self.models.iter().map(column)).collect()
    }

    fn speedups(&self, tasks: usize) -> impl Iterator<Item = f64> + '_ {
        self.models.iter().map(move |model| model.speedup(Tasks(tasks as f64)))
    }
}

/// Speedups, then where each is greatest.
pub fn table(figure: &Figure, width: Option<usize>) -> String {
    let header = figure.header();
    let names: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut grid = Grid::new(&names, &[]).within(width);
    for &tasks in &figure.tasks {
        grid.row(std::iter::once(tasks.to_string()).chain(figure.speedups(tasks).map(|s| format!("{s:.3}"))).collect());
    }
    let best = |model: &Model| model.best_tasks().map_or("-".to_owned(), |n| format!("{:.1}", n.0));
    let greatest = |model: &Model| model.best_tasks().map_or("-".to_owned(), |n| format!("{:.3}", model.speedup(n)));
    grid.row(std::iter::once("Best N".to_owned()).chain(figure.models.iter().map(best)).collect());
    grid.row(std::iter::once("Speedup".to_owned()).chain(figure.models.iter().map(greatest)).collect());
    let formula =
        figure.models.first().map_or(String::new(), |model| format!("{}: T(N) = {}", model.name(), model.formula()));
    format!("Speedup by the model {formula}\n{}", grid.render())
}

/// A row for each number of tasks.
///
/// # Errors
/// Only those of the CSV writer, which writes to memory.
pub fn csv(figure: &Figure) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(figure.header())?;
    for &tasks in &figure.tasks {
        writer.write_record(std::iter::once(tasks.to_string()).chain(figure.speedups(tasks).map(|s| s.to_string())))?;
    }
    crate::csv::finished(writer)
}
