//! Where statements end, in preprocessed text.

use super::clauses::Directive;
use super::directive_of;
use crate::source_text::tokens::{after_line, after_word, token_end};

/// Behind blanks and line markers; pragmas stay.
pub(super) fn after_space(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    loop {
        match bytes.get(at) {
            Some(byte) if byte.is_ascii_whitespace() => at += 1,
            Some(b'#') => {
                let end = after_line(bytes, at);
                if directive_of(&text[at..end]).is_some() {
                    return at;
                }
                at = end;
            }
            _ => return at,
        }
    }
}

/// Behind the bracket that closes the one at `open`.
pub(super) fn after_bracket(bytes: &[u8], open: usize) -> Option<usize> {
    let (mut at, mut depth) = (open, 0usize);
    while at < bytes.len() {
        match bytes[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at = token_end(bytes, at).max(at + 1);
    }
    None
}

/// Behind the statement that begins at `at`, blanks in front of it included.
pub(super) fn after_statement(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let at = after_space(text, at);
    match *bytes.get(at)? {
        b'{' => after_bracket(bytes, at),
        b'#' => {
            let end = after_line(bytes, at);
            let directive = Directive::read(directive_of(&text[at..end])?);
            if directive.stands_alone() { Some(end) } else { after_statement(text, end) }
        }
        _ => {
            let end = after_word(bytes, at);
            match &text[at..end] {
                "for" | "while" | "switch" => after_statement(text, after_bracket(bytes, after_space(text, end))?),
                "if" => after_if(text, end),
                "do" => after_simple(text, after_statement(text, end)?),
                "case" | "default" => after_statement(text, after_label(bytes, end)?),
                _ if end > at && bytes.get(after_space(text, end)) == Some(&b':') => {
                    after_statement(text, after_space(text, end) + 1)
                }
                _ => after_simple(text, at),
            }
        }
    }
}

fn after_if(text: &str, at: usize) -> Option<usize> {
    let then = after_statement(text, after_bracket(text.as_bytes(), after_space(text, at))?)?;
    let next = after_space(text, then);
    let end = after_word(text.as_bytes(), next);
    if &text[next..end] == "else" { after_statement(text, end) } else { Some(then) }
}

/// Behind the colon of a `case`, whose value may hold a `?:`.
fn after_label(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut open = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'?' => open += 1,
            b':' if open == 0 => return Some(at + 1),
            b':' => open -= 1,
            b';' | b'{' => return None,
            _ => {}
        }
        at = token_end(bytes, at).max(at + 1);
    }
    None
}

/// Behind the next semicolon that stands in no brackets.
fn after_simple(text: &str, mut at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    while at < bytes.len() {
        at = match bytes[at] {
            b';' => return Some(at + 1),
            b'(' | b'[' | b'{' => after_bracket(bytes, at)?,
            b'}' | b')' => return None,
            _ => token_end(bytes, at).max(at + 1),
        };
    }
    None
}
