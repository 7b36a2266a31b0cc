//! From counts to time: the roofline (Williams, Waterman and Patterson, CACM 2009) of each loop, with recurrences and
//! mispredictions.
//!
//! It must not know how counts came about.

pub mod explain;
pub(crate) mod iteration_plan;
pub(crate) mod loop_time;
pub mod mispredictions;
pub(crate) mod outer_vectors;
pub mod segment;
pub mod unknown_rows;
