//! What became slower: functions of saved reports side by side, those whose times differ most first.

use super::contest::Contest;
use super::model::{Comparison, Entry, EntryFunction};
use crate::fold::fold;
use crate::model::SweepValue;
use crate::number::seconds;
use crate::table::Grid;

/// So many functions are listed of a case.
const MOST: usize = 10;
/// What differs by a smaller part of the total is no difference to look at.
const LEAST: f64 = 1e-3;

/// One case in which several reports can be compared.
pub(super) struct Case<'a> {
    place: (&'a str, &'a str),
    sweep: &'a [SweepValue],
    tasks: usize,
    pub(super) rows: Vec<Row<'a>>,
}

/// A function; its times in the order of the contenders, `None` where a report does not have it.
pub(super) struct Row<'a> {
    pub(super) function: &'a EntryFunction,
    pub(super) times: Vec<Option<f64>>,
    /// The last one's time less that of the first.
    pub(super) longer_s: f64,
}

/// All cases of saved reports with functions that differ.
pub(super) fn cases<'a>(comparison: &Comparison, contest: &'a Contest<'a>) -> Vec<Case<'a>> {
    let of_reports = comparison.programs.iter().all(|program| program.report.is_some());
    if !of_reports || comparison.programs.len() < 2 {
        return Vec::new();
    }
    let mut cases = Vec::new();
    for &place in &contest.places {
        for &sweep in &contest.sweeps {
            for &tasks in &contest.tasks {
                let entries: Vec<_> =
                    contest.contenders.iter().map(|who| contest.entry(who, place, sweep, tasks)).collect();
                let rows = rows(&entries);
                if !rows.is_empty() {
                    cases.push(Case { place, sweep, tasks, rows });
                }
            }
        }
    }
    cases
}

fn rows<'a>(entries: &[Option<&'a Entry>]) -> Vec<Row<'a>> {
    let present: Vec<&Entry> = entries.iter().flatten().copied().collect();
    if present.len() < 2 {
        return Vec::new();
    }
    let total = present.iter().map(|entry| entry.total_s.unwrap_or(entry.known_s)).fold(0.0, f64::max);
    let mut rows: Vec<Row<'a>> = Vec::new();
    for function in present.iter().flat_map(|entry| &entry.functions) {
        if rows.iter().any(|row| row.function.is_same(function)) {
            continue;
        }
        let time = |entry: Option<&Entry>| {
            entry?.functions.iter().find(|other| other.is_same(function)).map(|other| other.exclusive_s)
        };
        let times: Vec<Option<f64>> = entries.iter().copied().map(time).collect();
        let of = |index: Option<usize>| index.and_then(|index| times[index]).unwrap_or(0.0);
        let is_there = |index: &usize| entries[*index].is_some();
        let (first, last) = ((0..entries.len()).find(is_there), (0..entries.len()).rev().find(is_there));
        let longer_s = of(last) - of(first);
        rows.push(Row { function, times, longer_s });
    }
    let spread = |row: &Row<'_>| {
        let there = row.times.iter().zip(entries).filter(|(_, entry)| entry.is_some());
        let (low, high) = there.fold((f64::INFINITY, 0.0_f64), |(low, high), (time, _)| {
            let time = time.unwrap_or(0.0);
            (low.min(time), high.max(time))
        });
        high - low
    };
    rows.retain(|row| spread(row) >= LEAST * total);
    rows.sort_by(|a, b| spread(b).total_cmp(&spread(a)));
    rows.truncate(MOST);
    rows
}

impl Case<'_> {
    /// What it is of, behind "Functions that differ most".
    pub(super) fn text(&self, contest: &Contest<'_>) -> String {
        contest.place_text(self.place, Some(self.tasks), self.sweep).replacen("for", "on", 1)
    }
}

/// A difference with its sign.
pub(super) fn signed(seconds_more: f64) -> String {
    if seconds_more < 0.0 { format!("-{}", seconds(-seconds_more)) } else { format!("+{}", seconds(seconds_more)) }
}

/// The tables for people.
pub(super) fn tables(comparison: &Comparison, contest: &Contest<'_>, width: Option<usize>) -> String {
    let cases = cases(comparison, contest);
    let table = |case: &Case<'_>| {
        let mut header = vec!["Function", "Where"];
        header.extend(&contest.contenders);
        header.push("Longer by");
        let mut grid = Grid::new(&header, &[0, 1]).within(width);
        for row in &case.rows {
            let mut cells = vec![row.function.name.clone(), row.function.file.clone()];
            cells.extend(row.times.iter().map(|time| time.map_or("-".to_owned(), seconds)));
            cells.push(signed(row.longer_s));
            grid.row(cells);
        }
        let title = format!("Functions that differ most, without callees, mean over tasks, {}", case.text(contest));
        format!("{}\n{}", fold(&title, width), grid.render())
    };
    cases.iter().map(table).collect::<Vec<_>>().join("\n")
}
