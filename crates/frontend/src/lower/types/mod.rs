//! Types as declarations write them: specifiers, declarators, structures, qualifiers, machine modes.
//!
//! This room does not know what objects of a type hold.

pub(crate) mod declarators;
pub(crate) mod modes;
pub(crate) mod qualifiers;
pub(crate) mod specifiers;
pub(crate) mod structs;
pub(crate) mod table;
