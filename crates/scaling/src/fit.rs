//! Fits of the closed models to points, and how far each can be trusted.

use super::band::Estimate;
use super::class::Hold;
use super::model::Model;
use super::{Point, Tasks, least_squares};
use chronos_base::units::Seconds;

/// A family of models, before its parameters are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// `Model::Flat`.
    Flat,
    /// `Model::Hierarchical` with a given number of levels.
    Hierarchical {
        /// Number of levels of groups through which results are collected.
        levels: u32,
    },
    /// `Model::Tree`.
    Tree,
    /// `Model::StateSpace`.
    StateSpace,
    /// `Model::Amdahl`.
    Amdahl,
    /// `Model::Scaled`.
    Scaled,
    /// `Model::Universal`.
    Universal,
}

impl Family {
    /// Those that are fitted. Where each task keeps its work nothing falls as 1/N: there `Flat` would be `Scaled` by
    /// another name, and the others have no work to divide. The massively distributed model says of totals what
    /// Amdahl's says with no serial part; the class tells them apart by the parts.
    fn fitted(hold: Hold) -> &'static [Self] {
        const TWO: Family = Family::Hierarchical { levels: 2 };
        const THREE: Family = Family::Hierarchical { levels: 3 };
        const TREE: Family = Family::Tree;
        match hold {
            Hold::Work => &[Self::Flat, TWO, THREE, TREE, Self::StateSpace, Self::Amdahl, Self::Universal],
            Hold::WorkPerTask => &[Self::Scaled, TWO, THREE, TREE],
        }
    }
}

/// A model with parameters that points gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// The model with the parameters that were found.
    pub model: Model,
    /// Root of the mean square of the relative errors at the points, in percent.
    pub rms_percent: f64,
    /// Greatest relative error at the two largest points of a fit to the others, in percent; `None` with fewer than
    /// four points.
    pub holdout_percent: Option<f64>,
    /// Schwarz' information criterion (1978); less is better. Akaike's correction for few points weighs a parameter as
    /// if points were noisy, which predictions are not.
    pub criterion: f64,
}

/// A model that is off by more than this share says nothing of points far beyond; the same as of laws.
const USELESS_PERCENT: f64 = 15.0;

impl Fitted {
    /// It explains the points, and did so with the two largest before these were shown to it.
    pub(crate) fn foretells(&self) -> bool {
        self.error_percent() <= USELESS_PERCENT
    }

    fn error_percent(&self) -> f64 {
        self.holdout_percent.unwrap_or(f64::INFINITY).max(self.rms_percent)
    }

    /// The time with so many tasks; the band grows from the errors at the held-out points, which lay two doublings
    /// beyond the others, as the logarithm of the tasks.
    pub(crate) fn at(&self, tasks: usize, largest: usize) -> Estimate {
        let time = self.model.time(Tasks(tasks as f64));
        let doublings = (tasks as f64 / largest as f64).log2().max(0.0);
        let off = time.0 * self.error_percent() / 100.0 * (1.0 + doublings / 2.0);
        Estimate { tasks, time, low: Seconds((time.0 - off).max(0.0)), high: Seconds(time.0 + off) }
    }
}

/// Relative errors below this are not told apart: whole numbers of rows and bytes leave as much.
const NOISE: f64 = 1e-4;

/// All families that the points determine, the best first. One task alone talks to nobody: its point says nothing of
/// communication and is left out.
pub(crate) fn fit_all(points: &[Point], hold: Hold) -> Vec<Fitted> {
    let points: Vec<Point> = points.iter().filter(|point| point.tasks > 1).cloned().collect();
    let mut all: Vec<Fitted> = Family::fitted(hold).iter().filter_map(|&family| fit(family, hold, &points)).collect();
    all.sort_by(|a, b| a.criterion.total_cmp(&b.criterion));
    all
}

/// The family's best model for these points.
pub fn fit(family: Family, hold: Hold, points: &[Point]) -> Option<Fitted> {
    // With fewer points than parameters a model explains them whatever they are.
    let model = parameters(family, hold, points).filter(|model| model.parameters().len() <= points.len())?;
    let squares: f64 = points.iter().map(|point| error(&model, point).powi(2)).sum();
    let mean = squares / points.len() as f64;
    let holdout_percent = holdout(family, hold, points);
    let criterion = schwarz(points.len(), model.parameters().len(), mean);
    Some(Fitted { model, rms_percent: 100.0 * mean.sqrt(), holdout_percent, criterion })
}

fn error(model: &Model, point: &Point) -> f64 {
    model.time(point.n()).0 / point.total.0 - 1.0
}

fn schwarz(points: usize, parameters: usize, mean_square: f64) -> f64 {
    let n = points as f64;
    n * mean_square.max(NOISE * NOISE).ln() + parameters as f64 * n.ln()
}

fn holdout(family: Family, hold: Hold, points: &[Point]) -> Option<f64> {
    let (known, largest) = points.split_at_checked(points.len().checked_sub(2)?)?;
    let model = (known.len() >= 2).then(|| parameters(family, hold, known)).flatten()?;
    largest.iter().map(|point| 100.0 * error(&model, point).abs()).max_by(f64::total_cmp)
}

/// Parameters by relative least squares: each point weighs as its reciprocal total.
fn parameters(family: Family, hold: Hold, points: &[Point]) -> Option<Model> {
    let linear = |columns: &[&dyn Fn(f64) -> f64]| {
        let column = |f: &&dyn Fn(f64) -> f64| points.iter().map(|p| f(p.tasks as f64) / p.total.0).collect();
        let columns: Vec<Vec<f64>> = columns.iter().map(column).collect();
        least_squares::nonnegative(&columns, &vec![1.0; points.len()])
    };
    let share = |n: f64| n.recip();
    let collected = |cost: &dyn Fn(f64) -> f64| match hold {
        Hold::Work => {
            linear(&[&|_| 1.0, &share, cost]).map(|found| (Seconds(found[0]), Seconds(found[1]), Seconds(found[2])))
        }
        Hold::WorkPerTask => {
            linear(&[&|_| 1.0, cost]).map(|found| (Seconds(found[0]), Seconds(0.0), Seconds(found[1])))
        }
    };
    match family {
        Family::Flat => collected(&|n| n).map(|(begin, work, result)| Model::Flat { begin, work, result }),
        Family::Tree => collected(&f64::log2).map(|(begin, work, result)| Model::Tree { begin, work, result }),
        Family::Hierarchical { levels } => {
            let cost = |n: f64| f64::from(levels) * n.powf(f64::from(levels).recip());
            collected(&cost).map(|(begin, work, result)| Model::Hierarchical { begin, work, result, levels })
        }
        Family::Amdahl => linear(&[&|_| 1.0, &share])
            .map(|found| Model::Amdahl { serial: Seconds(found[0]), parallel: Seconds(found[1]) }),
        Family::Scaled => linear(&[&|_| 1.0, &|n| n - 1.0])
            .map(|found| Model::Scaled { time: Seconds(found[0]), growth: Seconds(found[1]) }),
        Family::Universal => {
            let found = linear(&[&share, &|n| (n - 1.0) / n, &|n| n - 1.0])?;
            let per_work = |x: f64| if found[0] > 0.0 { Some(x / found[0]) } else { None };
            let (contention, coherency) = (per_work(found[1])?, per_work(found[2])?);
            Some(Model::Universal { work: Seconds(found[0]), contention, coherency })
        }
        Family::StateSpace => state_space(points),
    }
}

/// Up to some number of tasks the analysis limits, beyond it the medium: each border between points is tried.
fn state_space(points: &[Point]) -> Option<Model> {
    let mean = |points: &[Point], law: &dyn Fn(f64) -> f64| {
        let shares: Vec<f64> = points.iter().map(|p| law(p.tasks as f64) / p.total.0).collect();
        let squares: f64 = shares.iter().map(|x| x * x).sum();
        Seconds(shares.iter().sum::<f64>() / squares)
    };
    let at = |border: usize| {
        let (computing, sending) = points.split_at(border);
        let analysis = mean(computing, &f64::recip);
        Model::StateSpace { analysis, transfer: mean(sending, &|n| (n - 1.0) / n) }
    };
    let squares = |model: &Model| points.iter().map(|p| error(model, p).powi(2)).sum::<f64>();
    let models = (1..points.len()).map(at).filter(|model| squares(model).is_finite());
    models.min_by(|a, b| squares(a).total_cmp(&squares(b)))
}
