//! Speedup and efficiency: `S(n) = T(1) / T(n)`, `E(n) = S(n) / n`.

use super::model::{Entry, Scaling};
use super::values_text;

/// Entries of one program on one machine with the same values, by number of tasks.
struct Series {
    /// Positions among the entries, ascending by tasks.
    members: Vec<usize>,
}

/// Gives every entry its speedup and efficiency; how each series scales.
pub fn scaling(entries: &mut [Entry], baseline: Option<&str>) -> Vec<Scaling> {
    let series = series(entries);
    let mut all = Vec::new();
    for one in series.iter().filter(|one| one.members.len() > 1 || baseline.is_some()) {
        let Some((program, tasks, time)) = reference(entries, one, baseline) else { continue };
        for &member in &one.members {
            let entry = &mut entries[member];
            entry.speedup = entry.total_s.filter(|&total| total > 0.0).map(|total| time / total);
            entry.efficiency = entry.speedup.map(|speedup| speedup * tasks as f64 / entry.tasks_count as f64);
        }
        all.extend(summary(entries, one, &program, tasks));
    }
    all
}

fn series(entries: &[Entry]) -> Vec<Series> {
    let mut all: Vec<Series> = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let same = |other: &Entry| {
            let key = |e: &Entry| (e.program.clone(), e.machine.clone(), e.network.clone(), e.sweep.clone());
            key(other) == key(entry)
        };
        match all.iter_mut().find(|series| same(&entries[series.members[0]])) {
            Some(series) => series.members.push(index),
            None => all.push(Series { members: vec![index] }),
        }
    }
    all.iter_mut().for_each(|series| series.members.sort_by_key(|&member| entries[member].tasks_count));
    all
}

/// Program, tasks and time that speedups are relative to: with one task, else with the fewest there are.
fn reference(entries: &[Entry], series: &Series, baseline: Option<&str>) -> Option<(String, usize, f64)> {
    let own = &entries[series.members[0]];
    let is_it = |e: &&Entry| {
        let program = baseline.unwrap_or(&own.program);
        e.program == program && e.machine == own.machine && e.network == own.network && e.sweep == own.sweep
    };
    let known = entries.iter().filter(is_it).filter(|e| e.total_s.is_some());
    known.min_by_key(|e| e.tasks_count).and_then(|e| Some((e.program.clone(), e.tasks_count, e.total_s?)))
}

fn summary(entries: &[Entry], series: &Series, program: &str, tasks: usize) -> Option<Scaling> {
    let known: Vec<&Entry> = series.members.iter().map(|&m| &entries[m]).filter(|e| e.speedup.is_some()).collect();
    let time = |e: &Entry| e.total_s.unwrap_or(f64::INFINITY);
    let best = *known.iter().min_by(|a, b| time(a).total_cmp(&time(b)))?;
    let most = known.last()?.tasks_count;
    if known.len() < 2 {
        return None;
    }
    let half = known.iter().filter(|e| e.efficiency.is_some_and(|efficiency| efficiency >= 0.5));
    let mut scaling = Scaling {
        program: best.program.clone(),
        machine: best.machine.clone(),
        network: best.network.clone(),
        sweep: best.sweep.clone(),
        reference_program: program.to_owned(),
        reference_tasks: tasks,
        best_tasks: best.tasks_count,
        best_s: time(best),
        best_speedup: best.speedup?,
        turns_down: best.tasks_count < most,
        half_efficient_tasks: half.map(|e| e.tasks_count).max(),
        text: String::new(),
    };
    scaling.text = text(&scaling, best.efficiency.unwrap_or(0.0));
    Some(scaling)
}

fn text(s: &Scaling, efficiency: f64) -> String {
    let tasks = |n: usize| format!("{n} task{}", if n == 1 { "" } else { "s" });
    let values = if s.sweep.is_empty() { String::new() } else { format!(" with {}", values_text(&s.sweep)) };
    let begin = format!("{} on {}{values}: fastest with {}", s.program, s.machine, tasks(s.best_tasks));
    let of = if s.reference_program == s.program { String::new() } else { format!(" of {}", s.reference_program) };
    let reference = format!("{}{of}", tasks(s.reference_tasks));
    let speedup = format!("speedup {:.2} over {reference}, efficiency {:.0} %", s.best_speedup, 100.0 * efficiency);
    match s.turns_down {
        true => format!("{begin} ({speedup}); slower with more"),
        false => format!("{begin} ({speedup})"),
    }
}
