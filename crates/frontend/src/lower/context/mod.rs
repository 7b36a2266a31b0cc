//! What all of lowering shares: the lowerer and its tables, constants, and questions to syntax trees.
//!
//! The other rooms add methods to `Lowerer`. Its fields have types of this room, so that none of them imports another for its
//! data. This room lowers nothing.

pub(crate) mod affine;
pub(crate) mod body;
pub(crate) mod constants;
pub(crate) mod free_names;
pub(crate) mod interner;
pub(crate) mod item;
pub(crate) mod layout;
pub(crate) mod linkage;
pub(crate) mod lowerer;
pub(crate) mod scopes;
pub(crate) mod syntax;
