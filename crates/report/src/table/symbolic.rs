//! Expressions for people: one line for each range of the parameters.

use super::grid::Grid;
use super::{Limits, Names};
use crate::classes::Ranks;
use crate::fold::fold;
use crate::model::{Prediction, titled};
use crate::number::seconds;
use crate::symbolic::{
    CallPlace, CheckedTotal, CountExpression, ParameterInfo, SegmentTimes, SymbolicTimes, TimeExpression,
};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Expressions of one prediction.
pub(crate) struct SymbolicView<'a> {
    pub p: &'a Prediction,
    pub times: &'a SymbolicTimes,
    pub limits: &'a Limits,
    pub names: &'a Names,
}

impl SymbolicView<'_> {
    pub fn render(&self) -> String {
        let parts = [
            self.total(),
            self.communicating_total(),
            self.tasks(),
            self.segments(),
            self.functions(),
            self.with_callees(),
            self.blocks(),
        ];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// `N = 100, M = 5`; nothing where a default is missing.
    fn defaults(&self) -> Option<String> {
        let value = |p: &ParameterInfo| Some(format!("{} = {}", p.name, p.default?));
        let all: Option<Vec<String>> = self.times.parameters.iter().map(value).collect();
        all.filter(|all| !all.is_empty()).map(|all| all.join(", "))
    }

    fn rows(&self, first: &[&str]) -> Rows {
        Rows::new(self.defaults(), first, self.limits.width)
    }

    fn total(&self) -> String {
        let mut text = match &self.times.total {
            Some(total) => format!("Predicted time: {}\n", lines(total).join("\n                ")),
            None => String::new(),
        };
        let at_defaults = self.times.total.as_ref().and_then(|total| total.at_defaults_s);
        if let (Some(values), Some(time)) = (self.defaults(), at_defaults) {
            let _ = writeln!(text, "At {values}: {}", seconds(time));
        }
        if !self.times.complete {
            text.push_str("Incomplete: what is unknown is not part of the expressions\n");
        }
        fold(&text, self.limits.width)
    }

    /// The formula with its range, and how far it is from replays.
    fn communicating_total(&self) -> String {
        let Some(found) = &self.times.communicating_total else { return String::new() };
        let ranges =
            found.ranges.iter().map(|range| format!("{} <= {} <= {}", range.least, range.name, range.greatest));
        let ranges = ranges.collect::<Vec<_>>().join(" and ");
        let mut lines = vec![format!("Predicted time, with communication: {}  for {ranges}", found.total.text)];
        lines.push(format!("  of it computing: {}", found.computing.text));
        lines.push(format!("  communication and waiting: {}", found.communication.text));
        let at = |checked: &CheckedTotal| {
            let pairs =
                found.ranges.iter().zip(&checked.values).map(|(range, value)| format!("{} = {value}", range.name));
            pairs.collect::<Vec<_>>().join(", ")
        };
        if let Some(own) = &found.at_defaults {
            let (formula, replay) = (seconds(own.formula_s), seconds(own.replayed_s));
            lines.push(format!("At {}: {formula}, by replay {replay} ({:+.1} %)", at(own), 100.0 * own.error()));
        }
        let worst = found.checked.iter().max_by(|a, b| a.error().abs().total_cmp(&b.error().abs()));
        if let Some(worst) = worst {
            let mean = found.checked.iter().map(|one| one.error().abs()).sum::<f64>() / found.checked.len() as f64;
            lines.push(format!(
                "Fitted to {} replays by the model {}; {} others are off by {:.1} % in the mean, at most by {:+.1} % (at {})",
                found.fitted,
                found.cost_model,
                found.checked.len(),
                100.0 * mean,
                100.0 * worst.error(),
                at(worst)
            ));
        }
        lines.iter().map(|line| fold(line, self.limits.width) + "\n").collect()
    }

    fn tasks(&self) -> String {
        if self.times.total.is_some() {
            return String::new();
        }
        let mut rows = self.rows(&["Tasks"]);
        for task in &self.times.tasks {
            rows.add(vec![ranks(&task.tasks, self.p.tasks_count)], &task.compute);
        }
        rows.titled("Computing time of each task, without communication", self.times.tasks.len())
    }

    fn segments(&self) -> String {
        let all = &self.times.segments;
        let ambiguous = ambiguous(all);
        let mut rows = self.rows(&["After", "Tasks", "Times"]);
        for s in costliest(all, self.limits.rows) {
            let times = s.entries.as_ref().map_or("?".to_owned(), entries);
            let once = times == "1";
            let first = vec![self.places(s, &ambiguous), ranks(&s.tasks, self.p.tasks_count), times];
            match &s.each {
                Some(each) if !once => rows.add_lines(first, &s.time, prefixed(lines(each), "each ")),
                _ if once => rows.add(first, &s.time),
                _ => rows.add_lines(first, &s.time, prefixed(lines(&s.time), "in all ")),
            }
        }
        rows.titled("Computation between MPI calls", all.len())
    }

    /// `start or MPI_Recv solver.c:30`
    fn places(&self, segment: &SegmentTimes, ambiguous: &BTreeSet<u32>) -> String {
        let start = segment.from_start.then(|| "the start".to_owned());
        let calls = segment.after.iter().map(|call| self.call_place(call, ambiguous.contains(&call.id)));
        start.into_iter().chain(calls).collect::<Vec<_>>().join(" or ")
    }

    fn call_place(&self, call: &CallPlace, ambiguous: bool) -> String {
        let mut text = format!("{} {}", call.name, self.names.place(&call.file, call.line));
        if let Some(caller) = call.called_at.first().filter(|_| ambiguous) {
            let _ = write!(text, " called at {}", self.names.place(&caller.file, caller.line));
        }
        text
    }

    fn functions(&self) -> String {
        let all = &self.times.functions;
        let mut rows = self.rows(&["Function", "Where", "Tasks"]);
        for f in all.iter().take(self.limits.rows) {
            let tasks = ranks(&f.tasks, self.p.tasks_count);
            rows.add(vec![titled(&f.name, f.unit.as_deref()), self.names.place(&f.file, f.line), tasks], &f.exclusive);
        }
        rows.titled("Computing time of functions, callees excluded", all.len())
    }

    fn with_callees(&self) -> String {
        let all: Vec<_> = self.times.functions.iter().filter(|f| f.inclusive.text != f.exclusive.text).collect();
        let mut rows = self.rows(&["Function", "Where", "Tasks"]);
        for f in all.iter().take(self.limits.rows) {
            let tasks = ranks(&f.tasks, self.p.tasks_count);
            rows.add(vec![titled(&f.name, f.unit.as_deref()), self.names.place(&f.file, f.line), tasks], &f.inclusive);
        }
        rows.titled("Computing time of functions, callees included", all.len())
    }

    fn blocks(&self) -> String {
        let mut all: Vec<_> = self.times.blocks.iter().collect();
        all.sort_by(|a, b| value(&b.time).total_cmp(&value(&a.time)));
        let mut rows = self.rows(&["Block", "Kind", "Function", "Tasks"]);
        for b in all.iter().take(self.limits.rows) {
            let place = self.names.lines_of(&b.file, b.line_start, b.line_end);
            let tasks = ranks(&b.tasks, self.p.tasks_count);
            rows.add(vec![place, b.kind.to_owned(), b.function.clone(), tasks], &b.time);
        }
        rows.titled("Computing time of blocks", all.len())
    }
}

/// Those that take most time, in their order.
fn costliest(all: &[SegmentTimes], rows: usize) -> Vec<&SegmentTimes> {
    let mut ranked: Vec<usize> = (0..all.len()).collect();
    ranked.sort_by(|&a, &b| value(&all[b].time).total_cmp(&value(&all[a].time)));
    ranked.truncate(rows);
    ranked.sort_unstable();
    ranked.into_iter().map(|index| &all[index]).collect()
}

/// Calls that are reached in several ways.
fn ambiguous(segments: &[SegmentTimes]) -> BTreeSet<u32> {
    let calls: BTreeSet<(u32, Vec<(&str, u32)>)> = segments
        .iter()
        .flat_map(|s| &s.after)
        .map(|call| (call.id, call.called_at.iter().map(|at| (at.file.as_str(), at.line)).collect()))
        .collect();
    let mut seen = BTreeSet::new();
    calls.into_iter().filter_map(|(id, _)| (!seen.insert(id)).then_some(id)).collect()
}

/// Without its conditions.
fn entries(count: &CountExpression) -> String {
    let text = count.around_defaults.as_ref().or(count.around_large.as_ref()).unwrap_or(&count.text);
    text.split(" if ").next().unwrap_or(text).to_owned()
}

fn prefixed(mut lines: Vec<String>, prefix: &str) -> Vec<String> {
    lines.iter_mut().take(1).for_each(|line| line.insert_str(0, prefix));
    lines
}

fn value(time: &TimeExpression) -> f64 {
    time.rank
}

/// A table whose last column holds expressions, with the value at the defaults before them.
struct Rows {
    grid: Grid,
    has_defaults: bool,
    columns: usize,
    entries: usize,
    width: Option<usize>,
}

impl Rows {
    fn new(defaults: Option<String>, first: &[&str], width: Option<usize>) -> Self {
        let at = defaults.as_ref().map(|values| format!("At {values}"));
        let header: Vec<&str> = first.iter().copied().chain(at.as_deref()).chain(["Time"]).collect();
        let left: Vec<usize> = (0..first.len()).chain([header.len() - 1]).collect();
        let grid = Grid::new(&header, &left).within(width);
        Self { grid, has_defaults: at.is_some(), columns: header.len(), entries: 0, width }
    }

    fn add(&mut self, first: Vec<String>, time: &TimeExpression) {
        self.add_lines(first, time, lines(time));
    }

    /// The same, with other lines in the last column.
    fn add_lines(&mut self, first: Vec<String>, time: &TimeExpression, lines: Vec<String>) {
        self.entries += 1;
        let at = self.has_defaults.then(|| time.at_defaults_s.map_or("?".to_owned(), seconds));
        let mut cells: Vec<String> = first.into_iter().chain(at).collect();
        for line in lines {
            cells.resize(self.columns - 1, String::new());
            cells.push(line);
            self.grid.whole_row(std::mem::take(&mut cells));
        }
    }

    fn titled(&self, title: &str, all: usize) -> String {
        if self.entries == 0 {
            return String::new();
        }
        let more = if self.entries < all { format!(" ({} of {all} shown)", self.entries) } else { String::new() };
        fold(&format!("{title}{more}\n"), self.width) + &self.grid.render()
    }
}

/// Of an expression with more ranges only the one around the defaults is shown, or that of large parameters.
const SHOWN_PIECES: usize = 4;

/// One line for each piece.
fn lines(time: &TimeExpression) -> Vec<String> {
    let mut lines = time.pieces.clone();
    match time.around_defaults.as_ref().or(time.around_large.as_ref()) {
        Some(around) if time.overlapping || lines.len() > SHOWN_PIECES => {
            lines = vec![around.clone(), "in other ranges: see --format json".to_owned()];
        }
        _ if time.overlapping => lines.iter_mut().skip(1).for_each(|line| line.insert_str(0, "+ ")),
        _ => {}
    }
    if !time.complete {
        lines.push(format!("+ unknown{}", time.reason.as_ref().map_or(String::new(), |why| format!(": {why}"))));
    }
    lines
}

/// More ranges of ranks are told in short, in so many characters.
const RANGES: usize = 8;
const SHORT: usize = 32;

/// `0-3,7`; `all` where it is all of several.
fn ranks(tasks: &[u32], of: usize) -> String {
    if tasks.len() == of && of > 1 {
        return "all".to_owned();
    }
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &task in tasks {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == task => *last = task,
            _ => ranges.push((task, task)),
        }
    }
    if ranges.len() > RANGES {
        return Ranks::new(tasks).shortened(SHORT);
    }
    let shown = ranges.iter().map(|(a, b)| if a == b { a.to_string() } else { format!("{a}-{b}") });
    shown.collect::<Vec<_>>().join(",")
}
