//! What a task holds between operations: frames, values, memory, logs of what was overwritten, counts, what was remembered
//! of loops and calls.
//!
//! These are types with little behaviour, so that the rooms above can share them. This room must not know the machine that
//! executes operations, nor the library.

pub(crate) mod by_rank;
pub(crate) mod changed_files;
pub(crate) mod files_at_hand;
pub(crate) mod formulas;
pub(crate) mod jumps;
pub(crate) mod known_objects;
pub(crate) mod location;
pub(crate) mod log;
pub(crate) mod memory;
pub(crate) mod open_counts;
pub(crate) mod options;
pub(crate) mod overflows;
pub(crate) mod pages;
pub(crate) mod posix_threads;
pub(crate) mod process;
pub(crate) mod random_numbers;
pub(crate) mod remembered;
pub(crate) mod reports;
pub(crate) mod shared;
pub(crate) mod streams;
pub(crate) mod task;
pub(crate) mod team;
pub(crate) mod templates;
pub(crate) mod traps;
pub(crate) mod unwritten;
