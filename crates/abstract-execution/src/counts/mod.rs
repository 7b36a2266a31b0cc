//! Numbers of iterations: from constraints to integer points, and the executions of a place.
//!
//! A place in a program is reached by pieces of an iteration space, each with a weight. Their number of integer points is
//! counted in closed form where there is one. This room does not know which statement leads to a constraint.

pub(crate) mod amount;
pub(crate) mod by_last_call;
pub(crate) mod cardinality;
pub(crate) mod coupled;
pub(crate) mod enumerate;
pub(crate) mod path;
pub(crate) mod residues;
pub(crate) mod sums;
pub(crate) mod tiles;

/// The set is unbounded, or its number of points has no closed form that can be found in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooComplex;
