//! What an iteration needs of the one before: recurrences through registers and memory, and where scalar replacement
//! (Callahan, Carr and Kennedy, PLDI 1990) removes the memory.
//!
//! RecMII is the bound of modulo scheduling by recurrences (Rau, MICRO 1994). It must not know vectors or counts.

pub mod entries;
pub(crate) mod load_reuse;
pub(crate) mod promotion;
pub mod recurrence;
