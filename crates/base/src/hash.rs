//! The hash of all maps and sets: fast for small keys, the same in every run.
//!
//! It is that of rustc, which no adversary's keys withstand; inputs are bounded by the limits of time and memory. What a map
//! is iterated in the order of never reaches an output.

pub use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet, FxHasher};
