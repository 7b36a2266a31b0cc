//! Diagnostics of many predictions, each kept once.

use chronos_base::diag::{Code, Diagnostic};
use chronos_base::span::SourceFiles;
use chronos_report::diagnostics;
use chronos_report::model::{DiagnosticData, LabelData};
use std::sync::Arc;

/// A diagnostic is told once, however many machines and numbers of tasks it holds for.
#[derive(Default)]
pub struct DiagnosticSet {
    all: Vec<(Diagnostic, Arc<SourceFiles>)>,
    /// The same as reports have them.
    pub data: Vec<DiagnosticData>,
}

impl DiagnosticSet {
    /// Adds diagnostics whose places lie in `files`; those that are there already are left out.
    pub fn add(&mut self, diagnostics: &[Diagnostic], files: &Arc<SourceFiles>) {
        for diagnostic in diagnostics {
            let data = diagnostics::data(diagnostic, files);
            if !self.data.iter().any(|known| is_same(known, &data)) {
                self.all.push((diagnostic.clone(), files.clone()));
                self.data.push(data);
            }
        }
    }

    /// In the order in which they came, those of the same files together.
    pub fn by_files(&self) -> impl Iterator<Item = (Vec<Diagnostic>, &Arc<SourceFiles>)> {
        let diagnostics = |part: &[(Diagnostic, _)]| part.iter().map(|(diagnostic, _)| diagnostic.clone()).collect();
        let parts = self.all.chunk_by(|(_, a), (_, b)| Arc::ptr_eq(a, b));
        parts.map(move |part| (diagnostics(part), &part[0].1))
    }

    /// Whether one of them is of these kinds.
    pub fn has_any_of(&self, codes: &[&Code]) -> bool {
        self.all.iter().any(|(diagnostic, _)| codes.contains(&diagnostic.code))
    }

    /// Whether one of them is an error.
    pub fn has_errors(&self) -> bool {
        self.all.iter().any(|(diagnostic, _)| diagnostic.is_error())
    }
}

fn is_same(a: &DiagnosticData, b: &DiagnosticData) -> bool {
    let place = |label: &LabelData| (label.file.clone(), label.line, label.column, label.end_line, label.text.clone());
    let same = a.code == b.code && a.message == b.message && a.labels.len() == b.labels.len();
    same && a.labels.iter().zip(&b.labels).all(|(a, b)| place(a) == place(b))
}
