//! One row for each number of tasks, of points, extrapolated and verified times.

use super::model::{ScalingReport, Series};
use chronos_base::units::Seconds;
use chronos_scaling::Parts;

const COLUMNS: [&str; 10] =
    ["name", "machine", "network", "tasks", "kind", "total_s", "low_s", "high_s", "speedup", "efficiency"];

/// All series; unknown values are empty. `kind` is `point`, `extrapolated` or `verified`.
///
/// # Errors
/// Only those of the CSV writer, which writes to memory.
pub fn render(report: &ScalingReport) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let parts = Parts::NAMES.map(|name| format!("{name}_s"));
    writer.write_record(COLUMNS.iter().copied().chain(parts.iter().map(String::as_str)))?;
    for series in &report.series {
        for row in rows(series) {
            writer.write_record(row)?;
        }
    }
    crate::csv::finished(writer)
}

fn rows(series: &Series) -> Vec<Vec<String>> {
    let text = |name: &Option<String>| name.clone().unwrap_or_default();
    let place = [series.name.clone(), text(&series.machine), text(&series.network)];
    let row = |tasks: usize, kind: &str, total: Seconds, more: [Option<f64>; 4]| {
        let more = more.map(|x| x.map_or(String::new(), |x| x.to_string()));
        let begin = [tasks.to_string(), kind.to_owned(), total.0.to_string()];
        place.iter().cloned().chain(begin).chain(more).collect::<Vec<String>>()
    };
    let points = series.points.iter().map(|p| {
        let mut cells = row(p.tasks, "point", p.total_s, [None, None, Some(p.speedup), Some(p.efficiency)]);
        let part =
            |name: &str| p.parts.as_ref().and_then(|parts| parts.get(name)).map_or(String::new(), |s| s.0.to_string());
        cells.extend(Parts::NAMES.map(part));
        cells
    });
    let beyond = series.extrapolated.iter().map(|e| {
        let [low, high] = e.band_s.map(|s| Some(s.0));
        without_parts(row(e.tasks, "extrapolated", e.total_s, [low, high, Some(e.speedup), Some(e.efficiency)]))
    });
    let verified = series.verified.iter().map(|v| {
        let [low, high] = v.band_s.map(|s| Some(s.0));
        without_parts(row(v.tasks, "verified", v.replay_s, [low, high, None, None]))
    });
    points.chain(beyond).chain(verified).collect()
}

fn without_parts(mut cells: Vec<String>) -> Vec<String> {
    cells.extend(Parts::NAMES.map(|_| String::new()));
    cells
}
