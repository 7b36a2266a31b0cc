//! One row per prediction.

use super::model::{Comparison, Entry};

/// Columns behind program, machine, network, the swept names and tasks.
const COLUMNS: [&str; 11] = [
    "total_s",
    "low_s",
    "high_s",
    "known_s",
    "compute_share",
    "communication_share",
    "idle_share",
    "speedup",
    "efficiency",
    "change_percent",
    "rank",
];

/// All entries, in their order; unknown values are empty.
///
/// # Errors
/// Only those of the CSV writer, which writes to memory.
pub fn render(comparison: &Comparison) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let names = comparison.entries.first().map_or(Vec::new(), |e| e.sweep.iter().map(|v| v.name.as_str()).collect());
    let first = ["program", "machine", "network"].into_iter();
    writer.write_record(first.chain(names).chain(["tasks"]).chain(COLUMNS))?;
    for entry in &comparison.entries {
        writer.write_record(row(comparison, entry))?;
    }
    crate::csv::finished(writer)
}

fn row(comparison: &Comparison, e: &Entry) -> Vec<String> {
    let number = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
    let mut cells = vec![e.program.clone(), e.machine.clone(), e.network.clone()];
    cells.extend(e.sweep.iter().map(|value| value.value.clone()));
    cells.push(e.tasks_count.to_string());
    let (low, high) = (e.interval_s.map(|i| i[0]), e.interval_s.map(|i| i[1]));
    let shares = [e.compute_share, e.communication_share, e.idle_share];
    let all = [e.total_s, low, high, Some(e.known_s)].into_iter().chain(shares);
    cells.extend(all.chain([e.speedup, e.efficiency, e.change_percent]).map(number));
    cells.push(rank(comparison, e).map_or(String::new(), |rank| rank.to_string()));
    cells
}

/// From 1.
fn rank(comparison: &Comparison, e: &Entry) -> Option<usize> {
    let here = |s: &&super::model::Standing| {
        let machine = s.machine.as_ref().is_none_or(|machine| *machine == e.machine);
        machine && s.network == e.network && s.tasks_count == e.tasks_count && s.sweep == e.sweep
    };
    let standing = comparison.standings.iter().find(here)?;
    let position = standing.ranking.iter().position(|rank| rank.program == e.program && rank.machine == e.machine)?;
    Some(position + 1)
}
