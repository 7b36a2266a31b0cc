//! The state of one abstract execution, and what is kept between several.
//!
//! All other rooms add methods to `Execution`. It stands here, below them, with the types that its fields have, so that
//! none of them imports another for its data. This room executes nothing.

pub(crate) mod execution;
pub(crate) mod function_table;
pub(crate) mod last_call;
pub(crate) mod liveness;
pub(crate) mod recorder;
pub(crate) mod store;
pub(crate) mod whole_program;
