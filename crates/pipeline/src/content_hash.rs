//! The hash by which contents are told apart where something is kept of them.

use std::fmt::{Debug, Write};
use std::path::Path;

/// FNV-1a of 128 bits: it tells contents apart, and guards against mistakes, not against malice.
pub(crate) struct ContentHash(u128);

impl ContentHash {
    pub fn new() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }

    /// Text with its end.
    pub fn add(&mut self, text: &str) {
        self.bytes(text.as_bytes());
        self.bytes(&[0xff]);
    }

    pub fn debug(&mut self, value: &impl Debug) {
        // Writing into the hash cannot fail.
        let _ = write!(self, "{value:?}");
        self.bytes(&[0xff]);
    }

    pub fn file(&mut self, path: &Path) {
        self.debug(&path);
        self.bytes(&std::fs::read(path).unwrap_or_default());
        self.bytes(&[0xff]);
    }

    /// The build of chronos that runs.
    pub fn this_build(&mut self) {
        self.add(env!("CARGO_PKG_VERSION"));
        self.debug(&std::env::current_exe().and_then(std::fs::metadata).map(|m| (m.len(), m.modified().ok())).ok());
    }

    pub fn name(&self) -> String {
        format!("{:032x}", self.0)
    }
}

impl Write for ContentHash {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.bytes(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv_1a() {
        let mut hash = ContentHash::new();
        hash.bytes(b"a");
        assert_eq!(hash.name(), "d228cb696f1a8caf78912b704e4a8964");
    }
}
