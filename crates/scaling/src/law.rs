//! Laws of the parts of a time: sums of powers and logarithms of the number of tasks.
//!
//! The form is the performance model normal form of Extra-P (Calotoiu and others, SC13), with at most two terms beside
//! the constant. Extra-P allows negative coefficients as well: means over the tasks of a chain grow as `1 - 1/N`.

use super::{Tasks, least_squares};

/// What a law adds up, times a coefficient each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// `N^(halves/2) * log2(N)^logs`.
    Power {
        /// Twice the exponent of N.
        halves: i8,
        /// The exponent of the logarithm.
        logs: u8,
    },
    /// What calls and bytes of the program say a priori ([`super::Priors`]).
    Prior,
}

/// Where a law is evaluated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The number of tasks.
    pub n: Tasks,
    /// The value of [`Term::Prior`] with so many tasks; `None` where it is not known.
    pub prior: Option<f64>,
}

impl Term {
    const fn new(halves: i8, logs: u8) -> Self {
        Self::Power { halves, logs }
    }

    /// Those that algorithms of computing and of collective operations have.
    const ALL: [Self; 11] = [
        Self::new(-4, 0),
        Self::new(-2, 0),
        Self::new(-1, 0),
        Self::new(-2, 1),
        Self::new(0, 1),
        Self::new(0, 2),
        Self::new(1, 0),
        Self::new(1, 1),
        Self::new(2, 0),
        Self::new(2, 1),
        Self::new(4, 0),
    ];

    /// Not a number where it is not known.
    pub(crate) fn at(self, place: Place) -> f64 {
        let n = place.n.0;
        match self {
            Self::Power { halves, logs } => n.powf(f64::from(halves) / 2.0) * n.log2().powi(i32::from(logs)),
            Self::Prior => place.prior.unwrap_or(f64::NAN),
        }
    }

    /// As Python and people write it.
    pub fn text(self) -> String {
        let Self::Power { halves, logs } = self else { return "a_priori(N)".to_owned() };
        let power = match halves {
            0 => String::new(),
            1 => "sqrt(N)".to_owned(),
            -1 => "1/sqrt(N)".to_owned(),
            2 => "N".to_owned(),
            -2 => "1/N".to_owned(),
            -4 => "1/N**2".to_owned(),
            halves if halves % 2 == 0 => format!("N**{}", halves / 2),
            halves => format!("N**({halves}/2)"),
        };
        let logs = match logs {
            0 => String::new(),
            1 => "log2(N)".to_owned(),
            logs => format!("log2(N)**{logs}"),
        };
        match (power.is_empty(), logs.is_empty()) {
            (false, false) => format!("{logs}*{power}"),
            _ => power + &logs,
        }
    }
}

/// A constant and terms with their coefficients, in the unit of the samples: seconds, or calls and bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Law {
    /// What does not depend on the number of tasks.
    pub constant: f64,
    /// Terms with their coefficients; at most two.
    pub terms: Vec<(f64, Term)>,
}

impl Law {
    /// The value there.
    pub fn at(&self, place: Place) -> f64 {
        self.constant + self.terms.iter().map(|(c, term)| c * term.at(place)).sum::<f64>()
    }

    /// As Python writes it (`log2` and `sqrt` are functions); terms whose coefficient is 0 are left out.
    pub fn python(&self, number: &dyn Fn(f64) -> String) -> String {
        let constant = (self.constant != 0.0).then(|| number(self.constant));
        let terms = self.terms.iter().filter(|(c, _)| *c != 0.0);
        let terms = terms.map(|&(c, term)| format!("{}*{}", number(c), term.text()));
        let all: Vec<String> = constant.into_iter().chain(terms).collect();
        if all.is_empty() { "0".to_owned() } else { all.join(" + ").replace("+ -", "- ") }
    }
}

/// A value that a law is to give.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// The number of tasks, with what is known of the value a priori.
    pub place: Place,
    /// The value of the part.
    pub value: f64,
    /// The total that it is a part of.
    pub total: f64,
}

/// A part that is less than this share of the total is not looked at more closely than as this share.
const SMALL: f64 = 0.01;

impl Sample {
    /// What errors count as shares of: the part itself, because a part that is small at the points may be most of the
    /// time far beyond them.
    fn scale(&self) -> f64 {
        self.value.abs().max(SMALL * self.total)
    }
}

/// How exact samples are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Predicted or counted: only whole numbers of rows and bytes disturb them.
    Exact,
    /// Measured.
    Measured,
}

impl Precision {
    /// Errors below this share decide nothing; a further term must gain as much.
    fn noise(self) -> f64 {
        match self {
            Self::Exact => 2e-4,
            Self::Measured => 2e-3,
        }
    }
}

/// Fewer samples than these show no law.
const FEWEST: usize = 4;
/// With so many samples two of them are held out, with fewer one.
const TWO_HELD_OUT: usize = 5;

/// What a law adds up.
#[derive(Clone, Debug, PartialEq)]
pub struct Form {
    /// There is a constant.
    pub constant: bool,
    /// At most two.
    pub terms: Vec<Term>,
}

impl Form {
    fn coefficients(&self) -> usize {
        usize::from(self.constant) + self.terms.len()
    }
}

/// A form that a law may have, and from which sample on it holds: with few tasks all of them may be at a border.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// What is added up.
    pub form: Form,
    /// The position of the first sample that the law holds for.
    pub first: usize,
    /// Greatest error at the held-out samples, the largest ones, of a fit to the others, as a share of the value.
    pub error: f64,
    /// The same as a share of the total.
    pub of_total: f64,
    rank: f64,
    /// Doublings of the number of tasks that the held-out samples lie beyond the others.
    pub beyond: f64,
}

impl Choice {
    /// Later samples and more coefficients must each gain more than the noise. What is known a priori comes first as long
    /// as it explains the points well: it was not chosen because it fits, and follows algorithms that change beyond them.
    fn ranked(self, law: &Law, noise: f64, trust: Trust) -> Self {
        let as_known = |(c, term): &(f64, Term)| *term == Term::Prior && AS_KNOWN.contains(c);
        let known = trust == Trust::First && law.terms.iter().any(as_known);
        let ahead = if known { KNOWN_AHEAD } else { 0.0 };
        let chosen = self.form.coefficients() as f64;
        Self { rank: self.error + noise * (chosen + self.first as f64 / 2.0) - ahead, ..self }
    }
}

/// What [`Term::Prior`] is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// It knows what no curve does: how calls of so many tasks are carried out.
    First,
    /// As much as any other term.
    Equal,
}

/// A curve must be better than what is known a priori by this share of the value.
const KNOWN_AHEAD: f64 = 0.05;

/// A factor of what is known a priori in this range means that the calls take about what they take by themselves.
const AS_KNOWN: std::ops::RangeInclusive<f64> = 0.5..=2.0;

/// Choices that foretell the largest samples best from the others, the best first; none with too few samples.
pub fn choices(samples: &[Sample], precision: Precision, trust: Trust) -> Vec<Choice> {
    let starts = 0..=samples.len().saturating_sub(FEWEST);
    let enough = samples.len() >= FEWEST;
    let forms = candidates(samples.iter().all(|sample| sample.place.prior.is_some_and(|prior| prior > 0.0)));
    // Some time is always left of what was measured, however many tasks there are.
    let possible = |form: &&Form| form.constant || precision == Precision::Exact;
    let judge = Judge { precision, trust };
    let judged =
        |first: usize| forms.iter().filter(possible).filter_map(move |form| judge.choice(form, samples, first));
    let mut all: Vec<Choice> = starts.filter(|_| enough).flat_map(judged).collect();
    all.sort_by(|a, b| a.rank.total_cmp(&b.rank));
    all
}

/// By what forms are chosen.
#[derive(Clone, Copy)]
struct Judge {
    precision: Precision,
    trust: Trust,
}

impl Judge {
    fn choice(self, form: &Form, samples: &[Sample], first: usize) -> Option<Choice> {
        let Self { precision, trust } = self;
        let samples = &samples[first..];
        let held_out = if samples.len() >= TWO_HELD_OUT { 2 } else { 1 };
        let (known, largest) = samples.split_at(samples.len() - held_out);
        let law = (form.coefficients() < known.len()).then(|| fit(form, known)).flatten()?;
        let greatest = |share: &dyn Fn(&Sample) -> f64| {
            largest.iter().map(|s| (law.at(s.place) - s.value).abs() / share(s)).max_by(f64::total_cmp)
        };
        let (error, of_total) = (greatest(&Sample::scale)?, greatest(&|s| s.total)?);
        // One sample may be foretold by chance, unless it is exactly.
        if held_out < 2 && (precision == Precision::Measured || error > 10.0 * precision.noise()) {
            return None;
        }
        let choice =
            Choice { form: form.clone(), first, error, of_total, rank: 0.0, beyond: doublings(known, largest) };
        Some(choice.ranked(&law, precision.noise(), trust))
    }
}

fn doublings(known: &[Sample], largest: &[Sample]) -> f64 {
    let last = |samples: &[Sample]| samples.last().map_or(1.0, |sample| sample.place.n.0);
    (last(largest) / last(known)).log2()
}

/// No term, one, or two; the square alone, because beside another term it only bends what is not understood. With what
/// is known a priori alone and beside each other term. One term may be without a constant: the work of a task that falls
/// as 1/N leaves none.
fn candidates(has_prior: bool) -> Vec<Form> {
    let square = Term::new(4, 0);
    let form = |constant: bool, terms: &[Term]| Form { constant, terms: terms.to_vec() };
    let mut all = vec![form(true, &[])];
    if has_prior {
        all.extend([false, true].map(|constant| form(constant, &[Term::Prior])));
        // What is not in the calls themselves, such as who comes late, hardly grows faster than they do.
        let beside = Term::ALL.iter().filter(|term| matches!(term, Term::Power { halves: ..=0, .. }));
        all.extend(beside.map(|&term| form(true, &[Term::Prior, term])));
    }
    for (i, &first) in Term::ALL.iter().enumerate() {
        all.extend([false, true].map(|constant| form(constant, &[first])));
        for &second in Term::ALL[i + 1..].iter().filter(|&&second| second != square) {
            all.push(form(true, &[first, second]));
            // `(N-1)/N^2` of what is divided goes to others.
            if [first, second] == [Term::new(-4, 0), Term::new(-2, 0)] {
                all.push(form(false, &[first, second]));
            }
        }
    }
    all
}

/// Coefficients by least squares of the errors as shares of the values.
pub fn fit(form: &Form, samples: &[Sample]) -> Option<Law> {
    let weighted =
        |value: &dyn Fn(Place) -> f64| samples.iter().map(|s| value(s.place) / s.scale()).collect::<Vec<f64>>();
    let mut columns: Vec<Vec<f64>> = form.constant.then(|| weighted(&|_| 1.0)).into_iter().collect();
    columns.extend(form.terms.iter().map(|term| weighted(&|place| term.at(place))));
    let target: Vec<f64> = samples.iter().map(|s| s.value / s.scale()).collect();
    let found = without_dust(least_squares::solve(&columns, &target)?, &columns);
    let (constant, coefficients) = found.split_at(usize::from(form.constant));
    let terms = coefficients.iter().copied().zip(form.terms.iter().copied()).collect();
    Some(Law { constant: constant.first().copied().unwrap_or(0.0), terms })
}

/// Coefficients whose column is nowhere more than a billionth of the total are rounding errors of the solution.
fn without_dust(found: Vec<f64>, columns: &[Vec<f64>]) -> Vec<f64> {
    let largest = |column: &[f64]| column.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    found.iter().zip(columns).map(|(&c, column)| if (c * largest(column)).abs() < 1e-9 { 0.0 } else { c }).collect()
}
