//! Accesses of the program to memory, and the C types of memory.

use chronos_base::span::Span;
use chronos_ir::ScalarType;
use chronos_values::Pointer;

/// What the program does with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// The program loads from memory.
    Read,
    /// The program stores to memory.
    Write,
    /// The object's life ends.
    Free,
}

/// An access of the program to an object that is watched.
#[derive(Clone, Copy, Debug)]
pub struct MemoryAccess {
    /// First byte.
    pub pointer: Pointer,
    /// Length in bytes.
    pub bytes: u64,
    /// Whether memory is read, written or freed.
    pub kind: AccessKind,
    /// Place of the access in the sources.
    pub span: Span,
    /// It is executed once, for certain; not under an unknown condition.
    pub certain: bool,
}

/// What a C object has at some place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CScalar {
    /// A scalar begins here; it stands alone or in a structure, not in an array.
    Single(ScalarType),
    /// An element of an array begins here, or of allocated memory.
    Element(ScalarType),
    /// Padding, or the middle of a scalar.
    Within,
}
