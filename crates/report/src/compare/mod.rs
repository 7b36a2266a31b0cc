//! Comparisons: which program is the best where, from what point on, and how each scales.
//!
//! Speedup is `S(n) = T(1) / T(n)`, efficiency `S(n) / n`. Two predictions are separated where their 90 % intervals
//! have nothing in common. This module must not know how predictions were made.

mod contest;
mod crossovers;
pub mod csv;
mod functions;
pub mod html;
pub mod model;
pub(crate) mod plot;
mod scaling;
pub mod table;
#[cfg(test)]
mod tests;

use super::model::{Prediction, SweepValue, Task};
use contest::Contest;
pub use model::{ComparedProgram, Comparison, Entry, EntryFunction};

/// The total of a prediction, in seconds, as [`Prediction`] has it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    /// When the last task ends; `None` where the prediction is incomplete.
    pub total_s: Option<f64>,
    /// 90 % interval.
    pub interval_s: Option<[f64; 2]>,
    /// What computing times make of it, where the network has a part in it.
    pub computing_interval_s: Option<[f64; 2]>,
    /// The part of it that assumptions make.
    pub assumed_interval_s: Option<[f64; 2]>,
    /// What is known of the total.
    pub known_s: f64,
}

impl Totals {
    fn of(p: &Prediction) -> Self {
        Self {
            total_s: p.total_s,
            interval_s: p.interval_s,
            computing_interval_s: p.computing_interval_s,
            assumed_interval_s: p.assumed_interval_s,
            known_s: p.known_s,
        }
    }
}

impl Entry {
    /// Of a program's prediction.
    pub fn new(program: &str, p: &Prediction) -> Self {
        let key = Self::key(program, (&p.platform.machine, &p.platform.network), &p.sweep, p.tasks_count);
        Self { efficiencies: p.efficiency.clone(), ..key.with(&Totals::of(p), &p.tasks) }
    }

    /// One without times.
    pub fn key(program: &str, place: (&str, &str), sweep: &[SweepValue], tasks_count: usize) -> Self {
        Self {
            program: program.to_owned(),
            machine: place.0.to_owned(),
            network: place.1.to_owned(),
            sweep: sweep.to_vec(),
            tasks_count,
            total_s: None,
            interval_s: None,
            computing_interval_s: None,
            assumed_interval_s: None,
            known_s: 0.0,
            compute_share: None,
            communication_share: None,
            idle_share: None,
            speedup: None,
            efficiency: None,
            efficiencies: None,
            change_percent: None,
            functions: Vec::new(),
        }
    }

    /// The same with total, interval and what is known, and with the shares of its tasks' parts.
    #[must_use]
    pub fn with(mut self, totals: &Totals, tasks: &[Task]) -> Self {
        (self.total_s, self.known_s) = (totals.total_s, totals.known_s);
        (self.interval_s, self.computing_interval_s) = (totals.interval_s, totals.computing_interval_s);
        self.assumed_interval_s = totals.assumed_interval_s;
        let sum = |part: fn(&Task) -> f64| Task::sum(tasks, part);
        let whole = sum(|t| t.total_s);
        let share = |part: f64| (whole > 0.0).then_some(part / whole);
        self.compute_share = share(sum(|t| t.compute_s));
        self.communication_share = share(sum(|t| t.send_s + t.recv_s + t.collective_s));
        self.idle_share = share(sum(|t| t.idle_s));
        self
    }

    fn same_case(&self, other: &Self) -> bool {
        let case = |e: &Self| (e.machine.clone(), e.network.clone(), e.tasks_count, e.sweep.clone());
        case(self) == case(other)
    }
}

impl Comparison {
    /// Of entries in any order; `baseline` is the program that speedups are relative to.
    pub fn new(programs: Vec<ComparedProgram>, entries: Vec<Entry>, baseline: Option<&str>) -> Self {
        let mut comparison = Self {
            schema: Self::SCHEMA,
            programs,
            entries,
            standings: Vec::new(),
            crossovers: Vec::new(),
            scaling: Vec::new(),
            diagnostics: Vec::new(),
        };
        crate::efficiencies::scale_entries(&mut comparison.entries);
        comparison.scaling = scaling::scaling(&mut comparison.entries, baseline);
        comparison.changes();
        let contest = Contest::new(&comparison);
        let (standings, crossovers) = (contest.standings(), crossovers::crossovers(&contest));
        (comparison.standings, comparison.crossovers) = (standings, crossovers);
        comparison
    }

    /// How much longer each program takes than the first one.
    fn changes(&mut self) {
        let Some(first) = self.programs.first().map(|program| program.name.clone()) else { return };
        let firsts: Vec<Entry> = self.entries.iter().filter(|entry| entry.program == first).cloned().collect();
        for entry in self.entries.iter_mut().filter(|entry| entry.program != first) {
            let before = firsts.iter().find(|other| other.same_case(entry)).and_then(|other| other.total_s);
            let change = |(before, now): (f64, f64)| (before > 0.0).then(|| 100.0 * (now - before) / before);
            entry.change_percent = before.zip(entry.total_s).and_then(change);
        }
    }

    /// Some programs can be compared in some case.
    pub fn has_common_cases(&self) -> bool {
        !self.standings.is_empty()
    }

    /// Entries that take longer than the first program by more than so many percent, the worst first.
    pub fn slower(&self, percent: f64) -> Vec<&Entry> {
        let mut slower: Vec<&Entry> =
            self.entries.iter().filter(|entry| entry.change_percent.is_some_and(|change| change > percent)).collect();
        slower.sort_by(|a, b| b.change_percent.partial_cmp(&a.change_percent).unwrap_or(std::cmp::Ordering::Equal));
        slower
    }
}

/// Values as they stand in a sentence: `N = 100, M = 2`.
fn values_text(sweep: &[SweepValue]) -> String {
    sweep.iter().map(|value| format!("{} = {}", value.name, value.value)).collect::<Vec<_>>().join(", ")
}

/// Whether the intervals of two predictions on the same network have nothing in common; nothing where one is missing.
///
/// What the network is off by, it is off by for both, and what is assumed of a program for all its predictions: only what else
/// is uncertain tells them apart.
fn separated(a: &Entry, b: &Entry) -> Option<bool> {
    let common = a.program == b.program;
    let own = |entry: &Entry| {
        let interval = entry.computing_interval_s.or(entry.interval_s)?;
        let assumed = entry.assumed_interval_s.filter(|_| common).zip(entry.total_s);
        Some(assumed.map_or(interval, |(assumed, total)| without(total, interval, assumed)))
    };
    own(a).zip(own(b)).map(|([a_low, a_high], [b_low, b_high])| a_high < b_low || b_high < a_low)
}

/// An interval without a part of it; parts were joined as independent, in the logarithm.
fn without(total: f64, interval: [f64; 2], part: [f64; 2]) -> [f64; 2] {
    let off = |bound: f64| (bound / total).ln().abs();
    let rest = |end: usize| (off(interval[end]).powi(2) - off(part[end]).powi(2)).max(0.0).sqrt();
    [total * (-rest(0)).exp(), total * rest(1).exp()]
}
