//! Text that a format of scanf reads: small numbers and words.

use super::scan::Conversion;

/// What is read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted<'a> {
    /// By a format of scanf.
    Format(&'a [u8]),
    /// A line, or a byte of it.
    Line,
}

/// A line that a program reads as a whole, and may take for a number.
const LINE: &[u8] = b"8\n";

/// Small enough for any loop, divisible by the numbers of tasks that are tried first.
const INTEGER: &[u8] = b"8";
const FLOAT: &[u8] = b"1.0";
const WORD: &[u8] = b"word";

/// What is read behind `before`.
pub(crate) fn of(wanted: Wanted<'_>, before: &[u8]) -> Vec<u8> {
    match wanted {
        Wanted::Format(format) => of_format(format, before),
        Wanted::Line => LINE.to_vec(),
    }
}

/// What the format reads, with the end of a line.
fn of_format(format: &[u8], before: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut at = 0;
    while let Some(&byte) = format.get(at) {
        at += 1;
        if byte.is_ascii_whitespace() {
            separate(&mut text, byte);
        } else if byte != b'%' {
            text.push(byte);
        } else {
            let conversion = Conversion::read(format, &mut at);
            let apart = text.last().is_some_and(u8::is_ascii_alphanumeric);
            if apart && !matches!(conversion.kind, b'c' | b'[' | b'%' | b'n') {
                text.push(b' ');
            }
            text.extend(of_conversion(&conversion));
        }
    }
    if !text.ends_with(b"\n") {
        text.push(b'\n');
    }
    if before.last().is_some_and(|byte| !byte.is_ascii_whitespace()) {
        text.insert(0, b'\n');
    }
    text
}

fn separate(text: &mut Vec<u8>, byte: u8) {
    if text.last().is_some_and(|last| !last.is_ascii_whitespace()) {
        text.push(if byte == b'\n' { b'\n' } else { b' ' });
    }
}

fn of_conversion(conversion: &Conversion) -> Vec<u8> {
    let whole: &[u8] = match conversion.kind {
        b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => INTEGER,
        b'f' | b'e' | b'g' | b'E' | b'G' | b'F' | b'a' | b'A' => FLOAT,
        b's' => WORD,
        b'c' => return vec![b'a'; if conversion.width == usize::MAX { 1 } else { conversion.width.min(1 << 10) }],
        b'[' => return conversion.member().into_iter().collect(),
        b'%' => b"%",
        _ => b"",
    };
    whole[..whole.len().min(conversion.width)].to_vec()
}

#[cfg(test)]
mod tests {
    use super::of_format;

    #[track_caller]
    fn check(format: &str, expected: &str) {
        assert_eq!(String::from_utf8_lossy(&of_format(format.as_bytes(), b"")), expected, "{format}");
    }

    #[test]
    fn formats_read_what_is_made_of_them() {
        check("%d", "8\n");
        check("%d%d", "8 8\n");
        check(" %d %lf\n", "8 1.0\n");
        check("beta %f\n", "beta 1.0\n");
        check("%2s%c", "woa\n");
        check("%[0-9]:%[^,],", "0:a,\n");
        check("%d%%", "8%\n");
        assert_eq!(of_format(b"%d", b"x"), b"\n8\n");
    }
}
