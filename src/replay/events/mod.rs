//! TODO

pub mod queue;
