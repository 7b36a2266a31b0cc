//! Validations for spreadsheets and scripts.

use super::{Comparison, ValidationReport};
use crate::csv::finished;

/// The total, then each function; columns: kind, name, file, line, calls (predicted, measured), times in seconds
/// and the error (empty where they are not known).
///
/// # Errors
/// Only those of the CSV writer, which writes to memory.
pub fn render(report: &ValidationReport) -> Result<String, ::csv::Error> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    writer.write_record([
        "kind",
        "name",
        "file",
        "line",
        "calls_predicted",
        "calls_measured",
        "predicted_s",
        "low_s",
        "high_s",
        "measured_s",
        "measured_median_s",
        "error",
    ])?;
    let empty = String::new;
    let total = ["total".to_owned(), empty(), empty(), empty(), empty(), empty()];
    writer.write_record(total.into_iter().chain(times(&report.total)))?;
    for f in &report.functions {
        let calls = f.calls_predicted.map_or_else(empty, |calls| calls.to_string());
        let place = [f.name.clone(), f.file.clone(), f.line.to_string(), calls, f.calls_measured.to_string()];
        writer.write_record(std::iter::once("function".to_owned()).chain(place).chain(times(&f.time)))?;
    }
    finished(writer)
}

fn times(time: &Comparison) -> [String; 6] {
    let shown = |number: Option<f64>| number.map_or(String::new(), |number| number.to_string());
    let [low, high] = time.interval_s.map_or([None; 2], |ends| ends.map(Some));
    [Some(time.predicted_s), low, high, Some(time.measured_s), Some(time.measured_median_s), time.error].map(shown)
}
