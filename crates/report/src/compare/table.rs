//! The comparison for people: times and speedups of all programs side by side, then what follows from them.

use super::contest::Contest;
use super::functions;
use super::model::{Comparison, Entry};
use crate::efficiencies;
use crate::fold::fold;
use crate::model::SweepValue;
use crate::number::seconds;
use crate::table::Grid;
use std::fmt::Write as _;

/// All of it, in so many columns.
pub fn render(comparison: &Comparison, width: Option<usize>) -> String {
    let contest = Contest::new(comparison);
    let view = View { comparison, contest: &contest, width };
    let mut parts = vec![view.heading()];
    for &place in &contest.places {
        parts.push(view.times(place));
        if !comparison.scaling.is_empty() {
            parts.push(view.speedups(place));
        }
    }
    parts.push(view.list("Where another one becomes faster", comparison.crossovers.iter().map(|c| &c.text)));
    parts.push(functions::tables(comparison, &contest, width));
    // Only where they were asked for are they known, else in JSON.
    parts.push(efficiencies::of_entries(&comparison.entries, width));
    parts.push(view.list("How far it scales", comparison.scaling.iter().map(|s| &s.text)));
    parts.push(view.incomplete());
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

struct View<'a> {
    comparison: &'a Comparison,
    contest: &'a Contest<'a>,
    width: Option<usize>,
}

/// `Compute` and so on have their own columns in CSV; this table shows times.
type Cell<'c> = &'c dyn Fn(&Entry) -> String;

impl View<'_> {
    fn heading(&self) -> String {
        let programs = &self.comparison.programs;
        let mut text = match programs.len() {
            1 => "Comparison of machines\n".to_owned(),
            several => format!("Comparison of {several} programs\n"),
        };
        let width = programs.iter().map(|program| program.name.chars().count()).max().unwrap_or(0);
        for program in programs {
            let what = program.report.clone().unwrap_or_else(|| program.files.join(" "));
            let _ = writeln!(text, "  {:<width$}  {what}", program.name);
        }
        fold(&text, self.width)
    }

    fn times(&self, place: (&str, &str)) -> String {
        let time = |e: &Entry| e.total_s.map_or_else(|| format!("> {}", seconds(e.known_s)), seconds);
        self.grid("Time", place, &time, true)
    }

    fn speedups(&self, place: (&str, &str)) -> String {
        let speedup = |e: &Entry| match (e.speedup, e.efficiency) {
            (Some(speedup), Some(efficiency)) => format!("{speedup:.2} ({:.0} %)", 100.0 * efficiency),
            _ => "-".to_owned(),
        };
        let mut references: Vec<usize> = self.comparison.scaling.iter().map(|s| s.reference_tasks).collect();
        references.dedup();
        let title = match references[..] {
            [1] => "Speedup T(1)/T(n), and efficiency,".to_owned(),
            [n] => format!("Speedup T({n})/T(n), and efficiency,"),
            _ => "Speedup over the fewest tasks, and efficiency,".to_owned(),
        };
        self.grid(&title, place, &speedup, false)
    }

    fn grid(&self, title: &str, place: (&str, &str), cell: Cell<'_>, standing: bool) -> String {
        let contest = self.contest;
        let names: Vec<&str> = contest.sweeps.first().map_or(Vec::new(), |s| s.iter().map(|v| &*v.name).collect());
        let mut header = names.clone();
        header.push("Tasks");
        header.extend(&contest.contenders);
        if standing {
            header.push("First");
        }
        let left = if standing { vec![header.len() - 1] } else { Vec::new() };
        let mut grid = Grid::new(&header, &left).within(self.width);
        for sweep in &contest.sweeps {
            for &tasks in &contest.tasks {
                let of = |who: &&str| contest.entry(who, place, sweep, tasks);
                let entries: Vec<Option<&Entry>> = contest.contenders.iter().map(of).collect();
                if entries.iter().all(Option::is_none) {
                    continue;
                }
                let mut row: Vec<String> = sweep.iter().map(|value| value.value.clone()).collect();
                row.push(tasks.to_string());
                row.extend(entries.iter().map(|entry| entry.map_or("-".to_owned(), cell)));
                row.extend(standing.then(|| self.standing(place, sweep, tasks)));
                grid.whole_row(row);
            }
        }
        let place = contest.place_text(place, None, &[]);
        let place = if place.starts_with("for") { place.replacen("for", "of", 1) } else { place };
        let title = fold(&format!("{title} {place}"), self.width);
        format!("{title}\n{}", grid.render())
    }

    fn standing(&self, place: (&str, &str), sweep: &[SweepValue], tasks: usize) -> String {
        let of_machines = self.contest.of_machines;
        let standings = self.comparison.standings.iter();
        let mut here = standings.filter(|s| s.network == place.1 && s.tasks_count == tasks && s.sweep == sweep);
        let found = here.find(|s| of_machines || s.machine.as_deref() == Some(place.0));
        found.map_or("-".to_owned(), |standing| standing.text.clone())
    }

    fn list<'t>(&self, title: &str, lines: impl Iterator<Item = &'t String>) -> String {
        let lines: String = lines.map(|line| format!("  {line}\n")).collect();
        if lines.is_empty() { lines } else { fold(&format!("{title}\n{lines}"), self.width) }
    }

    fn incomplete(&self) -> String {
        let lacking = self.comparison.entries.iter().filter(|entry| entry.total_s.is_none());
        let line = |e: &Entry| {
            let place = self.contest.place_text((&e.machine, &e.network), Some(e.tasks_count), &e.sweep);
            let place = place.replacen("for", "on", 1);
            format!("{} {place}: {} of the time are known", e.program, seconds(e.known_s))
        };
        let lines: Vec<String> = lacking.map(line).collect();
        self.list("Incomplete", lines.iter())
    }
}
