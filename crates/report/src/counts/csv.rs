//! Counts as CSV: one row per line of the source, for spreadsheets and scripts.

use super::model::{CountReport, LineCounts, LineTaskCounts};
use crate::model::source_name;
use chronos_activity::CountValue;

/// Columns behind the number of tasks and the names of sweeps.
const COLUMNS: [&str; 6] = ["file", "line", "executions", "least", "most", "source"];

/// All cases; columns: tasks, one for each sweep, file, line, executions of all tasks together, the fewest and the most
/// of one task (empty where unknown; with free parameters: expressions, where all tasks count alike), and what they
/// rest on.
///
/// # Errors
/// Only those of the CSV writer, which writes to memory.
pub fn render(cases: &[CountReport], function: Option<&str>) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let names = cases.first().into_iter().flat_map(|case| case.sweep.iter().map(|value| value.name.as_str()));
    writer.write_record(std::iter::once("tasks").chain(names).chain(COLUMNS))?;
    for case in cases {
        for line in case.lines.iter().filter(|line| case.shows(line, function)) {
            let values = case.sweep.iter().map(|value| value.value.clone());
            writer.write_record(std::iter::once(case.tasks_count.to_string()).chain(values).chain(cells(line)))?;
        }
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn cells(line: &LineCounts) -> [String; 6] {
    let total = line.total();
    let of = |group: &LineTaskCounts| group.amount.count.as_f64();
    let ordered = |a: &&LineTaskCounts, b: &&LineTaskCounts| of(a).unwrap_or(0.0).total_cmp(&of(b).unwrap_or(0.0));
    let known = line.counts.iter().all(|group| of(group).is_some());
    let extreme = |group: Option<&LineTaskCounts>| group.filter(|_| known).map_or_else(String::new, shown);
    let [all, least, most] = match &line.counts[..] {
        [only] if only.amount.expression.is_some() => [String::new(), shown(only), shown(only)],
        groups => [shown(&total), extreme(groups.iter().min_by(ordered)), extreme(groups.iter().max_by(ordered))],
    };
    [line.file.clone(), line.line.to_string(), all, least, most, source_name(total.source).to_owned()]
}

fn shown(counts: &LineTaskCounts) -> String {
    match (counts.amount.count.value, &counts.amount.expression) {
        (_, Some(expression)) => expression.clone(),
        (CountValue::Exact(n), None) => n.to_string(),
        (CountValue::Expected(x), None) => x.to_string(),
        (CountValue::Unknown, None) => String::new(),
    }
}
