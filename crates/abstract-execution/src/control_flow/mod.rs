//! Blocks one after the other, branches, and states that come together.
//!
//! A condition splits the executions that reach a branch; one that nobody knows weighs them. This room does not know how
//! loops are summed up, nor what calls do.

pub(crate) mod annotations;
pub(crate) mod blocks;
pub(crate) mod branches;
pub(crate) mod merges;
pub(crate) mod splits;
