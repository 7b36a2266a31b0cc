//! What a task has made or begun and does not end, or touches while it is under way.

pub(crate) mod requests;
pub(crate) mod resources;
