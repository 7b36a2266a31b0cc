//! A model by its parameters, as data.

use chronos_base::units::Seconds;
use chronos_scaling::Tasks;
use chronos_scaling::model::Model;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// A model by its parameters.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AnalyticData {
    /// Name of the model.
    pub name: &'static str,
    /// `T(N)`.
    pub formula: String,
    /// Times in seconds, or in any other unit that all of them have.
    pub parameters: BTreeMap<&'static str, f64>,
    /// Computation to communication; null where the model has no such ratio.
    pub ratio: Option<f64>,
    /// Null where the speedup only grows.
    pub best_tasks: Option<f64>,
    /// The speedup there.
    pub greatest_speedup: Option<f64>,
    /// By number of tasks.
    pub points: Vec<AnalyticPoint>,
}

/// What a model says of a number of tasks.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AnalyticPoint {
    /// Number of tasks.
    pub tasks: usize,
    /// In the unit of the parameters.
    pub total_s: Seconds,
    /// Relative to the work on one task without communication.
    pub speedup: f64,
    /// Speedup by the number of tasks.
    pub efficiency: f64,
}

impl AnalyticData {
    /// The model with these numbers of tasks.
    pub fn new(model: &Model, tasks: &[usize]) -> Self {
        let best = model.best_tasks();
        let point = |&tasks: &usize| {
            let n = Tasks(tasks as f64);
            let speedup = model.speedup(n);
            AnalyticPoint { tasks, total_s: model.time(n), speedup, efficiency: speedup / n.0 }
        };
        Self {
            name: model.name(),
            formula: model.formula(),
            parameters: model.parameters().into_iter().collect(),
            ratio: model.ratio(),
            best_tasks: best.map(|n| n.0),
            greatest_speedup: best.map(|n| model.speedup(n)),
            points: tasks.iter().map(point).collect(),
        }
    }
}
