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
    fn at(self, place: Place) -> f64 {
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

/// Errors below this share decide nothing; a further term must gain as much.
const NOISE: f64 = 2e-3;
/// Fewer samples than these show no law: two are held out, and two coefficients need one sample more than that.
const FEWEST: usize = 5;

/// A form that a law may have, and from which sample on it holds: with few tasks all of them may be at a border.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The terms beside the constant.
    pub terms: Vec<Term>,
    /// The position of the first sample that the law holds for.
    pub first: usize,
    /// Greatest error at the two largest samples of a fit to the others, as a share of the value.
    pub error: f64,
    /// The same as a share of the total.
    pub of_total: f64,
}

impl Choice {
    /// Later samples and more terms must each gain more than the noise. What is known a priori costs nothing: it was not
    /// chosen because it fits.
    fn rank(&self) -> f64 {
        let chosen = self.terms.iter().filter(|&&term| term != Term::Prior).count();
        self.error + NOISE * (chosen as f64 + self.first as f64 / 2.0)
    }
}

/// Choices that foretell the two largest samples best from the others, the best first; none with too few samples.
pub fn choices(samples: &[Sample]) -> Vec<Choice> {
    let starts = 0..=samples.len().saturating_sub(FEWEST);
    let enough = samples.len() >= FEWEST;
    let forms = candidates(samples.iter().all(|sample| sample.place.prior.is_some_and(|prior| prior > 0.0)));
    let all =
        starts.filter(|_| enough).flat_map(|first| forms.iter().filter_map(move |terms| judged(terms, samples, first)));
    let mut all: Vec<Choice> = all.collect();
    all.sort_by(|a, b| a.rank().total_cmp(&b.rank()));
    all
}

fn judged(terms: &[Term], samples: &[Sample], first: usize) -> Option<Choice> {
    let (known, largest) = samples[first..].split_at(samples.len() - first - 2);
    let law = (terms.len() + 1 < known.len()).then(|| fit(terms, known)).flatten()?;
    let greatest = |share: &dyn Fn(&Sample) -> f64| {
        largest.iter().map(|s| (law.at(s.place) - s.value).abs() / share(s)).max_by(f64::total_cmp)
    };
    let (error, of_total) = (greatest(&Sample::scale)?, greatest(&|s| s.total)?);
    Some(Choice { terms: terms.to_vec(), first, error, of_total })
}

/// No term, one, or two; the square alone, because beside another term it only bends what is not understood. With what
/// is known a priori alone and beside each other term.
fn candidates(has_prior: bool) -> Vec<Vec<Term>> {
    let square = Term::new(4, 0);
    let mut all = vec![Vec::new()];
    if has_prior {
        all.push(vec![Term::Prior]);
        all.extend(Term::ALL.iter().filter(|&&term| term != square).map(|&term| vec![Term::Prior, term]));
    }
    for (i, &first) in Term::ALL.iter().enumerate() {
        all.push(vec![first]);
        let others = Term::ALL[i + 1..].iter().filter(|&&second| second != square);
        all.extend(others.map(|&second| vec![first, second]));
    }
    all
}

/// Coefficients by least squares of the errors as shares of the values.
pub fn fit(terms: &[Term], samples: &[Sample]) -> Option<Law> {
    let weighted =
        |value: &dyn Fn(Place) -> f64| samples.iter().map(|s| value(s.place) / s.scale()).collect::<Vec<f64>>();
    let mut columns = vec![weighted(&|_| 1.0)];
    columns.extend(terms.iter().map(|term| weighted(&|place| term.at(place))));
    let target: Vec<f64> = samples.iter().map(|s| s.value / s.scale()).collect();
    let found = without_dust(least_squares::solve(&columns, &target)?, &columns);
    let terms = found[1..].iter().zip(terms).map(|(&c, &term)| (c, term)).collect();
    Some(Law { constant: found[0], terms })
}

/// Coefficients whose column is nowhere more than a billionth of the total are rounding errors of the solution.
fn without_dust(found: Vec<f64>, columns: &[Vec<f64>]) -> Vec<f64> {
    let largest = |column: &[f64]| column.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    found.iter().zip(columns).map(|(&c, column)| if (c * largest(column)).abs() < 1e-9 { 0.0 } else { c }).collect()
}
