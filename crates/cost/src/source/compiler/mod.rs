//! What compilers do at a level of optimisation, as data with the evidence of each rule.
//!
//! It must not know programs or processors: a profile is asked, it decides nothing.

pub mod profile;
