//! What a compiler that sees the whole program knows: constants, distinct objects, allocations, calls without a call.
//!
//! These are flow-insensitive, interprocedural analyses. They must not know loops, machines or counts.

pub mod allocations;
pub mod assignments;
pub mod calls;
pub(crate) mod data_variables;
pub mod facts;
pub(crate) mod kept_arguments;
pub(crate) mod pointed_objects;
