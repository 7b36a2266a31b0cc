//! Times as expressions: counts with parameters left free, priced on a machine.
//!
//! One execution of a block has one price, so a time is a sum of counts times prices; counts are quasi-polynomials
//! whose pieces say where they hold, and so are the times. Prices are those of the model `instruction-sum`, or what the model of
//! numbers gives at the default values. Communication is not part of it: when a message arrives is no polynomial. Knows no files,
//! flags or terminal.

mod prices;
mod report;
mod segments;
mod sum;
#[cfg(test)]
mod tests;
mod text;
pub mod total;
mod volumes;

use crate::Outcome;
use crate::evaluation::Job;
use crate::target::Target;
use chronos_cost::{CostModel as _, InstructionSum};
use chronos_report::model::Prediction;
use chronos_report::symbolic::{CheckedValues, SymbolicTimes};
use chronos_symbolic as symbolic;
use prices::Prices;
use report::SymbolicReport;
pub use report::default as default_value;

/// What the program takes where its parameters have values.
#[derive(Debug)]
pub struct Numbers {
    /// With their default values.
    pub at_defaults: Prediction,
    /// With others, and the mean computing time of the tasks, in seconds.
    pub elsewhere: Vec<(Vec<i64>, f64)>,
}

/// Predicts computing times as expressions of the program's parameters. With `numbers`, blocks have the prices of their cost model at
/// the default values, and the expressions are compared with numbers elsewhere.
pub fn predict_symbolic(job: &Job, target: Target<'_>, numbers: Option<&Numbers>) -> Outcome {
    let (counts, mut diagnostics) = symbolic::count(&job.program, &job.options());
    let model = InstructionSum::new(&job.program, target.machine);
    diagnostics.extend(model.diagnostics(&job.program, target.machine));
    diagnostics.extend(volumes::left_out(&job.program, &counts, &model));
    let plain = Prices::new(&model);
    let own = numbers.and_then(|numbers| {
        let at_defaults = SymbolicReport::new(job, &counts, &plain).report().blocks;
        Some((Prices::of_numbers(&model, &numbers.at_defaults, &at_defaults)?, numbers))
    });
    let name =
        own.as_ref().map_or_else(|| model.name().to_owned(), |(_, numbers)| numbers.at_defaults.cost_model.clone());
    let elsewhere = own.as_ref().map_or(&[][..], |(_, numbers)| &numbers.elsewhere);
    let prices = own.as_ref().map_or(&plain, |(prices, _)| prices);
    let report = SymbolicReport::new(job, &counts, prices);
    let checked = elsewhere.iter().filter_map(|(values, numbers_s)| {
        Some(CheckedValues {
            values: values.clone(),
            expression_s: report.computing_at(values)?,
            numbers_s: *numbers_s,
        })
    });
    let prediction = Prediction {
        symbolic: Some(SymbolicTimes { checked: checked.collect(), ..report.report() }),
        ..Prediction::unknown(super::report_sections::platform(target), job.tasks, &name)
    };
    Outcome::of(prediction, diagnostics, None)
}
