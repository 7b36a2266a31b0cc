//! Exact counting of integer points: the number of solutions of linear constraints with floors and
//! congruences, and sums of polynomials over them, as a number or as a quasi-polynomial of whatever
//! symbols are left free. Nothing is ever enumerated. Knows nothing of programs; work is bounded by
//! [`Limits`].

mod conjunction;
mod display;
mod division;
mod domain;
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
pub use domain::{Affine, Constraint, Domain, Limits, QuasiError};
pub use piecewise::QuasiPolynomial;
pub use polynomial::Polynomial;
pub use rewrite::Facts;
pub use substituted::sum_with_arguments;

use conjunction::Conjunction;
use sum::Summation;

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
