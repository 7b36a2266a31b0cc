pub(crate) mod broadcasts;
pub(crate) mod calls;
pub(crate) mod grids;
pub(crate) mod last_calls;
