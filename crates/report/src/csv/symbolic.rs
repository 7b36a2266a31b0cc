//! CSV of expressions: one row for the program, each group of tasks, each function and each block.

use crate::model::{Report, titled};
use crate::symbolic::TimeExpression;

/// Columns: machine, network, tasks, kind, name, file, line, ranks, the value at the defaults in seconds (empty
/// where a parameter has none), the expression in nanoseconds as Python, and as people read it.
const HEADER: [&str; 12] = [
    "machine",
    "network",
    "tasks",
    "kind",
    "name",
    "file",
    "line",
    "ranks",
    "complete",
    "at_defaults_s",
    "python_ns",
    "text",
];

/// Cells of one row behind the first three.
struct Row<'a> {
    kind: &'a str,
    name: String,
    place: Option<(&'a str, u32)>,
    tasks: &'a [u32],
    time: &'a TimeExpression,
}

/// # Errors
/// Only those of the CSV writer, which writes to memory.
pub fn render(report: &Report, writer: &mut csv::Writer<Vec<u8>>) -> Result<(), csv::Error> {
    writer.write_record(HEADER)?;
    for p in &report.predictions {
        let Some(symbolic) = &p.symbolic else { continue };
        let first = [p.platform.machine.as_str(), p.platform.network.as_str(), &p.tasks_count.to_string()];
        let mut write =
            |row: Row<'_>| writer.write_record(first.iter().map(|&cell| cell.to_owned()).chain(cells(&row)));
        if let Some(time) = &symbolic.total {
            write(Row { kind: "total", name: String::new(), place: None, tasks: &[], time })?;
        }
        for t in &symbolic.tasks {
            write(Row { kind: "tasks", name: String::new(), place: None, tasks: &t.tasks, time: &t.compute })?;
        }
        for s in &symbolic.segments {
            let calls = s.after.iter().map(|call| format!("{} {}:{}", call.name, call.file, call.line));
            let start = s.from_start.then(|| "start".to_owned());
            let name = start.into_iter().chain(calls).collect::<Vec<_>>().join(" or ");
            let place = s.after.first().map(|call| (call.file.as_str(), call.line));
            write(Row { kind: "segment", name, place, tasks: &s.tasks, time: &s.time })?;
        }
        for f in &symbolic.functions {
            let row = |kind, time| Row {
                kind,
                name: titled(&f.name, f.unit.as_deref()),
                place: Some((&f.file, f.line)),
                tasks: &f.tasks,
                time,
            };
            write(row("function", &f.exclusive))?;
            write(row("function_with_callees", &f.inclusive))?;
        }
        for b in &symbolic.blocks {
            let place = Some((b.file.as_str(), b.line_start));
            write(Row { kind: "block", name: b.id.to_string(), place, tasks: &b.tasks, time: &b.time })?;
        }
    }
    Ok(())
}

fn cells(row: &Row<'_>) -> [String; 9] {
    let ranks: Vec<String> = row.tasks.iter().map(ToString::to_string).collect();
    [
        row.kind.to_owned(),
        row.name.clone(),
        row.place.map_or(String::new(), |(file, _)| file.to_owned()),
        row.place.map_or(String::new(), |(_, line)| line.to_string()),
        ranks.join(" "),
        row.time.complete.to_string(),
        row.time.at_defaults_s.map_or(String::new(), |time| time.to_string()),
        row.time.python.clone(),
        row.time.text.clone(),
    ]
}
