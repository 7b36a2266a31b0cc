//! Finished predictions, kept in a folder so that interrupted work goes on where it was.
//!
//! Each is one file whose name is a hash of everything that it depends on (see `cache_key`). What is stale has another
//! name and is never looked at. Files are written whole, so that an interruption leaves none half written.

use super::codes;
use super::point::PointResult;
use chronos_base::atomic_file;
use chronos_base::diag::{Code, Diagnostic, Label, Severity, system_cause};
use chronos_base::span::{SourceFiles, Span};
use chronos_report::diagnostics;
use chronos_report::model::{DiagnosticData, LabelData, Prediction};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// See the module.
pub(crate) struct ResultCache {
    folder: PathBuf,
}

/// Names the format of kept predictions.
pub const SCHEMA: &str = "chronos-result/1";

/// Names the format of kept answers.
const ANSWER_SCHEMA: &str = "chronos-answer/1";

/// What is kept of an answer.
#[derive(Serialize, Deserialize)]
struct KeptAnswer {
    schema: String,
    answer: Value,
    diagnostics: Vec<DiagnosticData>,
}

/// What is kept of a prediction.
#[derive(Serialize, Deserialize)]
struct KeptResult {
    schema: String,
    prediction: Value,
    #[serde(default)]
    communication: Option<Value>,
    diagnostics: Vec<DiagnosticData>,
}

impl ResultCache {
    /// Makes the folder where it is not there.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn open(folder: &Path) -> Result<Self, Diagnostic> {
        match std::fs::create_dir_all(folder) {
            Ok(()) => Ok(Self { folder: folder.to_owned() }),
            Err(error) => Err(no_folder(folder, &error)),
        }
    }

    /// A prediction that was finished before. What cannot be read is computed again.
    pub fn read(&self, key: &str, files: &SourceFiles) -> Option<PointResult> {
        let text = std::fs::read_to_string(self.path(key)).ok()?;
        let mut kept: KeptResult =
            serde_json::from_str(&text).ok().filter(|kept: &KeptResult| kept.schema == SCHEMA)?;
        exact(&mut kept.prediction, &|value| value.as_str().and_then(unpacked));
        let prediction: Prediction = serde_json::from_value(kept.prediction).ok()?;
        let diagnostics: Option<Vec<Diagnostic>> =
            kept.diagnostics.iter().map(|d| restored(d, files, &codes::find)).collect();
        let mut communication = kept.communication;
        communication.iter_mut().for_each(|value| exact(value, &|value| value.as_str().and_then(unpacked)));
        let communication = communication.map(serde_json::from_value).transpose().ok()?;
        let (diagnostics, took) = (diagnostics?, Duration::ZERO);
        Some(PointResult { prediction, communication, diagnostics, replayed: None, reused: true, took, classes: None })
    }

    /// Keeps a finished prediction; a warning where that fails.
    pub fn write(&self, key: &str, result: &PointResult, files: &SourceFiles) -> Option<Diagnostic> {
        let mut prediction = serde_json::to_value(&result.prediction).ok()?;
        exact(&mut prediction, &packed);
        let diagnostics = result.diagnostics.iter().map(|d| diagnostics::data(d, files)).collect();
        let mut communication = result.communication.as_ref().map(serde_json::to_value).transpose().ok()?;
        communication.iter_mut().for_each(|value| exact(value, &packed));
        let kept = KeptResult { schema: SCHEMA.to_owned(), prediction, communication, diagnostics };
        let text = serde_json::to_string(&kept).ok()?;
        self.replace(key, &text)
    }

    /// An answer that was found before, with its diagnostics; those of `code` are known beside the codes of predictions.
    pub fn read_answer(
        &self,
        key: &str,
        files: &SourceFiles,
        code: &dyn Fn(&str) -> Option<&'static Code>,
    ) -> Option<(Value, Vec<Diagnostic>)> {
        let text = std::fs::read_to_string(self.path(key)).ok()?;
        let mut kept: KeptAnswer =
            serde_json::from_str(&text).ok().filter(|kept: &KeptAnswer| kept.schema == ANSWER_SCHEMA)?;
        exact(&mut kept.answer, &|value| value.as_str().and_then(unpacked));
        let known = |id: &str| codes::find(id).or_else(|| code(id));
        let diagnostics: Option<Vec<Diagnostic>> =
            kept.diagnostics.iter().map(|d| restored(d, files, &known)).collect();
        Some((kept.answer, diagnostics?))
    }

    /// Keeps an answer; a warning where that fails.
    pub fn write_answer(
        &self,
        key: &str,
        mut answer: Value,
        diagnostics: &[Diagnostic],
        files: &SourceFiles,
    ) -> Option<Diagnostic> {
        exact(&mut answer, &packed);
        let diagnostics = diagnostics.iter().map(|d| diagnostics::data(d, files)).collect();
        let text = serde_json::to_string(&KeptAnswer { schema: ANSWER_SCHEMA.to_owned(), answer, diagnostics }).ok()?;
        self.replace(key, &text)
    }

    fn replace(&self, key: &str, text: &str) -> Option<Diagnostic> {
        let failed = |error| {
            let found = codes::not_written(&self.folder, &error);
            Diagnostic::warning(&codes::NOT_KEPT, found.message).help("the prediction is complete, but is not kept")
        };
        atomic_file::replace(&self.path(key), text).err().map(failed)
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.json"))
    }
}

/// Numbers with fractions travel as their bits: reading decimal digits may be off in the last place.
fn packed(value: &Value) -> Option<Value> {
    let number = value.as_f64().filter(|_| value.is_f64())?;
    Some(Value::String(format!("f64:{:016x}", number.to_bits())))
}

fn unpacked(text: &str) -> Option<Value> {
    let bits = u64::from_str_radix(text.strip_prefix("f64:")?, 16).ok()?;
    serde_json::Number::from_f64(f64::from_bits(bits)).map(Value::Number)
}

/// Replaces every value for which there is another.
fn exact(value: &mut Value, other: &dyn Fn(&Value) -> Option<Value>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| exact(item, other)),
        Value::Object(fields) => fields.values_mut().for_each(|field| exact(field, other)),
        plain => {
            if let Some(found) = other(plain) {
                *plain = found;
            }
        }
    }
}

fn restored(
    data: &DiagnosticData,
    files: &SourceFiles,
    code: &dyn Fn(&str) -> Option<&'static Code>,
) -> Option<Diagnostic> {
    let severity = match data.severity {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => Severity::Note,
    };
    let mut diagnostic = Diagnostic::new(severity, code(&data.code)?, &*data.message);
    diagnostic.help.clone_from(&data.help);
    for label in &data.labels {
        diagnostic.labels.push(restored_label(label, files)?);
    }
    Some(diagnostic)
}

fn restored_label(label: &LabelData, files: &SourceFiles) -> Option<Label> {
    let (file, _) = files.iter().find(|(_, file)| *file.name == label.file)?;
    let span = Span {
        file,
        line_start: label.line,
        column_start: label.column,
        line_end: label.end_line,
        column_end: label.end_column,
    };
    Some(Label { span, text: label.text.clone() })
}

/// `--resume` names no folder.
fn no_folder(folder: &Path, error: &std::io::Error) -> Diagnostic {
    let message = format!("--resume {}: {}", folder.display(), system_cause(error));
    Diagnostic::error(&codes::FILE_NOT_WRITTEN, message).help("name a folder; it is made where it does not exist")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_as_they_were() {
        let before = serde_json::json!({"a": [0.1 + 0.2, 1e-300, 3, null, "text"], "b": {"c": 2.0}});
        let mut value = before.clone();
        exact(&mut value, &packed);
        assert!(value["a"][0].is_string() && value["a"][2].is_u64());
        let text = value.to_string();
        let mut value: Value = serde_json::from_str(&text).expect("JSON");
        exact(&mut value, &|value| value.as_str().and_then(unpacked));
        assert_eq!(value, before);
    }
}
