//! A point that is evaluated to be replayed under changes.

use super::plan::{SweepPlan, fallback};
use super::point::SweepPoint;
use super::prepared::Refused;
use chronos_base::diag::Diagnostic;
use chronos_predict::{Evaluated, Job};
use chronos_report::model::Prediction;

/// One prediction with what its tasks execute.
pub struct EvaluatedRun {
    /// The program with its tasks.
    pub job: Job,
    /// The prediction as it is.
    pub prediction: Prediction,
    /// What the tasks execute; `None` where the prediction is incomplete.
    pub evaluated: Option<Evaluated>,
    /// Of evaluation, replay and prices.
    pub diagnostics: Vec<Diagnostic>,
}

impl SweepPlan {
    /// Evaluates the program of a point.
    ///
    /// # Errors
    /// The evaluation cannot be begun.
    pub fn evaluate(&self, point: &SweepPoint) -> Result<EvaluatedRun, Box<Refused>> {
        let refused = |diagnostics| Box::new(Refused { diagnostics, files: self.files(point).clone() });
        let (job, target) = (self.job(point).map_err(refused)?, self.target(point));
        let mut outcome = self.outcome(point, &job, target, None).map_err(refused)?;
        outcome.prediction.sweep.clone_from(&point.sweep);
        let mut diagnostics = outcome.diagnostics;
        diagnostics.extend(fallback(target.options.cost_model, target.machine));
        let evaluated = outcome.activity.or(outcome.once);
        Ok(EvaluatedRun { job, prediction: outcome.prediction, evaluated, diagnostics })
    }
}
