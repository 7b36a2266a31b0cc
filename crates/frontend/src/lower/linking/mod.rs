//! From units to one program: which definition a name has, aliases, sections that the runtime reads, and what is absent.
//!
//! This room sees no expressions.

pub(crate) mod absent;
pub(crate) mod linkage;
pub(crate) mod runtime;
