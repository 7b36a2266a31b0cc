//! One short run, measured and predicted: its stretches from one MPI call to the next, side by side.
//!
//! # How it works
//!
//! - `predicted` adds predicted times up by stretch, as `chronos_record::stretches` does with measured processor times. Only calls that
//!   both know by function, file and line end a stretch.
//! - Of a stretch that is repeated, the first execution of each task is left out: it finds caches cold and maps pages. So is a
//!   stretch that is executed once, where most of its time is that of parts that others repeat. Stretches that last less than
//!   some readings of the clock tell nothing and are left out (C1709).
//! - What is left tells the ratios of `crate::calibration`.
//! - [`machines`] compares the same stretches on two machines, for a run that is predicted on another one.

pub mod machines;
mod predicted;
#[cfg(test)]
mod tests;

use crate::calibration::Calibration;
use crate::calibration::fit::{Ratio, Row, fit};
use crate::calibration::parts::{Part, Parts};
use crate::calibration::regimes::{self, Regime};
use chronos_base::diag::Diagnostic;
use chronos_record::Record;
use chronos_record::codes::{NOT_CALIBRATED, SHORT_STRETCHES};
use chronos_record::stretches::{self as measured, CallName, Ends};
use chronos_report::model::LoopBound;
use machines::PredictedRun;
use predicted::{Executions, Times};
use std::collections::{BTreeMap, BTreeSet};

/// Stretches that last less are decided by what a call leaves in caches and predictors, and by the clock.
const LEAST_NS: f64 = 2000.0;

/// Calibrates by a record of a run, which was evaluated for the machine that it was on. `loops`: how they ran there, as predicted.
///
/// # Errors
/// Nothing of it can be compared.
pub fn calibrate(
    run: PredictedRun<'_>,
    loops: &[LoopBound],
    record: &Record,
) -> Result<(Calibration, Vec<Diagnostic>), Box<Diagnostic>> {
    let PredictedRun { job, target, evaluated } = run;
    let parts = Parts::new(&job.program);
    let known = in_common(&predicted::calls(&job.program, evaluated), record)?;
    let predicted = predicted::stretches(job, target, evaluated, &parts, &known);
    let reading = measured::reading(record);
    let repeated = repeated(&predicted);
    let (mut rows, mut short, mut whole) = (Vec::new(), 0.0, 0.0);
    for (measured, mut predicted) in measured::stretches(record, &known).into_iter().zip(predicted) {
        for (ends, executed) in measured {
            let Executions { first, rest } = predicted.remove(&ends).unwrap_or_default();
            // What is cold the first time is not what a long run consists of.
            let is_repeated = executed.rest.executions > 0 && rest.values().any(|&time| time > 0.0);
            if !is_repeated && is_of(&repeated, &first) {
                continue;
            }
            let (time, times) = if is_repeated { (executed.rest, rest) } else { (executed.first, first) };
            let cpu = time.without(reading);
            whole += cpu;
            if cpu < time.executions as f64 * LEAST_NS {
                short += cpu;
            } else {
                rows.push(Row { measured: cpu, predicted: times.into_iter().filter(|part| part.1 > 0.0).collect() });
            }
        }
    }
    let (common, found) = fit(&rows, parts.names.len());
    let ratios: BTreeMap<Part, Ratio> =
        parts.names.iter().zip(found).filter_map(|(part, ratio)| Some((part.clone(), ratio?))).collect();
    if ratios.is_empty() {
        return Err(Box::new(nothing()));
    }
    let spread = spread(&ratios);
    let regimes = loops.iter().map(|found| (regimes::name(found), Regime::of_bound(found))).collect();
    Ok((Calibration { common, ratios, spread, regimes }, left_out(short, whole).into_iter().collect()))
}

/// Parts that stretches are repeated of.
fn repeated(predicted: &[BTreeMap<Ends, Executions>]) -> BTreeSet<usize> {
    let stretches = predicted.iter().flat_map(BTreeMap::values);
    stretches.flat_map(|found| &found.rest).filter(|part| *part.1 > 0.0).map(|part| *part.0).collect()
}

/// Whether most of these times are of these parts.
fn is_of(parts: &BTreeSet<usize>, times: &Times) -> bool {
    let of_parts: f64 = times.iter().filter(|part| parts.contains(part.0)).map(|part| part.1).sum();
    of_parts > 0.5 * times.values().sum::<f64>()
}

/// The calls that a program and a record both know.
///
/// # Errors
/// The record is of another program.
fn in_common(program: &BTreeSet<CallName>, record: &Record) -> Result<BTreeSet<CallName>, Box<Diagnostic>> {
    let recorded = measured::calls(record);
    let known = program & &recorded;
    // An executable without -g has no lines; whole tasks are compared then.
    if known.is_empty() && !recorded.is_empty() {
        let message = "the record is of another program: they have no MPI call on the same line of the same file";
        let help = "name the sources that were recorded, as they were then, or record the program again";
        return Err(Box::new(Diagnostic::error(&NOT_CALIBRATED, message).help(help)));
    }
    Ok(known)
}

/// By time: parts that hardly take any would decide the mean otherwise.
fn spread(ratios: &BTreeMap<Part, Ratio>) -> f64 {
    let squares: f64 = ratios.values().map(|ratio| ratio.time * ratio.spread.powi(2)).sum();
    let times: f64 = ratios.values().map(|ratio| ratio.time).sum();
    if times > 0.0 { (squares / times).sqrt() } else { 0.0 }
}

/// The share of measured time in stretches that are left out, from which on it is told.
const WORTH_TELLING: f64 = 0.01;

fn left_out(short: f64, whole: f64) -> Option<Diagnostic> {
    let share = short / whole;
    let message = format!(
        "stretches of less than {:.0} us hold {:.0} % of the recorded processor time and calibrate nothing",
        LEAST_NS / 1e3,
        100.0 * share
    );
    let note = || Diagnostic::note(&SHORT_STRETCHES, message);
    (share > WORTH_TELLING).then(|| note().help("record a run that computes longer between its MPI calls"))
}

fn nothing() -> Diagnostic {
    let message = "the recorded run has no stretch that lasts long enough and that the prediction has as well";
    Diagnostic::error(&NOT_CALIBRATED, message).help(
        "record the same sources (compiled with -g where an executable is recorded), with a size at which the program computes for some \
         milliseconds",
    )
}
