pub(crate) mod execution;
pub(crate) mod function_table;
pub(crate) mod last_call;
pub(crate) mod liveness;
pub(crate) mod recorder;
pub(crate) mod store;
pub(crate) mod whole_program;
