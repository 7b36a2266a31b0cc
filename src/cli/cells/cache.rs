//! Finished cells, kept in a folder so that an interrupted command goes on where it was.
//!
//! Each cell is one file whose name is a hash of everything that its prediction depends on: the program as it was
//! read, the user's files, options, inputs, machine, network, and the very build of chronos. What is stale has another
//! name and is never looked at. Files are written whole, so that an interruption leaves none half written.

use super::{Cell, Done, Plan};
use crate::cli::codes;
use crate::cli::exit::Exit;
use crate::cli::explain;
use crate::cli::files::replace;
use crate::cli::output::not_written;
use crate::diag::{Diagnostic, Label, Severity, system_cause};
use crate::program::print;
use crate::report::diagnostics;
use crate::report::model::{DiagnosticData, LabelData, Prediction};
use crate::span::{SourceFiles, Span};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::{Debug, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// See the module.
pub struct Cache {
    folder: PathBuf,
}

const SCHEMA: &str = "chronos-cell/1";

/// What is kept of a cell.
#[derive(Serialize, Deserialize)]
struct Kept {
    schema: String,
    prediction: Value,
    diagnostics: Vec<DiagnosticData>,
}

impl Cache {
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

    /// The name of a cell: a hash of all that its prediction depends on.
    pub fn key(&self, plan: &Plan<'_>, cell: &Cell) -> String {
        let loaded = &plan.loaded[cell.loaded];
        let mut hash = Hash::new();
        hash.add(SCHEMA);
        hash.add(env!("CARGO_PKG_VERSION"));
        hash.debug(&std::env::current_exe().and_then(std::fs::metadata).map(|m| (m.len(), m.modified().ok())).ok());
        hash.add(&print::program(&loaded.program));
        for (_, file) in loaded.files.iter() {
            hash.debug(&(&file.name, &file.text));
        }
        let mut options = loaded.front_end.clone();
        options.arguments.clone_from(&cell.arguments);
        hash.debug(&options);
        let assumed = options.assume.iter().chain(&options.library_costs);
        let inputs = options.stdin.iter().chain(options.input_files.iter().map(|file| &file.path));
        assumed.chain(inputs).for_each(|path| hash.file(path));
        let mut traced: Vec<PathBuf> = plan.request.trace.map(|(folder, _)| files_in(folder)).unwrap_or_default();
        traced.sort();
        traced.iter().for_each(|path| hash.file(path));
        let request = &plan.request;
        hash.debug(&(plan.place(cell), plan.network(cell), request.tasks_per_node, cell.tasks, &cell.sweep));
        hash.debug(&(request.cost_model, request.sensitivity, request.timeline_room));
        hash.debug(&request.recorded);
        hash.debug(&request.trace.map(|(_, sharing)| sharing));
        let recorded =
            |base: &Path| (0..cell.tasks).map(|rank| PathBuf::from(format!("{}.{rank}", base.display()))).collect();
        let recorded: Vec<PathBuf> = request.recorded.map(|(base, _)| recorded(base)).unwrap_or_default();
        recorded.iter().for_each(|path| hash.file(path));
        hash.name()
    }

    /// A cell that was finished before. What cannot be read is computed again.
    pub fn read(&self, key: &str, files: &SourceFiles) -> Option<Done> {
        let text = std::fs::read_to_string(self.path(key)).ok()?;
        let mut kept: Kept = serde_json::from_str(&text).ok().filter(|kept: &Kept| kept.schema == SCHEMA)?;
        exact(&mut kept.prediction, &|value| value.as_str().and_then(unpacked));
        let prediction: Prediction = serde_json::from_value(kept.prediction).ok()?;
        let diagnostics: Option<Vec<Diagnostic>> = kept.diagnostics.iter().map(|d| restored(d, files)).collect();
        Some(Done { prediction, diagnostics: diagnostics?, exit: Exit::Done, reused: true, took: Duration::ZERO })
    }

    /// Keeps a finished cell; a warning where that fails.
    pub fn write(&self, key: &str, done: &Done, files: &SourceFiles) -> Option<Diagnostic> {
        let mut prediction = serde_json::to_value(&done.prediction).ok()?;
        exact(&mut prediction, &packed);
        let diagnostics = done.diagnostics.iter().map(|d| diagnostics::data(d, files)).collect();
        let kept = Kept { schema: SCHEMA.to_owned(), prediction, diagnostics };
        let text = serde_json::to_string(&kept).ok()?;
        let failed = |error| {
            let found = not_written(&self.folder, &error);
            Diagnostic::warning(&codes::NOT_KEPT, found.message).help("the prediction is complete, but is not kept")
        };
        replace(&self.path(key), &text).err().map(failed)
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.json"))
    }
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
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

fn restored(data: &DiagnosticData, files: &SourceFiles) -> Option<Diagnostic> {
    let severity = match data.severity {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => Severity::Note,
    };
    let mut diagnostic = Diagnostic::new(severity, explain::find(&data.code)?, &*data.message);
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

/// FNV-1a of 128 bits: it tells cells apart, and guards against mistakes, not against malice.
struct Hash(u128);

impl Hash {
    fn new() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }

    /// Text with its end.
    fn add(&mut self, text: &str) {
        self.bytes(text.as_bytes());
        self.bytes(&[0xff]);
    }

    fn debug(&mut self, value: &impl Debug) {
        // Writing into the hash cannot fail.
        let _ = write!(self, "{value:?}");
        self.bytes(&[0xff]);
    }

    fn file(&mut self, path: &Path) {
        self.debug(&path);
        self.bytes(&std::fs::read(path).unwrap_or_default());
        self.bytes(&[0xff]);
    }

    fn name(&self) -> String {
        format!("{:032x}", self.0)
    }
}

impl Write for Hash {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.bytes(text.as_bytes());
        Ok(())
    }
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

    #[test]
    fn the_hash_is_fnv_1a() {
        let mut hash = Hash::new();
        hash.bytes(b"a");
        assert_eq!(hash.name(), "d228cb696f1a8caf78912b704e4a8964");
    }
}
