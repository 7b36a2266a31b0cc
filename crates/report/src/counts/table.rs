//! Counts for people: the annotated source as gcov shows it, what is not exact, and a summary.

mod cells;
pub(super) mod inexact;

use super::model::{CountReport, LineCounts, LineTaskCounts, Summary};
use cells::{Columns, Style};
use chronos_base::span::SourceFiles;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// How counts are shown.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// ANSI colours.
    pub colour: bool,
    /// Source lines are cut to so many columns in all; `None`: not at all.
    pub width: Option<usize>,
    /// The one function to show.
    pub function: Option<&'a str>,
}

/// The annotated source, what is not exact, and the summary line.
pub fn render(report: &CountReport, files: &SourceFiles, options: Options<'_>) -> String {
    let mut text = String::new();
    for (_, file) in files.iter() {
        let lines: BTreeMap<u32, &LineCounts> =
            report.lines.iter().filter(|line| line.file == *file.name).map(|line| (line.line, line)).collect();
        let Some(source) = file.text.as_deref().filter(|_| !lines.is_empty()) else { continue };
        let shown = ranges(report, &file.name, source, options.function);
        if !shown.is_empty() {
            Annotated { report, name: &file.name, source, lines, shown, options }.render(&mut text);
            text.push('\n');
        }
    }
    text.push_str(&inexact::list(report));
    text.push_str(&summary(report.summary));
    text
}

/// Lines to show, first and last.
fn ranges(report: &CountReport, file: &str, source: &str, function: Option<&str>) -> Vec<(u32, u32)> {
    match function {
        None => vec![(1, u32::try_from(source.lines().count()).unwrap_or(u32::MAX))],
        Some(name) => {
            let named = report.functions.iter().filter(|f| f.name == name && f.file == file);
            named.map(|f| (f.line_start, f.line_end)).collect()
        }
    }
}

/// One file.
struct Annotated<'a> {
    report: &'a CountReport,
    name: &'a str,
    source: &'a str,
    lines: BTreeMap<u32, &'a LineCounts>,
    shown: Vec<(u32, u32)>,
    options: Options<'a>,
}

impl Annotated<'_> {
    fn render(&self, text: &mut String) {
        let all: Vec<(u32, &str)> = (1..).zip(self.source.lines()).filter(|(line, _)| self.is_shown(*line)).collect();
        let used = self.lines.iter().filter(|(line, _)| self.is_shown(**line)).map(|(_, &counts)| counts);
        let columns = Columns::new(used, self.report.tasks_count, self.options.width);
        let digits = all.last().map_or(1, |(line, _)| line.to_string().len()).max(4);
        let style = Style { colour: self.options.colour };
        let _ = writeln!(text, "{}", self.heading());
        columns.header().into_iter().for_each(|header| text.push_str(&header));
        for (line, source) in all {
            let cells = columns.cells(self.lines.get(&line).copied(), style);
            let room = self.options.width.map(|width| width.saturating_sub(columns.width() + digits + 4).max(20));
            let _ = writeln!(text, "{}", format!("{cells}:{line:>digits$}: {}", fit(source, room)).trim_end());
        }
        text.push_str(&columns.legend());
    }

    fn is_shown(&self, line: u32) -> bool {
        self.shown.iter().any(|&(first, last)| (first..=last).contains(&line))
    }

    fn heading(&self) -> String {
        let tasks = self.report.tasks_count;
        let plural = if tasks == 1 { "task" } else { "tasks, each" };
        format!("{}: {tasks} {plural}", self.name)
    }
}

/// The line with its tabs replaced, cut to so many characters.
pub(super) fn fit(source: &str, room: Option<usize>) -> String {
    let mut line = String::new();
    let mut column = 0;
    for c in source.chars() {
        let step = if c == '\t' { 8 - column % 8 } else { 1 };
        if room.is_some_and(|room| column + step > room) {
            break;
        }
        line.extend(std::iter::repeat_n(if c.is_control() { ' ' } else { c }, step));
        column += step;
    }
    line
}

/// How a count of all tasks is written, without colour.
pub(super) fn plain_cell(counts: &LineTaskCounts) -> String {
    cells::cell(counts, &cells::Legend::default()).0
}

/// `blocks: 120 exact, 3 probability, 2 assumed, 1 unknown`.
pub fn summary(summary: Summary) -> String {
    let mut text = format!(
        "blocks: {} exact, {} probability, {} assumed, {} unknown",
        summary.exact, summary.probability, summary.assumed, summary.unknown
    );
    if summary.timing > 0 {
        let _ = write!(text, ", {} timing", summary.timing);
    }
    text + "\n"
}
