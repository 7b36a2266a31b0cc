//! What a trace was made of: the texts of the user's files and the numbering of their blocks.

use chronos_base::hash::FxHashSet;
use chronos_base::span::FileId;
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
    /// Of a file without blocks, the hash of its text without what stands in strings: builds write hosts, dates and
    /// paths of compilers into headers. Other files, and traces of earlier versions, have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_hash: Option<String>,
}

impl SourceIdentity {
    /// Whether it is the same file; files are told by their names alone, folders apart.
    fn is_same(&self, other: &Self) -> bool {
        self.name() == other.name() && self.hash == other.hash
    }

    /// Whether it is the same file but for its strings.
    fn is_same_code(&self, other: &Self) -> bool {
        self.name() == other.name() && self.code_hash.is_some() && self.code_hash == other.code_hash
    }

    fn name(&self) -> &str {
        self.file.rsplit('/').next().unwrap_or_default()
    }
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
        let with_blocks: FxHashSet<FileId> = program.blocks.values().map(|block| block.span.file).collect();
        let sources = program.files.iter().filter_map(|(id, file)| {
            let text = file.text.as_ref()?.as_bytes();
            let code_hash = (!with_blocks.contains(&id)).then(|| digest(&without_strings(text)));
            Some(SourceIdentity { file: file.name.to_string(), hash: digest(text), code_hash })
        });
        Self { sources: sources.collect(), numbering: numbering(program) }
    }

    /// The first file whose text is another one, the strings of headers apart.
    pub fn changed<'a>(&'a self, traced: &Self) -> Option<&'a str> {
        let same =
            |source: &SourceIdentity, other: &SourceIdentity| source.is_same(other) || source.is_same_code(other);
        self.first_without(traced, same)
    }

    /// The first file in which only strings are others.
    pub fn changed_in_strings<'a>(&'a self, traced: &Self) -> Option<&'a str> {
        self.first_without(traced, SourceIdentity::is_same)
    }

    fn first_without(&self, traced: &Self, same: impl Fn(&SourceIdentity, &SourceIdentity) -> bool) -> Option<&str> {
        let is_traced = |source: &&SourceIdentity| traced.sources.iter().any(|other| same(source, other));
        self.sources.iter().find(|source| !is_traced(source)).map(|source| source.file.as_str())
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.numbering)
    }
}

/// A text without what stands between double quotes, outside of comments and character constants.
fn without_strings(text: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, after @ ..] = rest {
        let (shown, length) = match (first, after.first()) {
            (b'"', _) => (1, quoted(rest)),
            (b'\'', _) => (quoted(rest), quoted(rest)),
            (b'/', Some(b'/')) => (line(rest), line(rest)),
            (b'/', Some(b'*')) => (comment(rest), comment(rest)),
            _ => (1, 1),
        };
        kept.extend_from_slice(&rest[..shown]);
        rest = &rest[length..];
    }
    kept
}

/// Length of a string or character constant, which ends with its line at the latest: an apostrophe may stand in a text
/// that `#if 0` leaves out.
fn quoted(text: &[u8]) -> usize {
    let mut at = 1;
    while at < text.len() && text[at] != text[0] && text[at] != b'\n' {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(text.len())
}

fn line(text: &[u8]) -> usize {
    text.iter().position(|&byte| byte == b'\n').unwrap_or(text.len())
}

fn comment(text: &[u8]) -> usize {
    text.windows(2).skip(2).position(|end| end == b"*/").map_or(text.len(), |at| at + 4)
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

#[cfg(test)]
mod tests {
    use super::{SourceIdentity, digest, without_strings};

    fn check(text: &str, expected: &str) {
        assert_eq!(String::from_utf8_lossy(&without_strings(text.as_bytes())), expected);
    }

    #[test]
    fn only_what_stands_in_strings_is_left_out() {
        check("#define HOST \"node7\"\nint n = 3;", "#define HOST \"\nint n = 3;");
        check(r#"a = "x\"y"; b = '"'; c = "z";"#, r#"a = "; b = '"'; c = ";"#);
        check("// don't \"\nint a; /* \" */ \"b\"", "// don't \"\nint a; /* \" */ \"");
        check("'unclosed\nint n;", "'unclosed\nint n;");
        check("\"unclosed", "\"");
    }

    #[test]
    fn a_file_is_the_same_with_other_strings_and_not_with_other_numbers() {
        let identity = |text: &str| SourceIdentity {
            file: "a/info.h".into(),
            hash: digest(text.as_bytes()),
            code_hash: Some(digest(&without_strings(text.as_bytes()))),
        };
        let traced = identity("#define HOST \"a\"\n#define N 3");
        let other_string = identity("#define HOST \"b\"\n#define N 3");
        assert!(other_string.is_same_code(&traced) && !other_string.is_same(&traced));
        assert!(!identity("#define HOST \"a\"\n#define N 4").is_same_code(&traced));
        let earlier = SourceIdentity { code_hash: None, ..traced.clone() };
        assert!(traced.is_same(&earlier) && !other_string.is_same_code(&earlier));
    }
}
