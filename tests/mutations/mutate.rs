//! Mutations: what goes wrong in files that people and programs write.

/// Marsaglia's xorshift64*; the same seed gives the same inputs on every machine.
#[derive(Clone, Debug)]
pub struct Random(u64);

/// What numbers are replaced by.
const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "1",
    "2",
    "255",
    "65536",
    "2147483647",
    "-2147483648",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "99999999999999999999",
    "1e308",
    "-1e-308",
    "0.5",
    "1e999",
    "NaN",
    "1000000",
    "null",
];

/// What is put anywhere.
const TOKENS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "\"",
    "'",
    ",",
    ";",
    ":",
    "*",
    "-",
    "%",
    "\\",
    "\0",
    "\u{e4}",
    "\n",
    " ",
    "/*",
    "//",
    "#",
    "true",
    "null",
    "for(;;)",
    "while(1)",
    "goto x;",
    "return",
    "sizeof",
    "&",
    "&&",
    "?",
    "->",
    "[-1]",
    "%*.*f",
    "%s",
    "unsigned",
    "long double",
    "_Complex",
    "__int128",
    "static",
    "extern",
    "MPI_ANY_SOURCE",
    "MPI_COMM_NULL",
    "MPI_IN_PLACE",
    "NULL",
];

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// A seed with one to five mutations.
pub fn mutated(random: &mut Random, seeds: &[String]) -> String {
    let mut text: Vec<char> = random.pick(seeds).chars().collect();
    for _ in 0..=random.below(5) {
        mutate(random, &mut text, seeds);
    }
    text.into_iter().collect()
}

fn mutate(random: &mut Random, text: &mut Vec<char>, seeds: &[String]) {
    let at = random.below(text.len() + 1);
    let end = (at + 1 + random.below(24)).min(text.len());
    match random.below(10) {
        0 => drop(text.drain(at..end)),
        1 => insert(text, at, random.pick::<&str>(TOKENS)),
        2..=4 => replace_number(random, text, at),
        5 => {
            let piece: String = text[at..end].iter().collect();
            insert(text, at, &piece.repeat(1 + random.below(20)));
        }
        6 => replace_word(random, text, at),
        7 => {
            let other: Vec<char> = random.pick(seeds).chars().collect();
            let from = random.below(other.len() + 1);
            let piece: String = other[from..].iter().take(1 + random.below(200)).collect();
            insert(text, at, &piece);
        }
        8 => {
            if let Some(found) = text.get_mut(at) {
                *found = char::from(32 + random.below(95) as u8);
            }
        }
        _ => text.truncate(at.max(text.len() / 2)),
    }
}

fn insert(text: &mut Vec<char>, at: usize, piece: &str) {
    text.splice(at..at, piece.chars());
}

/// The next number becomes an extreme one.
fn replace_number(random: &mut Random, text: &mut Vec<char>, from: usize) {
    let Some(begin) = (from..text.len()).find(|&at| text[at].is_ascii_digit()) else { return };
    let end = (begin..text.len()).find(|&at| !text[at].is_ascii_digit() && text[at] != '.').unwrap_or(text.len());
    text.splice(begin..end, random.pick(NUMBERS).chars());
}

/// The next word becomes another one of the text.
fn replace_word(random: &mut Random, text: &mut Vec<char>, from: usize) {
    let word = |text: &[char], from: usize| {
        let begin = (from..text.len()).find(|&at| text[at].is_alphabetic())?;
        let end = (begin..text.len()).find(|&at| !text[at].is_alphanumeric() && text[at] != '_').unwrap_or(text.len());
        Some(begin..end)
    };
    let other = random.below(text.len() + 1);
    if let (Some(there), Some(other)) = (word(text, from), word(text, other)) {
        let other: Vec<char> = text[other].to_vec();
        text.splice(there, other);
    }
}
