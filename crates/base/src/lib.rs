//! What every other crate uses: ids and tables, places in sources, diagnostics, units, limits of time and memory,
//! processes and temporary files.
//!
//! # Purpose
//!
//! This crate is the ground of the library. It knows nothing of C, MPI or machines.
//!
//! # How it works
//!
//! - `ids`: dense typed indices ([`ids::Id`], `define_ids!`) and the vectors that only their own kind can index
//!   ([`ids::Table`]).
//! - `span`: files of the user, and ranges of their text. `diag`: the one type of diagnostics, with a `Code` for each
//!   kind, what is wrong, where, and the remedy.
//! - `units`: quantities with their unit in the type. The simulated clock is [`units::Picoseconds`], an integer.
//! - `governor`: the process-wide state of `--limit` (see below).
//! - `children`: every program that chronos runs, in a process group of its own. `temporary`: folders and files that go
//!   away with the command. `atomic_file`: output files that are replaced whole.
//! - `hash`, `prefetch`, `spelling`: fast maps for small keys, memory asked for ahead of its use, and the nearest known
//!   name.
//!
//! ## Limits of time and memory
//!
//! `governor` is the state; the command line watches. Phases say that they begin (`governor::enter`), and look at
//! `governor::exceeded` where they repeat something: a loop and a call of the evaluation, every 1,024 steps of the
//! replay, every summary, every call of isl. The command line (`src/cli/limits.rs`) runs a command on a thread with a
//! stack of 1 GiB and watches clock and memory from the main thread. Near a limit it sets the state, so that tasks end
//! where they are and the incomplete result is told. What does not end soon after ends with the process, and the phase
//! that it was in is told.
//!
//! What would not fit is refused before it is made: topologies (`MOST_CHANNELS` of `machine::topology`), formatted
//! texts, nesting of sources (`frontend::nesting`, before anything recurses).
//!
//! # Invariants
//!
//! - Arithmetic of `Picoseconds` and `Bytes` saturates; it never wraps around. No bare `f64` crosses a module border.
//! - An id of one table cannot index another one.
//! - A span names a line that the user wrote; text out of a macro carries the place of the macro's use.
//! - A process that chronos starts ends with it, together with all that it has started.
//! - An output file is replaced by a finished one or stays as it was; symbolic links are not followed.
//! - What a hash map is iterated in the order of never reaches an output.
//! - There is no unsafe code; `prefetch-index` asks for memory without any of ours.
//!
//! # Limits
//!
//! - A table holds fewer than 2^32 elements.
//! - 2^64 picoseconds are 213 days of simulated time.
//! - The state of `governor` belongs to the process: two jobs in one process share one limit.

#![forbid(unsafe_code)]

pub mod atomic_file;
pub mod children;
pub mod diag;
pub mod governor;
pub mod hash;
pub mod ids;
pub mod prefetch;
pub mod span;
pub mod spelling;
pub mod temporary;
pub mod units;
