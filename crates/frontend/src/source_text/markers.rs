//! Markers of the preprocessor: `# 12 "file.c" 1 3`.

/// `# 12 "file.c" 1 3`.
pub(crate) struct Marker {
    pub line: u32,
    pub file: String,
    pub system: bool,
}

impl Marker {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix('#')?;
        let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let line = rest[..digits].parse().ok()?;
        let quoted = rest[digits..].trim_start().strip_prefix('"')?;
        let close = quoted.rfind('"')?;
        let system = quoted[close + 1..].split_whitespace().any(|flag| flag == "3");
        Some(Self { line, file: unescape(&quoted[..close]), system })
    }
}

/// A name as compilers quote it: backslashes protect, `\n` is the end of a line, up to three octal digits are a byte.
fn unescape(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut rest = text.as_bytes();
    let mut plain = Vec::with_capacity(text.len());
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        let digits = rest.iter().take(3).take_while(|digit| matches!(digit, b'0'..=b'7')).count();
        match (byte, rest.first()) {
            (b'\\', Some(_)) if digits > 0 => {
                plain.push(rest[..digits].iter().fold(0, |byte: u8, digit| byte.wrapping_mul(8) + (digit - b'0')));
                rest = &rest[digits..];
            }
            (b'\\', Some(&protected)) => {
                plain.push(if protected == b'n' { b'\n' } else { protected });
                rest = &rest[1..];
            }
            _ => plain.push(byte),
        }
    }
    String::from_utf8_lossy(&plain).into_owned()
}
