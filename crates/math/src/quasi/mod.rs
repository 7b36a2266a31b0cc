//! Exact counting of integer points: the number of solutions of linear constraints with floors and
//! congruences, and sums of polynomials over them, as a number or as a quasi-polynomial of whatever
//! symbols are left free. Nothing is ever enumerated. Knows nothing of programs; work is bounded by
//! [`Limits`].

mod conjunction;
mod display;
mod division;
mod feasible;
mod isl;
mod linear;
mod number;
mod piecewise;
mod polynomial;
mod rewrite;
mod substituted;
mod sum;
#[cfg(test)]
mod tests;
mod tidy;

pub use crate::linear::Symbol;
pub use display::{Notation, Piece};
pub use piecewise::QuasiPolynomial;
pub use polynomial::Polynomial;
pub use rewrite::Facts;
pub use substituted::sum_with_arguments;

use conjunction::Conjunction;
use std::fmt;
use sum::Summation;

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

/// The number of integer points of `domain`.
///
/// # Errors
/// `Unbounded` for infinite domains; `Steps` and `IslOperations` when a limit is reached; `Overflow`.
pub fn count(domain: &Domain, limits: &Limits) -> Result<QuasiPolynomial, QuasiError> {
    sum(domain, &Polynomial::one(), limits)
}

/// As [`count`], where several counts share one limit: the steps that this one takes are taken from it.
///
/// # Errors
/// As for [`count`].
pub fn count_sharing(domain: &Domain, limits: &mut Limits) -> Result<QuasiPolynomial, QuasiError> {
    let mut summation = Summation::new(limits);
    let result = disjoint(domain, limits).and_then(|pieces| {
        pieces.into_iter().try_for_each(|piece| summation.add(&domain.symbols, piece, Polynomial::one()))
    });
    limits.steps = limits.steps.saturating_sub(summation.steps());
    result?;
    QuasiPolynomial::from_pieces(summation.finish()).simplified(limits)
}

/// Whether the conditions are seen to exclude each other; errs towards false.
pub fn is_refuted(conditions: &[Constraint]) -> bool {
    let Ok(mut conjunction) = Conjunction::from_constraints(conditions) else { return false };
    matches!(conjunction.normalise(&[]), Ok(conjunction::Outcome::Empty))
        || matches!(feasible::feasible(&conjunction), Ok(conjunction::Outcome::Empty))
}

/// The sum of `summand` over the integer points of `domain`; a point in several pieces counts once.
///
/// # Errors
/// As for [`count`].
pub fn sum(domain: &Domain, summand: &Polynomial, limits: &Limits) -> Result<QuasiPolynomial, QuasiError> {
    sum_disjoint(&domain.symbols, disjoint(domain, limits)?, summand, limits)
}

fn disjoint(domain: &Domain, limits: &Limits) -> Result<Vec<Conjunction>, QuasiError> {
    let pieces = domain.pieces.iter().map(|piece| Conjunction::from_constraints(piece));
    let pieces = pieces.collect::<Result<Vec<_>, _>>()?;
    if pieces.len() > 1 { isl::disjoint(&pieces, &domain.symbols, limits) } else { Ok(pieces) }
}

/// The number of points of a set in isl's notation. Its parameters are `Symbol(0)`, `Symbol(1)`, ... in the
/// order of the text.
///
/// # Errors
/// `Parse`, and as for [`count`].
pub fn count_isl_text(text: &str, limits: &Limits) -> Result<QuasiPolynomial, QuasiError> {
    let set = isl::parse(text, limits)?;
    let symbols: Vec<Symbol> = (set.parameters..set.parameters + set.counted).map(Symbol).collect();
    sum_disjoint(&symbols, set.pieces, &Polynomial::one(), limits)
}

fn sum_disjoint(
    symbols: &[Symbol],
    pieces: Vec<Conjunction>,
    summand: &Polynomial,
    limits: &Limits,
) -> Result<QuasiPolynomial, QuasiError> {
    let mut summation = Summation::new(limits);
    for piece in pieces {
        summation.add(symbols, piece, summand.clone())?;
    }
    QuasiPolynomial::from_pieces(summation.finish()).simplified(limits)
}
