//! MPI calls in the abstract execution of a whole program.
//!
//! Ranks, sizes, grids of tasks and broadcasts of roots are known, and which call came last. What other messages bring is
//! lost. This room knows no time and no order between tasks.

pub(crate) mod broadcasts;
pub(crate) mod calls;
pub(crate) mod grids;
pub(crate) mod last_calls;
