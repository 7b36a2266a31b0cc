//! Functions that are executed once for all arguments.
//!
//! The integers that a function finds are free symbols; a call sums the polynomials of the summary over its executions. A
//! summary is made only where everything about it is exact. This room does not know how blocks are executed.

pub(crate) mod calls;
pub(crate) mod inputs;
pub(crate) mod summarise;
pub(crate) mod translation;
