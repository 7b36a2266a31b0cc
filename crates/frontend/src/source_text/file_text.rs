//! Bytes of files as text, and paths as the system knows them.

use std::path::{Component, Path, PathBuf};
use std::string::FromUtf8Error;

/// Each line is UTF-8, or else Latin-1; without the mark that some editors put first. By lines, because a preprocessor's output
/// joins files and names of files in several encodings.
pub(crate) fn decode(bytes: Vec<u8>) -> String {
    let text = String::from_utf8(bytes).map_err(FromUtf8Error::into_bytes);
    let text = text.unwrap_or_else(|bytes| bytes.split_inclusive(|&byte| byte == b'\n').map(decode_line).collect());
    text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)
}

fn decode_line(line: &[u8]) -> String {
    match str::from_utf8(line) {
        Ok(text) => text.to_owned(),
        Err(_) => line.iter().map(|&byte| char::from(byte)).collect(),
    }
}

/// The name of a file, decoded as where a preprocessor writes it.
pub(crate) fn decode_name(path: &Path) -> String {
    decode_line(path.as_os_str().as_encoded_bytes())
}

/// The absolute path; as given where the file does not exist.
pub(crate) fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| normalized(path))
}

/// `a/b/../c` as `a/c`, by text alone.
pub fn normalized(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir if plain.file_name().is_some() => drop(plain.pop()),
            Component::CurDir => {}
            _ => plain.push(part),
        }
    }
    plain
}
