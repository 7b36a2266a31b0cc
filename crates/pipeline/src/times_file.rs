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
        let (program, platform) = (saved.program.files.join(" "), &p.platform);
        let (machine, network) = (Some(platform.machine.clone()), Some(platform.network.clone()));
        let origin = Origin { program, name, machine, network };
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
    let columns = Columns::of(&header).ok_or_else(|| {
        let found = header.iter().collect::<Vec<_>>().join(", ");
        wrong(path, &format!("it needs columns `tasks` and `total_s`; it has {found}"))
    })?;
    let mut all: Vec<(Origin, Vec<Point>)> = Vec::new();
    for (i, record) in reader.records().enumerate() {
        let record = record.map_err(|error| wrong(path, &error.to_string()))?;
        if columns.is_extrapolated(&record) {
            continue;
        }
        let point = columns.point(&record).map_err(|why| wrong(path, &format!("line {}: {why}", i + 2)))?;
        let origin = columns.origin(&record, path);
        let at = all.iter().position(|(other, _)| *other == origin).unwrap_or_else(|| {
            all.push((origin, Vec::new()));
            all.len() - 1
        });
        add_least(&mut all[at].1, point);
    }
    Ok(all)
}

/// Of several measurements the least is the one that was disturbed least.
fn add_least(points: &mut Vec<Point>, point: Point) {
    match points.iter_mut().find(|other| other.tasks == point.tasks) {
        Some(other) if other.total <= point.total => {}
        Some(other) => *other = point,
        None => points.push(point),
    }
}

/// Where the columns stand that are of interest. All but two may be absent; `chronos scale --format csv` writes all.
struct Columns {
    tasks: usize,
    total: usize,
    /// In the order of [`Parts::NAMES`].
    parts: Option<Vec<usize>>,
    kind: Option<usize>,
    /// Name, machine and network.
    origin: [Option<usize>; 3],
}

impl Columns {
    fn of(header: &csv::StringRecord) -> Option<Self> {
        let one = |names: &[&str]| header.iter().position(|name| names.contains(&name.to_lowercase().as_str()));
        Some(Self {
            tasks: one(&TASKS)?,
            total: one(&TIMES)?,
            parts: Parts::NAMES.iter().map(|name| one(&[&format!("{name}_s")])).collect(),
            kind: one(&["kind"]),
            origin: ["name", "machine", "network"].map(|name| one(&[name])),
        })
    }

    /// A time that nobody measured or replayed.
    fn is_extrapolated(&self, record: &csv::StringRecord) -> bool {
        self.kind.and_then(|kind| record.get(kind)) == Some("extrapolated")
    }

    fn origin(&self, record: &csv::StringRecord, path: &Path) -> Origin {
        let text = |column: Option<usize>| record.get(column?).filter(|text| !text.is_empty()).map(str::to_owned);
        let [name, machine, network] = self.origin.map(text);
        let name = name.unwrap_or_else(|| path.display().to_string());
        let program = name.split(", ").next().unwrap_or_default().to_owned();
        Origin { program, name, machine, network }
    }

    fn point(&self, record: &csv::StringRecord) -> Result<Point, String> {
        let cell = |column: usize| record.get(column).unwrap_or("");
        let point = csv_point(cell(self.tasks), cell(self.total));
        let point = point.ok_or_else(|| {
            format!("expected tasks and a time above 0, found {} and {}", cell(self.tasks), cell(self.total))
        })?;
        Ok(Point { parts: self.parts(record), ..point })
    }

    /// `None` where a part is empty or no number.
    fn parts(&self, record: &csv::StringRecord) -> Option<Parts> {
        let cell = |&column: &usize| record.get(column)?.parse().ok().filter(|part: &f64| part.is_finite());
        let values: Option<Vec<f64>> = self.parts.as_ref()?.iter().map(cell).collect();
        let &[compute, messages, collective, idle, end] = values?.as_slice() else { return None };
        let [compute, messages, collective, idle, end] = [compute, messages, collective, idle, end].map(Seconds);
        Some(Parts { compute, messages, collective, idle, end })
    }
}

/// The total with its parts, as means over the tasks; `None` where it is not known.
pub fn point_of(count: usize, total: Option<f64>, tasks: &[Task]) -> Option<Point> {
    let total = total.filter(|&total| total > 0.0)?;
    let number = tasks.iter().map(Task::count).sum::<usize>().max(1) as f64;
    let mean = |part: &dyn Fn(&Task) -> f64| Task::sum(tasks, part) / number;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn points(text: &str) -> Result<Vec<(Origin, Vec<Point>)>, Diagnostic> {
        of_csv(Path::new("times.csv"), text)
    }

    /// What `chronos scale --format csv` writes can be read again: extrapolated times are nobody's measurement.
    #[test]
    fn series_and_parts_are_read_and_extrapolated_times_left_out() {
        let text = "name,machine,tasks,kind,total_s,compute_s,messages_s,collective_s,idle_s,end_s\n\
                    a.c,m,2,point,1.0,0.5,0.1,0.1,0.2,0.1\n\
                    a.c,m,4,extrapolated,0.5,,,,,\n\
                    b.c,m,2,verified,3.0,,,,,\n";
        let found = points(text).expect("times");
        let names: Vec<(&str, Option<&str>, usize)> =
            found.iter().map(|(o, p)| (&*o.name, o.machine.as_deref(), p.len())).collect();
        assert_eq!(names, [("a.c", Some("m"), 1), ("b.c", Some("m"), 1)]);
        assert_eq!(found[0].1[0].parts.map(|parts| parts.idle), Some(Seconds(0.2)));
        assert_eq!(found[1].1[0].parts, None);
    }

    #[test]
    fn of_several_measurements_the_least_counts() {
        let found = points("n,time\n2,1.5\n2,1.25\n2,2\n").expect("times");
        assert_eq!(found[0].1, [Point { tasks: 2, total: Seconds(1.25), parts: None }]);
    }

    #[test]
    fn a_wrong_cell_is_told_with_its_line() {
        let error = points("tasks,total_s\n1,2.0\n2,-1\n").expect_err("a negative time");
        assert!(error.message.contains("line 3: expected tasks and a time above 0, found 2 and -1"), "{error:?}");
    }
}
