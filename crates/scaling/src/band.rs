//! Times beyond the points, with a band: how much the answer depends on which points and which laws are believed.

use super::law::{self, Choice, Law, Place, Precision, Sample, Term, Trust};
use super::{Parts, Point, Priors, Tasks};
use chronos_base::units::Seconds;

/// A time that no point gave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The number of tasks.
    pub tasks: usize,
    /// What the likeliest laws say.
    pub time: Seconds,
    /// What other laws and fewer points say: least and greatest.
    pub low: Seconds,
    /// The greatest time that they say.
    pub high: Seconds,
}

/// The laws of all parts, the likeliest ones and those that explain the points nearly as well.
#[derive(Clone, Debug)]
pub struct Laws {
    /// One law for each part, or one for the total.
    pub parts: Vec<PartLaw>,
    /// What the parts are a priori.
    priors: Priors,
    /// The largest point.
    largest: f64,
}

/// The law of one part.
#[derive(Clone, Debug)]
pub struct PartLaw {
    /// `compute` and so on, or `total` where parts are not known.
    pub name: &'static str,
    /// The likeliest law.
    pub law: Law,
    /// Greatest error at the two largest points of a fit to the others, as a share of the total.
    pub error: f64,
    /// Other laws, and the law without one of the points each.
    pub others: Vec<Law>,
    /// By which share it may be off for each doubling of the number of tasks beyond the points.
    drift: f64,
}

/// Laws whose error at the left-out points is at most so many times that of the best are as likely as it.
const AS_LIKELY: f64 = 2.0;
/// Errors of a thousandth are not told apart.
const SAME: f64 = 4e-3;
/// Laws that are off by more than this at points one and two steps beyond what they know say nothing of points far
/// beyond.
const USELESS: f64 = 0.15;
/// No law is trusted more closely than this share where it was tried: rows that do not divide, and caches that begin to
/// hold the data, leave as much.
const UNSEEN: f64 = 0.03;
/// More laws than these only repeat each other.
const MOST: usize = 12;

impl Laws {
    /// From points with more than one task, to be used up to so many tasks; `None` where there are too few points, or
    /// no law foretells the largest of them. What is known a priori counts where it is known for all points and for
    /// `up_to`.
    pub fn new(points: &[Point], up_to: Tasks, priors: &Priors) -> Option<Self> {
        let points: Vec<&Point> = points.iter().filter(|point| point.tasks > 1).collect();
        if points.is_empty() {
            return None;
        }
        let known = |part: usize| !priors.is_empty() && priors.values().all(|parts| parts.all()[part].0 > 0.0);
        let part_law = |part: Option<usize>| {
            let place =
                |part: Option<usize>| move |n: Tasks| Place { n, prior: part.and_then(|i| prior(priors, n, i)) };
            let (name, any, known) =
                (part.map_or("total", |i| Parts::NAMES[i]), place(part), place(part.filter(|&i| known(i))));
            let later = begins_later(name, &samples(&points, part, &any), any(up_to));
            later.or_else(|| part_law(name, &samples(&points, part, &known), known(up_to)))
        };
        let parts: Option<Vec<PartLaw>> = match points.iter().all(|point| point.parts.is_some()) {
            true => (0..Parts::NAMES.len()).map(|i| part_law(Some(i))).collect(),
            false => part_law(None).map(|law| vec![law]),
        };
        let largest = points.last().map_or(1.0, |point| point.n().0);
        let laws = Self { parts: parts?, priors: priors.clone(), largest };
        (laws.error() <= USELESS).then_some(laws)
    }

    /// How far the laws were off at the largest points before these were shown to them, as a share of the total.
    pub fn error(&self) -> f64 {
        self.parts.iter().map(|part| part.error).sum()
    }

    /// The time with so many tasks; deviations of parts add up as squares.
    pub fn at(&self, tasks: usize) -> Estimate {
        let n = Tasks(tasks as f64);
        let place = |part: usize| Place { n, prior: prior(&self.priors, n, part) };
        let (mut time, mut below, mut above) = (0.0, 0.0, 0.0);
        for (i, part) in self.parts.iter().enumerate() {
            let own = part.law.at(place(i));
            let others = || part.others.iter().map(|law| law.at(place(i)) - own).filter(|x| x.is_finite());
            let drift = own.abs() * part.drift * (n.0 / self.largest).log2().max(0.0);
            time += own;
            below += others().fold(0.0, f64::min).min(-drift).powi(2);
            above += others().fold(0.0, f64::max).max(drift).powi(2);
        }
        // Parts are taken to err independently, so their deviations add as squares.
        let (low, high) = (Seconds((time - below.sqrt()).max(0.0)), Seconds(time + above.sqrt()));
        Estimate { tasks, time: Seconds(time.max(0.0)), low, high }
    }
}

fn prior(priors: &Priors, n: Tasks, part: usize) -> Option<f64> {
    priors.get(&(n.0 as usize)).map(|parts| parts.all()[part].0)
}

fn samples(points: &[&Point], part: Option<usize>, place: &dyn Fn(Tasks) -> Place) -> Vec<Sample> {
    let value = |point: &Point| match (part, point.parts) {
        (Some(i), Some(parts)) => parts.all()[i].0,
        _ => point.total.0,
    };
    points.iter().map(|point| Sample { place: place(point.n()), value: value(point), total: point.total.0 }).collect()
}

/// Parts are known of predictions alone, which are exact.
fn precision(name: &str) -> Precision {
    if name == "total" { Precision::Measured } else { Precision::Exact }
}

/// Messages are taken one by one a priori, though a task has several under way.
fn trust(name: &str) -> Trust {
    if name == "messages" { Trust::Equal } else { Trust::First }
}

/// What takes no time at the points, and none a priori, begins where it does a priori.
fn begins_later(name: &'static str, samples: &[Sample], up_to: Place) -> Option<PartLaw> {
    let nothing = |sample: &Sample| {
        let least = SAME * sample.total;
        sample.value.abs() <= least && sample.place.prior.is_some_and(|prior| prior <= least)
    };
    let begins = up_to.prior.is_some_and(|prior| samples.last().is_some_and(|last| prior > SAME * last.total));
    (begins && trust(name) == Trust::First && samples.iter().all(nothing)).then(|| PartLaw {
        name,
        law: Law { constant: 0.0, terms: vec![(1.0, Term::Prior)] },
        error: 0.0,
        others: Vec::new(),
        drift: UNSEEN,
    })
}

fn part_law(name: &'static str, samples: &[Sample], up_to: Place) -> Option<PartLaw> {
    let positive =
        |law: &Law| samples.last().is_none_or(|s| law.at(up_to) >= -SAME * s.total.min(law.at(s.place).abs()));
    let fitted = |choice: &Choice| law::fit(&choice.form, &samples[choice.first..]).filter(positive);
    let choices = law::choices(samples, precision(name), trust(name));
    let mut laws = choices.iter().filter_map(|choice| Some((choice, fitted(choice)?)));
    let (best, law) = laws.next()?;
    let near = laws.take_while(|(choice, _)| choice.error <= AS_LIKELY * best.error + SAME).take(MOST);
    let mut others: Vec<Law> = near.map(|(_, law)| law).collect();
    others.extend(jackknife(best, samples).into_iter().filter(positive));
    let drift = best.error.max(UNSEEN) / best.beyond.max(1.0);
    Some(PartLaw { name, law, error: best.of_total, others, drift })
}

/// The law without one of the points each (Quenouille 1956).
fn jackknife(choice: &Choice, samples: &[Sample]) -> Vec<Law> {
    let samples = &samples[choice.first..];
    let without = |i: usize| [&samples[..i], &samples[i + 1..]].concat();
    let enough = samples.len() > choice.form.terms.len() + 2;
    (0..samples.len()).filter(|_| enough).filter_map(|i| law::fit(&choice.form, &without(i))).collect()
}
