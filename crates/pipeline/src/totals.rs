//! The total of a program that communicates, as a formula: its replays are predictions of a plan's program with other values.

use super::codes;
use super::plan::SweepPlan;
use super::point::SweepPoint;
use chronos_base::diag::Diagnostic;
use chronos_ir::Parameter;
use chronos_predict::symbolic::default_value;
use chronos_predict::symbolic::total::{NoFormula, Question, total};
use chronos_predict::{Job, Outcome, Target};
use chronos_report::model::{Prediction, SweepValue};
use chronos_report::symbolic::TotalFormula;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Formulas by program, system and swept values: predictions of several numbers of tasks have one in common.
#[derive(Default)]
pub struct Totals(Mutex<BTreeMap<String, Result<TotalFormula, NoFormula>>>);

/// What logarithms and roots need in Python.
const IMPORT: &str = "import math\n";

impl SweepPlan {
    /// Adds the formula, or why there is none, where the program communicates.
    pub(super) fn add_total(
        &self,
        outcome: &mut Outcome,
        point: &SweepPoint,
        job: &Job,
        target: Target<'_>,
        at_defaults: Option<&Prediction>,
    ) {
        let program = &job.program;
        let communicates = program.main.is_some_and(|main| program.functions[main].effects.reaches_mpi);
        let Some(symbolic) = outcome.prediction.symbolic.as_mut().filter(|_| communicates && point.tasks > 1) else {
            return;
        };
        // Without values for which the program can be predicted, a note on expressions says so already.
        let made =
            at_defaults.map(calls_of).or_else(|| self.predicted_at_defaults(point, target).as_ref().map(calls_of));
        let Some(calls) = made else { return };
        match self.total_of(point, job, target, calls) {
            Ok(formula) => {
                let prelude = symbolic.python_prelude.get_or_insert_default();
                if formula.total.python.contains("math.") && !prelude.contains(IMPORT) {
                    prelude.insert_str(0, IMPORT);
                }
                symbolic.python_prelude.take_if(|prelude| prelude.is_empty());
                symbolic.communicating_total = Some(formula);
            }
            Err(reason) => outcome.diagnostics.push(without_formula(&reason)),
        }
    }

    fn total_of(
        &self,
        point: &SweepPoint,
        job: &Job,
        target: Target<'_>,
        calls: f64,
    ) -> Result<TotalFormula, NoFormula> {
        let key = format!("{:?}", (point.program, point.system, point.prepared, &point.sweep, &point.arguments));
        // Others wait for it: they have the same to replay.
        let mut known = self.totals.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(found) = known.get(&key) {
            return found.clone();
        }
        let found = self.search(point, job, target, calls);
        known.insert(key, found.clone());
        found
    }

    fn search(&self, point: &SweepPoint, job: &Job, target: Target<'_>, calls: f64) -> Result<TotalFormula, NoFormula> {
        let parameters: Vec<&Parameter> = job.program.parameters.values().collect();
        let defaults: Option<Vec<i64>> = parameters.iter().map(|parameter| default_value(parameter, job)).collect();
        let question = Question {
            names: parameters.iter().map(|parameter| parameter.name.to_string()).collect(),
            defaults: defaults.ok_or(NoFormula::TooFewReplays)?,
            tasks: self.tasks_beside(point),
            calls,
            predicted: &|values, tasks| self.predicted_at(point, target, &parameters, values, tasks),
        };
        total(&question)
    }

    /// Numbers of tasks that the same program is predicted with, ascending; a single task communicates with nobody.
    fn tasks_beside(&self, point: &SweepPoint) -> Vec<usize> {
        let alike = |other: &&SweepPoint| {
            let key = |one: &SweepPoint| (one.program, one.system, same_values(&one.sweep));
            other.tasks > 1 && key(other) == key(point)
        };
        let mut tasks: Vec<usize> = self.points.iter().filter(alike).map(|other| other.tasks).collect();
        tasks.sort_unstable();
        tasks.dedup();
        tasks
    }
}

/// Calls of MPI, of all tasks together.
fn calls_of(prediction: &Prediction) -> f64 {
    prediction.blocks.iter().filter(|block| block.kind == "mpi").filter_map(|block| block.count.as_f64()).sum()
}

fn same_values(sweep: &[SweepValue]) -> Vec<(String, String)> {
    sweep.iter().map(|one| (one.name.clone(), one.value.clone())).collect()
}

fn without_formula(reason: &NoFormula) -> Diagnostic {
    let why = match reason {
        NoFormula::TooManyParameters => "more than two parameters are free".to_owned(),
        NoFormula::TooFewReplays => "too few replays with other values of the parameters could be made".to_owned(),
        NoFormula::TooManyCalls(calls) => format!("{calls:.0} calls of MPI are too many for dozens of replays"),
        NoFormula::Off(share) => {
            format!("the best one is off by {:.0} % at a replay that it was not fitted to", 100.0 * share)
        }
    };
    let message = format!("the total, with its communication, is given by no formula: {why}");
    let help =
        "for times at other values give numbers: --sweep NAME=100,200,400, and --extra-p FILE for a model of them";
    Diagnostic::note(&codes::NO_FORMULA, message).help(help)
}
