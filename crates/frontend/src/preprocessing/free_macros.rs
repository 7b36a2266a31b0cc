//! Macros that the user leaves free (`--symbolic`), as far as text goes.
//!
//! A free macro's body gets a marker that survives preprocessing: `#define N 100` becomes
//! `#define N ((100) + __chronos_parameter_0)`. In an `#if` the marker is an unknown identifier, which
//! counts as 0, so directives see the value that the source gives; in ordinary text the lowering finds
//! the sum. Macros in terms of others stay symbolic by themselves. This module must not know what
//! the parameter is used for.

use crate::source_text::line_table::LineTable;
use crate::source_text::tokens::{after_literal, after_word};
use crate::{MacroDefinition, codes};
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashSet;
use chronos_base::span::{FileId, SourceFiles, Span};

/// Begin of the marker's name; the number of the free name follows.
const MARKER: &str = "__chronos_parameter_";

/// A name that `--symbolic` leaves free.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FreeName {
    /// The name as the user gave it.
    pub name: String,
    /// Position in the list of free names, which the marker carries.
    number: usize,
    /// A macro of the source, or one given with `-D`, has this name.
    pub(crate) is_macro: bool,
    /// The macro's definitions, with their bodies.
    pub definitions: Vec<(String, Span)>,
    /// Where `#if` and `#elif` look at its value.
    pub directives: Vec<Span>,
}

/// The free names in the order given, each once.
///
/// # Errors
/// A name that `--set` gives a value to.
pub(crate) fn free_names(names: &[String], set: &[(String, String)]) -> Result<Vec<FreeName>, Box<Diagnostic>> {
    let mut free: Vec<FreeName> = Vec::new();
    for name in names {
        if set.iter().any(|(own, _)| own == name) {
            let message = format!("`{name}` is given a value by --set and left free by --symbolic");
            return Err(Box::new(Diagnostic::error(&codes::BAD_SYMBOLIC, message).help("leave one of the two out")));
        }
        if free.iter().all(|known| known.name != *name) {
            let number = free.len();
            free.push(FreeName::constant(name, number));
        }
    }
    Ok(free)
}

/// The number of the free name whose marker this is.
pub(crate) fn marker_number(identifier: &str) -> Option<usize> {
    identifier.strip_prefix(MARKER)?.parse().ok()
}

impl FreeName {
    /// A name for those who lower text that is preprocessed already.
    pub fn constant(name: &str, number: usize) -> Self {
        Self { name: name.to_owned(), number, is_macro: false, definitions: Vec::new(), directives: Vec::new() }
    }

    /// The definition that gives this value, else the first that is no plain number.
    pub(crate) fn definition(&self, value: i64) -> Option<Span> {
        let number = |body: &str| body.parse::<i64>().ok();
        let same = self.definitions.iter().find(|(body, _)| number(body) == Some(value));
        same.or_else(|| self.definitions.iter().find(|(body, _)| number(body).is_none())).map(|(_, span)| *span)
    }

    /// A definition's body with the marker.
    pub(crate) fn with_marker(
        &mut self,
        body: &str,
        has_parameters: bool,
        span: Span,
    ) -> Result<String, Box<Diagnostic>> {
        let name = &self.name;
        let bad = |message: String, help: &str| {
            let error = Diagnostic::error(&codes::BAD_SYMBOLIC, message).label(span, "defined here");
            Err(Box::new(error.help(help)))
        };
        if has_parameters {
            let message = format!("the macro `{name}` has parameters and cannot be left free");
            return bad(message, "leave a macro without parameters free, such as one that its uses pass to it");
        }
        if !may_be_expression(body) {
            let message = format!("the macro `{name}` stands for no integer and cannot be left free");
            return bad(message, "leave a macro free whose body is an integer constant");
        }
        self.is_macro = true;
        if self.definitions.iter().all(|(_, known)| *known != span) {
            self.definitions.push((body.trim().to_owned(), span));
        }
        Ok(self.sum(body))
    }

    fn sum(&self, body: &str) -> String {
        format!(" (({}) + {MARKER}{})", body.trim_start(), self.number)
    }
}

/// The argument of a `-D` with the marker, where it defines a free name.
pub(crate) fn define_with_marker(define: &str, free: &mut [FreeName]) -> Result<String, Box<Diagnostic>> {
    let (name, body) = define.split_once('=').unwrap_or((define, "1"));
    let Some(free) = free.iter_mut().find(|free| free.name == name) else { return Ok(define.to_owned()) };
    if !may_be_expression(body) {
        let message = format!("-D {define}: the macro stands for no integer and cannot be left free");
        let help = format!("give an integer, such as -D {name}=100, or leave out --symbolic {name}");
        return Err(Box::new(Diagnostic::error(&codes::BAD_SYMBOLIC, message).help(help)));
    }
    free.is_macro = true;
    Ok(format!("{name}={}", free.sum(body).trim_start()))
}

/// Whether a body could be an integer expression in parentheses; the lowering says whether it is one.
fn may_be_expression(body: &str) -> bool {
    let mut depth = 0_i32;
    for byte in body.bytes() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b'"' | b';' | b'{' | b'}' | b'#' => return false,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0 && body.bytes().any(|byte| byte.is_ascii_alphanumeric())
}

/// What the preprocessor says of a marked body beside `##` is no error of the source.
pub(crate) fn explain_pasting(diagnostics: Vec<Diagnostic>, free: &[&str]) -> Vec<Diagnostic> {
    let explained = |diagnostic: Diagnostic| {
        if free.is_empty() || !diagnostic.message.contains("pasting") {
            return diagnostic;
        }
        let message = format!("a macro that is left free is pasted to other text (##); free are {}", free.join(", "));
        let help = format!("a part of a name cannot be free: give it a value, such as --set {}=100", free[0]);
        Diagnostic { labels: diagnostic.labels, ..Diagnostic::error(&codes::BAD_SYMBOLIC, message).help(help) }
    };
    diagnostics.into_iter().map(explained).collect()
}

/// Enters the directives of the unit's user files that look at a free macro's value.
pub(crate) fn find_directives(
    lines: &LineTable,
    files: &SourceFiles,
    macros: &[MacroDefinition],
    free: &mut [FreeName],
) {
    for free in free.iter_mut().filter(|free| free.is_macro) {
        let names = depending(&free.name, macros);
        for &file in lines.user_files() {
            let text = files.get(file).text.as_deref().unwrap_or_default();
            for span in conditions(file, text, &names) {
                if !free.directives.contains(&span) {
                    free.directives.push(span);
                }
            }
        }
    }
}

/// The macro and those whose bodies use it.
fn depending<'m>(name: &'m str, macros: &'m [MacroDefinition]) -> FxHashSet<&'m str> {
    let mut names = FxHashSet::from_iter([name]);
    loop {
        let uses = |body: &str| words(body).any(|word| names.contains(word));
        let more: Vec<&str> = macros.iter().filter(|m| uses(&m.body)).map(|m| m.name.as_str()).collect();
        let before = names.len();
        names.extend(more);
        if names.len() == before {
            return names;
        }
    }
}

/// Lines of `#if` and `#elif` that use one of the names otherwise than in `defined`.
fn conditions(file: FileId, text: &str, names: &FxHashSet<&str>) -> Vec<Span> {
    let uses = |line: &&str| condition(line).is_some_and(|condition| looks_at_value(condition, names));
    let numbered = (1u32..).zip(text.lines());
    numbered.filter(|(_, line)| uses(line)).map(|(number, _)| Span::line(file, number)).collect()
}

/// What an `#if` or `#elif` asks.
fn condition(line: &str) -> Option<&str> {
    let directive = line.trim_start().strip_prefix('#')?.trim_start();
    let condition = directive.strip_prefix("elif").or_else(|| directive.strip_prefix("if"))?;
    // `ifdef` and `ifndef` leave a word.
    (!condition.starts_with(|c: char| c.is_ascii_alphanumeric())).then_some(condition)
}

fn looks_at_value(condition: &str, names: &FxHashSet<&str>) -> bool {
    let mut before = "";
    words(condition).any(|word| {
        let asked = names.contains(word) && before != "defined";
        before = word;
        asked
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The text with markers inside of string literals (`#N` of a macro) taken out again: there,
/// the value that the source gives is meant.
pub(crate) fn strings_without_markers(text: String) -> String {
    if !text.contains(MARKER) {
        return text;
    }
    let (bytes, mut at, mut copied) = (text.as_bytes(), 0, 0);
    let mut out = String::with_capacity(text.len());
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let end = after_literal(bytes, at);
                out.push_str(&text[copied..at]);
                out.push_str(&unmarked(&text[at..end]));
                (at, copied) = (end, end);
            }
            b'\'' => at = after_literal(bytes, at),
            byte if byte.is_ascii_alphanumeric() || byte == b'_' => at = after_word(bytes, at),
            _ => at += 1,
        }
    }
    out.push_str(&text[copied..]);
    out
}

/// A string literal with `((body) + marker)` replaced by the body.
fn unmarked(literal: &str) -> String {
    let mut text = literal.to_owned();
    while let Some(marker) = text.find(&format!(") + {MARKER}")) {
        let Some(close) = text[marker + 1..].find(')').map(|at| marker + 1 + at) else { break };
        let Some(open) = opening(&text[..marker]).filter(|&open| open > 0) else { break };
        let body = text[open + 1..marker].to_owned();
        text.replace_range(open - 1..=close, &body);
    }
    text
}

/// Where the parenthesis stands that the end of the text would close.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 1;
    text.bytes().enumerate().rev().find_map(|(at, byte)| {
        depth += i32::from(byte == b')') - i32::from(byte == b'(');
        (depth == 0).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_be_an_integer_is_left_free() {
        for body in [" 100", "(1 << 20)", " (2*N)", "-3", "sizeof(int)", "A == B"] {
            assert!(may_be_expression(body), "{body}");
        }
        for body in ["", "  ", "\"text\"", "do { } while (0)", "(1", "1)(2", "a; b"] {
            assert!(!may_be_expression(body), "{body}");
        }
    }

    #[test]
    fn strings_show_the_default() {
        let text = "s = \"N is ((100) + __chronos_parameter_0)\" \"((2*((5) + __chronos_parameter_1)))\"; \
                    x = ((100) + __chronos_parameter_0);";
        let expected = "s = \"N is 100\" \"((2*5))\"; x = ((100) + __chronos_parameter_0);";
        assert_eq!(strings_without_markers(text.to_owned()), expected);
    }

    #[test]
    fn directives_that_look_at_the_value_are_found() {
        let text = "#if N > 5\n#ifdef N\n#  elif defined(N) && M\n# if defined N\nint if_N;\n#ifndef M\n#if(2*M)\n";
        let names = FxHashSet::from_iter(["N", "M"]);
        let lines: Vec<u32> = conditions(FileId(0), text, &names).iter().map(|span| span.line_start).collect();
        assert_eq!(lines, [1, 3, 7]);
    }
}
