//! Where an access goes: a root and bytes from it.

use crate::source::address::affine::Affine;
use chronos_ir::VarId;

/// A node, by its position.
pub(crate) type ValueNumber = u32;

/// The base of an address.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Root {
    /// An object with a name.
    Object(VarId),
    /// What a pointer variable points to at the begin of the iteration.
    Pointer(VarId),
    /// What another value points to.
    Value(ValueNumber),
}

/// Where an access goes: bytes from the root.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    pub root: Root,
    pub offset: Affine,
    pub bytes: u64,
}
