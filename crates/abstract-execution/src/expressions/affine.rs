//! Affine expressions over iteration counters.

pub use chronos_math::linear::Symbol;

/// `constant + Σ coefficient · symbol` in 128 bits; operations give `None` on overflow.
pub type Affine = chronos_math::linear::LinearForm<Symbol>;
