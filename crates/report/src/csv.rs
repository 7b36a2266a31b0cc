//! CSV: one row per task (or class of tasks), function and block, for spreadsheets and scripts.

mod symbolic;

use super::model::{JsonCount, Prediction, Report, Task};
use chronos_activity::Count;

/// Columns behind machine, network, tasks and the names of sweeps.
const COLUMNS: [&str; 14] = [
    "kind",
    "name",
    "file",
    "line",
    "count",
    "total_s",
    "compute_s",
    "send_s",
    "recv_s",
    "collective_s",
    "idle_s",
    "inclusive_s",
    "exclusive_s",
    "ready_s",
];

/// All predictions; columns: machine, network, tasks, a column for each sweep, kind (total, task, function, block),
/// name, file, line, count, and the times in seconds (empty where they have no meaning). The name of a class of tasks are
/// its ranks, and its count how many they are.
///
/// # Errors
/// Only those of the CSV writer, which writes to memory.
pub fn render(report: &Report) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    if report.predictions.iter().any(|prediction| prediction.symbolic.is_some()) {
        symbolic::render(report, &mut writer)?;
        return finished(writer);
    }
    let names = report.predictions.first().map(|p| p.sweep.iter().map(|value| value.name.clone()).collect::<Vec<_>>());
    let mut text = header(&names.unwrap_or_default())?;
    for prediction in &report.predictions {
        text.push_str(&rows_of(prediction)?);
    }
    Ok(text)
}

/// The first line, where these names are swept.
///
/// # Errors
/// As of [`render`].
pub fn header(sweeps: &[String]) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let first = ["machine", "network", "tasks"].into_iter();
    writer.write_record(first.chain(sweeps.iter().map(String::as_str)).chain(COLUMNS))?;
    finished(writer)
}

/// The lines of one prediction.
///
/// # Errors
/// As of [`render`].
pub fn rows_of(prediction: &Prediction) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    rows(prediction, &mut writer)?;
    finished(writer)
}

pub(super) fn finished(writer: csv::Writer<Vec<u8>>) -> Result<String, csv::Error> {
    let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Of the times of a row: ready without a processor.
const READY: usize = 8;

/// Cells of one row behind the first three.
struct Row<'a> {
    kind: &'a str,
    name: String,
    file: &'a str,
    line: Option<u32>,
    count: Option<Count>,
    /// total, compute, send, recv, collective, idle, inclusive, exclusive, ready.
    times: [Option<f64>; 9],
}

fn rows(p: &Prediction, writer: &mut csv::Writer<Vec<u8>>) -> Result<(), csv::Error> {
    let mut write = |row: Row<'_>| {
        let optional = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
        let mut cells = vec![p.platform.machine.clone(), p.platform.network.clone(), p.tasks_count.to_string()];
        cells.extend(p.sweep.iter().map(|value| value.value.clone()));
        let line = row.line.map_or(String::new(), |line| line.to_string());
        let count = row.count.map_or(String::new(), count_cell);
        cells.extend([row.kind.to_owned(), row.name, row.file.to_owned(), line, count]);
        cells.extend(row.times.map(optional));
        writer.write_record(cells)
    };
    let nothing = [None; 9];
    let with = |at: &[(usize, f64)]| {
        let mut times = nothing;
        at.iter().for_each(|&(i, t)| times[i] = Some(t));
        times
    };
    let mut total = nothing;
    total[0] = p.total_s;
    write(Row { kind: "total", name: String::new(), file: "", line: None, count: None, times: total })?;
    for t in &p.tasks {
        let parts = [t.total_s, t.compute_s, t.send_s, t.recv_s, t.collective_s, t.idle_s];
        let ready = std::iter::once((READY, t.ready_s));
        let times = with(&parts.into_iter().enumerate().chain(ready).collect::<Vec<_>>());
        let count = t.class.as_ref().map(|class| Count::exact(class.count as u128));
        write(Row { kind: "task", name: ranks(t), file: "", line: None, count, times })?;
    }
    for f in &p.functions {
        let times = with(&[(6, f.inclusive_s), (7, f.exclusive_s)]);
        let (name, line, count) = (f.title(), Some(f.line), Some(f.calls));
        write(Row { kind: "function", name, file: &f.file, line, count, times })?;
    }
    for b in &p.blocks {
        let (name, line, count) = (b.id.to_string(), Some(b.line_start), Some(b.count));
        write(Row { kind: "block", name, file: &b.file, line, count, times: with(&[(0, b.time_s)]) })?;
    }
    Ok(())
}

/// The ranks that a row stands for.
fn ranks(task: &Task) -> String {
    task.class.as_ref().map_or_else(|| task.rank.to_string(), |class| class.ranks.to_string())
}

fn count_cell(count: Count) -> String {
    match serde_json::to_value(JsonCount(count)) {
        Ok(serde_json::Value::String(text)) => text,
        Ok(serde_json::Value::Null) | Err(_) => String::new(),
        Ok(number) => number.to_string(),
    }
}
