//! One recorded run on another machine: processor times are scaled by the ratio of its predictions, stretch by stretch.
//!
//! What a cost model has wrong of a stretch it has wrong on both machines, so that errors cancel.

use super::predicted::{self, Executions};
use crate::Evaluated;
use crate::calibration::parts::Parts;
use crate::evaluation::Job;
use crate::target::Target;
use chronos_base::diag::Diagnostic;
use chronos_record::Record;
use chronos_record::stretches::{self as measured, CallName, Ends};
use std::collections::{BTreeMap, BTreeSet};

/// A run as it was evaluated for one of the machines.
#[derive(Clone, Copy, Debug)]
pub struct PredictedRun<'a> {
    /// The program with the arguments and tasks of the record.
    pub job: &'a Job,
    /// The machine.
    pub target: Target<'a>,
    /// What it executes.
    pub evaluated: &'a Evaluated,
}

/// How much longer computing takes on the other machine.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineRatios {
    /// Of all that the run computes.
    pub common: f64,
    /// Of each stretch of each task between recorded calls.
    pub of_stretches: Vec<Vec<f64>>,
}

/// The ratios of a record.
///
/// # Errors
/// Nothing of it is predicted to take any time.
pub fn machine_ratios(
    from: PredictedRun<'_>,
    to: PredictedRun<'_>,
    record: &Record,
) -> Result<MachineRatios, Box<Diagnostic>> {
    let calls = |run: PredictedRun<'_>| predicted::calls(&run.job.program, run.evaluated);
    let known = super::in_common(&(&calls(from) & &calls(to)), record)?;
    let (from, to) = (times(from, &known), times(to, &known));
    let whole = |tasks: &[BTreeMap<Ends, f64>]| tasks.iter().flat_map(BTreeMap::values).sum::<f64>();
    let common = whole(&to) / whole(&from);
    if !(common.is_finite() && common > 0.0) {
        return Err(Box::new(super::nothing()));
    }
    let factor = |task: usize, ends: &Ends| {
        let time = |tasks: &[BTreeMap<Ends, f64>]| tasks.get(task).and_then(|found| found.get(ends)).copied();
        match (time(&from), time(&to)) {
            (Some(from), Some(to)) if from > 0.0 && to > 0.0 => to / from,
            _ => common,
        }
    };
    Ok(MachineRatios { common, of_stretches: measured::factors(record, &known, &factor) })
}

fn times(run: PredictedRun<'_>, known: &BTreeSet<CallName>) -> Vec<BTreeMap<Ends, f64>> {
    let parts = Parts::new(&run.job.program);
    let all = predicted::stretches(run.job, run.target, run.evaluated, &parts, known);
    let sum = |(ends, found): (Ends, Executions)| (ends, found.first.values().chain(found.rest.values()).sum());
    all.into_iter().map(|task| task.into_iter().map(sum).collect()).collect()
}
