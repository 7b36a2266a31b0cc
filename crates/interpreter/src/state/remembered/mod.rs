//! What a task has seen of its own course: iterations of loops, pure calls, summaries that did not serve, branches, work.
//!
//! From it follows what is repeated, taken over, asked for or given up. This room must not know how anything is executed.

pub(crate) mod effort;
pub(crate) mod folds;
pub(crate) mod linear;
pub(crate) mod memos;
pub(crate) mod native;
pub(crate) mod predictor;
pub(crate) mod refusals;
