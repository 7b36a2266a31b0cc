//! Archives in the format of tar (POSIX.1-1988, `ustar`), as far as a profile needs it: short names, regular files.

const BLOCK: usize = 512;

/// An archive that grows.
#[derive(Debug, Default)]
pub struct Archive {
    bytes: Vec<u8>,
}

impl Archive {
    /// Adds a file. The name must fit into 100 bytes.
    pub fn add(&mut self, name: &str, content: &[u8]) {
        self.bytes.extend(header(name, content.len()));
        self.bytes.extend(content);
        self.fill();
    }

    /// The bytes of the archive: two empty blocks are its end.
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.resize(self.bytes.len() + 2 * BLOCK, 0);
        self.bytes
    }

    fn fill(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(BLOCK), 0);
    }
}

fn header(name: &str, size: usize) -> [u8; BLOCK] {
    let mut header = [0; BLOCK];
    let mut put = |at: usize, text: &[u8]| header[at..at + text.len()].copy_from_slice(text);
    put(0, name.as_bytes());
    // Mode, owner, group, size, and the time of the change: none, so that equal predictions give equal bytes.
    put(100, b"0000644\0");
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(124, format!("{size:011o}\0").as_bytes());
    put(136, b"00000000000\0");
    // The sum is of a header with blanks in its place.
    put(148, b"        ");
    put(156, b"0");
    put(257, b"ustar\x0000");
    let sum: u32 = header.iter().copied().map(u32::from).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    header
}
