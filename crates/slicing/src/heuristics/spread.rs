//! How far what is assumed of a branch or a loop may be from what happens.
//!
//! A probability by heuristics is the mean over many branches: of one branch it says little, because most branches nearly
//! always go the same way. What is true of one is taken to be distributed about it as a beta distribution, whose
//! concentration was measured (docs/unknowns.md). How often a loop runs that its branches end lies anywhere between its
//! bounds, in the logarithm: nothing tells the order of magnitude.

use super::guess::{Grounds, Guess};

/// What is assumed of a branch, a loop or a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Assumed {
    /// In words.
    pub text: String,
    /// How far it may be off.
    pub spread: Spread,
}

/// How far an assumption may be off, by its kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Spread {
    /// Chances of the ways of a branch.
    Ways(Guess),
    /// Iterations of a loop that ends as its branches go.
    Trips {
        /// The number that is assumed.
        mean: f64,
        /// The fewest that are possible.
        least: f64,
        /// The most that are possible.
        most: f64,
    },
    /// Iterations of a loop as in its executions before.
    Seen {
        /// The mean of these.
        mean: f64,
    },
    /// Comparisons of a sort or a search of elements that are not known.
    Comparisons,
    /// Nothing tells.
    Unstated,
}

/// What the executions of blocks are to be multiplied with.
#[derive(Clone, Debug, PartialEq)]
pub struct Factors {
    /// Of the inside of a loop, and of what a call executes.
    pub inside: f64,
    /// Of the arms of a branch.
    pub arms: Vec<f64>,
    /// The iterations, or the chance of the first way, that this is for.
    pub value: f64,
}

// Concentrations of the beta distribution (the sum of its two parameters).
/// Heuristics, and where nothing speaks for either way: the most likely one for how 101 branches of 24 programs of others went,
/// each evaluated 80 times or more, against what is assumed of them (docs/unknowns.md).
const BY_HEURISTICS: f64 = 0.9;
/// A share of so many evaluations before the budget ended, at most: later ones are others.
const MOST_SEEN: f64 = 20.0;
/// Of loops that ran before the budget ended, the share that goes on as before, and by how much others are off at most: of twelve
/// means ten were within 5 %, two loops ran six times as often (docs/unknowns.md).
const AS_BEFORE: f64 = 0.8;
const OTHERS_OFF: f64 = 6.0;
/// A sort by merging of `n` elements compares half as often where they are sorted (Knuth, volume 3, 5.2.4); others compare up
/// to a third more often than is expected of random ones.
const COMPARISONS: [f64; 2] = [0.5, 1.33];
/// Fewest iterations that a logarithm is taken of.
const LEAST: f64 = 0.5;

impl Assumed {
    /// An assumption in words, with how far it may be off.
    pub fn new(text: impl Into<String>, spread: Spread) -> Self {
        Self { text: text.into(), spread }
    }

    /// Nothing tells how far it may be off.
    pub fn unstated(text: impl Into<String>) -> Self {
        Self::new(text, Spread::Unstated)
    }
}

impl Spread {
    /// It may be off by something that is known.
    pub fn varies(&self) -> bool {
        match self {
            Self::Ways(guess) => concentration(&guess.grounds).is_some() && free_chance(guess).is_some(),
            Self::Trips { mean, least, most } => *mean > 0.0 && most > least,
            Self::Seen { mean } => *mean > 0.0,
            Self::Comparisons => true,
            Self::Unstated => false,
        }
    }

    /// So many equally likely cases, from few iterations, or a small chance of the first way, to many. All of them are 1 where
    /// nothing varies.
    pub fn cases(&self, number: usize) -> Vec<Factors> {
        let shares = (0..number).map(|at| (at as f64 + 0.5) / number as f64);
        match self {
            Self::Ways(guess) => ways(guess, number),
            Self::Trips { mean, least, most } if self.varies() => {
                let (low, high) = (least.max(LEAST).ln(), most.max(LEAST).ln());
                shares.map(|share| inside(*mean, (low + share * (high - low)).exp())).collect()
            }
            Self::Seen { mean } if self.varies() => {
                shares.map(|share| inside(*mean, mean * as_before(share))).collect()
            }
            Self::Comparisons => between(COMPARISONS, shares).map(|by| inside(1.0, by)).collect(),
            Self::Trips { mean, .. } | Self::Seen { mean } => shares.map(|_| inside(1.0, 1.0).at(*mean)).collect(),
            Self::Unstated => shares.map(|_| inside(1.0, 1.0)).collect(),
        }
    }
}

impl Factors {
    fn at(self, value: f64) -> Self {
        Self { value, ..self }
    }
}

fn inside(mean: f64, trips: f64) -> Factors {
    Factors { inside: trips / mean, arms: Vec::new(), value: trips }
}

/// Most loops go on as before; the others are off either way, evenly in the logarithm.
fn as_before(share: f64) -> f64 {
    let tail = (1.0 - AS_BEFORE) / 2.0;
    let off = (share - 0.5).abs() - AS_BEFORE / 2.0;
    OTHERS_OFF.powf((off.max(0.0) / tail).copysign(share - 0.5))
}

/// Factors of which nine of ten lie between two bounds, evenly in the logarithm between and beyond them.
fn between([low, high]: [f64; 2], shares: impl Iterator<Item = f64>) -> impl Iterator<Item = f64> {
    let (low, high) = (low.ln(), high.ln());
    shares.map(move |share| (low + (share - 0.05) / 0.9 * (high - low)).exp())
}

/// How much heuristics of a kind tell of one branch; `None` where the other way is an error, which is taken not to happen.
fn concentration(grounds: &Grounds) -> Option<f64> {
    match grounds {
        Grounds::EndsProgram | Grounds::ReportsError | Grounds::NoFile => None,
        // What the user says is not doubted.
        Grounds::Parts { assumed: false } => None,
        Grounds::Seen { evaluations } => Some((*evaluations as f64 + 1.0).min(MOST_SEEN)),
        Grounds::Nothing | Grounds::Labels | Grounds::Measured(_) | Grounds::Parts { assumed: true } => {
            Some(BY_HEURISTICS)
        }
    }
}

/// The chance of the first way, where both it and another one are possible.
fn free_chance(guess: &Guess) -> Option<f64> {
    guess.arms.first().copied().filter(|&chance| chance > 0.0 && chance < 1.0)
}

/// The first way has the chance of the case, the others share the rest as before.
fn ways(guess: &Guess, number: usize) -> Vec<Factors> {
    let fixed = || vec![Factors { inside: 1.0, arms: vec![1.0; guess.arms.len()], value: 1.0 }; number];
    let (Some(strength), Some(chance)) = (concentration(&guess.grounds), free_chance(guess)) else { return fixed() };
    let case = |first: f64| {
        let (own, others) = (first / chance, (1.0 - first) / (1.0 - chance));
        let arms = (0..guess.arms.len()).map(|arm| if arm == 0 { own } else { others }).collect();
        Factors { inside: 1.0, arms, value: first }
    };
    beta_cases(chance, strength, number).into_iter().map(case).collect()
}

/// Half the width of the range of log odds in which a beta distribution is added up, and its steps.
const WIDEST: f64 = 40.0;
const STEPS: usize = 2000;

/// Quantiles of a beta distribution of this mean and sum of parameters, by adding up its density over the log odds, where it
/// has no poles.
fn beta_cases(mean: f64, strength: f64, number: usize) -> Vec<f64> {
    let (a, b) = (mean * strength, (1.0 - mean) * strength);
    let odds = |step: usize| (step as f64 / STEPS as f64 * 2.0 - 1.0) * WIDEST;
    let density = |x: f64| (-a * (-x).exp().ln_1p() - b * x.exp().ln_1p()).exp();
    let weights: Vec<f64> = (0..=STEPS).map(|step| density(odds(step))).collect();
    let all: f64 = weights.iter().sum();
    let (mut step, mut reached) = (0, weights[0]);
    let quantile = |at: usize| {
        while reached < (at as f64 + 0.5) / number as f64 * all && step < STEPS {
            step += 1;
            reached += weights[step];
        }
        1.0 / (1.0 + (-odds(step)).exp())
    };
    (0..number).map(quantile).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trips_lie_anywhere_between_their_bounds_in_the_logarithm() {
        let spread = Spread::Trips { mean: 5.0, least: 1.0, most: 400.0 };
        let cases = spread.cases(1001);
        assert!((cases[500].value / 20.0 - 1.0).abs() < 0.01);
        assert!((cases[500].inside / 4.0 - 1.0).abs() < 0.01);
        assert!(!Spread::Trips { mean: 4.0, least: 4.0, most: 4.0 }.varies());
    }

    #[test]
    fn most_loops_go_on_as_before() {
        let cases = Spread::Seen { mean: 10.0 }.cases(1000);
        assert_eq!((cases[150].value, cases[850].value), (10.0, 10.0));
        // Half of a tail of a tenth.
        assert!((cases[50].inside - 6f64.powf(-0.5)).abs() < 0.01 && (cases[950].inside - 6f64.powf(0.5)).abs() < 0.03);
    }

    #[test]
    fn the_mean_of_chances_is_what_is_assumed() {
        for (mean, strength) in [(0.5, 1.0), (0.16, 0.9), (0.9, 20.0)] {
            let cases = beta_cases(mean, strength, 4000);
            let found = cases.iter().sum::<f64>() / 4000.0;
            assert!((found - mean).abs() < 0.01, "{mean} {strength}: {found}");
        }
        // Quantiles of beta(10, 10), from tables: 0.3201 and 0.6799.
        let cases = beta_cases(0.5, 20.0, 1000);
        assert!((cases[50] - 0.3201).abs() < 0.02 && (cases[950] - 0.6799).abs() < 0.02);
    }

    #[test]
    fn the_ways_of_a_branch_keep_their_sum() {
        let guess = Guess { arms: vec![0.2, 0.3], none: 0.5, grounds: Grounds::Labels };
        for case in Spread::Ways(guess).cases(9) {
            let others = case.arms[1] * 0.3 + 0.5 * case.arms[1];
            assert!((case.arms[0] * 0.2 + others - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn errors_are_taken_not_to_happen() {
        let guess = Guess { arms: vec![0.0], none: 1.0, grounds: Grounds::ReportsError };
        assert!(!Spread::Ways(guess).varies());
    }
}
