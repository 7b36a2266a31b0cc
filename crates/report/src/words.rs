//! Words of formats: what is read is one of those that are written.

use serde::{Deserialize as _, Deserializer};

/// One of a few words that the format knows.
pub type Word = &'static str;

/// Words of the fields that have few.
const WORDS: [Word; 20] = [
    "straight",
    "call",
    "mpi",
    "loop",
    "branch",
    "static",
    "probability",
    "assumed",
    "trace",
    "timing",
    "unknown",
    "function",
    "compute",
    "send",
    "receive",
    "collective",
    "wait",
    "note",
    "warning",
    "error",
];

pub(super) fn read_word<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Word, D::Error> {
    let text = String::deserialize(deserializer)?;
    let known = WORDS.into_iter().find(|word| *word == text);
    known.ok_or_else(|| serde::de::Error::custom(format!("`{text}` is no word of this format")))
}
