//! The one diagnostic type. Analyses return them; only renderers (`chronos_report::diagnostics`)
//! know how they look.

use crate::span::Span;

/// A stable identity of a kind of diagnostic, with what `chronos explain` says of it.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// `C0301`: two digits for the area, two for the kind.
    /// Areas: 01 source, 02 program, 03 count, 04 MPI, 05 machine and network files,
    /// 06 calibration, 07 replay, 08 report, 09 command line, 10 instrumentation, 11 traces,
    /// 12 validation, 13 object code, 14 what-if changes.
    pub id: &'static str,
    /// A few words, without a full stop.
    pub title: &'static str,
    /// What it means, why it is so and what to do; one paragraph.
    pub explanation: &'static str,
}

/// How far a diagnostic touches the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The result is complete; the user may want to know.
    Note,
    /// The result is complete under an assumption or an approximation.
    Warning,
    /// The result is incomplete or absent.
    Error,
}

/// A span with what is to be said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where it is.
    pub span: Span,
    /// What is to be said of that place.
    pub text: String,
}

/// Something to tell the user: what, where, and the remedy.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// The kind of diagnostic.
    pub code: &'static Code,
    /// How far it touches the result.
    pub severity: Severity,
    /// One sentence, without a full stop, that names the thing at fault.
    pub message: String,
    /// The first label is the primary one; the others are the chain of origins.
    pub labels: Vec<Label>,
    /// The remedy: what the user can do next, options spelled out with their values.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A diagnostic without places and remedy.
    pub fn new(severity: Severity, code: &'static Code, message: impl Into<String>) -> Self {
        Self { code, severity, message: message.into(), labels: Vec::new(), help: None }
    }

    /// An error: the result is incomplete or absent.
    pub fn error(code: &'static Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// A warning: the result is complete under an assumption or an approximation.
    pub fn warning(code: &'static Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    /// A note: the result is complete, but the user may want to know.
    pub fn note(code: &'static Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, message)
    }

    /// Adds a place; the first one added is the primary one.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Sets the remedy.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Whether the result is incomplete or absent because of it.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// What the system says of an error, without the number that it also gives and the names of temporary files.
pub fn system_cause(error: &std::io::Error) -> String {
    if error.kind() == std::io::ErrorKind::InvalidData {
        return "it is not text (UTF-8)".to_owned();
    }
    let text = error.to_string();
    let text = text.split(" at path ").next().unwrap_or_default();
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}
