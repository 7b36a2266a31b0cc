//! All that is said of one program's scaling: points, models, class, what lies beyond.

use super::band::{Estimate, Laws};
use super::class::{Class, Collected, Hold, class};
use super::fit::{Fitted, fit_all};
use super::{Point, Priors, Tasks};
use chronos_base::units::Seconds;

/// What twice the tasks must gain to be of use.
const USEFUL: f64 = 1.1;

/// The study of one series of points.
#[derive(Clone, Debug)]
pub struct Study {
    /// Ascending by tasks.
    pub points: Vec<Point>,
    /// What stays the same when tasks are added.
    pub hold: Hold,
    /// The time that speedups are relative to, of one task.
    pub reference: Reference,
    /// The best first.
    pub models: Vec<Fitted>,
    /// Laws of the parts; `None` where the points show none.
    pub laws: Option<Laws>,
    /// The class that the program resembles; `None` where no model suits.
    pub class: Option<Class>,
    /// What the times beyond the points follow; `None` where there are none.
    pub by: Option<By>,
    /// Times with twice, four times, ... the tasks of the largest point.
    pub beyond: Vec<Estimate>,
    /// The laws beside points that no fit has seen.
    pub verified: Vec<Verified>,
    /// What the parts are a priori.
    pub priors: Priors,
}

/// What times beyond the points follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The laws of the parts.
    Laws,
    /// The closed model that explains the points best, where no laws do: a sum has no law of few terms where one medium
    /// begins to limit.
    Model,
}

impl By {
    /// As files name it: `laws` or `model`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Laws => "laws",
            Self::Model => "model",
        }
    }
}

/// What speedups are relative to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reference {
    /// Time of one task with the work that `hold` gives it.
    pub time: Seconds,
    /// Where that time comes from.
    pub from: ReferenceFrom,
}

/// Where the time of one task comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceFrom {
    /// There is a point with one task.
    OneTask,
    /// The computing times of all tasks of the smallest point, added up.
    ComputeTimes {
        /// Number of tasks of that point.
        tasks: usize,
    },
    /// The smallest point, taken to be perfectly efficient.
    Efficient {
        /// Number of tasks of that point.
        tasks: usize,
    },
}

/// A replay beside what the laws said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verified {
    /// What the laws said.
    pub estimate: Estimate,
    /// What a replay with so many tasks took.
    pub replayed: Seconds,
}

impl Verified {
    /// How much longer the laws said it takes, in percent of the replayed time.
    pub fn error_percent(&self) -> f64 {
        100.0 * (self.estimate.time.0 / self.replayed.0 - 1.0)
    }

    /// The band holds the replayed time.
    pub fn holds(&self) -> bool {
        (self.estimate.low..=self.estimate.high).contains(&self.replayed)
    }
}

/// What is asked for beside the fits.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    /// `None`: what the computing times say.
    pub hold: Option<Hold>,
    /// The largest number of tasks to extrapolate to.
    pub to: usize,
    /// Points that no fit may see.
    pub verify: Vec<Point>,
    /// What the parts are a priori, for every number of tasks of interest; empty where it is not known.
    pub priors: Priors,
    /// Whether the program collects results one by one.
    pub collected: Collected,
}

impl Study {
    /// `None` without points.
    pub fn new(mut points: Vec<Point>, questions: &Questions) -> Option<Self> {
        points.sort_by_key(|point| point.tasks);
        let hold = questions.hold.unwrap_or_else(|| Hold::of(&points));
        let reference = reference(&points, hold)?;
        let models = fit_all(&points, hold);
        let verified = questions.verify.iter().map(|point| point.tasks);
        let up_to = verified.chain([questions.to, points.last()?.tasks]).max()?;
        let laws = Laws::new(&points, Tasks(up_to as f64), &questions.priors);
        let class = class(&points, &models, &questions.collected);
        let by = match (&laws, models.first()) {
            (Some(_), _) => Some(By::Laws),
            (None, Some(best)) if best.foretells() => Some(By::Model),
            _ => None,
        };
        let largest = points.last()?.tasks;
        let estimate = |tasks: usize| match (&laws, models.first()) {
            (Some(laws), _) => Some(laws.at(tasks)),
            (None, Some(best)) if best.foretells() => Some(best.at(tasks, largest)),
            _ => None,
        };
        let beyond = doubled(points.last()?.tasks, questions.to).filter_map(estimate).collect();
        let verified = questions
            .verify
            .iter()
            .filter_map(|point| Some(Verified { estimate: estimate(point.tasks)?, replayed: point.total }));
        let verified = verified.collect();
        let priors = questions.priors.clone();
        Some(Self { points, hold, reference, models, laws, class, by, beyond, verified, priors })
    }

    /// Times faster than one task with the same work (Amdahl), or with as much work as all of them have (Gustafson).
    pub fn speedup(&self, tasks: usize, time: Seconds) -> f64 {
        let work = match self.hold {
            Hold::Work => self.reference.time.0,
            Hold::WorkPerTask => self.reference.time.0 * tasks as f64,
        };
        work / time.0
    }

    /// The speedup over the number of tasks.
    pub fn efficiency(&self, tasks: usize, time: Seconds) -> f64 {
        self.speedup(tasks, time) / tasks as f64
    }

    /// Points and extrapolated times, ascending.
    fn curve(&self) -> impl Iterator<Item = (usize, Seconds)> + '_ {
        let beyond = self.beyond.iter().map(|estimate| (estimate.tasks, estimate.time));
        self.points.iter().map(|point| (point.tasks, point.total)).chain(beyond)
    }

    /// The greatest speedup of the curve, with its number of tasks.
    pub fn best(&self) -> Option<(usize, f64)> {
        let speedups = self.curve().map(|(tasks, time)| (tasks, self.speedup(tasks, time)));
        speedups.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
    }

    /// Where the efficiency falls below a level on the way from one number of tasks to the next, on a straight line of its
    /// logarithm over that of the tasks; `None` where it never does as far as was looked, or is below it from the begin.
    pub fn crossing(&self, level: f64) -> Option<Tasks> {
        let efficiencies: Vec<(f64, f64)> =
            self.curve().map(|(n, time)| (n as f64, self.efficiency(n, time))).collect();
        let pair = efficiencies.windows(2).find(|pair| pair[0].1 >= level && pair[1].1 < level)?;
        let [(n, before), (more, after)] = [pair[0], pair[1]];
        let share = (before / level).ln() / (before / after).ln();
        Some(Tasks(n * (more / n).powf(share)))
    }

    /// The most tasks up to which twice as many always gain a tenth of speedup; `None` where not even the second point
    /// does.
    pub fn largest_useful(&self) -> Option<usize> {
        let curve: Vec<(usize, f64)> = self.curve().map(|(n, time)| (n, self.speedup(n, time))).collect();
        let gains = |pair: &&[(usize, f64)]| {
            let doublings = (pair[1].0 as f64 / pair[0].0 as f64).log2();
            pair[1].1 >= pair[0].1 * USEFUL.powf(doublings)
        };
        curve.windows(2).take_while(gains).last().map(|pair| pair[1].0)
    }

    /// The most tasks with an efficiency of at least one half, and whether the curve falls below it later on.
    pub fn half_efficient(&self) -> Option<(usize, bool)> {
        let efficient = |(tasks, time): &(usize, Seconds)| self.efficiency(*tasks, *time) >= 0.5;
        let last = self.curve().take_while(efficient).last()?.0;
        Some((last, self.curve().any(|(tasks, _)| tasks > last)))
    }
}

fn reference(points: &[Point], hold: Hold) -> Option<Reference> {
    let first = points.first()?;
    let tasks = first.tasks;
    if tasks == 1 {
        return Some(Reference { time: first.total, from: ReferenceFrom::OneTask });
    }
    let shared = if hold == Hold::Work { tasks as f64 } else { 1.0 };
    Some(match first.parts {
        Some(parts) => {
            Reference { time: Seconds(parts.compute.0 * shared), from: ReferenceFrom::ComputeTimes { tasks } }
        }
        None => Reference { time: Seconds(first.total.0 * shared), from: ReferenceFrom::Efficient { tasks } },
    })
}

/// All numbers of tasks that a study of these points asks the laws for, those of the points included.
pub fn of_interest(points: &[Point], questions: &Questions) -> Vec<usize> {
    let known = points.iter().map(|point| point.tasks);
    let verified = questions.verify.iter().map(|point| point.tasks);
    let largest = points.iter().map(|point| point.tasks).max().unwrap_or(1);
    let last = verified.clone().chain([questions.to, largest]).max();
    let mut all: Vec<usize> = known.chain(verified).chain(doubled(largest, questions.to)).chain(last).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Twice, four times, ... the largest point, up to a limit.
fn doubled(largest: usize, to: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(largest.checked_mul(2), |n| n.checked_mul(2)).take_while(move |&n| n <= to)
}
