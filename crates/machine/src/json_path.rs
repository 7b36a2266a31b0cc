//! The field at a position of a JSON text: parsers name line and column, people look for the field.
//!
//! `serde_path_to_error` knows no key of a map whose keys are not strings to serde: it names `classes.?` where the field is
//! `classes.load`.

/// An object or array that the position lies in.
enum Frame {
    /// With the key whose value is being read.
    Object(Option<String>),
    /// With the position of the element being read.
    Array(usize),
}

/// The field that is being read at `line` and `column` (from 1, in bytes, as `serde_json` counts), such as
/// `classes.load.latency_cycles` or `memory.levels[1].name`; empty at the top. `text` is well-formed up to there.
pub fn field_at(text: &str, line: usize, column: usize) -> String {
    let line_start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let end = (line_start + column).min(text.len());
    let mut frames = Vec::new();
    let mut string: Option<Vec<u8>> = None;
    let mut last = String::new();
    let mut escaped = false;
    for &byte in &text.as_bytes()[..end] {
        let Some(open) = &mut string else {
            if byte == b'"' {
                string = Some(Vec::new());
            } else {
                step(&mut frames, byte, &last);
            }
            continue;
        };
        if byte == b'"' && !escaped {
            last = String::from_utf8_lossy(open).into_owned();
            string = None;
        } else {
            open.push(byte);
        }
        escaped = byte == b'\\' && !escaped;
    }
    render(&frames)
}

/// What a byte outside strings does to the nesting.
fn step(frames: &mut Vec<Frame>, byte: u8, last_string: &str) {
    match (byte, frames.last_mut()) {
        (b'{', _) => frames.push(Frame::Object(None)),
        (b'[', _) => frames.push(Frame::Array(0)),
        (b'}' | b']', _) => drop(frames.pop()),
        (b':', Some(Frame::Object(key))) => *key = Some(last_string.to_owned()),
        (b',', Some(Frame::Object(key))) => *key = None,
        (b',', Some(Frame::Array(index))) => *index += 1,
        _ => {}
    }
}

fn render(frames: &[Frame]) -> String {
    let mut path = String::new();
    for frame in frames {
        match frame {
            Frame::Object(None) => {}
            Frame::Object(Some(key)) if path.is_empty() => path.push_str(key),
            Frame::Object(Some(key)) => path.extend([".", key]),
            Frame::Array(index) => path.push_str(&format!("[{index}]")),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::field_at;

    #[test]
    fn nested_fields_are_named() {
        let text = "{\n \"a\": {\"b,\\\"}\": [1, {\"c\": 2}]},\n \"d\": 3\n}";
        let at = |needle: &str| {
            let offset = text.find(needle).expect("is there");
            let line_start = text[..offset].rfind('\n').map_or(0, |newline| newline + 1);
            field_at(text, text[..offset].matches('\n').count() + 1, offset - line_start + 1)
        };
        assert_eq!(at("1"), "a.b,\\\"}[0]");
        assert_eq!(at("2"), "a.b,\\\"}[1].c");
        assert_eq!(at("3"), "d");
        assert_eq!(field_at(text, 1, 1), "");
        assert_eq!(field_at(text, 99, 99), "");
    }
}
