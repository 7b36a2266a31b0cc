pub(crate) mod execution;
pub(crate) mod liveness;
pub(crate) mod memo;
pub(crate) mod recorder;
pub(crate) mod store;
