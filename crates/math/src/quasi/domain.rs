//! What is counted: conditions on integer symbols, how much work it may cost, and why it was not.

use crate::linear::Symbol;
use std::fmt;

/// `constant + sum of coefficient * symbol`; operations give `None` on overflow of 128 bits.
pub type Affine = crate::linear::LinearForm<Symbol>;

/// A condition on integer symbols. Floors round towards negative infinity; moduli are positive.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constraint {
    /// `affine >= 0`.
    Nonnegative(Affine),
    /// `affine = 0`.
    Zero(Affine),
    /// `affine - remainder` is a multiple of `modulus`.
    Congruent {
        /// What is congruent.
        affine: Affine,
        /// The modulus, positive.
        modulus: i128,
        /// What `affine` leaves, divided by the modulus.
        remainder: i128,
    },
    /// Lets `symbol`, which is neither counted nor a parameter, stand for `floor(affine / modulus)`;
    /// `affine` may use the symbols that were let before.
    Quotient {
        /// The symbol that stands for the quotient.
        symbol: Symbol,
        /// The dividend.
        affine: Affine,
        /// The divisor, positive.
        modulus: i128,
    },
}

/// A union of conjunctions, which may overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Domain {
    /// The symbols counted, outermost first; all others are parameters.
    pub symbols: Vec<Symbol>,
    /// Conjunctions of constraints; a point belongs to the union where it satisfies all constraints of one of them.
    pub pieces: Vec<Vec<Constraint>>,
}

/// How much work one count may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// isl's own measure of work, per operation on sets.
    pub isl_operations: u64,
    /// Symbols removed or split, weighted by the size of the polynomial and of the domain; about 5 to 50 µs each.
    pub steps: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { isl_operations: 2_000_000, steps: 20_000 }
    }
}

/// Why a set was not counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuasiError {
    /// There is no end to the values of this symbol.
    Unbounded(Symbol),
    /// More than this many steps.
    Steps(u32),
    /// More than this many operations of isl.
    IslOperations(u64),
    /// A coefficient left 128 bits (64 bits where isl is needed).
    Overflow,
    /// A modulus that is not positive.
    ZeroModulus,
    /// The text is no set in isl's notation.
    Parse(String),
    /// isl failed for another reason.
    Isl(String),
}

impl fmt::Display for QuasiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unbounded(symbol) => write!(f, "symbol {} has no bound", symbol.0),
            Self::Steps(limit) => write!(f, "counting needs more than {limit} steps"),
            Self::IslOperations(limit) => write!(f, "counting needs more than {limit} isl operations"),
            Self::Overflow => write!(f, "a coefficient is too large"),
            Self::ZeroModulus => write!(f, "a modulus is not positive"),
            Self::Parse(text) => write!(f, "not a set in isl's notation: {text}"),
            Self::Isl(text) => write!(f, "isl: {text}"),
        }
    }
}

impl std::error::Error for QuasiError {}
