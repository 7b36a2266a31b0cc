//! Sums of quasi-polynomials whose symbols are given as expressions: how often something is executed that is
//! known per call, over all calls.

use super::conjunction::{Conjunction, replacements};
use super::sum::Summation;
use super::{Affine, Constraint, Limits, QuasiError, QuasiPolynomial, Symbol};

/// The sum of `summand` over the integer points of a conjunction, where each symbol of the summand that is
/// among the `arguments` stands for an expression of `symbols`, of parameters and of quotients that
/// `constraints` define. Names of arguments occur nowhere else.
///
/// # Errors
/// As for [`super::count`].
pub fn sum_with_arguments(
    symbols: &[Symbol],
    constraints: &[Constraint],
    summand: &QuasiPolynomial,
    arguments: &[(Symbol, Affine)],
    limits: &mut Limits,
) -> Result<QuasiPolynomial, QuasiError> {
    let domain = Conjunction::from_constraints(constraints)?;
    let mut definitions = constraints.to_vec();
    let defined = |(symbol, affine): &(Symbol, Affine)| Constraint::Quotient {
        symbol: *symbol,
        affine: affine.clone(),
        modulus: 1,
    };
    definitions.extend(arguments.iter().map(defined));
    let replacements = replacements(&definitions)?;
    let mut summation = Summation::new(limits);
    for (condition, polynomial) in &summand.pieces {
        let (mut condition, mut polynomial) = (condition.clone(), polynomial.clone());
        for (symbol, by) in &replacements {
            condition.substitute(*symbol, by)?;
            polynomial = polynomial.substitute(*symbol, by)?;
        }
        summation.add(symbols, domain.intersect(&condition), polynomial)?;
    }
    limits.steps = limits.steps.saturating_sub(summation.steps());
    QuasiPolynomial::from_pieces(summation.finish()).simplified(limits)
}
