//! Number of integer points where constraints tie several counters together: the way to the
//! counting engine.

use super::residues::Residues;
use super::{TooComplex, residues};
use crate::expressions::affine::{Affine, Symbol};
use crate::expressions::formula::{Conjunction, Constraint};
use crate::expressions::quotients::Quotients;
use chronos_math::quasi;
use num_bigint::BigInt;
use num_traits::ToPrimitive;

/// Work of one count: more than any loop nest seen in programs takes.
const LIMITS: quasi::Limits = quasi::Limits { isl_operations: 2_000_000, steps: 2_000 };
/// Steps of all counts of one summary.
const STEPS: u32 = 6_000;
/// The same where symbols are left free: a whole program.
const FREE_STEPS: u32 = 400_000;
/// Of one count where symbols are left free.
const FREE_LIMIT: u32 = 20_000;

/// Number of values of `symbols`, outermost first, that fulfil the constraints. Symbols that are
/// quotients are not counted: the others determine them.
pub fn count(symbols: &[Symbol], constraints: &Conjunction, quotients: &Quotients) -> Result<u128, TooComplex> {
    let points = expression(symbols, constraints, quotients)?;
    points.constant().and_then(|n| n.to_u128()).ok_or(TooComplex)
}

/// The same as an expression of the symbols that are not counted.
pub fn expression(
    symbols: &[Symbol],
    constraints: &Conjunction,
    quotients: &Quotients,
) -> Result<quasi::QuasiPolynomial, TooComplex> {
    match residues::split(constraints) {
        Residues::Nothing => Ok(quasi::QuasiPolynomial::zero()),
        Residues::Single(constraints) => of_one(symbols, &constraints, quotients),
        Residues::Sum(parts) => {
            let mut sum = quasi::QuasiPolynomial::zero();
            for (sign, part) in parts {
                sum = sum.add(&of_one(symbols, &part, quotients)?.scale(&BigInt::from(sign)));
            }
            Ok(sum)
        }
    }
}

/// Of constraints with one congruence at most for each expression.
fn of_one(
    symbols: &[Symbol],
    constraints: &Conjunction,
    quotients: &Quotients,
) -> Result<quasi::QuasiPolynomial, TooComplex> {
    let piece = conditions(symbols, constraints, quotients)?;
    let domain = quasi::Domain { symbols: counted(symbols, quotients), pieces: vec![piece] };
    let (most, each) = if quotients.free.is_empty() { (STEPS, LIMITS.steps) } else { (FREE_STEPS, FREE_LIMIT) };
    let left = most.saturating_sub(quotients.steps.get()).min(each);
    let mut limits = quasi::Limits { steps: left, ..LIMITS };
    let points = quasi::count_sharing(&domain, &mut limits);
    quotients.steps.set(quotients.steps.get() + left - limits.steps);
    points.map_err(|_| TooComplex)
}

/// The sum of a quasi-polynomial over the values of `symbols` that fulfil the constraints; its own symbols stand
/// for the `arguments`. The steps that it takes are taken from `steps`.
pub fn sum(
    symbols: &[Symbol],
    constraints: &Conjunction,
    quotients: &Quotients,
    summand: &quasi::QuasiPolynomial,
    arguments: &[(quasi::Symbol, Affine)],
    steps: &mut u32,
) -> Result<quasi::QuasiPolynomial, TooComplex> {
    let piece = conditions(symbols, constraints, quotients)?;
    let most = if quotients.free.is_empty() { LIMITS.steps } else { FREE_LIMIT };
    let left = most.min(*steps);
    let mut limits = quasi::Limits { steps: left, ..LIMITS };
    let total = quasi::sum_with_arguments(&counted(symbols, quotients), &piece, summand, arguments, &mut limits);
    *steps -= if total.is_ok() { left - limits.steps } else { left };
    total.map_err(|_| TooComplex)
}

/// The symbols that are not determined by others.
fn counted(symbols: &[Symbol], quotients: &Quotients) -> Vec<quasi::Symbol> {
    symbols.iter().filter(|&&s| quotients.get(s).is_none()).copied().collect()
}

/// The constraints for the counting engine, with the quotients among the symbols.
fn conditions(
    symbols: &[Symbol],
    constraints: &Conjunction,
    quotients: &Quotients,
) -> Result<Vec<quasi::Constraint>, TooComplex> {
    let mut piece = Vec::new();
    let mut implied = Vec::new();
    let mut derived: Vec<Symbol> = symbols.iter().copied().filter(|&s| quotients.get(s).is_some()).collect();
    derived.sort_unstable();
    for symbol in derived {
        implied.extend(quotients.constraints(symbol).into_iter().flatten());
        if let Some((affine, modulus)) = quotients.get(symbol) {
            piece.push(quotient(symbol, affine, *modulus));
        }
    }
    for (index, constraint) in constraints.iter().filter(|c| !implied.contains(c)).enumerate() {
        piece.extend(translated(constraint, index).ok_or(TooComplex)?);
    }
    Ok(piece)
}

/// Nothing fulfils the conditions. Errs towards false.
pub fn is_refuted(conditions: &Conjunction, quotients: &Quotients) -> bool {
    let mentioned = conditions.iter().flat_map(|c| c.affine().symbols());
    let mut derived: Vec<Symbol> = mentioned.flat_map(|s| quotients.sources(s)).collect();
    derived.sort_unstable();
    derived.dedup();
    let mut piece = Vec::new();
    for symbol in derived {
        piece.extend(quotients.get(symbol).map(|(affine, modulus)| quotient(symbol, affine, *modulus)));
    }
    for (index, condition) in conditions.iter().enumerate() {
        piece.extend(translated(condition, index).into_iter().flatten());
    }
    quasi::is_refuted(&piece)
}

fn translated(constraint: &Constraint, index: usize) -> Option<Vec<quasi::Constraint>> {
    Some(match constraint {
        Constraint::Nonnegative(affine) => vec![quasi::Constraint::Nonnegative(affine.clone())],
        Constraint::Zero(affine) => vec![quasi::Constraint::Zero(affine.clone())],
        Constraint::Residue { affine, modulus, low, high } if low == high => {
            vec![quasi::Constraint::Congruent { affine: affine.clone(), modulus: *modulus, remainder: *low }]
        }
        Constraint::Residue { affine, modulus, low, high } => {
            // Numbers from the far end: the execution's own symbols never get there.
            let symbol = Symbol(u32::MAX - u32::try_from(index).ok()?);
            let rest = affine.sub(&Affine::symbol(symbol).scale(*modulus)?)?;
            vec![
                quotient(symbol, affine, *modulus),
                quasi::Constraint::Nonnegative(rest.plus(-low)?),
                quasi::Constraint::Nonnegative(rest.negate()?.plus(*high)?),
            ]
        }
    })
}

fn quotient(symbol: Symbol, affine: &Affine, modulus: i128) -> quasi::Constraint {
    quasi::Constraint::Quotient { symbol, affine: affine.clone(), modulus }
}
