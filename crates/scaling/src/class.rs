//! Which of the classes of distributed applications a program resembles, and why.

use super::fit::Fitted;
use super::model::Model;
use super::{Point, Tasks, least_squares};
use chronos_base::units::Seconds;

/// What stays the same when there are more tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// All of the work: each task has less of it.
    Work,
    /// The work of each task.
    WorkPerTask,
}

impl Hold {
    /// What the computing times say, and without them the totals.
    pub fn of(points: &[Point]) -> Self {
        let compute: Option<Vec<(usize, f64)>> =
            points.iter().map(|point| Some((point.tasks, point.parts?.compute.0))).collect();
        match compute.as_deref() {
            Some(all @ [(tasks, time), .., (more, later)]) => {
                Self::of_shares(all).unwrap_or_else(|| Self::of_computing(*tasks, *time, *more, *later))
            }
            Some(_) => Self::Work,
            None => Self::of_totals(points),
        }
    }

    /// Of `a + b/N`, the larger coefficient: more than half of what one task would compute is divided, or is not. One
    /// task alone may be a master without workers and is left out; `None` with fewer than two others.
    fn of_shares(compute: &[(usize, f64)]) -> Option<Self> {
        let several: Vec<(usize, f64)> = compute.iter().copied().filter(|&(n, time)| n > 1 && time > 0.0).collect();
        let column = |f: &dyn Fn(f64) -> f64| several.iter().map(|&(n, time)| f(n as f64) / time).collect::<Vec<f64>>();
        let columns = [column(&|_| 1.0), column(&f64::recip)];
        let found = least_squares::nonnegative(&columns, &vec![1.0; several.len()]).filter(|_| several.len() > 1)?;
        Some(if found[1] > found[0] { Self::Work } else { Self::WorkPerTask })
    }

    /// Fixed work makes the computing time of a task fall as 1/N, fixed work for each task leaves it: the nearer of
    /// both on a logarithmic scale.
    fn of_computing(tasks: usize, time: f64, more: usize, later: f64) -> Self {
        let fixed = (tasks as f64 / more as f64).ln();
        if (later / time).ln() < fixed / 2.0 { Self::Work } else { Self::WorkPerTask }
    }

    /// Where each task keeps its work no number of tasks is faster than one; a tenth is left for measured times.
    fn of_totals(points: &[Point]) -> Self {
        let first = points.first().map_or(0.0, |point| point.total.0);
        if points.iter().any(|point| point.total.0 < 0.9 * first) { Self::Work } else { Self::WorkPerTask }
    }

    /// As files name it: `work` or `work-per-task`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Work => "work",
            Self::WorkPerTask => "work-per-task",
        }
    }
}

/// A class with the reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// The name of a model.
    pub name: &'static str,
    /// In sentences.
    pub why: String,
    /// What would be better, where the class knows.
    pub remark: Option<String>,
}

/// How a program collects the results of its tasks, as far as its messages tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Collected {
    /// Nobody knows: there are only times.
    #[default]
    Unknown,
    /// Nearly all messages of a call go to one task.
    OneByOne {
        /// The call, with its place.
        call: String,
    },
    /// No call has such messages.
    Otherwise,
}

/// Below this share of communication a program counts as massively distributed (section IV: `Tu >> Td + Tr`).
const LITTLE: f64 = 0.05;

/// The class of the model that explains the points best, which is the first.
pub fn class(points: &[Point], fitted: &[Fitted], collected: &Collected) -> Option<Class> {
    let last = points.last().filter(|point| point.tasks > 1)?;
    if let Some(class) = massive(last) {
        return Some(class);
    }
    let best = fitted.first()?;
    let n = last.n();
    let remark = remark(&best.model, n, collected);
    Some(Class { name: best.model.name(), why: why(&best.model, n, best.rms_percent), remark })
}

/// Tasks that hardly talk.
fn massive(last: &Point) -> Option<Class> {
    let parts = last.parts?;
    let share = 1.0 - parts.compute.0 / last.total.0;
    (share < LITTLE).then(|| Class {
        name: "massive",
        why: format!(
            "with {} tasks all but {:.1} % of the time is computation, so the speedup is near the number of tasks",
            last.tasks,
            100.0 * share
        ),
        remark: None,
    })
}

fn why(model: &Model, n: Tasks, rms: f64) -> String {
    let of_total = |seconds: f64| 100.0 * seconds / model.time(n).0;
    let at = format!("at N = {}", n.0);
    let what = match *model {
        Model::Flat { result, .. } => format!(
            "each further task costs the same time again, as where results are collected one by one: N*Tr is {:.0} % of the time {at}",
            of_total(n.0 * result.0)
        ),
        Model::Hierarchical { result, levels, .. } => {
            let cost = f64::from(levels) * n.0.powf(f64::from(levels).recip()) * result.0;
            format!(
                "communication grows as N^(1/{levels}), as where results are collected through groups in {levels} levels: it is {:.0} % of the time {at}",
                of_total(cost)
            )
        }
        Model::Tree { result, .. } => format!(
            "communication grows as log2(N), as in a tree or by recursive doubling: it is {:.0} % of the time {at}",
            of_total(n.0.log2() * result.0)
        ),
        Model::StateSpace { analysis, transfer } => match (n.0 - 1.0) * transfer.0 > analysis.0 {
            true => format!(
                "communication goes on behind computation and limits the time from N = {:.1} on",
                analysis.0 / transfer.0 + 1.0
            ),
            false => "communication goes on behind computation and does not limit the time yet".to_owned(),
        },
        Model::Amdahl { serial, parallel } => format!(
            "a part of {:.2} % of the work does not get shorter with more tasks; the rest does",
            100.0 * serial.0 / (serial.0 + parallel.0)
        ),
        Model::Scaled { time, growth } => format!(
            "each task has as much work as one alone, and each further task adds {:.3} % to the time",
            100.0 * growth.0 / time.0
        ),
        Model::Universal { contention, coherency, .. } => format!(
            "contention is {:.3} % and coherency {:.4} % of the work for each further task",
            100.0 * contention,
            100.0 * coherency
        ),
        Model::Massive { .. } => "units of work are independent".to_owned(),
    };
    format!("{what} (the model explains the points within {rms:.1} %)")
}

/// The paper's recommendation: collect through groups where one by one is what limits. Where the program's calls are
/// known they must say that results are collected so; a linear cost may have other causes.
fn remark(model: &Model, n: Tasks, collected: &Collected) -> Option<String> {
    let grouped = match *model {
        Model::Flat { begin, work, result } => Model::Hierarchical { begin, work, result, levels: 2 },
        // Each task has its own work: `T1 + (N-1)*g` is `T1 - g + N*g`.
        Model::Scaled { time, growth } if matches!(collected, Collected::OneByOne { .. }) => {
            let begin = Seconds((time.0 - growth.0).max(0.0));
            Model::Hierarchical { begin, work: Seconds(0.0), result: growth, levels: 2 }
        }
        _ => return None,
    };
    let place = match collected {
        Collected::Unknown => String::new(),
        Collected::OneByOne { call } => format!(" of {call}"),
        Collected::Otherwise => return None,
    };
    let (now, then) = (speedup(model, model, n), speedup(model, &grouped, n));
    (then > 1.02 * now).then(|| {
        format!(
            "collecting the results{place} through {:.0} groups would give a speedup of {then:.2} instead of {now:.2} with {} tasks{} (Zuberek, section II)",
            n.0.sqrt(),
            n.0,
            at_best(model, &grouped)
        )
    })
}

/// The greatest speedups of both, where they have any.
fn at_best(now: &Model, then: &Model) -> String {
    let best = |model: &Model| model.best_tasks().map(|n| (n.0, model.speedup(n)));
    match (best(now), best(then)) {
        (Some((n, now)), Some((more, then))) => {
            format!(", and at best {then:.2} with {more:.0} tasks instead of {now:.2} with {n:.0}")
        }
        _ => String::new(),
    }
}

/// Of the same work as `whose`, in the time of another model.
fn speedup(whose: &Model, model: &Model, n: Tasks) -> f64 {
    match *whose {
        Model::Scaled { time, .. } => n.0 * time.0 / model.time(n).0,
        _ => model.speedup(n),
    }
}
