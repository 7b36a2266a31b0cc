//! A time as a formula of several parameters: the number of tasks and what a program is given.
//!
//! The form is that of Extra-P for several parameters (Calotoiu and others, CLUSTER 2016): a sum of products of powers and logarithms.
//! Which products are there is chosen by what each sample is foretold by the others (PRESS; Allen 1974), so that a term has to earn
//! its place. It knows nothing of what the parameters are.

use super::Tasks;
use super::law::{Place, Term};
use super::least_squares::{self, Basis};

/// What a parameter is, as far as its powers go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// A size or a number of steps: what is done grows with it.
    Size,
    /// Tasks share the work, and communicate in trees, rings and grids.
    Tasks,
}

impl Axis {
    /// The powers that it may have in a product, the simplest first; the first is 1.
    fn terms(self) -> &'static [Term] {
        const fn power(halves: i8, logs: u8) -> Term {
            Term::Power { halves, logs }
        }
        const SIZE: [Term; 6] = [power(0, 0), power(2, 0), power(4, 0), power(0, 1), power(2, 1), power(6, 0)];
        const TASKS: [Term; 8] = [
            power(0, 0),
            power(-2, 0),
            power(0, 1),
            power(2, 0),
            power(-1, 0),
            power(1, 0),
            power(-2, 1),
            power(-4, 0),
        ];
        match self {
            Self::Size => &SIZE,
            Self::Tasks => &TASKS,
        }
    }
}

/// A part of a time where the parameters have some values.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// Values of the parameters, in their order.
    pub at: Vec<f64>,
    /// The part.
    pub value: f64,
    /// The total that it is a part of; errors are shares of it.
    pub total: f64,
}

/// A sum of products, in the unit of what was observed.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    /// Coefficients, each with a power for every parameter.
    pub products: Vec<(f64, Vec<Term>)>,
}

/// More products would follow the samples, not the program.
const MOST_PRODUCTS: usize = 6;

/// So many samples stand behind each product at least.
const SAMPLES_EACH: usize = 3;

/// A further product has to bring the error below this share of what it was.
const WORTH: f64 = 0.75;

/// A sum whose products are taken away from each other holds where it was fitted alone: it has to be so many times as good as one that
/// only adds up.
const TAKEN_AWAY: f64 = 2.0;

/// Whole powers are what loops and messages make; a root or a logarithm has to be better by this factor.
const IS_ODD: f64 = 1.3;

/// A product that is nowhere more than this share of the total is a rounding error of the fit.
const DUST: f64 = 1e-6;

/// Errors below this share of the total are rows and bytes that are whole numbers.
const ENOUGH: f64 = 1e-4;

impl Formula {
    /// The value there.
    pub fn at(&self, values: &[f64]) -> f64 {
        self.products.iter().map(|(coefficient, product)| coefficient * value(product, values)).sum()
    }

    /// Both together; equal products are one.
    pub fn plus(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        for (coefficient, product) in &other.products {
            match sum.products.iter_mut().find(|(_, known)| known == product) {
                Some((known, _)) => *known += coefficient,
                None => sum.products.push((*coefficient, product.clone())),
            }
        }
        sum
    }

    /// The formula that foretells the observed values best; `None` where there are too few of them.
    pub fn fit(axes: &[Axis], observed: &[Observed]) -> Option<Self> {
        if observed.iter().all(|one| one.value.abs() <= ENOUGH * one.total) {
            return Some(Self { products: Vec::new() });
        }
        let most = (observed.len() / SAMPLES_EACH).min(MOST_PRODUCTS);
        let search = Search::new(axes, observed);
        let chosen = search.choose(most)?;
        let columns = search.columns_of(&chosen);
        let found = least_squares::solve(&columns, &search.target)?;
        let largest = |column: &[f64]| column.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let share = |(&c, column): (&f64, &Vec<f64>)| (c * largest(column)).abs();
        let products = found.iter().zip(&columns).map(share).zip(found.iter().zip(&chosen));
        let mut products: Vec<_> = products.filter(|(share, _)| *share >= DUST).collect();
        products.sort_by(|a, b| b.0.total_cmp(&a.0));
        let products = products.into_iter().map(|(_, (&c, &at))| (c, search.products[at].clone())).collect();
        Some(Self { products })
    }
}

fn value(product: &[Term], values: &[f64]) -> f64 {
    let factor = |(term, &value): (&Term, &f64)| term.at(Place { n: Tasks(value), prior: None });
    product.iter().zip(values).map(factor).product()
}

/// Roots, logarithms of sizes, and logarithms beside a power.
fn odd_factors(product: &[Term]) -> i32 {
    let odd =
        |term: &&Term| matches!(term, Term::Power { halves, logs } if halves % 2 != 0 || (*logs > 0 && *halves != 0));
    product.iter().filter(odd).count() as i32
}

/// All products with their values at the samples, as shares of the totals.
struct Search {
    products: Vec<Vec<Term>>,
    columns: Vec<Vec<f64>>,
    target: Vec<f64>,
}

impl Search {
    fn new(axes: &[Axis], observed: &[Observed]) -> Self {
        let mut products: Vec<Vec<Term>> = vec![Vec::new()];
        for axis in axes {
            let with = |product: &Vec<Term>| {
                let longer = |term: &Term| product.iter().copied().chain([*term]).collect::<Vec<Term>>();
                axis.terms().iter().map(longer).collect::<Vec<_>>()
            };
            products = products.iter().flat_map(with).collect();
        }
        let column = |product: &Vec<Term>| observed.iter().map(|one| value(product, &one.at) / one.total).collect();
        let columns = products.iter().map(column).collect();
        let target = observed.iter().map(|one| one.value / one.total).collect();
        Self { products, columns, target }
    }

    fn columns_of(&self, chosen: &[usize]) -> Vec<Vec<f64>> {
        chosen.iter().map(|&at| self.columns[at].clone()).collect()
    }

    /// By what sums are compared, of those chosen and one more: how far samples are off that are foretold by the others, and how plain
    /// the sum is; infinite where it cannot be less than `least`.
    fn error(&self, others: &Basis, chosen: &[usize], candidate: usize, least: f64) -> f64 {
        let Some(found) = others.foretelling_error(&self.columns[candidate]) else { return f64::INFINITY };
        let odd: i32 = chosen.iter().map(|&at| odd_factors(&self.products[at])).sum();
        let plain = found.max(ENOUGH / 10.0) * IS_ODD.powi(odd);
        if plain >= least {
            return f64::INFINITY;
        }
        let solved = least_squares::solve(&self.columns_of(chosen), &self.target);
        match solved.map(|solved| solved.iter().any(|&coefficient| coefficient < 0.0)) {
            Some(true) => plain * TAKEN_AWAY,
            Some(false) => plain,
            None => f64::INFINITY,
        }
    }

    /// Adds the product that gains most while it is worth it, and exchanges each for a better one.
    fn choose(&self, most: usize) -> Option<Vec<usize>> {
        let (mut chosen, mut error) = (Vec::new(), f64::INFINITY);
        while chosen.len() < most && error > ENOUGH {
            let mut longer = chosen.clone();
            longer.push(0);
            let last = longer.len() - 1;
            let found = self.best_in(&mut longer, last);
            let found = self.exchanged(&mut longer, found);
            if found >= WORTH * error {
                break;
            }
            (chosen, error) = (longer, found);
        }
        error.is_finite().then_some(chosen)
    }

    /// Puts the best product into a place; its error.
    fn best_in(&self, chosen: &mut [usize], place: usize) -> f64 {
        let mut others = Basis::new(&self.target);
        let kept: Vec<usize> = (0..chosen.len()).filter(|&at| at != place).map(|at| chosen[at]).collect();
        kept.iter().for_each(|&at| others.add(&self.columns[at]));
        let (mut best, mut least) = (chosen[place], f64::INFINITY);
        for candidate in (0..self.products.len()).filter(|candidate| !kept.contains(candidate)) {
            chosen[place] = candidate;
            let error = self.error(&others, chosen, candidate, least);
            if error < least {
                (best, least) = (candidate, error);
            }
        }
        chosen[place] = best;
        least
    }

    fn exchanged(&self, chosen: &mut [usize], mut error: f64) -> f64 {
        loop {
            let before = error;
            (0..chosen.len()).for_each(|place| error = self.best_in(chosen, place));
            // Equal up to rounding is no gain.
            if error >= before * (1.0 - 1e-6) {
                return error;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observed(f: &dyn Fn(f64, f64) -> f64) -> Vec<Observed> {
        let sizes = [32.0, 64.0, 128.0, 256.0, 512.0];
        let tasks = [2.0, 4.0, 8.0, 16.0, 32.0];
        let one = |n: f64, p: f64| Observed { at: vec![n, p], value: f(n, p), total: f(n, p) };
        sizes.iter().flat_map(|&n| tasks.iter().map(move |&p| one(n, p))).collect()
    }

    #[test]
    fn what_a_stencil_takes_is_found_and_holds_elsewhere() {
        let time = |n: f64, p: f64| 2e-9 * n * n / p + 8e-8 * n + 3e-5 * p.log2() + 1e-4;
        let formula = Formula::fit(&[Axis::Size, Axis::Tasks], &observed(&time)).expect("a formula");
        assert_eq!(formula.products.len(), 4, "{formula:?}");
        for (n, p) in [(100.0, 3.0), (700.0, 48.0), (2048.0, 128.0)] {
            let (found, expected) = (formula.at(&[n, p]), time(n, p));
            assert!((found / expected - 1.0).abs() < 1e-3, "{found} {expected}");
        }
    }

    #[test]
    fn whole_rows_do_not_add_terms() {
        let time = |n: f64, p: f64| 1e-8 * n * (n / p).ceil() + 1e-4;
        let formula = Formula::fit(&[Axis::Size, Axis::Tasks], &observed(&time)).expect("a formula");
        assert!(formula.products.len() <= 3, "{formula:?}");
    }

    #[test]
    fn nothing_is_no_product_and_too_few_samples_are_no_formula() {
        let nothing: Vec<Observed> =
            observed(&|_, _| 1.0).into_iter().map(|one| Observed { value: 0.0, ..one }).collect();
        assert_eq!(Formula::fit(&[Axis::Size, Axis::Tasks], &nothing).map(|f| f.products.len()), Some(0));
        assert_eq!(Formula::fit(&[Axis::Size, Axis::Tasks], &observed(&|n, _| n)[..2]), None);
    }

    #[test]
    fn equal_products_are_added_up() {
        let one = Formula { products: vec![(1.0, vec![Term::Power { halves: 2, logs: 0 }])] };
        assert_eq!(one.plus(&one).products.len(), 1);
        assert!((one.plus(&one).at(&[3.0]) - 6.0).abs() < 1e-12);
    }
}
