//! Messages of the language server protocol: JSON behind a header with its length.

use serde_json::Value;
use std::io::{self, BufRead, Error, ErrorKind, Read, Write};

/// More than an editor ever sends; what claims to be longer is no message.
const MOST_BYTES: usize = 64 << 20;
const LENGTH: &str = "content-length:";

/// The next message; `None` at the end of the input. One that is no JSON is null.
///
/// # Errors
/// The input cannot be read, ends within a message, or has no length before one.
pub fn read(input: &mut impl BufRead) -> io::Result<Option<Value>> {
    let Some(length) = header(input)? else { return Ok(None) };
    let mut bytes = vec![0; length];
    input.read_exact(&mut bytes)?;
    Ok(Some(serde_json::from_slice(&bytes).unwrap_or_default()))
}

/// The length that the lines before a message give it.
fn header(input: &mut impl BufRead) -> io::Result<Option<usize>> {
    let mut length = None;
    let mut is_begun = false;
    loop {
        let mut line = String::new();
        if Read::take(&mut *input, LONGEST_LINE).read_line(&mut line)? == 0 {
            return if is_begun { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(None) };
        }
        is_begun = true;
        let line = line.trim().to_ascii_lowercase();
        match line.strip_prefix(LENGTH) {
            Some(number) => length = number.trim().parse().ok().filter(|length| *length <= MOST_BYTES),
            None if line.is_empty() => break,
            None => {}
        }
    }
    length.map(Some).ok_or_else(|| Error::new(ErrorKind::InvalidData, "a message without a length"))
}

const LONGEST_LINE: u64 = 4096;

/// Writes a message.
///
/// # Errors
/// The output is closed.
pub fn write(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let text = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_written_is_read() {
        let mut bytes = Vec::new();
        write(&mut bytes, &json!({"id": 1, "text": "ä"})).expect("written");
        write(&mut bytes, &json!([])).expect("written");
        let mut input = &bytes[..];
        assert_eq!(read(&mut input).expect("read"), Some(json!({"id": 1, "text": "ä"})));
        assert_eq!(read(&mut input).expect("read"), Some(json!([])));
        assert_eq!(read(&mut input).expect("the end"), None);
    }

    #[test]
    fn what_is_no_message_is_refused() {
        let check = |text: &str| read(&mut text.as_bytes()).map_err(|error| error.kind());
        assert_eq!(check("Content-Type: x\r\n\r\n{}"), Err(ErrorKind::InvalidData));
        assert_eq!(check("Content-Length: 99999999999\r\n\r\n{}"), Err(ErrorKind::InvalidData));
        assert_eq!(check("Content-Length: 9\r\n\r\n{}"), Err(ErrorKind::UnexpectedEof));
        assert_eq!(check("Content-Length: 2"), Err(ErrorKind::UnexpectedEof));
        assert_eq!(check("Content-Length: 3\r\n\r\n{{{"), Ok(Some(Value::Null)));
    }
}
