//! Words, numbers and blanks of GOAL text.
//!
//! One pass over the bytes without a token list: files have hundreds of megabytes.

/// What is wrong, and where in the text.
#[derive(Debug)]
pub(super) struct Fault {
    pub at: usize,
    pub expected: &'static str,
}

pub(super) type Read<T> = Result<T, Fault>;

/// What is left of a text.
pub(super) struct Text<'a> {
    rest: &'a [u8],
    /// Bytes of the whole text.
    length: usize,
    /// A comment reaches the end of the text: what follows may belong to it.
    pub is_open: bool,
}

/// Letters, digits and underscores.
#[derive(Clone, Copy)]
pub(super) struct Word<'a> {
    pub bytes: &'a [u8],
    pub key: u64,
}

/// The last eight bytes of a word as a number, which tells words of up to seven bytes from all others.
pub(super) const fn key(word: &[u8]) -> u64 {
    let (mut key, mut at) = (0, 0);
    while at < word.len() {
        key = key << 8 | word[at] as u64;
        at += 1;
    }
    key
}

/// By byte, whether it may stand in a word.
const IN_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    table
};

impl<'a> Text<'a> {
    /// From a byte on.
    pub fn new(text: &'a [u8], from: usize) -> Self {
        Self { rest: &text[from..], length: text.len(), is_open: false }
    }

    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    #[inline(always)]
    pub fn at(&self) -> usize {
        self.length - self.rest.len()
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// The word, and the blanks behind it.
    #[inline(always)]
    pub fn word(&mut self) -> Word<'a> {
        let word = self.peek();
        self.pass(word);
        word
    }

    /// The word that comes next.
    #[inline(always)]
    pub fn peek(&self) -> Word<'a> {
        let (mut key, mut length) = (0, 0);
        for &byte in self.rest {
            if !IN_WORD[usize::from(byte)] {
                break;
            }
            key = key << 8 | u64::from(byte);
            length += 1;
        }
        Word { bytes: &self.rest[..length], key }
    }

    /// Goes behind a word that comes next.
    #[inline(always)]
    pub fn pass(&mut self, word: Word) {
        self.rest = &self.rest[word.bytes.len()..];
        self.skip();
    }

    #[inline(always)]
    pub fn number(&mut self, expected: &'static str) -> Read<u64> {
        let number = self.digits(expected)?;
        self.skip();
        Ok(number)
    }

    /// A number of bytes.
    #[inline(always)]
    pub fn bytes(&mut self) -> Read<u64> {
        let bytes = self.digits("a size, for instance 8b")?;
        if let [b'b', rest @ ..] = self.rest {
            self.rest = rest;
        }
        self.skip();
        Ok(bytes)
    }

    #[inline(always)]
    fn digits(&mut self, expected: &'static str) -> Read<u64> {
        /// So many digits are below 2^64.
        const SHORT: usize = 19;
        let (begin, mut value) = (self.rest, 0u64);
        while let [digit @ b'0'..=b'9', rest @ ..] = self.rest {
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            self.rest = rest;
        }
        let at = self.length - begin.len();
        match begin.len() - self.rest.len() {
            0 => Err(Fault { at, expected }),
            1..=SHORT => Ok(value),
            length => long(&begin[..length]).ok_or(Fault { at, expected: "a number below 2^64" }),
        }
    }

    #[inline(always)]
    pub fn accepts<const N: usize>(&mut self, word: &[u8; N]) -> bool {
        match self.rest.split_first_chunk::<N>() {
            Some((begin, rest)) if begin == word => {
                self.rest = rest;
                self.skip();
                true
            }
            _ => false,
        }
    }

    #[inline(always)]
    pub fn keyword<const N: usize>(&mut self, word: &[u8; N], expected: &'static str) -> Read<()> {
        let at = self.at();
        if self.accepts(word) { Ok(()) } else { Err(Fault { at, expected }) }
    }

    /// Blanks and comments.
    #[inline(always)]
    pub fn skip(&mut self) {
        match self.rest {
            // One blank before a word or a number, or none behind a label; blanks and `/` are the bytes up to this one.
            [first, ..] if *first > b'/' => {}
            [b' ' | b'\n', second, ..] if *second > b'/' => self.rest = &self.rest[1..],
            _ => self.skip_all(),
        }
    }

    #[inline(never)]
    fn skip_all(&mut self) {
        loop {
            match self.rest {
                [b' ' | b'\n' | b'\t' | b'\r', rest @ ..] => self.rest = rest,
                [b'/', b'/', rest @ ..] => self.skip_behind(rest, b"\n"),
                [b'/', b'*', rest @ ..] => self.skip_behind(rest, b"*/"),
                _ => return,
            }
        }
    }

    fn skip_behind(&mut self, rest: &'a [u8], end: &[u8]) {
        let found = rest.windows(end.len()).position(|window| window == end);
        self.is_open |= found.is_none();
        self.rest = &rest[found.map_or(rest.len(), |position| position + end.len())..];
    }
}

fn long(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0u64, |value, digit| value.checked_mul(10)?.checked_add(u64::from(digit - b'0')))
}
