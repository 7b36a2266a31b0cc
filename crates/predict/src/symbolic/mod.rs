//! Times as expressions: counts with parameters left free, priced on a machine.
//!
//! The model `instruction-sum` is linear, so a time is a sum of counts times the cost of one
//! execution; counts are quasi-polynomials whose pieces say where they hold, and so are the times.
//! Communication is not part of it: when a message arrives is no polynomial. Knows no files, flags
//! or terminal.

mod report;
mod segments;
mod sum;
#[cfg(test)]
mod tests;
mod text;
mod volumes;

use super::{Job, Outcome, Target};
use chronos_cost::{CostModel as _, InstructionSum};
use chronos_report::model::Prediction;
use chronos_report::symbolic::SymbolicTimes;
use chronos_symbolic::{self as symbolic, SymbolicCounts};
use report::SymbolicReport;

/// Predicts computing times as expressions of the program's parameters.
pub fn predict_symbolic(job: &Job, target: Target<'_>) -> Outcome {
    let (counts, mut diagnostics) = symbolic::count(&job.program, &job.options());
    let model = InstructionSum::new(&job.program, target.machine);
    diagnostics.extend(model.diagnostics(&job.program, target.machine));
    diagnostics.extend(volumes::left_out(&job.program, &counts, &model));
    let times = times(job, &counts, &model);
    let prediction = Prediction { symbolic: Some(times), ..without_times(job, target, model.name()) };
    Outcome::of(prediction, diagnostics, None)
}

/// Prices what was counted.
fn times(job: &Job, counts: &SymbolicCounts, model: &InstructionSum) -> SymbolicTimes {
    SymbolicReport::new(job, counts, model).report()
}

/// A prediction that gives no numbers.
fn without_times(job: &Job, target: Target<'_>, cost_model: &str) -> Prediction {
    Prediction {
        platform: super::report_sections::platform(target),
        tasks_count: job.tasks,
        sweep: Vec::new(),
        total_s: None,
        interval_s: None,
        known_s: 0.0,
        cost_model: cost_model.to_owned(),
        tasks: Vec::new(),
        functions: Vec::new(),
        blocks: Vec::new(),
        call_tree: Vec::new(),
        calls: Vec::new(),
        wtime: Vec::new(),
        critical_path: Vec::new(),
        assumptions: Vec::new(),
        sensitivity: Vec::new(),
        efficiency: None,
        loops: Vec::new(),
        object_code: None,
        replayed: None,
        symbolic: None,
    }
}
