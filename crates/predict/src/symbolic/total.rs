//! The total of a program that communicates, as a formula of its parameters and of the number of tasks.
//!
//! Who waits for whom is no polynomial, but where a program does the same in every iteration its time is a sum of few products of
//! powers and logarithms. These are found from replays at some values; replays at others, which the formula has not seen, say how far
//! it can be believed. It does not know how a program is read or predicted.

use super::text::{latex_term, plain_term, python_term, signed_sum};
use chronos_report::model::Prediction;
use chronos_report::symbolic::{CheckedTotal, FormulaRange, FormulaText, TotalFormula};
use chronos_scaling::formula::{Axis, Formula, Observed};
use chronos_scaling::formula_text::{Notation, product};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// What a formula is looked for of.
pub struct Question<'a> {
    /// Names of the free parameters.
    pub names: Vec<String>,
    /// The values that they have without `--symbolic`.
    pub defaults: Vec<i64>,
    /// Numbers of tasks, ascending; of several, their number is a parameter as well.
    pub tasks: Vec<usize>,
    /// Calls of MPI with the default values, of all tasks together.
    pub calls: f64,
    /// Predicts with these values and so many tasks; `None` where that cannot be.
    pub predicted: &'a (dyn Fn(&[i64], usize) -> Option<Prediction> + Sync),
}

/// Why there is no formula.
#[derive(Clone, Debug, PartialEq)]
pub enum NoFormula {
    /// More parameters than replays can be made for.
    TooManyParameters,
    /// Too few of the replays could be made.
    TooFewReplays,
    /// So many MPI calls are too many for dozens of replays.
    TooManyCalls(f64),
    /// The best one is off by this share at a replay that it was not fitted to.
    Off(f64),
}

/// Every further parameter multiplies the replays.
const MOST_PARAMETERS: usize = 2;

/// So many numbers of tasks are replayed at most.
const MOST_TASKS: usize = 6;

/// Calls of MPI in one replay; of dozens of such replays each takes below a second.
const MOST_CALLS: f64 = 200_000.0;

/// A formula that is off by more than this share where it was not fitted is none.
const USELESS: f64 = 0.15;

/// One that is off by less is looked for in no narrower range.
const AGREES: f64 = 0.05;

/// One that is off by less needs no number of tasks left out.
const EXACT: f64 = 0.02;

/// A narrower range has to bring the error below this share of what it was.
const WORTH: f64 = 0.7;

/// So many numbers of tasks are left where the least is left out: of two, each has one neighbour alone.
const FEWEST_TASKS: usize = 4;

/// Multiples of the default values that are replayed: in a wide range, and where caches or protocols change within it, in a narrow one.
/// None is far above the default, where replays take long.
const RANGES: [&[f64]; 2] = [&[0.125, 0.25, 0.5, 1.0, 2.0], &[0.5, 0.71, 1.0, 1.41, 2.0]];

/// Values of all parameters of a formula.
type Values = Vec<i64>;

#[derive(Clone, Debug)]
struct Replay {
    total_s: f64,
    computing_s: f64,
    cost_model: String,
}

struct Search<'a> {
    question: &'a Question<'a>,
    tasks: Vec<usize>,
    /// Of what was replayed.
    known: BTreeMap<Values, Option<Replay>>,
}

/// The formula that agrees best with replays that it has not seen.
pub fn total(question: &Question<'_>) -> Result<TotalFormula, NoFormula> {
    if question.names.len() > MOST_PARAMETERS {
        return Err(NoFormula::TooManyParameters);
    }
    if question.calls > MOST_CALLS {
        return Err(NoFormula::TooManyCalls(question.calls));
    }
    let all = spread(&question.tasks);
    let mut search = Search { question, tasks: all.clone(), known: BTreeMap::new() };
    let mut best: Option<(f64, TotalFormula)> = None;
    let firsts = if all.len() > FEWEST_TASKS { 0..2 } else { 0..1 };
    for (multiples, first) in RANGES.iter().flat_map(|range| firsts.clone().map(move |first| (range, first))) {
        let least = best.as_ref().map_or(f64::INFINITY, |(least, _)| *least);
        if least <= if first == 0 { AGREES } else { EXACT } {
            break;
        }
        search.tasks = all[first..].to_vec();
        let Some(found) = search.within(multiples) else { continue };
        let off = found.checked.iter().map(|checked| checked.error().abs()).fold(0.0, f64::max);
        if off < WORTH * least {
            best = Some((off, found));
        }
    }
    match best {
        None => Err(NoFormula::TooFewReplays),
        Some((off, _)) if off > USELESS => Err(NoFormula::Off(off)),
        Some((_, found)) => Ok(found),
    }
}

impl Search<'_> {
    fn has_tasks(&self) -> bool {
        self.tasks.len() > 1
    }

    fn axes(&self) -> Vec<Axis> {
        let sizes = vec![Axis::Size; self.question.names.len()];
        sizes.into_iter().chain(self.has_tasks().then_some(Axis::Tasks)).collect()
    }

    fn within(&mut self, multiples: &[f64]) -> Option<TotalFormula> {
        let mut steps: Vec<Vec<i64>> = self.question.defaults.iter().map(|&value| steps(value, multiples)).collect();
        if self.has_tasks() {
            steps.push(self.tasks.iter().map(|&tasks| tasks as i64).collect());
        }
        let grid = combinations(&steps);
        let between = between(&steps);
        let mut wanted = grid.clone();
        wanted.extend(between.iter().cloned());
        let own = self.own_values();
        wanted.push(own.clone());
        self.replay(&wanted);
        let model = self.known.get(&own)?.as_ref()?.cost_model.clone();
        let of = |values: &Values| Some((values.clone(), self.known.get(values)?.clone()?));
        let same = |(_, replay): &(Values, Replay)| replay.cost_model == model && replay.total_s > 0.0;
        let fitted: Vec<(Values, Replay)> = grid.iter().filter_map(of).filter(same).collect();
        let unseen: Vec<(Values, Replay)> = between.iter().filter_map(of).filter(same).collect();
        // What could be replayed in a corner alone says nothing of the range.
        if fitted.len() * 4 < grid.len() * 3 || unseen.is_empty() {
            return None;
        }
        let part = |of: &dyn Fn(&Replay) -> f64| {
            let observed = |(values, replay): &(Values, Replay)| Observed {
                at: floats(values),
                value: of(replay),
                total: replay.total_s,
            };
            Formula::fit(&self.axes(), &fitted.iter().map(observed).collect::<Vec<_>>())
        };
        let parts = [part(&|replay| replay.computing_s)?, part(&|replay| replay.total_s - replay.computing_s)?];
        let own = of(&own);
        let report = self.report(&parts, &steps, &unseen, own.as_ref());
        Some(TotalFormula { fitted: fitted.len(), cost_model: model, ..report })
    }

    fn own_values(&self) -> Values {
        let tasks = self.has_tasks().then(|| self.tasks[0] as i64);
        self.question.defaults.iter().copied().chain(tasks).collect()
    }

    /// Makes those that were not made, side by side.
    fn replay(&mut self, wanted: &[Values]) {
        let new: BTreeSet<&Values> = wanted.iter().filter(|values| !self.known.contains_key(*values)).collect();
        let new: Vec<&Values> = new.into_iter().collect();
        let made: Vec<(Values, Option<Replay>)> =
            new.into_par_iter().map(|values| (values.clone(), self.one(values))).collect();
        self.known.extend(made);
    }

    fn one(&self, values: &Values) -> Option<Replay> {
        let (parameters, tasks) = values.split_at(self.question.names.len());
        let tasks = tasks.first().map_or(self.tasks[0], |&tasks| tasks as usize);
        let prediction = (self.question.predicted)(parameters, tasks)?;
        let computing: f64 = prediction.tasks.iter().map(|task| task.compute_s).sum();
        let computing_s = computing / prediction.tasks.len().max(1) as f64;
        Some(Replay { total_s: prediction.total_s?, computing_s, cost_model: prediction.cost_model })
    }

    fn report(
        &self,
        [computing, communication]: &[Formula; 2],
        steps: &[Vec<i64>],
        unseen: &[(Values, Replay)],
        own: Option<&(Values, Replay)>,
    ) -> TotalFormula {
        let names = self.names();
        let total = computing.plus(communication);
        let checked = |(values, replay): &(Values, Replay)| CheckedTotal {
            values: values.clone(),
            formula_s: total.at(&floats(values)),
            replayed_s: replay.total_s,
        };
        let range = |(name, steps): (&String, &Vec<i64>)| {
            Some(FormulaRange { name: name.clone(), least: *steps.first()?, greatest: *steps.last()? })
        };
        TotalFormula {
            ranges: names.iter().zip(steps).filter_map(range).collect(),
            tasks_count: (!self.has_tasks()).then(|| self.tasks[0]),
            total: written(&total, &names),
            computing: written(computing, &names),
            communication: written(communication, &names),
            cost_model: String::new(),
            fitted: 0,
            checked: unseen.iter().map(checked).collect(),
            at_defaults: own.map(checked),
        }
    }

    /// The parameters, and the number of tasks by a name that none of them has.
    fn names(&self) -> Vec<String> {
        let mut names = self.question.names.clone();
        let free = ["P", "tasks", "number_of_tasks"].into_iter().find(|name| !names.iter().any(|known| known == name));
        names.extend(free.filter(|_| self.has_tasks()).map(str::to_owned));
        names
    }
}

/// At most so many, the first and the last among them.
fn spread(tasks: &[usize]) -> Vec<usize> {
    if tasks.len() <= MOST_TASKS {
        return tasks.to_vec();
    }
    (0..MOST_TASKS).map(|step| tasks[step * (tasks.len() - 1) / (MOST_TASKS - 1)]).collect()
}

/// Values of a parameter; of a small one, whole numbers are too coarse for multiples.
fn steps(default: i64, multiples: &[f64]) -> Vec<i64> {
    if default < 16 {
        return (1..=5).map(|step| step * default.div_euclid(4).max(1)).collect();
    }
    let mut steps: Vec<i64> = multiples.iter().map(|factor| (default as f64 * factor).round() as i64).collect();
    steps.dedup();
    steps
}

fn combinations(steps: &[Vec<i64>]) -> Vec<Values> {
    let longer = |all: Vec<Values>, steps: &Vec<i64>| {
        let with = |values: &Values| steps.iter().map(|&step| values.iter().copied().chain([step]).collect()).collect();
        all.iter().flat_map(|values| -> Vec<Values> { with(values) }).collect()
    };
    steps.iter().fold(vec![Vec::new()], longer)
}

/// Between the steps of every parameter: each middle of one with one of each other, so that none is left out.
fn between(steps: &[Vec<i64>]) -> Vec<Values> {
    let middles: Vec<Vec<i64>> = steps.iter().map(|steps| middles(steps)).collect();
    let most = middles.iter().map(Vec::len).max().unwrap_or(0);
    let turns = if middles.len() > 1 { 3 } else { 1 };
    let at = |step: usize, turn: usize| {
        let one =
            |(axis, middles): (usize, &Vec<i64>)| middles.get((step + axis * turn) % middles.len().max(1)).copied();
        middles.iter().enumerate().map(one).collect::<Option<Values>>()
    };
    let all: BTreeSet<Values> = (0..turns).flat_map(|turn| (0..most).filter_map(move |step| at(step, turn))).collect();
    all.into_iter().collect()
}

/// Geometric means of neighbours; where nothing lies between them, the neighbours.
fn middles(steps: &[i64]) -> Vec<i64> {
    let mean = |pair: &[i64]| ((pair[0] as f64 * pair[1] as f64).sqrt().round() as i64, pair[0], pair[1]);
    let found: Vec<i64> = steps
        .windows(2)
        .map(mean)
        .filter(|&(middle, low, high)| low < middle && middle < high)
        .map(|(middle, ..)| middle)
        .collect();
    if found.is_empty() { steps.to_vec() } else { found }
}

fn floats(values: &[i64]) -> Vec<f64> {
    values.iter().map(|&value| value as f64).collect()
}

/// In nanoseconds.
fn written(formula: &Formula, names: &[String]) -> FormulaText {
    let terms = |notation: Notation| {
        let products = formula.products.iter().filter(|(coefficient, _)| *coefficient != 0.0);
        let products = products.map(|(coefficient, terms)| (coefficient * 1e9, product(terms, names, notation)));
        products.map(|(ns, factors)| ((ns < 0.0, ns.abs()), factors)).collect::<Vec<_>>().into_iter()
    };
    let nothing = |text: String, nothing: &str| if text.is_empty() { nothing.to_owned() } else { text };
    FormulaText {
        text: nothing(signed_sum(terms(Notation::Plain), &plain_term), "0 ns"),
        latex: nothing(signed_sum(terms(Notation::Latex), &latex_term), "0\\,\\mathrm{ns}"),
        python: nothing(signed_sum(terms(Notation::Python), &python_term), "0.0"),
    }
}
