//! Buffers that a call reads and writes.

use crate::data::buffer::Buffer;
use crate::data::cross_object;
use chronos_values::ObjectId;

/// Pieces of a buffer up to which it is looked at.
const PIECES: usize = 4096;

/// A buffer that a call is given, as one block or several.
#[derive(Clone, Debug)]
pub struct BufferUse {
    /// The argument, from 0, that has the address.
    pub argument: usize,
    pub writes: bool,
    /// Its operation writes no more than what arrives, which may be less.
    pub at_most: bool,
    pub blocks: Vec<Buffer>,
    /// The memory of the blocks, as far as it is known.
    pub stretches: Vec<MemoryRange>,
}

/// Bytes of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryRange {
    pub object: ObjectId,
    pub begin: i64,
    pub end: i64,
}

impl MemoryRange {
    pub fn overlaps(&self, other: &Self) -> bool {
        self.object == other.object && self.begin < other.end && other.begin < self.end
    }
}

impl BufferUse {
    pub(crate) fn new(argument: usize, writes: bool, blocks: Vec<Buffer>) -> Self {
        let stretches = blocks.iter().flat_map(stretches).collect();
        Self { argument, writes, at_most: false, blocks, stretches }
    }

    /// Bytes of all blocks.
    pub fn bytes(&self) -> u64 {
        self.blocks.iter().map(Buffer::bytes).fold(0, u64::saturating_add)
    }

    pub fn overlaps(&self, other: &Self) -> bool {
        self.stretches.iter().any(|one| other.stretches.iter().any(|two| one.overlaps(two)))
    }
}

/// The memory of a buffer; nothing where it is not known, or in too many pieces.
pub fn stretches(buffer: &Buffer) -> Vec<MemoryRange> {
    let Some(address) = buffer.address.filter(|_| buffer.vague.is_none() && buffer.bytes() > 0) else {
        return Vec::new();
    };
    let mut all: Vec<MemoryRange> = Vec::new();
    for piece in buffer.datatype.pieces(buffer.count, PIECES).unwrap_or_default() {
        let Some(at) = cross_object::reached(address, piece.memory) else { continue };
        let end = at.offset.saturating_add(i64::try_from(piece.bytes).unwrap_or(i64::MAX));
        match all.last_mut().filter(|last| last.object == at.object && last.end == at.offset) {
            Some(last) => last.end = end,
            None => all.push(MemoryRange { object: at.object, begin: at.offset, end }),
        }
    }
    all
}
