//! Where tokens of C end: words, literals, lines of the preprocessor.
//!
//! A text is walked over several times before it is parsed, so what a byte may be stands in tables.

/// By byte: whether words hold it.
static WORD: [bool; 256] = word_bytes();

/// By byte: whether it is a bracket or begins a literal or a directive.
static STRUCTURAL: [bool; 256] = structural_bytes();

const fn word_bytes() -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = byte >= 0x80 || byte == b'_' as usize || (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    table
}

const fn structural_bytes() -> [bool; 256] {
    let mut table = [false; 256];
    let bytes = b"()[]{}\"'#";
    let mut index = 0;
    while index < bytes.len() {
        table[bytes[index] as usize] = true;
        index += 1;
    }
    table
}

/// Whether words hold the byte: letters, digits, underscores and all that is not ASCII.
#[inline]
pub(crate) fn is_word(byte: u8) -> bool {
    WORD[usize::from(byte)]
}

/// Behind the word, literal, directive or byte that begins at `at`.
#[inline]
pub(crate) fn token_end(bytes: &[u8], at: usize) -> usize {
    match bytes[at] {
        b'"' | b'\'' => after_literal(bytes, at),
        b'#' => after_line(bytes, at),
        byte if is_word(byte) => after_word(bytes, at + 1),
        _ => at + 1,
    }
}

/// Behind the literal that begins at `from`; it ends with its line at the latest.
pub(crate) fn after_literal(bytes: &[u8], from: usize) -> usize {
    let quote = bytes[from];
    let mut at = from + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[inline]
pub(crate) fn after_line(bytes: &[u8], from: usize) -> usize {
    bytes[from..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |length| from + length)
}

#[inline]
pub(crate) fn after_word(bytes: &[u8], from: usize) -> usize {
    let rest = &bytes[from.min(bytes.len())..];
    from + rest.iter().position(|&byte| !is_word(byte)).unwrap_or(rest.len())
}

/// The first bracket, literal or directive from `from` on; the end of the text where there is none.
#[inline]
pub(crate) fn next_structural(bytes: &[u8], from: usize) -> usize {
    let rest = &bytes[from..];
    from + rest.iter().position(|&byte| STRUCTURAL[usize::from(byte)]).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_end_where_they_should() {
        let text = "ab_1\u{e9}+ 'x\\'' \"a\\\\\"b\n# 1 \"x\"\n\"open\n".as_bytes();
        let mut ends = Vec::new();
        let mut at = 0;
        while at < text.len() {
            at = token_end(text, at);
            ends.push(at);
        }
        assert_eq!(ends, [6, 7, 8, 13, 14, 19, 20, 21, 28, 29, 34, 35]);
        assert_eq!(after_word(b"ab", 5), 5);
        assert_eq!(after_line(b"ab", 1), 2);
    }

    #[test]
    fn what_structures_a_text_is_found() {
        let text = b"a = b+1; f(\"x\")";
        assert_eq!(next_structural(text, 0), 10);
        assert_eq!(next_structural(text, 10), 10);
        assert_eq!(next_structural(b"int a;", 0), 6);
    }
}
