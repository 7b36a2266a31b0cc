//! Several counts for people: the source with a column for each, all tasks together, and what is not exact.

use super::model::{CountReport, CountSweep, LineCounts};
use super::table::{fit, inexact, plain_cell, summary};
use chronos_base::span::SourceFiles;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Source text gets at least so many columns.
const LEAST_TEXT: usize = 20;

/// The source with a column for each case, in several parts where the width does not hold them all, then what is not
/// exact, and a summary line each. `function`: the one to show.
pub fn render(all: &CountSweep, files: &SourceFiles, width: Option<usize>, function: Option<&str>) -> String {
    let mut text = String::new();
    for (_, file) in files.iter() {
        let Some(source) = file.text.as_deref() else { continue };
        let shown = shown(all, &file.name, source, function);
        if !shown.is_empty() {
            let columns = columns(all, &file.name, &shown);
            let _ = writeln!(text, "{}: executions by all tasks together", file.name);
            parts(&columns, width, &shown).for_each(|part| text.push_str(&part));
            text.push('\n');
        }
    }
    text.push_str(&not_exact(all));
    text.push_str(&summaries(all));
    text
}

/// Lines with their numbers; none where the file holds no code that is wanted.
fn shown<'s>(all: &CountSweep, file: &str, source: &'s str, function: Option<&str>) -> Vec<(u32, &'s str)> {
    let holds_code = all.cases.iter().any(|case| case.lines.iter().any(|line| line.file == file));
    let wanted = |line: u32| {
        let places = || all.cases.iter().flat_map(|case| &case.functions).filter(|f| f.file == file);
        function.is_none_or(|name| places().any(|f| f.name == name && (f.line_start..=f.line_end).contains(&line)))
    };
    (1..).zip(source.lines()).filter(|(line, _)| holds_code && wanted(*line)).collect()
}

/// A case: its head, and a cell for each line that is shown.
struct Column {
    head: String,
    cells: Vec<String>,
    width: usize,
}

fn columns(all: &CountSweep, file: &str, shown: &[(u32, &str)]) -> Vec<Column> {
    let column = |case: &CountReport| {
        let lines: BTreeMap<u32, &LineCounts> =
            case.lines.iter().filter(|line| line.file == file).map(|line| (line.line, line)).collect();
        let cell =
            |(line, _): &(u32, &str)| lines.get(line).map_or("-".to_owned(), |counts| plain_cell(&counts.total()));
        let (head, cells): (String, Vec<String>) = (head(all, case), shown.iter().map(cell).collect());
        let width = cells.iter().chain([&head]).map(|text| text.chars().count()).max().unwrap_or(0).max(9);
        Column { head, cells, width }
    };
    all.cases.iter().map(column).collect()
}

/// What tells a case from the others: `4 tasks`, `N=100`, `N=100 n=4`.
fn head(all: &CountSweep, case: &CountReport) -> String {
    let one = |count: usize| if count == 1 { "1 task".to_owned() } else { format!("{count} tasks") };
    let values: Vec<String> = case.sweep.iter().map(|value| format!("{}={}", value.name, value.value)).collect();
    let same = all.cases.iter().all(|other| other.tasks_count == case.tasks_count);
    match (values.is_empty(), same) {
        (true, _) => one(case.tasks_count),
        (false, true) => values.join(" "),
        (false, false) => format!("{} n={}", values.join(" "), case.tasks_count),
    }
}

/// As many columns side by side as the width holds.
fn parts<'c>(
    columns: &'c [Column],
    width: Option<usize>,
    shown: &'c [(u32, &'c str)],
) -> impl Iterator<Item = String> + 'c {
    let digits = shown.last().map_or(1, |(line, _)| line.to_string().len()).max(4);
    let mut rest = columns;
    std::iter::from_fn(move || {
        let room = width.map_or(usize::MAX, |width| width.saturating_sub(digits + 3 + LEAST_TEXT));
        let mut used = 0;
        let fits = |column: &&Column| {
            used += column.width + 2;
            used <= room.saturating_add(2)
        };
        let count = rest.iter().take_while(fits).count().clamp(1, rest.len().max(1));
        let (part, left) = rest.split_at_checked(count)?;
        rest = left;
        Some(self::part(part, width, digits, shown))
    })
}

fn part(columns: &[Column], width: Option<usize>, digits: usize, shown: &[(u32, &str)]) -> String {
    let aligned = |texts: Vec<&str>| {
        let cells = columns.iter().zip(texts).map(|(column, text)| format!("{text:>width$}", width = column.width));
        cells.collect::<Vec<_>>().join("  ")
    };
    let mut text = aligned(columns.iter().map(|column| column.head.as_str()).collect()) + "\n";
    let used = columns.iter().map(|column| column.width + 2).sum::<usize>() + digits + 2;
    let room = width.map(|width| width.saturating_sub(used).max(LEAST_TEXT));
    for (index, (line, source)) in shown.iter().enumerate() {
        let cells = aligned(columns.iter().map(|column| column.cells[index].as_str()).collect());
        let _ = writeln!(text, "{}", format!("{cells}:{line:>digits$}: {}", fit(source, room)).trim_end());
    }
    text
}

/// The lists of what is not exact; cases with the same list together.
fn not_exact(all: &CountSweep) -> String {
    let mut lists: Vec<(String, Vec<String>)> = Vec::new();
    for case in &all.cases {
        let list = inexact::list(case);
        match lists.iter_mut().find(|(known, _)| *known == list) {
            _ if list.is_empty() => {}
            Some((_, heads)) => heads.push(head(all, case)),
            None => lists.push((list, vec![head(all, case)])),
        }
    }
    let everywhere = |heads: &Vec<String>| heads.len() == all.cases.len();
    let titled = |(list, heads): &(String, Vec<String>)| match everywhere(heads) {
        true => list.clone(),
        false => list.replacen("Not exact\n", &format!("Not exact with {}\n", heads.join(", ")), 1),
    };
    lists.iter().map(titled).collect()
}

fn summaries(all: &CountSweep) -> String {
    let heads: Vec<String> = all.cases.iter().map(|case| head(all, case)).collect();
    let widest = heads.iter().map(|head| head.chars().count()).max().unwrap_or(0);
    let line = |(case, head): (&CountReport, &String)| format!("{head:<widest$}  {}", summary(case.summary));
    all.cases.iter().zip(&heads).map(line).collect()
}
