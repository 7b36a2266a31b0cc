//! lang-c on preprocessed text, and whose fault it is when it fails.

use super::Piece;
use super::codes;
use super::lines::LineTable;
use super::messages;
use super::neutralise::{Attributes, neutralise};
use super::pieces;
use super::preprocess::Preprocessor;
use crate::diag::Diagnostic;
use crate::span::{SourceFiles, Span};
use lang_c::ast::TranslationUnit;
use lang_c::driver::{Config, Flavor, SyntaxError};

/// The parser recurses with the nesting of the source; address space that is not touched costs nothing.
pub(super) const STACK_BYTES: usize = 256 << 20;

/// Parses a preprocessed unit; the table maps the tree's offsets.
pub(super) fn parse(
    text: &str,
    files: &mut SourceFiles,
    preprocessor: &Preprocessor,
) -> Result<(Vec<Piece>, LineTable), Box<Diagnostic>> {
    let mut failure = None;
    for attributes in [Attributes::Layout, Attributes::None] {
        let neutral = neutralise(text, attributes);
        let lines = LineTable::new(&neutral, files, preprocessor.names());
        if let Some(pieces) = pieces::parse(&neutral) {
            return Ok((pieces, lines));
        }
        match on_large_stack(neutral) {
            Ok(ast) => return Ok((vec![Piece { ast, shift: 0 }], lines)),
            Err(error) => failure = Some((error, lines)),
        }
    }
    let (error, lines) = failure.expect("the loop above runs at least once");
    Err(Box::new(blame(text, error.as_ref(), &lines, files, preprocessor)))
}

/// `Err(None)` where the parser gave up without naming a place.
fn on_large_stack(text: String) -> Result<TranslationUnit, Option<SyntaxError>> {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || parse_text(text));
    match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(result)) => result.map_err(Some),
        Ok(Err(_)) | Err(_) => Err(None),
    }
}

/// Needs stack for the nesting of the source.
pub(super) fn parse_text(text: String) -> Result<TranslationUnit, SyntaxError> {
    let config = Config { cpp_command: String::new(), cpp_options: Vec::new(), flavor: Flavor::GnuC11 };
    lang_c::driver::parse_preprocessed(&config, text).map(|parsed| parsed.unit)
}

/// The compiler decides: what it rejects is the user's error, what it accepts is our limit.
fn blame(
    text: &str,
    error: Option<&SyntaxError>,
    lines: &LineTable,
    files: &mut SourceFiles,
    preprocessor: &Preprocessor,
) -> Diagnostic {
    let place = lines.span_at(error.map_or(0, |error| error.offset));
    let said = preprocessor.syntax_errors(text);
    if let Some(message) = said.as_deref().and_then(syntax_error) {
        let span = message.span(preprocessor.names(), files);
        return Diagnostic::error(&codes::SYNTAX, message.text)
            .label(span, "the C compiler rejects this")
            .help("correct the program until it compiles");
    }
    let found = error.map_or(String::new(), |error| token_at(lines.text(), error.offset));
    unsupported(&found, place)
}

/// The first complaint about syntax, else the first about anything.
fn syntax_error(said: &str) -> Option<messages::Message> {
    let mut errors = messages::errors(said);
    let first = errors.iter().position(|error| error.text.starts_with("expected")).unwrap_or(0);
    (first < errors.len()).then(|| errors.swap_remove(first))
}

fn unsupported(found: &str, place: Span) -> Diagnostic {
    let what = if found.is_empty() { String::new() } else { format!(" at `{found}`") };
    Diagnostic::error(&codes::UNSUPPORTED_SYNTAX, format!("a C extension is not understood{what}"))
        .label(place, "the parser stopped here")
        .help("rewrite it in C11, or replace it by a macro given with -D NAME=VALUE")
}

fn token_at(text: &str, offset: usize) -> String {
    let rest = text.get(offset..).unwrap_or_default().trim_start();
    let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    rest.chars().take(word.max(1)).collect()
}
