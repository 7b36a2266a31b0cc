//! Numbers for expressions of free parameters.
//!
//! A model of numbers prices loop by loop, with the vectors, recurrences and caches of one size. An expression takes its price of each
//! block at the values that the parameters have without `--symbolic`; how far it then is from numbers at other values is found by
//! predicting some.

use super::codes;
use super::options::ProgramOptions;
use super::plan::SweepPlan;
use super::point::SweepPoint;
use super::prepared::PreparedProgram;
use super::sweeps::with_values;
use super::values::Setting;
use chronos_base::diag::Diagnostic;
use chronos_cost::{ModelName, Source};
use chronos_ir::{Parameter, ParameterKind};
use chronos_predict::symbolic::{Numbers, default_value, predict_symbolic};
use chronos_predict::{self as predict, Job, Outcome, Target};
use chronos_report::model::{Prediction, SweepValue};
use chronos_report::number::seconds;
use chronos_report::symbolic::{CheckedValues, SymbolicTimes};

/// Multiples of the default values at which expressions are compared with numbers: small sizes have other loops, large ones are in
/// other caches.
const CHECKED: [f64; 2] = [0.5, 2.0];

impl SweepPlan {
    /// Expressions of a point's program, with what numbers say of them.
    pub(super) fn expressions(&self, point: &SweepPoint, job: &Job, target: Target<'_>) -> Outcome {
        let numbers = self.numbers(point, job, target);
        let mut outcome = predict_symbolic(job, target, numbers.as_ref());
        let symbolic = outcome.prediction.symbolic.as_ref();
        let notes = symbolic.and_then(|symbolic| note(symbolic, &outcome.prediction.cost_model));
        let plain = numbers.is_none() && as_numbers(target);
        outcome.diagnostics.extend(notes.or_else(|| plain.then(without_numbers)));
        self.add_total(&mut outcome, point, job, target, numbers.as_ref().map(|numbers| &numbers.at_defaults));
        outcome
    }

    /// Numbers at the values that the parameters have without `--symbolic`, and at multiples of them; `None` where expressions are to be
    /// of the model instruction-sum, or where the program cannot be predicted with these values.
    fn numbers(&self, point: &SweepPoint, job: &Job, target: Target<'_>) -> Option<Numbers> {
        if !as_numbers(target) {
            return None;
        }
        let parameters: Vec<&Parameter> = job.program.parameters.values().collect();
        let defaults: Vec<i64> =
            parameters.iter().map(|parameter| default_value(parameter, job)).collect::<Option<_>>()?;
        let at_defaults = self.predicted_at_defaults(point, target)?;
        let elsewhere = CHECKED.iter().filter_map(|factor| {
            let values: Vec<i64> = defaults.iter().map(|&value| (value as f64 * factor).round() as i64).collect();
            // Half of 1 is 1 again.
            let found =
                (values != defaults).then(|| self.predicted_at(point, target, &parameters, &values, point.tasks))??;
            // Of another model it would be the distance between models.
            (found.cost_model == at_defaults.cost_model).then(|| Some((values, computing(&found)?)))?
        });
        let elsewhere = elsewhere.collect();
        Some(Numbers { at_defaults, elsewhere })
    }

    /// With the values that the parameters have without `--symbolic`.
    pub(super) fn predicted_at_defaults(&self, point: &SweepPoint, target: Target<'_>) -> Option<Prediction> {
        let own = self.prepared[point.prepared].options.clone();
        self.predicted(target, own, &point.arguments, point.tasks)
    }

    pub(super) fn predicted_at(
        &self,
        point: &SweepPoint,
        target: Target<'_>,
        parameters: &[&Parameter],
        values: &[i64],
        tasks: usize,
    ) -> Option<Prediction> {
        let (mut settings, mut given, mut arguments) = (Vec::new(), Vec::new(), point.arguments.clone());
        for (parameter, value) in parameters.iter().zip(values) {
            match parameter.kind {
                ParameterKind::Argument { index } => {
                    *arguments.get_mut(usize::try_from(index).ok()?.checked_sub(1)?)? = value.to_string();
                }
                // What the source defines itself would win over the command line.
                _ if parameter.span.is_some() => {
                    settings.push(Setting { name: parameter.name.to_string(), value: value.to_string() });
                }
                _ => given.push(SweepValue { name: parameter.name.to_string(), value: value.to_string() }),
            }
        }
        let mut options = with_values(&self.prepared[point.prepared].options, &given);
        options.settings.extend(settings);
        self.predicted(target, options, &arguments, tasks)
    }

    /// The program with the values that these options and arguments give its parameters.
    fn predicted(
        &self,
        target: Target<'_>,
        mut options: ProgramOptions,
        arguments: &[String],
        tasks: usize,
    ) -> Option<Prediction> {
        options.symbolic.clear();
        let numeric = PreparedProgram::read(options, target.machine.model(), None, tasks > 1).ok()?;
        let mut job = numeric.job(tasks, arguments).ok()?;
        job.object_code = self.options.compiler_use().object_codes(&numeric.options, [target.machine], &self.objects);
        Some(predict::predict(&job, target).prediction).filter(|prediction| prediction.total_s.is_some())
    }
}

/// Whether expressions are to have the prices of another model than instruction-sum.
fn as_numbers(target: Target<'_>) -> bool {
    target.options.cost_model.map_or_else(|| Source::suits(target.machine), |model| model != ModelName::InstructionSum)
}

/// Mean computing time of the tasks, in seconds.
fn computing(prediction: &Prediction) -> Option<f64> {
    let tasks = &prediction.tasks;
    prediction.total_s?;
    Some(tasks.iter().map(|task| task.compute_s).sum::<f64>() / tasks.len().max(1) as f64)
}

/// Which prices the expressions have, and how far they are from numbers elsewhere.
fn note(symbolic: &SymbolicTimes, model: &str) -> Option<Diagnostic> {
    if model == "instruction-sum" {
        return None;
    }
    let names = || symbolic.parameters.iter().map(|parameter| &*parameter.name);
    let at = |values: &mut dyn Iterator<Item = String>| {
        names().zip(values).map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
    };
    let mut defaults =
        symbolic.parameters.iter().map(|p| p.default.map_or_else(String::new, |value| value.to_string()));
    let checked = |checked: &CheckedValues| {
        format!(
            "at {} the expression gives {} of computing per task, numbers {} ({:+.0} %)",
            at(&mut checked.values.iter().map(ToString::to_string)),
            seconds(checked.expression_s),
            seconds(checked.numbers_s),
            100.0 * (checked.expression_s / checked.numbers_s - 1.0)
        )
    };
    let elsewhere: Vec<String> =
        symbolic.checked.iter().filter(|checked| checked.numbers_s > 0.0).map(checked).collect();
    let told = match (elsewhere.is_empty(), symbolic.complete) {
        (false, _) => elsewhere.join("; "),
        (true, false) => {
            "the expressions are incomplete, so that they were not compared with numbers elsewhere".to_owned()
        }
        (true, true) => "numbers elsewhere are of another model, so that they were not compared".to_owned(),
    };
    let message = format!(
        "an execution of a block has the price that the model {model} gives it at {}, whatever the size: {told}",
        at(&mut defaults)
    );
    let help = "for times at another size give numbers: --set NAME=VALUE, or several: --sweep NAME=100,200,400";
    Some(Diagnostic::note(&codes::MODEL_OF_EXPRESSIONS, message).help(help))
}

/// Nothing is known of how far expressions are from numbers.
fn without_numbers() -> Diagnostic {
    let message = "expressions are of the cost model instruction-sum, as the parameters have no values for which the program can be \
                   predicted with numbers";
    Diagnostic::note(&codes::MODEL_OF_EXPRESSIONS, message).help(
        "give the parameters values in the sources or as arguments, so that blocks have the prices of numbers there",
    )
}
