//! Branches whose way data decides, and how late their conditions are known.
//!
//! Static branch prediction (Ball and Larus, PLDI 1993; Wu and Larus, MICRO 1994) guesses how often each way is taken;
//! that is `chronos_slicing::heuristics`. Here it is only asked whether hardware predictors can learn a branch. It must
//! not know counts.

pub(crate) mod data_dependent;
