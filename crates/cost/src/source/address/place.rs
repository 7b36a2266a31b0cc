//! Where an access goes: a root and bytes from it.

use crate::source::address::affine::Affine;
pub(crate) use crate::source::address::affine::ValueNumber;
use chronos_ir::VarId;

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
