pub(crate) mod functions;
pub(crate) mod printed_bytes;
pub(crate) mod string_functions;
