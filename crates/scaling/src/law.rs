//! Laws of the parts of a time: sums of powers and logarithms of the number of tasks.
//!
//! The form is the performance model normal form of Extra-P (Calotoiu and others, SC13), with at most two terms beside
//! the constant. Extra-P allows negative coefficients as well: means over the tasks of a chain grow as `1 - 1/N`.

use super::{Tasks, least_squares};
use chronos_base::units::Seconds;

/// `N^(halves/2) * log2(N)^logs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// Twice the exponent of N.
    pub halves: i8,
    /// The exponent of the logarithm.
    pub logs: u8,
}

impl Term {
    const fn new(halves: i8, logs: u8) -> Self {
        Self { halves, logs }
    }

    /// Those that algorithms of computing and of collective operations have.
    const ALL: [Self; 10] = [
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

    fn at(self, n: Tasks) -> f64 {
        n.0.powf(f64::from(self.halves) / 2.0) * n.0.log2().powi(i32::from(self.logs))
    }

    /// As Python and people write it.
    pub fn text(self) -> String {
        let power = match self.halves {
            0 => String::new(),
            1 => "sqrt(N)".to_owned(),
            -1 => "1/sqrt(N)".to_owned(),
            2 => "N".to_owned(),
            -2 => "1/N".to_owned(),
            halves if halves % 2 == 0 => format!("N**{}", halves / 2),
            halves => format!("N**({halves}/2)"),
        };
        let logs = match self.logs {
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

/// A constant and terms with their coefficients, in seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Law {
    /// What does not depend on the number of tasks.
    pub constant: Seconds,
    /// Terms with their coefficients; at most two.
    pub terms: Vec<(Seconds, Term)>,
}

impl Law {
    /// The value with so many tasks.
    pub fn at(&self, n: Tasks) -> Seconds {
        Seconds(self.constant.0 + self.terms.iter().map(|(c, term)| c.0 * term.at(n)).sum::<f64>())
    }
}

/// A value that a law is to give, with the total that it is a part of: errors count as shares of the total.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// The number of tasks.
    pub n: Tasks,
    /// The value of the part.
    pub value: Seconds,
    /// The total that it is a part of.
    pub total: Seconds,
}

/// Errors below this share of the total decide nothing; a further term must gain as much.
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
    /// Greatest error at the two largest samples of a fit to the others, as a share of the total.
    pub error: f64,
}

impl Choice {
    /// Later samples and more terms must each gain more than the noise.
    fn rank(&self) -> f64 {
        self.error + NOISE * (self.terms.len() as f64 + self.first as f64 / 2.0)
    }
}

/// Choices that foretell the two largest samples best from the others, the best first; none with too few samples.
pub fn choices(samples: &[Sample]) -> Vec<Choice> {
    let starts = 0..=samples.len().saturating_sub(FEWEST);
    let enough = samples.len() >= FEWEST;
    let forms = candidates();
    let all =
        starts.filter(|_| enough).flat_map(|first| forms.iter().filter_map(move |terms| judged(terms, samples, first)));
    let mut all: Vec<Choice> = all.collect();
    all.sort_by(|a, b| a.rank().total_cmp(&b.rank()));
    all
}

fn judged(terms: &[Term], samples: &[Sample], first: usize) -> Option<Choice> {
    let (known, largest) = samples[first..].split_at(samples.len() - first - 2);
    let law = (terms.len() + 1 < known.len()).then(|| fit(terms, known)).flatten()?;
    let error = |s: &Sample| (law.at(s.n).0 - s.value.0).abs() / s.total.0;
    let error = largest.iter().map(error).max_by(f64::total_cmp)?;
    Some(Choice { terms: terms.to_vec(), first, error })
}

/// No term, one, or two; the square alone, because beside another term it only bends what is not understood.
fn candidates() -> Vec<Vec<Term>> {
    let square = Term::new(4, 0);
    let mut all = vec![Vec::new()];
    for (i, &first) in Term::ALL.iter().enumerate() {
        all.push(vec![first]);
        let others = Term::ALL[i + 1..].iter().filter(|&&second| second != square);
        all.extend(others.map(|&second| vec![first, second]));
    }
    all
}

/// Coefficients by least squares of the errors as shares of the totals.
pub fn fit(terms: &[Term], samples: &[Sample]) -> Option<Law> {
    let weighted = |value: &dyn Fn(Tasks) -> f64| samples.iter().map(|s| value(s.n) / s.total.0).collect::<Vec<f64>>();
    let mut columns = vec![weighted(&|_| 1.0)];
    columns.extend(terms.iter().map(|term| weighted(&|n| term.at(n))));
    let target: Vec<f64> = samples.iter().map(|s| s.value.0 / s.total.0).collect();
    let found = without_dust(least_squares::solve(&columns, &target)?, &columns);
    let terms = found[1..].iter().zip(terms).map(|(&c, &term)| (Seconds(c), term)).collect();
    Some(Law { constant: Seconds(found[0]), terms })
}

/// Coefficients whose column is nowhere more than a billionth of the total are rounding errors of the solution.
fn without_dust(found: Vec<f64>, columns: &[Vec<f64>]) -> Vec<f64> {
    let largest = |column: &[f64]| column.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    found.iter().zip(columns).map(|(&c, column)| if (c * largest(column)).abs() < 1e-9 { 0.0 } else { c }).collect()
}
