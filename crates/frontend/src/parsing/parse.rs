//! lang-c on preprocessed text, and whose fault it is when it fails.

use super::nesting::NestingExcess;
use super::neutralise::{Attributes, LAYOUT, neutralise};
use super::parser::{on_threads, parse_text};
use super::{nesting, openmp, pieces, spelled_plainly, trim};
use crate::preprocessing::messages;
use crate::preprocessing::preprocessor::Preprocessor;
use crate::source_text::file_names::FileNames;
use crate::source_text::line_table::LineTable;
use crate::{Piece, codes};
use chronos_base::diag::Diagnostic;
use chronos_base::span::{SourceFiles, Span};
use lang_c::driver::SyntaxError;
use std::num::NonZero;
use std::path::Path;

/// A unit's text as the parser gets it; the table maps the tree's offsets.
pub(crate) struct UnparsedUnit {
    lines: LineTable,
    /// Names of variables that each thread has for itself.
    threadprivate: Vec<String>,
}

/// `Err(None)` where the parser gave up without naming a place.
pub(crate) type Parsed = Result<Vec<Piece>, Option<SyntaxError>>;

/// What a unit was preprocessed to, and by whom.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub text: &'a str,
    pub path: &'a Path,
    pub preprocessor: &'a Preprocessor,
    /// Whether the directives of OpenMP hold.
    pub openmp: bool,
}

impl UnparsedUnit {
    pub(crate) fn new(text: &str, openmp: bool, files: &mut SourceFiles, names: &FileNames) -> Self {
        Self::with(text, openmp, Attributes::Layout, files, names)
    }

    fn with(text: &str, openmp: bool, attributes: Attributes, files: &mut SourceFiles, names: &FileNames) -> Self {
        let text = &*spelled_plainly(text);
        let rewritten = openmp.then(|| openmp::rewrite(text));
        let declarations = if openmp { openmp::DECLARATIONS } else { "" };
        let text = rewritten.as_ref().map_or(text, |rewritten| &rewritten.text);
        let neutral = trim::trim(&neutralise(text, attributes, declarations));
        let threadprivate = rewritten.map_or_else(Vec::new, |rewritten| rewritten.threadprivate);
        Self { lines: LineTable::new(&neutral, files, names), threadprivate }
    }

    /// On this thread; needs stack for the nesting of the source.
    fn parse(&self, threads: usize) -> Parsed {
        if nesting::too_deep(self.lines.text()).is_some() {
            return Err(None);
        }
        if let Some(pieces) = pieces::parse(self.lines.text(), threads) {
            return Ok(pieces);
        }
        parse_text(self.lines.text().to_owned()).map(|ast| vec![Piece { ast, shift: 0 }]).map_err(Some)
    }
}

/// Parses units, as many at a time as there are processors; the results are in the order of the units.
pub(crate) fn parse_all<T: Sync>(unparsed_units: &[(T, UnparsedUnit)]) -> Vec<Parsed> {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let threads = processors.min(unparsed_units.len());
    let inside = processors.checked_div(unparsed_units.len()).unwrap_or(1).max(1);
    let mut parsed: Vec<Parsed> = unparsed_units.iter().map(|_| Err(None)).collect();
    for (index, result) in on_threads(unparsed_units.len(), threads, &|index| unparsed_units[index].1.parse(inside)) {
        parsed[index] = result;
    }
    parsed
}

/// A unit that was understood.
pub(crate) struct ParsedUnit {
    pub pieces: Vec<Piece>,
    pub lines: LineTable,
    /// Names of variables that each thread has for itself.
    pub threadprivate: Vec<String>,
    /// What had to be left out of it.
    pub dropped: Option<Diagnostic>,
}

/// Takes what was parsed, or tries again without attributes, or says what is wrong.
pub(crate) fn finish_parse(
    unparsed: UnparsedUnit,
    parsed: Parsed,
    source: &Source<'_>,
    files: &mut SourceFiles,
) -> Result<ParsedUnit, Box<Diagnostic>> {
    if let Ok(pieces) = parsed {
        let UnparsedUnit { lines, threadprivate } = unparsed;
        return Ok(ParsedUnit { pieces, lines, threadprivate, dropped: None });
    }
    if let Some((offset, excess)) = nesting::too_deep(unparsed.lines.text()) {
        return Err(Box::new(too_deep(excess, unparsed.lines.span_at(offset))));
    }
    let plain =
        ((), UnparsedUnit::with(source.text, source.openmp, Attributes::None, files, source.preprocessor.names()));
    let again = parse_all(std::slice::from_ref(&plain)).pop().unwrap_or(Err(None));
    match again {
        Ok(pieces) => {
            let dropped = dropped_attributes(&unparsed.lines);
            let UnparsedUnit { lines, threadprivate } = plain.1;
            Ok(ParsedUnit { pieces, lines, threadprivate, dropped })
        }
        Err(error) => Err(Box::new(syntax_diagnostic(source, error.as_ref(), &plain.1.lines, files))),
    }
}

/// A warning where the text without attributes has structs and variables of another layout.
fn dropped_attributes(lines: &LineTable) -> Option<Diagnostic> {
    let text = lines.text();
    let of_layout = |at: &usize| {
        let line = text[*at..].lines().next().unwrap_or_default();
        LAYOUT.iter().any(|word| line.contains(word))
    };
    let attributes = text.match_indices("__attribute__").map(|(at, _)| at).filter(of_layout);
    let at = attributes.into_iter().find(|&at| lines.is_user(lang_c::span::Span::span(at, at + 1)))?;
    let message = "attributes of layout are left out: one of them stands where the parser does not understand it";
    let diagnostic = Diagnostic::warning(&codes::ATTRIBUTES, message).label(lines.span_at(at), "the first one");
    Some(diagnostic.help("put attributes behind the brace of the struct or behind the name that is declared"))
}

/// The compiler decides: what it rejects is the user's error, what it accepts is our limit.
fn syntax_diagnostic(
    source: &Source<'_>,
    error: Option<&SyntaxError>,
    lines: &LineTable,
    files: &mut SourceFiles,
) -> Diagnostic {
    let place = lines.span_at(error.map_or(0, |error| error.offset));
    let said = source.preprocessor.syntax_errors(source.path, source.text);
    if let Some(message) = said.as_deref().and_then(syntax_error) {
        let span = message.span(source.preprocessor.names(), files);
        return Diagnostic::error(&codes::SYNTAX, message.text)
            .label(span, "the C compiler rejects this")
            .help("correct the program until it compiles");
    }
    if error.is_some_and(|error| begins_body(lines.text(), error.offset)) {
        return nested_function(place);
    }
    let found = error.map_or(String::new(), |error| token_at(lines.text(), error.offset));
    unsupported(&found, place)
}

/// Whether a brace stands behind a parenthesis where the parser takes none: a function inside another one has its body there.
fn begins_body(text: &str, offset: usize) -> bool {
    let parts = text.get(..offset).zip(text.get(offset..));
    parts.is_some_and(|(before, rest)| rest.trim_start().starts_with('{') && before.trim_end().ends_with(')'))
}

fn nested_function(place: Span) -> Diagnostic {
    Diagnostic::error(
        &codes::UNSUPPORTED_SYNTAX,
        "a function inside a function (an extension of GNU C) is not understood",
    )
    .label(place, "its body begins here")
    .help("move it in front of the function that it stands in, and give it what it uses of that as parameters")
}

/// The first complaint about syntax, else the first about anything.
fn syntax_error(said: &str) -> Option<messages::Message> {
    let mut errors = messages::errors(said);
    let first = errors.iter().position(|error| error.text.starts_with("expected")).unwrap_or(0);
    (first < errors.len()).then(|| errors.swap_remove(first))
}

fn too_deep(excess: NestingExcess, place: Span) -> Diagnostic {
    let message = match excess {
        NestingExcess::Levels => format!("the program is nested more than {} levels deep", nesting::MAX_NESTING),
        NestingExcess::InExpressions => {
            let most = nesting::MAX_NESTING_IN_EXPRESSIONS;
            format!("more than {most} calls, indices and braces stand within one another in an expression")
        }
        NestingExcess::TypesInSizes => {
            let most = nesting::MAX_TYPES_IN_SIZES;
            format!(
                "`sizeof` and types stand within one another more than {most} (`typeof`) or {} (`struct`) deep",
                most / 2
            )
        }
    };
    Diagnostic::error(&codes::NESTING, message)
        .label(place, "brackets, statements and operators that are open here")
        .help("write the statement or expression as several ones; often a macro expands to more than it seems")
}

pub(crate) fn unsupported(found: &str, place: Span) -> Diagnostic {
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
