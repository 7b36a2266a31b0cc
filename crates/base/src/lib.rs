//! What every other crate uses: ids and tables, places in sources, diagnostics, units, limits of time and memory, processes
//! and temporary files. It knows nothing of C, MPI or machines.

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
