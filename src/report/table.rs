//! The report for people: aligned tables of text.

use super::model::{Block, Prediction, Report, Task};
use super::number::{count, seconds, share};
use std::fmt::Write as _;

/// How much of a report is shown.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Tasks listed one by one; of more, the slowest are.
    pub tasks: usize,
    /// Rows of the other tables.
    pub rows: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { tasks: 16, rows: 10 }
    }
}

/// All predictions of a report.
pub fn render(report: &Report, limits: Limits) -> String {
    let parts: Vec<String> = report.predictions.iter().map(|p| prediction(report, p, limits)).collect();
    parts.join("\n")
}

fn prediction(report: &Report, p: &Prediction, limits: Limits) -> String {
    let mut text = heading(report, p);
    for part in [tasks(p, limits), functions(p, limits), blocks(p, limits), calls(p, limits), clocks(p), assumptions(p)]
    {
        if !part.is_empty() {
            text.push('\n');
            text.push_str(&part);
        }
    }
    text
}

fn heading(report: &Report, p: &Prediction) -> String {
    let program = report.program.files.join(" ");
    let plural = if p.tasks_count == 1 { "task" } else { "tasks" };
    let mut text = format!("{program}: {} {plural} on {}", p.tasks_count, p.platform.machine);
    if p.tasks_count > 1 {
        let _ = write!(text, ", network {}", p.platform.network);
    }
    text.push('\n');
    match (p.total_s, p.interval_s) {
        (Some(total), Some([low, high])) => {
            let _ = writeln!(text, "Predicted time: {} (90 %: {} to {})", seconds(total), seconds(low), seconds(high));
        }
        (Some(total), None) => {
            let _ = writeln!(text, "Predicted time: {}", seconds(total));
        }
        (None, _) => {
            let _ = writeln!(text, "Incomplete prediction: {} are known", seconds(p.known_s));
        }
    }
    text
}

fn tasks(p: &Prediction, limits: Limits) -> String {
    let mut table = Table::new(&["Task", "Total", "Compute", "Send", "Receive", "Collective", "Idle"], 0);
    let mut shown: Vec<&Task> = p.tasks.iter().collect();
    if shown.len() > limits.tasks {
        shown.sort_by(|a, b| b.total_s.total_cmp(&a.total_s).then(a.rank.cmp(&b.rank)));
        shown.truncate(limits.tasks);
    }
    for t in &shown {
        table.row(task_row(t.rank.to_string(), t));
    }
    if p.tasks.len() > 1 {
        table.row(task_row("mean".to_owned(), &mean(&p.tasks)));
    }
    let mut text = table.render();
    if shown.len() < p.tasks.len() {
        let _ = writeln!(text, "({} of {} tasks, the slowest first)", shown.len(), p.tasks.len());
    }
    text
}

fn task_row(name: String, t: &Task) -> Vec<String> {
    let times = [t.total_s, t.compute_s, t.send_s, t.recv_s, t.collective_s, t.idle_s];
    std::iter::once(name).chain(times.into_iter().map(seconds)).collect()
}

fn mean(tasks: &[Task]) -> Task {
    let over = |part: fn(&Task) -> f64| tasks.iter().map(part).sum::<f64>() / tasks.len() as f64;
    Task {
        rank: 0,
        machine: String::new(),
        total_s: over(|t| t.total_s),
        compute_s: over(|t| t.compute_s),
        send_s: over(|t| t.send_s),
        recv_s: over(|t| t.recv_s),
        collective_s: over(|t| t.collective_s),
        idle_s: over(|t| t.idle_s),
    }
}

fn functions(p: &Prediction, limits: Limits) -> String {
    let mut table = Table::new(&["Function", "Where", "Calls", "Inclusive", "Exclusive", "Share"], 2);
    let whole: f64 = p.functions.iter().map(|f| f.exclusive_s).sum();
    for f in p.functions.iter().take(limits.rows) {
        table.row(vec![
            f.name.clone(),
            format!("{}:{}", f.file, f.line),
            count(f.calls),
            seconds(f.inclusive_s),
            seconds(f.exclusive_s),
            share(f.exclusive_s, whole),
        ]);
    }
    table.render_titled("Functions, mean over tasks", p.functions.len())
}

fn blocks(p: &Prediction, limits: Limits) -> String {
    let whole: f64 = p.blocks.iter().map(|b| b.time_s).sum();
    let mut shown: Vec<&Block> = p.blocks.iter().filter(|b| b.time_s > 0.0).collect();
    let all = shown.len();
    shown.sort_by(|a, b| b.time_s.total_cmp(&a.time_s).then(a.id.cmp(&b.id)));
    let mut table = Table::new(&["Block", "Where", "Kind", "Count", "Time", "Share", "Made of"], 3);
    for b in shown.into_iter().take(limits.rows) {
        table.row(vec![
            b.id.to_string(),
            lines(b),
            b.kind.to_owned(),
            count(b.count),
            seconds(b.time_s),
            share(b.time_s, whole),
            classes(b),
        ]);
    }
    table.left.push(6);
    table.render_titled("Costliest blocks, sum over tasks", all)
}

fn lines(b: &Block) -> String {
    match b.line_end {
        end if end > b.line_start => format!("{}:{}-{end}", b.file, b.line_start),
        _ => format!("{}:{}", b.file, b.line_start),
    }
}

fn classes(b: &Block) -> String {
    let mut parts: Vec<(&String, f64)> = b.classes.iter().map(|(name, &time)| (name, time)).collect();
    parts.sort_by(|a, b| b.1.total_cmp(&a.1));
    let shown = parts.iter().filter(|(_, time)| *time >= 0.005 * b.time_s).take(3);
    let texts: Vec<String> = shown.map(|(name, time)| format!("{name} {:.0} %", 100.0 * time / b.time_s)).collect();
    texts.join(", ")
}

fn calls(p: &Prediction, limits: Limits) -> String {
    let mut table = Table::new(&["MPI call", "Where", "Calls", "Time", "Idle"], 2);
    for call in p.calls.iter().take(limits.rows) {
        table.row(vec![
            call.function.clone(),
            format!("{}:{}", call.file, call.line),
            call.calls.to_string(),
            seconds(call.time_s),
            seconds(call.idle_s),
        ]);
    }
    table.render_titled("MPI calls, sum over tasks", p.calls.len())
}

fn clocks(p: &Prediction) -> String {
    let mut table = Table::new(&["Task", "From", "To", "Times", "Sum", "Least", "Most"], 0);
    table.left.extend([1, 2]);
    for w in p.wtime.iter().filter(|w| w.rank == 0 || p.tasks_count <= 4) {
        table.row(vec![
            w.rank.to_string(),
            w.from.clone(),
            w.to.clone(),
            w.times.to_string(),
            seconds(w.total_s),
            seconds(w.min_s),
            seconds(w.max_s),
        ]);
    }
    let rows = table.rows.len();
    table.render_titled("Clock differences that the program takes", rows)
}

fn assumptions(p: &Prediction) -> String {
    let mut text = String::new();
    for a in &p.assumptions {
        let _ = writeln!(text, "  {}:{}: {} ({})", a.file, a.line, a.text, a.remedy);
    }
    if text.is_empty() { text } else { format!("Assumptions\n{text}") }
}

/// Columns aligned by their widest cell.
struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Columns aligned to the left.
    left: Vec<usize>,
}

impl Table {
    /// The first `left` columns are aligned to the left, the others to the right.
    fn new(header: &[&str], left: usize) -> Self {
        Self { header: header.iter().map(|&h| h.to_owned()).collect(), rows: Vec::new(), left: (0..left).collect() }
    }

    fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    fn render(&self) -> String {
        let all = || std::iter::once(&self.header).chain(&self.rows);
        let width = |column: usize| all().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        let mut text = String::new();
        for row in all() {
            text.push_str(self.line(row, &widths).trim_end());
            text.push('\n');
        }
        text
    }

    fn line(&self, row: &[String], widths: &[usize]) -> String {
        let cell = |(column, text): (usize, &String)| {
            let width = widths[column];
            if self.left.contains(&column) { format!("{text:<width$}") } else { format!("{text:>width$}") }
        };
        row.iter().enumerate().map(cell).collect::<Vec<_>>().join("  ")
    }

    /// Nothing for an empty table; says how many rows of `all` are not shown.
    fn render_titled(&self, title: &str, all: usize) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let shown = self.rows.len();
        let more = if shown < all { format!(" ({shown} of {all})") } else { String::new() };
        format!("{title}{more}\n{}", self.render())
    }
}
