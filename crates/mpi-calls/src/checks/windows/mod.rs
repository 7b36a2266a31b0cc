//! Windows: epochs, buffers of accesses, and accesses that nothing orders.

pub(crate) mod conflicts;
pub(crate) mod epochs;
pub(crate) mod origins;
