//! Escape sequences in literals that compilers take and the parser does not: `\e`, `\u2b1b`, `\%`.

use crate::source_text::tokens::{after_literal, token_end};
use std::borrow::Cow;

/// The same text with the escape sequences that the parser does not take written as others, or as the character itself.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if !has_unknown_escape(text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len() + 16);
    let mut at = 0;
    while at < bytes.len() {
        let end = token_end(bytes, at);
        let literal = matches!(bytes[at], b'"' | b'\'') && end == after_literal(bytes, at);
        if literal && has_unknown_escape(&bytes[at..end]) {
            rewrite(&text[at..end], &mut out);
        } else {
            out.push_str(&text[at..end]);
        }
        at = end;
    }
    Cow::Owned(out)
}

fn has_unknown_escape(bytes: &[u8]) -> bool {
    let mut at = 0;
    while let Some(next) = bytes[at..].iter().position(|&byte| byte == b'\\') {
        let escaped = bytes.get(at + next + 1);
        if escaped.is_some_and(|&byte| !is_known(byte)) {
            return true;
        }
        at = (at + next + 2).min(bytes.len());
    }
    false
}

/// Whether the parser takes a backslash and this byte.
fn is_known(byte: u8) -> bool {
    matches!(byte, b'\'' | b'"' | b'?' | b'\\' | b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'x' | b'0'..=b'7')
}

fn rewrite(literal: &str, out: &mut String) {
    let mut rest = literal.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match rest.next() {
            // With all three digits: the next character may be a digit.
            Some('e' | 'E') => out.push_str("\\033"),
            Some('u') => push_code(&mut rest, 4, out),
            Some('U') => push_code(&mut rest, 8, out),
            Some(c) if c.is_ascii() && is_known(c as u8) => out.extend(['\\', c]),
            // Compilers warn of it and take the character.
            Some(c) => out.push(c),
            None => out.push('\\'),
        }
    }
}

fn push_code(rest: &mut std::str::Chars<'_>, digits: usize, out: &mut String) {
    let code = rest.as_str().get(..digits).and_then(|code| u32::from_str_radix(code, 16).ok());
    let character = code.and_then(char::from_u32);
    // Compilers refuse a code that is no character.
    out.push(character.unwrap_or('?'));
    if code.is_some() {
        *rest = rest.as_str()[digits..].chars();
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn escapes_are_written_as_the_parser_takes_them() {
        let text = r#"char *s = "\e[1m\u2b1b\U0001f600\%d\\e\"\e", c = '\e';
# 1 "\e"
int \u00e9;"#;
        let expected =
            "char *s = \"\\033[1m\u{2b1b}\u{1f600}%d\\\\e\\\"\\033\", c = '\\033';\n# 1 \"\\e\"\nint \\u00e9;";
        assert_eq!(plain(text), expected);
        assert!(matches!(plain(r#"char *s = "\n\\e\x1b\033";"#), std::borrow::Cow::Borrowed(_)));
    }

    #[test]
    fn digits_behind_the_escape_character_stay_apart_from_it() {
        assert_eq!(plain(r#"s = "\e7" L"\E7";"#), r#"s = "\0337" L"\0337";"#);
    }

    #[test]
    fn what_is_no_code_or_ends_early_stays_a_literal() {
        assert_eq!(plain(r#""\uzz" '\e"#), "\"?zz\" '\\033");
    }
}
