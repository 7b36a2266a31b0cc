//! Lines of a task's file: a word, fields, and a checksum of all that stands before it.

/// A line whose checksum is right, with what goes on in the lines behind it (they begin with a plus sign).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub text: String,
}

/// The text of a line, without its checksum; `None` where it is damaged.
fn checked(line: &str) -> Option<&str> {
    let (text, sum) = line.rsplit_once(" #")?;
    let right = sum.len() == 8 && u32::from_str_radix(sum, 16).ok()? == checksum(text);
    right.then_some(text)
}

/// FNV-1a of 32 bits.
pub fn checksum(text: &str) -> u32 {
    text.bytes().fold(2_166_136_261, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(16_777_619))
}

/// A line as it stands in a file.
pub fn signed(text: &str) -> String {
    format!("{text} #{:08x}\n", checksum(text))
}

/// All whole lines from the beginning, and whether the file ends with one. A line is complete when the next one
/// begins, or the file ends.
pub fn lines(text: &str) -> (Vec<Line>, bool) {
    let mut lines: Vec<Line> = Vec::new();
    for line in text.split_inclusive('\n') {
        let Some(whole) = line.strip_suffix('\n').and_then(checked) else { return (lines, false) };
        match (whole.strip_prefix('+'), lines.last_mut()) {
            (Some(more), Some(last)) => last.text.push_str(more),
            _ => lines.push(Line { text: whole.to_owned() }),
        }
    }
    (lines, true)
}
