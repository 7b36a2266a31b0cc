//! Objects in memory: their names, their sizes, and which code is the first to write them.
//!
//! It must not know caches.

pub mod first_touch;
pub mod names;
pub mod sizes;
