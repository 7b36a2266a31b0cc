//! Where another contender becomes the faster one of two, along the number of tasks or a swept value.

use super::contest::{Contest, same};
use super::model::{Crossover, Entry};
use super::separated;
use crate::model::SweepValue;
use std::cmp::Ordering;

/// Along which values two are compared, everything else being the same.
struct Line<'a> {
    axis: String,
    /// Number of tasks where that is not the axis.
    tasks: Option<usize>,
    /// Swept values that stay the same.
    fixed: Vec<SweepValue>,
    /// The values, ascending: as shown, with the cell's coordinates.
    points: Vec<(String, usize, &'a [SweepValue])>,
}

/// All crossovers of all pairs, along all axes.
pub(crate) fn crossovers(contest: &Contest<'_>) -> Vec<Crossover> {
    let lines = lines(contest);
    let mut found = Vec::new();
    for &place in &contest.places {
        for line in &lines {
            for (i, a) in contest.contenders.iter().enumerate() {
                for b in &contest.contenders[i + 1..] {
                    found.extend(Pair { contest, place, line, a, b }.crossovers());
                }
            }
        }
    }
    found
}

fn lines<'a>(contest: &Contest<'a>) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    if contest.tasks.len() > 1 {
        lines.extend(contest.sweeps.iter().map(|sweep| Line {
            axis: "n".to_owned(),
            tasks: None,
            fixed: sweep.to_vec(),
            points: contest.tasks.iter().map(|&n| (n.to_string(), n, *sweep)).collect(),
        }));
    }
    let names = contest.sweeps.first().map_or(0, |sweep| sweep.len());
    for axis in 0..names {
        for &tasks in &contest.tasks {
            lines.extend(swept_lines(contest, axis, tasks));
        }
    }
    lines
}

/// Lines along one swept name, for each combination of the others.
fn swept_lines<'a>(contest: &Contest<'a>, axis: usize, tasks: usize) -> Vec<Line<'a>> {
    let without = |sweep: &[SweepValue]| {
        sweep.iter().enumerate().filter(|(i, _)| *i != axis).map(|(_, value)| value.clone()).collect::<Vec<_>>()
    };
    let mut lines: Vec<Line<'a>> = Vec::new();
    for &sweep in contest.sweeps.iter().filter(|sweep| sweep.len() > axis) {
        let (value, fixed) = (&sweep[axis], without(sweep));
        let Ok(number) = value.value.parse::<f64>() else { return Vec::new() };
        if !number.is_finite() {
            return Vec::new();
        }
        let point = (value.value.clone(), tasks, sweep);
        match lines.iter_mut().find(|line| line.fixed == fixed) {
            Some(line) => line.points.push(point),
            None => lines.push(Line { axis: value.name.clone(), tasks: Some(tasks), fixed, points: vec![point] }),
        }
    }
    let number = |point: &(String, usize, &[SweepValue])| point.0.parse::<f64>().unwrap_or(0.0);
    lines.iter_mut().for_each(|line| line.points.sort_by(|a, b| number(a).total_cmp(&number(b))));
    lines.retain(|line| line.points.len() > 1);
    lines
}

/// Two contenders on one line.
struct Pair<'a> {
    contest: &'a Contest<'a>,
    place: (&'a str, &'a str),
    line: &'a Line<'a>,
    a: &'a str,
    b: &'a str,
}

/// Values next to each other at which the same one is faster.
struct Run {
    /// How the time of `a` compares with that of `b`.
    order: Ordering,
    from: usize,
    to: usize,
    separated: Option<bool>,
}

impl Pair<'_> {
    fn crossovers(&self) -> Vec<Crossover> {
        let runs = self.runs();
        let last = self.line.points.len() - 1;
        runs.iter().skip(1).map(|run| self.crossover(run, run.to < last)).collect()
    }

    /// Where times are the same, or unknown, what was before goes on.
    fn runs(&self) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for (at, (_, tasks, sweep)) in self.line.points.iter().enumerate() {
            let entry = |who: &str| self.contest.entry(who, self.place, sweep, *tasks);
            let (Some(a), Some(b)) = (entry(self.a), entry(self.b)) else { continue };
            let Some(order) = order(a, b) else { continue };
            let apart = separated(a, b);
            match runs.last_mut().filter(|run| order == run.order || order == Ordering::Equal) {
                Some(run) => {
                    run.to = at;
                    run.separated = run.separated.zip(apart).map(|(before, now)| before && now);
                }
                None if order == Ordering::Equal => {}
                None => runs.push(Run { order, from: at, to: at, separated: apart }),
            }
        }
        runs
    }

    fn crossover(&self, run: &Run, ends: bool) -> Crossover {
        let (faster, slower) = if run.order == Ordering::Less { (self.a, self.b) } else { (self.b, self.a) };
        let (from, to) = (&self.line.points[run.from].0, &self.line.points[run.to].0);
        let axis = &self.line.axis;
        let range = match (ends, from == to) {
            (false, _) => format!("from {axis} = {from} on"),
            (true, true) => format!("at {axis} = {from}"),
            (true, false) => format!("from {axis} = {from} to {to}"),
        };
        let place = self.contest.place_text(self.place, self.line.tasks, &self.line.fixed);
        let apart = if run.separated == Some(false) { " (not separated)" } else { "" };
        Crossover {
            axis: axis.clone(),
            from: from.clone(),
            until: ends.then(|| to.clone()),
            faster: faster.to_owned(),
            slower: slower.to_owned(),
            place: self.place.0.to_owned(),
            network: self.place.1.to_owned(),
            tasks_count: self.line.tasks,
            sweep: self.line.fixed.clone(),
            separated: run.separated,
            text: format!("{range} {faster} is faster than {slower} {place}{apart}"),
        }
    }
}

fn order(a: &Entry, b: &Entry) -> Option<Ordering> {
    let (a, b) = (a.total_s?, b.total_s?);
    Some(if same(a, b) { Ordering::Equal } else { a.total_cmp(&b) })
}
