//! Loops and bodies of functions, each analysed once: the result that all pricing reads.
//!
//! It must not know counts, nor memory beyond the accesses of a loop.

pub mod closed_form;
pub mod idiom;
pub(crate) mod known_values;
pub mod scope;
pub mod trip_count;
