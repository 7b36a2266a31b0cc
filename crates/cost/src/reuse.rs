//! Memory that is used again: what the caches still hold of it depends on what was used in between.
//!
//! A segment alone does not know what the segments between two of its executions do. This is the vocabulary in which
//! a cost model and whoever knows the order of segments speak of it: [`Use`]s out, a [`Reuse`] back.

use chronos_activity::ContextId;
use chronos_base::units::Bytes;
use chronos_ir::VarId;

/// Memory, as far as it can be told from other memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Object {
    /// The storage of a variable itself.
    Variable(VarId),
    /// What an allocator gave this variable.
    Allocated(VarId),
    /// What this pointer points to, where nobody knows what that is.
    Pointed(VarId),
    /// What the pointers there point to.
    Rows(VarId),
    /// What the one pointer points to that lies so many bytes from the begin: an array of a structure.
    Field(VarId, i64),
}

/// The accesses that a cost model charges with what has left the caches; its own numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place {
    pub(crate) scope: u32,
    pub(crate) stream: u32,
}

/// Memory that a loop nest walks over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Use {
    /// The calling context that the nest ran in.
    pub context: ContextId,
    /// The accesses, as the cost model numbers them.
    pub place: Place,
    /// The memory that is walked over.
    pub object: Object,
    /// How many different bytes of it are used.
    pub bytes: Bytes,
}

/// How many different bytes were used since a place's memory was used before: its reuse distance. What is not listed
/// counts as just used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reuse(pub Vec<(ContextId, Place, Bytes)>);
