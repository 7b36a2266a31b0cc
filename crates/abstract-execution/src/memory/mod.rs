pub(crate) mod operations;
