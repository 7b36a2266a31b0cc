//! Declarations and definitions: objects, functions, initialisers, names that are left free.
//!
//! Types are made by `types`, values by `expressions`. This room does not know how units are linked.

pub(crate) mod free_names;
pub(crate) mod free_sizes;
pub(crate) mod functions;
pub(crate) mod initialisers;
pub(crate) mod lists;
pub(crate) mod local;
pub(crate) mod objects;
