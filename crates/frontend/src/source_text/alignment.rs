//! Finds the tokens of a preprocessed line again in the line that the user wrote.

use super::tokens::{after_word, is_word};

/// Beyond this many pairs of tokens a line is not aligned (only generated code has such lines).
const MAX_PAIRS: usize = 1 << 20;

/// Tokens of the preprocessed text, by offset, with the user's columns.
#[derive(Debug)]
pub(crate) struct Alignment {
    /// Offset, first column and last column, ascending.
    tokens: Vec<(usize, u32, u32)>,
}

type Token<'a> = (usize, &'a str);

impl Alignment {
    /// Aligns pieces of preprocessed text (with their offsets) with the user's line.
    pub(crate) fn new<'a>(pieces: impl Iterator<Item = (usize, &'a str)>, user: &str) -> Self {
        let expanded: Vec<Token> =
            pieces.flat_map(|(at, text)| tokens(text).into_iter().map(move |(o, t)| (at + o, t))).collect();
        let written = tokens(user);
        if written.is_empty() || expanded.len().saturating_mul(written.len()) > MAX_PAIRS {
            return Self { tokens: Vec::new() };
        }
        let matches = longest_common(&expanded, &written);
        Self { tokens: location(&expanded, &written, &matches) }
    }

    /// Columns of the token that holds `offset`; the whole line where it is unknown.
    pub(crate) fn columns(&self, offset: usize, user: &str) -> (u32, u32) {
        let after = self.tokens.partition_point(|(start, ..)| *start <= offset);
        match after.checked_sub(1).map(|index| self.tokens[index]) {
            Some((_, first, last)) => (first, last),
            None => whole(user),
        }
    }
}

fn whole(user: &str) -> (u32, u32) {
    let indent = user.len() - user.trim_start().len();
    (to_column(indent + 1), to_column(user.trim_end().len().max(indent + 1)))
}

/// A matched token has its own columns; between two matches the unmatched text of the user is a macro's use.
fn location(expanded: &[Token], written: &[Token], matches: &[Option<usize>]) -> Vec<(usize, u32, u32)> {
    let mut placed = Vec::with_capacity(expanded.len());
    let mut next_match = vec![written.len(); expanded.len() + 1];
    for index in (0..expanded.len()).rev() {
        next_match[index] = matches[index].unwrap_or(next_match[index + 1]);
    }
    let mut after = 0;
    for (index, (offset, _)) in expanded.iter().enumerate() {
        let (from, to) = match matches[index] {
            Some(same) => (same, same),
            None if after < next_match[index] => (after, next_match[index] - 1),
            // The macro's name itself matched something else: stay with the token before.
            None => (after.saturating_sub(1), after.saturating_sub(1)),
        };
        after = matches[index].map_or(after, |same| same + 1);
        placed.push((*offset, to_column(written[from].0 + 1), to_column(written[to].0 + written[to].1.len())));
    }
    placed
}

/// For each expanded token, the written token that a longest common subsequence pairs it with.
fn longest_common(expanded: &[Token], written: &[Token]) -> Vec<Option<usize>> {
    let width = written.len() + 1;
    let mut lengths = vec![0u32; (expanded.len() + 1) * width];
    for i in (0..expanded.len()).rev() {
        for j in (0..written.len()).rev() {
            lengths[i * width + j] = if expanded[i].1 == written[j].1 {
                lengths[(i + 1) * width + j + 1] + 1
            } else {
                lengths[(i + 1) * width + j].max(lengths[i * width + j + 1])
            };
        }
    }
    let mut matches = vec![None; expanded.len()];
    let (mut i, mut j) = (0, 0);
    while i < expanded.len() && j < written.len() {
        if expanded[i].1 == written[j].1 {
            matches[i] = Some(j);
            (i, j) = (i + 1, j + 1);
        } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    matches
}

/// Tokens with their offsets; comments are skipped.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let length = comment_length(rest).unwrap_or_else(|| token_length(rest));
        let blank = rest[0].is_ascii_whitespace() || comment_length(rest).is_some();
        if let Some(token) = text.get(at..at + length).filter(|_| !blank) {
            found.push((at, token));
        }
        at += length;
    }
    found
}

fn comment_length(text: &[u8]) -> Option<usize> {
    match text {
        [b'/', b'/', ..] => Some(text.len()),
        [b'/', b'*', inside @ ..] => {
            Some(inside.windows(2).position(|pair| pair == b"*/").map_or(text.len(), |end| end + 4))
        }
        _ => None,
    }
}

/// Length of the token (or blank, or single byte) that the text begins with; at least 1.
pub(crate) fn token_length(text: &[u8]) -> usize {
    match text.first() {
        Some(quote @ (b'"' | b'\'')) => literal_length(text, *quote),
        Some(first) if first.is_ascii_digit() => text.iter().take_while(|b| is_word(**b) || **b == b'.').count(),
        Some(&first) if is_word(first) => after_word(text, 0),
        _ => 1,
    }
}

/// Length of a string or character literal, quotes included.
fn literal_length(text: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while let Some(&byte) = text.get(at) {
        at += if byte == b'\\' { 2 } else { 1 };
        if byte == quote {
            break;
        }
    }
    at.min(text.len())
}

pub(crate) fn to_column(column: usize) -> u32 {
    u32::try_from(column).unwrap_or(u32::MAX)
}
