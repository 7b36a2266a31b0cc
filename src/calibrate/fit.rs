//! Costs per class that explain the times of a suite of loops: non-negative least squares on relative
//! errors, drawn gently towards prior costs so that classes which always occur together share theirs sensibly.

/// One loop of the suite.
#[derive(Clone, Debug, PartialEq)]
pub struct Equation {
    /// Occurrences of each class in a unit of work, by position.
    pub occurrences: Vec<f64>,
    /// Measured time of a unit, positive.
    pub time: f64,
}

/// What is believed of a class before the suite is looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    pub cost: f64,
    /// Deviation of the cost that weighs as much as an error of 100 % in `1 / weight` loops; positive.
    pub scale: f64,
}

/// Weight of the priors against the loops: a loop's relative error squared counts 1.
const PRIOR_WEIGHT: f64 = 0.005;
const ROUNDS: usize = 20_000;
const TOLERANCE: f64 = 1e-10;

/// The costs, none negative, by coordinate descent (the problem is convex, so it finds the least).
pub fn fit(equations: &[Equation], priors: &[Prior]) -> Vec<f64> {
    let mut costs: Vec<f64> = priors.iter().map(|prior| prior.cost).collect();
    let mut residuals: Vec<f64> = equations.iter().map(|equation| 1.0 - predict(equation, &costs)).collect();
    for _ in 0..ROUNDS {
        let mut greatest: f64 = 0.0;
        for class in 0..costs.len() {
            let change = improve(class, equations, priors[class], &mut costs, &mut residuals);
            greatest = greatest.max(change.abs());
        }
        if greatest < TOLERANCE {
            break;
        }
    }
    costs
}

/// Predicted over measured time of a loop.
pub fn predict(equation: &Equation, costs: &[f64]) -> f64 {
    equation.occurrences.iter().zip(costs).map(|(number, cost)| number * cost).sum::<f64>() / equation.time
}

/// Moves one cost to where the sum of squares is least, others fixed; returns by how much.
fn improve(class: usize, equations: &[Equation], prior: Prior, costs: &mut [f64], residuals: &mut [f64]) -> f64 {
    let pull = PRIOR_WEIGHT / (prior.scale * prior.scale);
    let mut slope = pull * (prior.cost - costs[class]);
    let mut curvature = pull;
    for (equation, residual) in equations.iter().zip(&*residuals) {
        let weight = equation.occurrences[class] / equation.time;
        slope += weight * residual;
        curvature += weight * weight;
    }
    let moved = (costs[class] + slope / curvature).max(0.0) - costs[class];
    costs[class] += moved;
    for (equation, residual) in equations.iter().zip(residuals) {
        *residual -= moved * equation.occurrences[class] / equation.time;
    }
    moved
}
