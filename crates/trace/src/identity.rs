//! What a trace was made of: the texts of the user's files and the numbering of their blocks.

use chronos_ir::{BlockKind, Program};
use serde::{Deserialize, Serialize};
use std::fmt;

/// FNV-1a: it guards against mistakes, not against malice.
#[derive(Clone, Copy)]
struct Hash(u64);

impl Hash {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn number(&mut self, number: u32) {
        self.add(&number.to_le_bytes());
    }
}

/// The hash of a text, as 16 digits.
pub fn digest(bytes: &[u8]) -> String {
    let mut hash = Hash::new();
    hash.add(bytes);
    format!("{:016x}", hash.0)
}

/// A file of the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceIdentity {
    /// Path as the program names it.
    pub file: String,
    /// Hash of the text, as 16 hexadecimal digits.
    pub hash: String,
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The files whose text is known.
    pub sources: Vec<SourceIdentity>,
    /// Of the blocks: their kinds, nesting and places. Macros and conditional directives change it.
    pub numbering: String,
}

impl Identity {
    /// The identity of a program as it was read.
    pub fn of(program: &Program) -> Self {
        let sources = program.files.iter().filter_map(|(_, file)| {
            let hash = digest(file.text.as_ref()?.as_bytes());
            Some(SourceIdentity { file: file.name.to_string(), hash })
        });
        Self { sources: sources.collect(), numbering: numbering(program) }
    }

    /// The first file whose text is another one; files are told by their names alone, folders apart.
    pub fn changed<'a>(&'a self, traced: &Self) -> Option<&'a str> {
        let name = |source: &SourceIdentity| source.file.rsplit('/').next().unwrap_or_default().to_owned();
        let same = |a: &SourceIdentity| traced.sources.iter().any(|b| name(a) == name(b) && a.hash == b.hash);
        self.sources.iter().find(|source| !same(source)).map(|source| source.file.as_str())
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.numbering)
    }
}

fn numbering(program: &Program) -> String {
    let mut hash = Hash::new();
    for (_, block) in program.blocks.iter() {
        let kind = match &block.kind {
            BlockKind::Straight(_) => 0,
            BlockKind::Call(_) => 1,
            BlockKind::Loop(_) => 2,
            BlockKind::Branch(_) => 3,
        };
        let parent = block.parent.map_or(u32::MAX, |parent| parent.0);
        for number in [block.function.0, parent, kind, block.counters(), block.span.line_start, block.span.column_start]
        {
            hash.number(number);
        }
    }
    format!("{:016x}", hash.0)
}
