//! Contents that travel: buffers, the data in them, and its reduction.
//!
//! This room reads and writes the memory of one task. It must not know calls, communicators and messages.

pub(crate) mod blocks;
pub(crate) mod buffer;
pub(crate) mod cross_object;
pub(crate) mod reduce;
