//! Validations for people.

use super::{Clock, Comparison, FunctionComparison, Summary, ValidationReport};
use crate::fold::fold;
use crate::number::seconds;
use crate::table::Grid;

/// Rows shown of functions that were not timed.
const UNTIMED_SHOWN: usize = 5;

/// The whole validation; `rows` functions at most, in `width` columns.
pub fn render(report: &ValidationReport, rows: usize, width: Option<usize>) -> String {
    let (heading, summary) = (fold(&heading(report), width), fold(&summary(&report.summary), width));
    let parts = [heading, functions(report, rows, width), untimed(report, width), summary];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn heading(report: &ValidationReport) -> String {
    let m = &report.measurement;
    let tasks = if report.tasks_count == 1 { String::new() } else { format!(" -n {}", report.tasks_count) };
    let clock = m.clock.map_or(String::new(), clock);
    let load = m.load.map_or(String::new(), |load| format!(", load {load:.1} on {} cores", m.cores));
    format!(
        "{}{tasks}: predicted for {} ({}), measured here with `{}`, best of {} runs{load}\n\
         Predicted {}{}, measured {} (median {}): error {}\n{clock}",
        report.program.title(),
        report.platform.machine,
        report.cost_model,
        m.compiler,
        m.runs,
        seconds(report.total.predicted_s),
        interval(&report.total).map_or(String::new(), |text| format!(" ({text})")),
        seconds(report.total.measured_s),
        seconds(report.total.measured_median_s),
        error(report.total.error),
    )
}

/// How far the clock is from that of the machine file.
fn clock(clock: Clock) -> String {
    format!(
        "Clock here {:.4} ns per cycle before and {:.4} after, {:.4} in the machine file: predicted times are multiplied by {:.3}\n",
        clock.before_ns_per_cycle, clock.after_ns_per_cycle, clock.machine_ns_per_cycle, clock.factor
    )
}

fn functions(report: &ValidationReport, rows: usize, width: Option<usize>) -> String {
    let header = ["Function", "Calls", "Predicted", "90 % interval", "Measured", "Error"];
    let mut grid = Grid::new(&header, &[0]).within(width);
    for function in report.functions.iter().take(rows) {
        grid.row(row(function));
    }
    grid.titled("Functions, callees included", report.functions.len())
}

fn row(f: &FunctionComparison) -> Vec<String> {
    let time = &f.time;
    let outside = if time.is_covered() == Some(false) { " outside" } else { "" };
    vec![
        f.name.clone(),
        calls(f),
        seconds(time.predicted_s),
        interval(time).unwrap_or_else(|| "-".to_owned()) + outside,
        seconds(time.measured_s),
        error(time.error),
    ]
}

/// A difference is shown: the time of another number of calls says nothing of the machine.
fn calls(f: &FunctionComparison) -> String {
    match f.calls_predicted {
        Some(predicted) if (predicted - f.calls_measured).abs() > 0.5 => {
            format!("{} predicted, {} made", number(predicted), number(f.calls_measured))
        }
        _ => number(f.calls_measured),
    }
}

fn number(x: f64) -> String {
    if x.fract() == 0.0 { format!("{x:.0}") } else { format!("{x:.1}") }
}

fn interval(time: &Comparison) -> Option<String> {
    time.interval_s.map(|[low, high]| format!("{} to {}", seconds(low), seconds(high)))
}

fn error(error: Option<f64>) -> String {
    error.map_or_else(|| "-".to_owned(), |error| format!("{:+.1} %", 100.0 * error))
}

fn untimed(report: &ValidationReport, width: Option<usize>) -> String {
    let mut grid = Grid::new(&["Function", "Where", "Why"], &[0, 1, 2]).within(width);
    for function in report.untimed.iter().take(UNTIMED_SHOWN) {
        let place = format!("{}:{}", function.file, function.line);
        grid.whole_row(vec![function.name.clone(), place, function.why.clone()]);
    }
    grid.titled("Not timed by themselves", report.untimed.len())
}

fn summary(summary: &Summary) -> String {
    let percent = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{:.1} %", 100.0 * value));
    let tau = summary.kendall_tau.map_or_else(|| "-".to_owned(), |tau| format!("{tau:.2}"));
    let covered =
        summary.covered.map_or(String::new(), |share| format!(", {:.0} % inside their intervals", 100.0 * share));
    format!(
        "Error of {} functions: median {}, 90th percentile {}, greatest {}; Kendall's tau {tau}{covered}\n",
        summary.functions,
        percent(summary.median_error),
        percent(summary.p90_error),
        percent(summary.max_error),
    )
}
