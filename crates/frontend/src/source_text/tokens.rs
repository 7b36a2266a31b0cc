//! Where tokens of C end: words, literals, lines of the preprocessor.

/// Behind the word, literal, directive or byte that begins at `at`.
pub(crate) fn token_end(bytes: &[u8], at: usize) -> usize {
    match bytes[at] {
        b'"' | b'\'' => crate::source_text::tokens::after_literal(bytes, at),
        b'#' => crate::source_text::tokens::after_line(bytes, at),
        byte if byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80 => {
            crate::source_text::tokens::after_word(bytes, at)
        }
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

pub(crate) fn after_line(bytes: &[u8], from: usize) -> usize {
    from + bytes[from..].iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len() - from)
}

pub(crate) fn after_word(bytes: &[u8], from: usize) -> usize {
    let rest = &bytes[from.min(bytes.len())..];
    from + rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_' || **byte >= 0x80).count()
}
