//! Macros that the user's files define: found by text, because the preprocessor forgets them,
//! and overridden (`--set`) before it sees them.

use super::free_macros::FreeName;
use crate::source_text::line_table::LineTable;
use crate::{MacroDefinition, Setting, codes};
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashSet;
use chronos_base::span::{FileId, SourceFiles, Span};
use std::ops::Range;

/// A `#define` line.
struct Definition<'a> {
    name: &'a str,
    has_parameters: bool,
    /// Byte range of the replacement, up to a comment; continuation lines included.
    body: Range<usize>,
    span: Span,
}

/// Appends the object-like macros of the unit's user files that are not in `seen` yet.
pub(crate) fn collect(
    lines: &LineTable,
    files: &SourceFiles,
    seen: &mut FxHashSet<FileId>,
    macros: &mut Vec<MacroDefinition>,
) {
    for &file in lines.user_files() {
        if !seen.insert(file) {
            continue;
        }
        let Some(text) = &files.get(file).text else { continue };
        for definition in definitions(file, text).into_iter().filter(|definition| !definition.has_parameters) {
            let body = text[definition.body].replace("\\\n", " ").trim().to_owned();
            macros.push(MacroDefinition { name: definition.name.to_owned(), body, span: definition.span });
        }
    }
}

/// What is overridden: macros that get another value (`--set`) and macros that are left free (`--symbolic`).
pub(crate) struct Overrides<'a> {
    pub settings: &'a mut [Setting],
    pub free: &'a mut [FreeName],
}

/// The text with every macro that is overridden given its new body, line by line as before;
/// `None` where it defines none of them. Marks the overrides that applied.
pub(crate) fn override_all(
    file: FileId,
    text: &str,
    overrides: &mut Overrides<'_>,
) -> Result<Option<String>, Box<Diagnostic>> {
    let mut rewritten = String::with_capacity(text.len());
    let mut copied = 0;
    for definition in definitions(file, text) {
        let Some(body) = new_body(&text[definition.body.clone()], &definition, overrides)? else { continue };
        rewritten.push_str(&text[copied..definition.body.start]);
        rewritten.push_str(&body);
        copied = definition.body.end;
    }
    if copied == 0 {
        return Ok(None);
    }
    rewritten.push_str(&text[copied..]);
    Ok(Some(rewritten))
}

/// What replaces a definition's body, with as many line ends.
fn new_body(
    body: &str,
    definition: &Definition<'_>,
    overrides: &mut Overrides<'_>,
) -> Result<Option<String>, Box<Diagnostic>> {
    if let Some(setting) = overrides.settings.iter_mut().find(|setting| setting.name == definition.name) {
        check(setting, definition)?;
        setting.is_macro = true;
        return Ok(Some(format!(" {}{}", setting.value, "\n".repeat(body.matches('\n').count()))));
    }
    match overrides.free.iter_mut().find(|free| free.name == definition.name) {
        Some(free) => free.with_marker(body, definition.has_parameters, definition.span).map(Some),
        None => Ok(None),
    }
}

fn check(setting: &Setting, definition: &Definition) -> Result<(), Box<Diagnostic>> {
    let name = &setting.name;
    let bad = |message: String, help: &str| {
        let error = Diagnostic::error(&codes::BAD_SETTING, message).label(definition.span, "defined here");
        Err(Box::new(error.help(help)))
    };
    if definition.has_parameters {
        return bad(format!("the macro `{name}` has parameters and cannot be set"), "set a macro without parameters");
    }
    if setting.value.contains(['\n', '\r']) {
        return bad(format!("the value for `{name}` holds a line break"), "give the value on one line");
    }
    Ok(())
}

/// All `#define` lines outside comments and literals.
fn definitions(file: FileId, text: &str) -> Vec<Definition<'_>> {
    let mut found = Vec::new();
    let mut scanner = Scanner { text, at: 0, line: 1, line_start: 0 };
    let mut fresh = true;
    // Most of a file stands behind its directives.
    let directives = text.rfind('#').map_or(0, |last| last + 1);
    while let Some(&byte) = text.as_bytes()[..directives].get(scanner.at) {
        match byte {
            b'#' if fresh => {
                found.extend(scanner.directive(file));
                fresh = false;
            }
            b'\n' => {
                scanner.advance(1);
                fresh = true;
            }
            byte if byte.is_ascii_whitespace() => scanner.advance(1),
            _ => {
                let comment = comment_length(&text.as_bytes()[scanner.at..]);
                fresh &= comment.is_some();
                scanner.advance(comment.unwrap_or_else(|| literal_or_byte(&text.as_bytes()[scanner.at..])));
            }
        }
    }
    found
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    line_start: usize,
}

impl<'a> Scanner<'a> {
    fn advance(&mut self, bytes: usize) {
        let end = (self.at + bytes).min(self.text.len());
        for at in self.at..end {
            if self.text.as_bytes()[at] == b'\n' {
                self.line += 1;
                self.line_start = at + 1;
            }
        }
        self.at = end;
    }

    fn blanks(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    }

    fn word(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Reads from `#` on; leaves the scanner behind the directive's name, or behind a definition's body.
    fn directive(&mut self, file: FileId) -> Option<Definition<'a>> {
        self.at += 1;
        self.blanks();
        if self.word() != "define" {
            return None;
        }
        self.blanks();
        let column = u32::try_from(self.at - self.line_start + 1).unwrap_or(u32::MAX);
        let line = self.line;
        let name = self.word();
        let has_parameters = self.text[self.at..].starts_with('(');
        let start = self.at;
        self.advance(body_length(&self.text.as_bytes()[start..]));
        let last = column.saturating_add(u32::try_from(name.len()).unwrap_or(0)).saturating_sub(1);
        let span = Span { column_start: column, column_end: last, ..Span::line(file, line) };
        (!name.is_empty()).then_some(Definition { name, has_parameters, body: start..self.at, span })
    }
}

/// Up to the end of the line that no backslash continues, or to a comment.
fn body_length(text: &[u8]) -> usize {
    let mut at = 0;
    while at < text.len() {
        match &text[at..] {
            [b'\\', b'\r', b'\n', ..] => at += 3,
            [b'\\', b'\n', ..] => at += 2,
            [b'\n', ..] | [b'\r', b'\n', ..] => break,
            rest if comment_length(rest).is_some() => break,
            rest => at += literal_or_byte(rest),
        }
    }
    at.min(text.len())
}

fn comment_length(text: &[u8]) -> Option<usize> {
    match text {
        [b'/', b'/', ..] => Some(text.iter().position(|&byte| byte == b'\n').unwrap_or(text.len())),
        [b'/', b'*', inside @ ..] => {
            Some(inside.windows(2).position(|pair| pair == b"*/").map_or(text.len(), |end| end + 4))
        }
        _ => None,
    }
}

/// Length of a literal within one line, or 1.
fn literal_or_byte(text: &[u8]) -> usize {
    let Some(&quote @ (b'"' | b'\'')) = text.first() else { return 1 };
    let mut at = 1;
    while let Some(&byte) = text.get(at).filter(|&&byte| byte != b'\n') {
        at += if byte == b'\\' { 2 } else { 1 };
        if byte == quote {
            return at.min(text.len());
        }
    }
    // An apostrophe in text that is no literal (#error don't).
    1
}
