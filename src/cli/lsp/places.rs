//! Files as addresses (`file:///home/me/a.c`), and back.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const SCHEME: &str = "file://";

/// The path of an address of this machine.
pub fn path_of(address: &str) -> Option<PathBuf> {
    let rest = address.strip_prefix(SCHEME)?;
    let path = &rest[rest.find('/')?..];
    let mut bytes = Vec::with_capacity(path.len());
    let mut left = path.bytes();
    while let Some(byte) = left.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [left.next()?, left.next()?];
        bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

/// The address of a path.
pub fn address_of(path: &Path) -> String {
    let mut address = SCHEME.to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                address.push(char::from(*byte));
            }
            other => {
                let _ = write!(address, "%{other:02X}");
            }
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_paths() {
        for path in ["/home/me/a.c", "/with space/ä/100%.c"] {
            assert_eq!(path_of(&address_of(Path::new(path))), Some(PathBuf::from(path)));
        }
        assert_eq!(path_of("file://localhost/a%20b.c"), Some(PathBuf::from("/a b.c")));
        assert_eq!((path_of("untitled:1"), path_of("file:///a%2"), path_of("file:///%zz")), (None, None, None));
    }
}
