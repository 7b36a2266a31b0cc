//! What is wrong with the arguments of one call.

pub(crate) mod buffered;
pub(crate) mod buffers;
pub(crate) mod c_types;
pub(crate) mod operators;
pub(crate) mod outputs;
pub(crate) mod uses;
