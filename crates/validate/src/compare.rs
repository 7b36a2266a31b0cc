//! Joining what was predicted and what was measured.

use super::measure::{Process, Timed};
use super::{Validation, codes, find};
use chronos_base::diag::Diagnostic;
use chronos_ir::{FuncId, Program};
use chronos_report::model::{Function, Prediction};
use chronos_report::validation::{Clock, Comparison, FunctionComparison, Summary, Untimed, quantile};

/// Functions named in a message, at most.
const NAMED: usize = 4;

/// `clock`: what computing times are corrected by; `timed`: the functions with the numbers that their timings have;
/// `runs`: the processes of each run.
pub fn compare(
    program: &Program,
    prediction: &Prediction,
    clock: Option<Clock>,
    timed: &[(usize, FuncId)],
    runs: &[Vec<Process>],
    untimed: Vec<Untimed>,
) -> Validation {
    let factor = clock.map_or(1.0, |clock| clock.factor);
    let mut functions: Vec<FunctionComparison> = prediction
        .functions
        .iter()
        .filter_map(|function| {
            let id = find(program, function)?;
            let &(number, _) = timed.iter().find(|(_, known)| *known == id)?;
            Some(one(function, factor, number, runs))
        })
        .collect();
    functions.sort_by(|a, b| b.time.measured_s.total_cmp(&a.time.measured_s));
    let main = timed.iter().find(|(_, id)| program.main == Some(*id)).map(|&(number, _)| number);
    let last = |run: &Vec<Process>| {
        run.iter().map(|process| main.map_or(0.0, |main| at(process, main).seconds)).fold(0.0, f64::max)
    };
    let total = comparison(factor, prediction.known_s, prediction.interval_s, runs.iter().map(last).collect());
    let summary = Summary::of(&functions.iter().map(|function| &function.time).collect::<Vec<_>>());
    let overheads = runs.iter().flatten().map(|process| process.overhead);
    let overhead_s = overheads.fold(f64::INFINITY, f64::min);
    Validation { total, functions, untimed, summary, overhead_s, clock }
}

fn at(process: &Process, number: usize) -> Timed {
    process.functions.get(number).copied().unwrap_or_default()
}

fn one(function: &Function, factor: f64, number: usize, runs: &[Vec<Process>]) -> FunctionComparison {
    let mean = |run: &Vec<Process>, part: fn(Timed) -> f64| {
        run.iter().map(|process| part(at(process, number))).sum::<f64>() / run.len().max(1) as f64
    };
    let calls_measured = runs.last().map_or(0.0, |run| mean(run, |timed| timed.calls));
    let tasks = function.per_task.inclusive_s.len().max(1) as f64;
    FunctionComparison {
        name: function.name.clone(),
        file: function.file.clone(),
        line: function.line,
        calls_predicted: function.calls.as_f64().map(|calls| calls / tasks),
        calls_measured,
        time: comparison(
            factor,
            function.inclusive_s,
            function.interval_s,
            runs.iter().map(|run| mean(run, |timed| timed.seconds)).collect(),
        ),
    }
}

/// Of the measured times of all runs.
fn comparison(factor: f64, predicted_s: f64, interval_s: Option<[f64; 2]>, mut measured: Vec<f64>) -> Comparison {
    let (predicted_s, interval_s) = (predicted_s * factor, interval_s.map(|ends| ends.map(|end| end * factor)));
    measured.sort_by(f64::total_cmp);
    let measured_s = measured.first().copied().unwrap_or(0.0);
    Comparison {
        predicted_s,
        interval_s,
        measured_s,
        measured_median_s: quantile(&measured, 0.5).unwrap_or(0.0),
        error: (measured_s > 0.0).then(|| predicted_s / measured_s - 1.0),
    }
}

/// Where times cannot agree, because counts do not.
pub(crate) fn other_calls(functions: &[FunctionComparison]) -> Option<Diagnostic> {
    let differs = |f: &&FunctionComparison| {
        f.calls_predicted.is_some_and(|predicted| (predicted - f.calls_measured).abs() > 0.5 + 0.01 * f.calls_measured)
    };
    let all: Vec<&FunctionComparison> = functions.iter().filter(differs).collect();
    let named: Vec<String> = all.iter().take(NAMED).map(|f| format!("`{}`", f.name)).collect();
    let more = if all.len() > NAMED { format!(" and {} more", all.len() - NAMED) } else { String::new() };
    let message = format!("calls of {}{more} were predicted another number of times than made", named.join(", "));
    let help = "chronos count shows which counts are assumed; --prob and --iterations correct them";
    (!all.is_empty()).then(|| Diagnostic::warning(&codes::OTHER_CALLS, message).help(help))
}
