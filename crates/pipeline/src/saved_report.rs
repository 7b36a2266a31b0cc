//! Saved reports, as far as comparisons need them.

use super::{codes, sources};
use chronos_base::diag::{Diagnostic, system_cause};
use chronos_report::Report;
use chronos_report::compare::{ComparedProgram, Entry, EntryFunction, Totals};
use chronos_report::model::{Platform, SweepValue, Task};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// What is read of `chronos-report/1` and `/2`.
#[derive(Deserialize)]
pub struct SavedReport {
    schema: String,
    /// The program that was predicted.
    pub program: SavedProgram,
    /// Its predictions, in the order of the report.
    pub predictions: Vec<SavedPrediction>,
}

/// The program of a saved report.
#[derive(Deserialize)]
pub struct SavedProgram {
    /// Source files of the program, as given.
    pub files: Vec<String>,
    arguments: Vec<String>,
    defines: Vec<String>,
}

/// One prediction of a saved report.
#[derive(Deserialize)]
pub struct SavedPrediction {
    /// The machine and the network that it was predicted for.
    pub platform: Platform,
    /// Number of tasks (MPI processes).
    pub tasks_count: usize,
    /// Values of `--sweep` that it was made with; empty where there are none.
    #[serde(default)]
    pub sweep: Vec<SweepValue>,
    /// Predicted total time in seconds; `None` where the prediction is incomplete.
    pub total_s: Option<f64>,
    interval_s: Option<[f64; 2]>,
    #[serde(default)]
    computing_interval_s: Option<[f64; 2]>,
    #[serde(default)]
    assumed_interval_s: Option<[f64; 2]>,
    known_s: f64,
    /// Times of each task or class of tasks.
    pub tasks: Vec<Task>,
    #[serde(default)]
    functions: Vec<EntryFunction>,
}

/// The reports as programs of a comparison, each by its file's name.
///
/// # Errors
/// Every file that is no report, with what is wrong.
pub fn read(paths: &[PathBuf]) -> Result<(Vec<ComparedProgram>, Vec<Entry>), Vec<Diagnostic>> {
    let (mut programs, mut entries, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for (path, name) in paths.iter().zip(sources::program_names(paths)) {
        match load(path) {
            Ok(saved) => {
                entries.extend(saved.predictions.iter().map(|p| p.entry(&name)));
                let SavedProgram { files, arguments, defines } = saved.program;
                let report = Some(path.display().to_string());
                programs.push(ComparedProgram { name, files, arguments, defines, report });
            }
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok((programs, entries)) } else { Err(errors) }
}

impl SavedPrediction {
    fn entry(&self, name: &str) -> Entry {
        let place = (&*self.platform.machine, &*self.platform.network);
        let key = Entry::key(name, place, &self.sweep, self.tasks_count);
        let totals = Totals {
            total_s: self.total_s,
            interval_s: self.interval_s,
            computing_interval_s: self.computing_interval_s,
            assumed_interval_s: self.assumed_interval_s,
            known_s: self.known_s,
        };
        let mut entry = key.with(&totals, &self.tasks);
        entry.functions.clone_from(&self.functions);
        entry
    }
}

fn load(path: &Path) -> Result<SavedReport, Diagnostic> {
    let text = std::fs::read_to_string(path).map_err(|error| wrong(path, &system_cause(&error)))?;
    parse(&text).map_err(|why| wrong(path, &why))
}

/// A report from its text; else why it is none.
pub fn parse(text: &str) -> Result<SavedReport, String> {
    let saved: SavedReport = serde_json::from_str(text).map_err(|error| format!("no report: {error}"))?;
    match Report::is_schema(&saved.schema) {
        true => Ok(saved),
        false => Err(format!("its schema is {}, not {}", saved.schema, Report::SCHEMA)),
    }
}

fn wrong(path: &Path, why: &str) -> Diagnostic {
    Diagnostic::error(&codes::REPORT_NOT_READ, format!("cannot read the report {}: {why}", path.display()))
        .help("name a file that `chronos predict ... --format json -o FILE` wrote")
}
