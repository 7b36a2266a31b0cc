//! Costs per class that explain the times of a suite of loops: bounded least squares on the
//! logarithm of predicted over measured time, so that half and twice weigh the same, drawn gently
//! towards prior costs so that classes which always occur together share theirs sensibly.

/// One loop of the suite.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Equation {
    /// Occurrences of each class in a unit of work, by position.
    pub(crate) occurrences: Vec<f64>,
    /// Measured time of a unit, positive.
    pub time: f64,
}

/// What is believed of a class before the suite is looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Prior {
    pub cost: f64,
    /// Deviation of the cost that weighs as much as a factor e in `PRIOR_WEIGHT` loops; positive.
    pub scale: f64,
    /// The cost is never less.
    pub least: f64,
}

/// Weight of the priors against the loops: a loop's logarithm squared counts 1.
const PRIOR_WEIGHT: f64 = 0.02;
/// Steps towards the least; each solves a linear problem.
const STEPS: usize = 200;
/// Sweeps over all classes within a step.
const SWEEPS: usize = 200;
/// The share of a step that is taken: whole steps overshoot.
const DAMPING: f64 = 0.5;
const TOLERANCE: f64 = 1e-9;

/// The costs, none below its least. Each step linearises the logarithm at the costs so far (Gauss-Newton).
pub fn fit(equations: &[Equation], priors: &[Prior]) -> Vec<f64> {
    let mut costs: Vec<f64> = priors.iter().map(|prior| prior.cost).collect();
    for _ in 0..STEPS {
        let tangents: Vec<Tangent> = equations.iter().filter_map(|equation| Tangent::at(equation, &costs)).collect();
        let target = least_squares(&tangents, priors, &costs);
        let moves: Vec<f64> = target.iter().zip(&costs).map(|(new, old)| DAMPING * (new - old)).collect();
        for (cost, step) in costs.iter_mut().zip(&moves) {
            *cost += step;
        }
        if moves.iter().all(|step| step.abs() < TOLERANCE) {
            break;
        }
    }
    costs
}

/// A loop, linear around some costs.
struct Tangent {
    /// Change of the logarithm of the prediction per change of each cost.
    weights: Vec<f64>,
    /// Logarithm of measured over predicted time, at most 1 either way.
    residual: f64,
}

impl Tangent {
    /// `None` for a loop that costs nothing so far.
    fn at(equation: &Equation, costs: &[f64]) -> Option<Self> {
        let ratio = predict(equation, costs);
        let scale = ratio * equation.time;
        let weights = equation.occurrences.iter().map(|number| number / scale).collect();
        (ratio > 0.0).then(|| Self { weights, residual: (-ratio.ln()).clamp(-1.0, 1.0) })
    }
}

/// The linear problem, by coordinate descent: it is convex, so that finds the least.
fn least_squares(tangents: &[Tangent], priors: &[Prior], start: &[f64]) -> Vec<f64> {
    let mut costs = start.to_vec();
    let mut residuals: Vec<f64> = tangents.iter().map(|tangent| tangent.residual).collect();
    for _ in 0..SWEEPS {
        let mut greatest: f64 = 0.0;
        for (class, prior) in priors.iter().enumerate() {
            let change = improve(class, tangents, *prior, &mut costs, &mut residuals);
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
fn improve(class: usize, tangents: &[Tangent], prior: Prior, costs: &mut [f64], residuals: &mut [f64]) -> f64 {
    let pull = PRIOR_WEIGHT / (prior.scale * prior.scale);
    let mut slope = pull * (prior.cost - costs[class]);
    let mut curvature = pull;
    for (tangent, residual) in tangents.iter().zip(&*residuals) {
        let weight = tangent.weights[class];
        slope += weight * residual;
        curvature += weight * weight;
    }
    let moved = (costs[class] + slope / curvature).max(prior.least) - costs[class];
    costs[class] += moved;
    for (tangent, residual) in tangents.iter().zip(residuals) {
        *residual -= moved * tangent.weights[class];
    }
    moved
}
