//! Times with several numbers of tasks: of predictions, of a saved report, or of a CSV file that anybody wrote.

use super::{codes, saved_report};
use chronos_base::diag::{Diagnostic, system_cause};
use chronos_base::units::Seconds;
use chronos_report::model::Task;
use chronos_report::scaling::model::Origin;
use chronos_scaling::{Parts, Point};
use std::path::Path;

/// Names of columns that say how many tasks there were, and how long it took.
const TASKS: [&str; 4] = ["tasks", "n", "np", "processes"];
const TIMES: [&str; 4] = ["total_s", "time_s", "seconds", "time"];

/// The series of the file.
///
/// # Errors
/// The file cannot be read, or has no times.
pub fn read(path: &Path) -> Result<Vec<(Origin, Vec<Point>)>, Diagnostic> {
    let text = std::fs::read_to_string(path).map_err(|error| wrong(path, &system_cause(&error)))?;
    let found = match text.trim_start().starts_with('{') {
        true => of_report(path, &text),
        false => of_csv(path, &text),
    }?;
    match found.iter().all(|(_, points)| points.is_empty()) {
        true => Err(wrong(path, "it has no complete time")),
        false => Ok(found),
    }
}

fn of_report(path: &Path, text: &str) -> Result<Vec<(Origin, Vec<Point>)>, Diagnostic> {
    let saved = saved_report::parse(text).map_err(|why| wrong(path, &why))?;
    let mut all: Vec<(Origin, Vec<Point>)> = Vec::new();
    for p in &saved.predictions {
        let values = p.sweep.iter().map(|value| format!(", {} = {}", value.name, value.value));
        let name = std::iter::once(saved.program.files.join(" ")).chain(values).collect();
        let origin =
            Origin { name, machine: Some(p.platform.machine.clone()), network: Some(p.platform.network.clone()) };
        let Some(point) = point_of(p.tasks_count, p.total_s, &p.tasks) else { continue };
        match all.iter_mut().find(|(other, _)| *other == origin) {
            Some((_, points)) => points.push(point),
            None => all.push((origin, vec![point])),
        }
    }
    Ok(all)
}

fn of_csv(path: &Path, text: &str) -> Result<Vec<(Origin, Vec<Point>)>, Diagnostic> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| wrong(path, &error.to_string()))?.clone();
    let column = |names: &[&str]| header.iter().position(|name| names.contains(&name.to_lowercase().as_str()));
    let (Some(tasks), Some(time)) = (column(&TASKS), column(&TIMES)) else {
        let why =
            format!("it needs columns `tasks` and `total_s`; it has {}", header.iter().collect::<Vec<_>>().join(", "));
        return Err(wrong(path, &why));
    };
    let mut points: Vec<Point> = Vec::new();
    for (i, record) in reader.records().enumerate() {
        let record = record.map_err(|error| wrong(path, &error.to_string()))?;
        let cell = |column: usize| record.get(column).unwrap_or("");
        let Some(point) = csv_point(cell(tasks), cell(time)) else {
            let why =
                format!("line {}: expected tasks and a time above 0, found {} and {}", i + 2, cell(tasks), cell(time));
            return Err(wrong(path, &why));
        };
        // Of several measurements the least is the one that was disturbed least.
        match points.iter_mut().find(|other| other.tasks == point.tasks) {
            Some(other) if other.total <= point.total => {}
            Some(other) => *other = point,
            None => points.push(point),
        }
    }
    Ok(vec![(Origin { name: path.display().to_string(), machine: None, network: None }, points)])
}

/// The total with its parts, as means over the tasks; `None` where it is not known.
pub fn point_of(count: usize, total: Option<f64>, tasks: &[Task]) -> Option<Point> {
    let total = total.filter(|&total| total > 0.0)?;
    let mean = |part: &dyn Fn(&Task) -> f64| tasks.iter().map(part).sum::<f64>() / tasks.len().max(1) as f64;
    let parts = Parts {
        // Tasks that share processors have more time of computing between calls, not another part.
        compute: Seconds(mean(&|t| t.compute_s + t.ready_s)),
        messages: Seconds(mean(&|t| t.send_s + t.recv_s)),
        collective: Seconds(mean(&|t| t.collective_s)),
        idle: Seconds(mean(&|t| t.idle_s)),
        end: Seconds(total - mean(&|t| t.total_s)),
    };
    Some(Point { tasks: count, total: Seconds(total), parts: (!tasks.is_empty()).then_some(parts) })
}

fn csv_point(tasks: &str, time: &str) -> Option<Point> {
    let tasks = tasks.parse().ok().filter(|&tasks: &usize| tasks > 0)?;
    let total = time.parse().ok().filter(|total: &f64| total.is_finite() && *total > 0.0)?;
    Some(Point { tasks, total: Seconds(total), parts: None })
}

fn wrong(path: &Path, why: &str) -> Diagnostic {
    Diagnostic::error(&codes::TIMES_NOT_READ, format!("cannot read the times of {}: {why}", path.display())).help(
        "name a file that `chronos predict ... --format json -o FILE` wrote, or a CSV file with the columns tasks and total_s",
    )
}
