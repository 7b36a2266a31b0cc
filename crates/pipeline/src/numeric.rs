//! How far expressions of free parameters are from what numbers would give.
//!
//! An expression prices each operation alike (`instruction-sum`); with numbers, the better model prices loop by loop. Who
//! reads the expression of a compiled program must be told how much lies between the two.

use super::codes;
use super::plan::SweepPlan;
use super::point::SweepPoint;
use super::prepared::PreparedProgram;
use chronos_base::diag::Diagnostic;
use chronos_cost::Source;
use chronos_predict::{self as predict, Target};
use chronos_report::model::Prediction;
use chronos_report::number::seconds;

impl SweepPlan {
    /// The note that says so; `None` where numbers are priced with the same model, and where there are no expressions.
    pub(super) fn beside_numbers(
        &self,
        point: &SweepPoint,
        target: Target<'_>,
        made: &Prediction,
    ) -> Option<Diagnostic> {
        let symbolic = made.symbolic.as_ref()?;
        if self.options.model.cost_model.is_some() || !Source::suits(target.machine) {
            return None;
        }
        let numbers = self.computed(point, target).zip(computed_by(made));
        let usual = numbers.as_ref().map_or("source", |((_, model), _)| &**model);
        let values = symbolic.parameters.iter().filter_map(|p| Some(format!("{} = {}", p.name, p.default?)));
        let by_numbers = match &numbers {
            Some(((numeric, model), expression)) => format!(
                ": at {} they give {} of computing per task, the model {model} {}",
                values.collect::<Vec<_>>().join(", "),
                seconds(*expression),
                seconds(*numeric),
            ),
            None => String::new(),
        };
        let message =
            format!("expressions are of the cost model instruction-sum, numbers of the model {usual}{by_numbers}");
        let help = "for times by that model give numbers: --set NAME=VALUE, or several: --sweep NAME=100,200,400";
        Some(Diagnostic::note(&codes::MODEL_OF_EXPRESSIONS, message).help(help))
    }

    /// Mean computing time of the tasks with the values that the parameters have without `--symbolic`, in seconds, and the
    /// cost model; `None` where the program cannot be predicted with them.
    fn computed(&self, point: &SweepPoint, target: Target<'_>) -> Option<(f64, String)> {
        let mut options = self.prepared[point.prepared].options.clone();
        options.symbolic.clear();
        let numeric = PreparedProgram::read(options, target.machine.model(), None, point.tasks > 1).ok()?;
        let mut job = numeric.job(point.tasks, &point.arguments).ok()?;
        job.object_code = self.options.compiler_use().object_codes(&numeric.options, [target.machine], &self.objects);
        let outcome = predict::predict(&job, target);
        let tasks = &outcome.prediction.tasks;
        outcome.prediction.total_s?;
        let mean = tasks.iter().map(|task| task.compute_s).sum::<f64>() / tasks.len().max(1) as f64;
        Some((mean, outcome.prediction.cost_model))
    }
}

/// The same by the expressions.
fn computed_by(made: &Prediction) -> Option<f64> {
    let symbolic = made.symbolic.as_ref()?;
    let one =
        |group: &chronos_report::symbolic::TaskTimes| Some(group.compute.at_defaults_s? * group.tasks.len() as f64);
    let sum: Option<f64> = symbolic.tasks.iter().map(one).sum();
    let tasks: usize = symbolic.tasks.iter().map(|group| group.tasks.len()).sum();
    match (sum, &symbolic.total) {
        (Some(sum), _) if tasks > 0 => Some(sum / tasks as f64),
        (_, Some(total)) if made.tasks_count == 1 => total.at_defaults_s,
        _ => None,
    }
}
