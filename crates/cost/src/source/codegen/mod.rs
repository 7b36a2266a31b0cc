//! What instructions are left of an iteration: operands in memory, registers that advance, copies by unrolling.
//!
//! It must not know how often code runs.

pub mod addressing;
pub(crate) mod block_demand;
pub mod unrolling;
