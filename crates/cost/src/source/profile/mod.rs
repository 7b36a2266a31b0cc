//! The execution profile of a segment: how often blocks and loops of a context ran, and what that tells of variables.
//!
//! It must not know time.

pub mod counts;
pub(crate) mod row_lengths;
