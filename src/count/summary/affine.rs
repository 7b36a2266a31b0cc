//! Affine expressions over iteration counters.

pub use crate::linear::Symbol;

/// `constant + Σ coefficient · symbol` in 128 bits; operations give `None` on overflow.
pub type Affine = crate::linear::LinearForm<Symbol>;
