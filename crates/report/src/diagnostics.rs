//! Renderings of diagnostics: for people (codespan-reporting) and as data.

use super::model::{DiagnosticData, LabelData};
use chronos_base::diag::{Diagnostic, Severity};
use chronos_base::span::{FileId, SourceFiles, Span};
use codespan_reporting::diagnostic::{Diagnostic as Shown, Label as ShownLabel, LabelStyle};
use codespan_reporting::files::{Error, Files, SimpleFile};
use codespan_reporting::term::{self, Config};
use std::fmt::Write as _;
use std::ops::Range;

/// Diagnostics as text, with ANSI colours where asked for.
pub fn render(diagnostics: &[Diagnostic], files: &SourceFiles, colour: bool) -> String {
    let shown = ShownFiles::new(files);
    let mut text = String::new();
    for diagnostic in diagnostics {
        render_one(diagnostic, &shown, colour, &mut text);
    }
    text
}

fn render_one(diagnostic: &Diagnostic, files: &ShownFiles<'_>, colour: bool, text: &mut String) {
    let config = Config::default();
    let shown = show(diagnostic, files);
    let done = if colour {
        let mut buffer = term::termcolor::Buffer::ansi();
        let done = term::emit_to_write_style(&mut buffer, &config, files, &shown);
        text.push_str(&String::from_utf8_lossy(buffer.as_slice()));
        done
    } else {
        term::emit_to_string(text, &config, files, &shown)
    };
    if done.is_err() {
        let _ =
            writeln!(text, "{}[{}]: {}", severity_name(diagnostic.severity), diagnostic.code.id, diagnostic.message);
    }
}

fn show(diagnostic: &Diagnostic, files: &ShownFiles<'_>) -> Shown<FileId> {
    let severity = match diagnostic.severity {
        Severity::Note => codespan_reporting::diagnostic::Severity::Note,
        Severity::Warning => codespan_reporting::diagnostic::Severity::Warning,
        Severity::Error => codespan_reporting::diagnostic::Severity::Error,
    };
    let mut labels = Vec::new();
    let mut notes = Vec::new();
    for (i, label) in diagnostic.labels.iter().enumerate() {
        let style = if i == 0 { LabelStyle::Primary } else { LabelStyle::Secondary };
        match files.range(label.span) {
            Some(range) => labels.push(ShownLabel::new(style, label.span.file, range).with_message(&label.text)),
            None => notes.push(format!("{}: {}", files.files.locate(label.span), label.text)),
        }
    }
    notes.extend(diagnostic.help.iter().map(|help| format!("help: {help}")));
    Shown::new(severity)
        .with_code(diagnostic.code.id)
        .with_message(&diagnostic.message)
        .with_labels(labels)
        .with_notes(notes)
}

/// In one line: `FILE:LINE:COLUMN: severity[CODE]: message`, as compilers and editors have it.
pub fn short(diagnostic: &Diagnostic, files: &SourceFiles) -> String {
    let place = diagnostic
        .labels
        .first()
        .map_or(String::new(), |label| format!("{}:{}: ", files.locate(label.span), label.span.column_start));
    let (severity, code) = (severity_name(diagnostic.severity), diagnostic.code.id);
    format!("{place}{severity}[{code}]: {}\n", diagnostic.message)
}

/// As an object of JSON in one line.
pub fn json_line(diagnostic: &Diagnostic, files: &SourceFiles) -> String {
    serde_json::to_string(&data(diagnostic, files)).map(|text| text + "\n").unwrap_or_default()
}

/// As data, for JSON.
pub fn data(diagnostic: &Diagnostic, files: &SourceFiles) -> DiagnosticData {
    DiagnosticData {
        code: diagnostic.code.id.to_owned(),
        severity: severity_name(diagnostic.severity),
        message: diagnostic.message.clone(),
        labels: diagnostic.labels.iter().map(|label| label_data(label, files)).collect(),
        help: diagnostic.help.clone(),
    }
}

fn label_data(label: &chronos_base::diag::Label, files: &SourceFiles) -> LabelData {
    LabelData {
        file: files.get(label.span.file).name.to_string(),
        line: label.span.line_start,
        column: label.span.column_start,
        end_line: label.span.line_end,
        end_column: label.span.column_end,
        text: label.text.clone(),
    }
}

fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

/// The files with the begins of their lines.
struct ShownFiles<'a> {
    files: &'a SourceFiles,
    shown: Vec<Option<SimpleFile<&'a str, &'a str>>>,
}

impl<'a> ShownFiles<'a> {
    fn new(files: &'a SourceFiles) -> Self {
        let shown = files.iter().map(|(_, f)| f.text.as_deref().map(|text| SimpleFile::new(&*f.name, text))).collect();
        Self { files, shown }
    }

    fn file(&self, id: FileId) -> Option<&SimpleFile<&'a str, &'a str>> {
        self.shown.get(id.0 as usize)?.as_ref()
    }

    /// Byte range of a span; `None` where the text is not at hand.
    fn range(&self, span: Span) -> Option<Range<usize>> {
        let file = self.file(span.file)?;
        let at = |line: u32, column: u32| {
            let range = file.line_range((), line.checked_sub(1)? as usize).ok()?;
            let text = file.source().get(range.clone())?.trim_end_matches(['\r', '\n']);
            let byte = text.char_indices().nth(column.saturating_sub(1) as usize).map_or(text.len(), |(i, _)| i);
            Some((range.start + byte, range.start + text.len()))
        };
        let (start, line_end) = at(span.line_start, span.column_start)?;
        let end = if span.line_end == span.line_start { at(span.line_end, span.column_end + 1)?.0 } else { line_end };
        Some(start..end.max(start))
    }
}

impl<'a> Files<'a> for ShownFiles<'a> {
    type FileId = FileId;
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, id: FileId) -> Result<&'a str, Error> {
        Ok(&self.files.get(id).name)
    }

    fn source(&'a self, id: FileId) -> Result<&'a str, Error> {
        self.file(id).map(|file| *file.source()).ok_or(Error::FileMissing)
    }

    fn line_index(&'a self, id: FileId, byte_index: usize) -> Result<usize, Error> {
        self.file(id).ok_or(Error::FileMissing)?.line_index((), byte_index)
    }

    fn line_range(&'a self, id: FileId, line_index: usize) -> Result<Range<usize>, Error> {
        self.file(id).ok_or(Error::FileMissing)?.line_range((), line_index)
    }
}
