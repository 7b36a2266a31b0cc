//! `chronos report`, and `--html`: pages for the browser.

use super::args::ReportArgs;
use super::codes;
use super::exit::Exit;
use super::output::Terminal;
use chronos_base::diag::{Diagnostic, system_cause};
use chronos_base::span::SourceFiles;
use chronos_report::{Report, html};
use serde_json::Value;
use std::path::Path;

pub fn run(options: &ReportArgs, terminal: &Terminal) -> Exit {
    let report = terminal.writable(options.output.as_deref()).and_then(|()| read(&options.file));
    match report {
        Ok(report) => terminal.write(&html::render(&report), options.output.as_deref()),
        Err(error) => terminal.report(&[error], &SourceFiles::default()),
    }
}

/// Writes the page of a report.
pub fn write(report: &Report, path: &Path, terminal: &Terminal) -> Exit {
    match serde_json::to_value(report) {
        Ok(report) => terminal.write(&html::render(&report), Some(path)),
        Err(error) => terminal.report(&[not_a_report(path, &error.to_string())], &SourceFiles::default()),
    }
}

fn read(path: &Path) -> Result<Value, Diagnostic> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        let message = format!("cannot read {}: {}", path.display(), system_cause(&error));
        Diagnostic::error(&codes::NOT_A_REPORT, message).help(MAKE_ONE)
    })?;
    let report: Value =
        serde_json::from_str(&text).map_err(|error| not_a_report(path, &format!("it is no JSON: {error}")))?;
    match report["schema"].as_str() {
        Some(name) if Report::is_schema(name) => has_predictions(path, report),
        Some(other) => Err(not_a_report(path, &format!("its schema is `{other}`, not `{}`", Report::SCHEMA))),
        None => Err(not_a_report(path, &format!("it has no schema; `{}` is expected", Report::SCHEMA))),
    }
}

const MAKE_ONE: &str = "write a report with `chronos predict ... --format json -o report.json`";

/// What the page cannot do without.
fn has_predictions(path: &Path, report: Value) -> Result<Value, Diagnostic> {
    let predictions = report["predictions"].as_array();
    let whole =
        predictions.is_some_and(|all| !all.is_empty() && all.iter().all(|one| one["platform"]["machine"].is_string()));
    let program = &report["program"];
    let named = ["files", "arguments", "defines"].iter().all(|key| program[*key].is_array());
    match whole && named {
        true => Ok(report),
        false => Err(not_a_report(path, "it holds no prediction")),
    }
}

fn not_a_report(path: &Path, why: &str) -> Diagnostic {
    Diagnostic::error(&codes::NOT_A_REPORT, format!("{} is no report of chronos: {why}", path.display())).help(MAKE_ONE)
}
