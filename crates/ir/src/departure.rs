//! Where a compiler departs from what the source says, because its flags let it.

use chronos_base::span::FileId;
use std::sync::Arc;

/// A flag of a unit that lets its code do otherwise than the source says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departure {
    /// The file of the unit.
    pub unit: FileId,
    /// What becomes otherwise.
    pub kind: DepartureKind,
    /// The flag, as the user wrote it; empty where compilers do so without one.
    pub flag: Arc<str>,
}

/// What a compiler may do otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepartureKind {
    /// Floating-point multiplications and additions become one operation that rounds once.
    Contracted,
    /// Floating-point operations are done in another order, or as if some of their values did not occur.
    Reordered,
    /// Integers of signed types are taken not to overflow: C11, 6.5, paragraph 5. No flag asks for it, `-fwrapv` forbids it.
    SignedOverflow,
    /// Something that is not modelled.
    NotModelled,
}
