//! Summaries of regions for the interpreter: what a region counts and leaves behind.
//!
//! `ClosedForms` asks for a summary, or finds one that was made for the same answers of the environment. This room does
//! not know how the interpreter runs what has no summary.

pub(crate) mod closed_forms;
pub(crate) mod effects;
pub(crate) mod exits;
pub(crate) mod memo;
