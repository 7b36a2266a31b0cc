//! The flat code that block trees are compiled to, as data.
//!
//! This room must not know how code is made (`compile`) nor how it is executed (`execute`).

pub(crate) mod fast;
pub(crate) mod formats;
pub(crate) mod instructions;
pub(crate) mod program;
pub(crate) mod purity;
