//! The words of `chronos-whatif/1`, read from a kept study.

use crate::model::Word;
use serde::{Deserialize, Deserializer};

/// Every word that a field of one of a few words may hold.
const WORDS: [&str; 16] = [
    "function",
    "loop",
    "task",
    "mpi_call",
    "link",
    "topology_link",
    "message",
    "ready",
    "duration",
    "no_task",
    "recorded",
    "followed again",
    "network.latency",
    "network.bandwidth",
    "network.overhead",
    "compute",
];

fn known<E: serde::de::Error>(text: &str) -> Result<Word, E> {
    let known = WORDS.into_iter().find(|word| *word == text);
    known.ok_or_else(|| E::custom(format!("`{text}` is no word of chronos-whatif/1")))
}

pub(super) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Word, D::Error> {
    known(&String::deserialize(deserializer)?)
}

pub(super) fn read_optional<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Word>, D::Error> {
    Option::<String>::deserialize(deserializer)?.map(|text| known(&text)).transpose()
}
