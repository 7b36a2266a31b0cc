//! From block trees to flat code, once for each program: instructions, the fast form, and what is known of loops and
//! functions before anything is executed.
//!
//! This room must not know values of a run.

pub(crate) mod control;
pub(crate) mod counter_use;
pub(crate) mod fast;
pub(crate) mod fold_shape;
pub(crate) mod forward;
pub(crate) mod functions;
pub(crate) mod glances;
pub(crate) mod induction;
pub(crate) mod jumps;
pub(crate) mod mentions;
pub(crate) mod native;
pub(crate) mod operands;
pub(crate) mod operations;
pub(crate) mod patterns;
pub(crate) mod printed;
pub(crate) mod purity;
pub(crate) mod regions;
pub(crate) mod tables;
pub(crate) mod type_punning;
