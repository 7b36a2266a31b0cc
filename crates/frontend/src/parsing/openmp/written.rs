//! Which names a statement may change, as its text says: those that are assigned, counted up or down, or whose address is taken.

use super::statements::{after_bracket, after_space};
use crate::source_text::tokens::{after_word, is_word, token_end};
use std::collections::BTreeSet;

/// The names in a stretch of text, each once; those of variables that the stretch declares are among them.
pub(super) fn written(text: &str, from: usize, to: usize) -> BTreeSet<&str> {
    let bytes = text.as_bytes();
    let mut found = BTreeSet::new();
    let mut before = (from, from);
    let mut at = from;
    while at < to {
        if bytes[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let end = token_end(bytes, at).max(at + 1);
        let is_name = is_word(bytes[at]) && !bytes[at].is_ascii_digit();
        let member = matches!(bytes.get(before.1.wrapping_sub(1)), Some(b'.' | b'>')) && is_member(bytes, before.1);
        if is_name && !member && (changes_behind(text, end) || changes_in_front(bytes, before.1)) {
            found.insert(&text[at..end]);
        }
        (before, at) = ((at, end), end);
    }
    found
}

fn is_member(bytes: &[u8], end: usize) -> bool {
    bytes[end - 1] == b'.' || end >= 2 && bytes[end - 2] == b'-'
}

/// Whether an assignment stands behind a name, its indices and its members.
fn changes_behind(text: &str, mut at: usize) -> bool {
    let bytes = text.as_bytes();
    loop {
        at = after_space(text, at);
        match bytes.get(at) {
            Some(b'[') => at = after_bracket(bytes, at).unwrap_or(bytes.len()),
            Some(b'.') => at = after_word(bytes, after_space(text, at + 1)),
            _ => break,
        }
    }
    let rest = &bytes[at.min(bytes.len())..];
    match rest {
        [b'=', next, ..] => *next != b'=',
        [b'<', b'<', b'=', ..] | [b'>', b'>', b'=', ..] | [b'+', b'+', ..] | [b'-', b'-', ..] => true,
        [b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^', b'=', ..] => true,
        _ => false,
    }
}

/// Whether `++`, `--` or the operator of an address stands in front of a name.
fn changes_in_front(bytes: &[u8], end: usize) -> bool {
    let Some(front) = bytes.get(..end) else { return false };
    let before = |n: usize| front.iter().rev().nth(n).copied().unwrap_or(b';');
    match (before(1), before(0)) {
        (b'+', b'+') | (b'-', b'-') => true,
        (b'&', b'&') => false,
        // An address and no conjunction of bits: no operand stands in front.
        (_, b'&') => {
            let operand = front[..end - 1].iter().rev().find(|byte| !byte.is_ascii_whitespace());
            !operand.is_some_and(|&byte| is_word(byte) || matches!(byte, b')' | b']'))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::written;

    #[test]
    fn what_changes_is_found() {
        let text =
            "{ a = b + c; d += 2; e[f] = 1; g.h = 2; i->k = 3; if (l == m) n++; --o; p(&q, r & s); t <<= 1; u <= v; }";
        let found: Vec<&str> = written(text, 0, text.len()).into_iter().collect();
        assert_eq!(found, ["a", "d", "e", "g", "n", "o", "q", "t"]);
    }
}
