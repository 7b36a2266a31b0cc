//! Whether iterations of a loop, or of the loop around it, may run in the lanes of a vector in vectors (Allen and
//! Kennedy, TOPLAS 1987).
//!
//! It must not know how often loops run: whether vectors pay is decided in price.

pub(crate) mod legality;
pub(crate) mod outer_loop;
