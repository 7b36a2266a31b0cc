//! Maps with a fast hash for small keys, the same in every run.
//!
//! The hash is that of rustc; it is not for keys that an adversary chooses. What a map is iterated in the order of
//! never reaches an output.

pub use rustc_hash::{FxHashMap as FastMap, FxHasher as WordHasher};
