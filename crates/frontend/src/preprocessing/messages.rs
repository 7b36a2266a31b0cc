//! The C compiler's messages as diagnostics of our own.

use crate::codes;
use crate::source_text::file_names::FileNames;
use chronos_base::diag::Diagnostic;
use chronos_base::span::{SourceFiles, Span};
use std::path::Path;

/// `file:line:column: error: text`, taken apart.
pub(crate) struct Message {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub text: String,
}

impl Message {
    /// `None` for lines of other shape (quoted source, notes, include chains).
    fn parse(line: &str) -> Option<Self> {
        let (place, text) = line.split_once(" fatal error: ").or_else(|| line.split_once(" error: "))?;
        let mut parts = place.trim_end_matches(':').rsplitn(3, ':');
        let (last, middle) = (parts.next()?, parts.next()?);
        let (file, line, column) = match (parts.next(), middle.parse::<u32>()) {
            (Some(file), Ok(line)) => (file.to_owned(), line, last.parse().ok()?),
            (None, _) => (middle.to_owned(), last.parse().ok()?, 1),
            (Some(file), Err(_)) => (format!("{file}:{middle}"), last.parse().ok()?, 1),
        };
        Some(Self { file, line, column, text: text.to_owned() })
    }

    pub(crate) fn span(&self, names: &FileNames, files: &mut SourceFiles) -> Span {
        let name = names.shown(&self.file);
        let file = files.intern(&name, || names.quoted(&self.file));
        Span { column_start: self.column, column_end: self.column, ..Span::line(file, self.line) }
    }
}

/// The errors among a compiler's messages, in order.
pub(crate) fn errors(text: &str) -> Vec<Message> {
    text.lines().filter_map(Message::parse).collect()
}

/// A failed preprocessor run. At least one error.
pub(crate) fn diagnostics(names: &FileNames, text: &str, files: &mut SourceFiles, path: &Path) -> Vec<Diagnostic> {
    let found: Vec<Diagnostic> = errors(text).iter().map(|message| preprocessing(message, names, files)).collect();
    if !found.is_empty() {
        return found;
    }
    let said = names.cleaned(text.lines().find(|line| !line.trim().is_empty()).unwrap_or("it gave no reason"));
    let message = format!("{} cannot be preprocessed: {said}", path.display());
    vec![Diagnostic::error(&codes::PREPROCESSOR, message).help("check the flags given with --cc, -D and -I")]
}

fn preprocessing(message: &Message, names: &FileNames, files: &mut SourceFiles) -> Diagnostic {
    let (text, help) = match missing_header(&message.text) {
        Some(header) => (
            format!("the header `{header}` is not found"),
            "name its directory with -I DIR, or give the flags of the program's build with --cc".to_owned(),
        ),
        None => (
            format!("preprocessing failed: {}", names.cleaned(&message.text)),
            "correct the source, or define what it asks for with -D NAME=VALUE".to_owned(),
        ),
    };
    let span = message.span(names, files);
    Diagnostic::error(&codes::PREPROCESSOR, text).label(span, "reported here by the C compiler").help(help)
}

/// gcc: `x.h: No such file or directory`; clang: `'x.h' file not found`.
fn missing_header(text: &str) -> Option<&str> {
    let gcc = text.strip_suffix(": No such file or directory");
    gcc.or_else(|| text.strip_suffix("' file not found").and_then(|rest| rest.strip_prefix('\'')))
}
