//! What several tasks must agree on, and what orders their calls.

pub(crate) mod agreement;
pub(crate) mod clocks;
pub(crate) mod ready;
