pub(crate) mod failures;
pub mod program;
