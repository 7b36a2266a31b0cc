//! What the text in front of a directive says of a name: whether it is an array. Types are known to the lowering alone, which
//! refuses what was taken for a scalar and is none.

use super::statements::after_bracket;
use crate::source_text::tokens::{after_word, is_word};

/// Words in front of a name that make no declaration of it.
const NO_TYPES: &[&str] = &["return", "else", "case", "goto", "sizeof", "do", "in", "typeof", "__typeof__"];

/// Dimensions of the array that the nearest declaration in front of `at` says; none for anything else.
pub(super) fn dimensions(text: &str, at: usize, name: &str) -> usize {
    let mut to = at;
    while let Some(found) = text[..to].rfind(name) {
        to = found;
        let end = found + name.len();
        let bytes = text.as_bytes();
        let whole = after_word(bytes, found) == end && (found == 0 || !is_word(bytes[found - 1]));
        if whole && is_declared(text, found) {
            return brackets(text, end);
        }
    }
    0
}

fn brackets(text: &str, mut at: usize) -> usize {
    let mut count = 0;
    while let Some(open) = text[at..].find(|c: char| !c.is_whitespace()).map(|blank| at + blank) {
        if text.as_bytes()[open] != b'[' {
            break;
        }
        let Some(end) = after_bracket(text.as_bytes(), open) else { break };
        (at, count) = (end, count + 1);
    }
    count
}

/// Whether a name at a place is being declared: a word that may be a type stands in front, or a list that begins with two.
fn is_declared(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end().trim_end_matches('*').trim_end();
    if before.ends_with(',') {
        let begin = statement_begin(before.as_bytes());
        let mut words = before[begin..].split_whitespace();
        let is_type =
            |word: Option<&str>| word.is_some_and(|word| word.bytes().all(is_word) && !NO_TYPES.contains(&word));
        return is_type(words.next())
            && words.next().is_some_and(|word| word.starts_with(|c: char| c == '*' || c == '_' || c.is_alphabetic()));
    }
    let word = before.rfind(|c: char| !c.is_ascii() || !is_word(c as u8)).map_or(before, |end| &before[end + 1..]);
    word.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic()) && !NO_TYPES.contains(&word)
}

/// Where the statement begins that ends a text; braces and brackets of initialisers belong to it.
fn statement_begin(bytes: &[u8]) -> usize {
    let mut depth = 0;
    for (at, byte) in bytes.iter().enumerate().rev() {
        match byte {
            b'}' | b')' | b']' => depth += 1,
            b'{' | b'(' | b'[' if depth == 0 => return at + 1,
            b'{' | b'(' | b'[' => depth -= 1,
            b';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::dimensions;

    #[test]
    fn arrays_are_told_from_scalars() {
        let check = |text: &str, expected: usize| assert_eq!(dimensions(text, text.len(), "a"), expected, "{text}");
        check("int a[4];\n", 1);
        check("double b, a[N][3]; f(a[1]);\n", 2);
        check("int a[4]; void f(void) { int a; a = 3;\n", 0);
        check("int *a; a[3] = 1; g(x, a[2]); return a[1];\n", 0);
        check("unsigned long *b = 0, c = 1, a [ 5 ];\n", 1);
        check("int b[2] = {1, 2}, c[] = {{3}}, a[3] = {4, 5};", 1);
        check("b = ba[3];", 0);
    }
}
