//! Loops whose iterations are the integer points of a set.
//!
//! Variables to which every iteration adds the same, the iterations in which a condition holds, and their number. This
//! room finds the space; how a loop is executed over it is the business of `loops`.

pub(crate) mod induction;
pub(crate) mod space;
pub(crate) mod trips;
pub(crate) mod zero_sums;
