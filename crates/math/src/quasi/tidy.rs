//! Fewer pieces for the same values: where a piece holds at single values of a symbol and the polynomial of
//! another piece has the same value there, one polynomial serves both. And the order in which people
//! read pieces: what holds for large values first, single points last.

use super::conjunction::{Conjunction, Outcome};
use super::feasible::feasible;
use super::isl::{Region, parameters_of};
use super::linear::{Atom, Checked, Linear};
use super::piecewise::{joined, piecewise};
use super::polynomial::Polynomial;
use super::{Limits, Symbol};
use num_bigint::BigInt;
use std::collections::BTreeMap;

/// Pieces beyond which none are joined.
const MAX_PIECES: usize = 24;

/// Disjoint pieces with points taken up by the pieces beside them.
pub(super) fn without_points(
    pieces: BTreeMap<Conjunction, Polynomial>,
    limits: &Limits,
) -> Checked<BTreeMap<Conjunction, Polynomial>> {
    if pieces.len() < 2 || pieces.len() > MAX_PIECES || pieces.keys().all(|domain| domain.zero.is_empty()) {
        return Ok(pieces);
    }
    let mut changed = false;
    let mut parts: Vec<(Conjunction, Polynomial)> = Vec::with_capacity(pieces.len());
    for (domain, polynomial) in &pieces {
        let other = wider(domain, polynomial, &pieces)?;
        changed |= other.is_some();
        parts.push((domain.clone(), other.unwrap_or_else(|| polynomial.clone())));
    }
    if !changed {
        return Ok(pieces);
    }
    let domains: Vec<Conjunction> = pieces.keys().cloned().collect();
    let parameters = parameters_of(&domains, &[]);
    let regions = parts.into_iter().map(|(domain, own)| Ok((Region::new(&domain, &parameters, limits)?, own)));
    piecewise(joined(regions.collect::<Checked<Vec<_>>>()?, limits)?, limits)
}

/// A polynomial of a piece without equations that gives the same value on this piece.
fn wider(
    domain: &Conjunction,
    polynomial: &Polynomial,
    pieces: &BTreeMap<Conjunction, Polynomial>,
) -> Checked<Option<Polynomial>> {
    let Some((symbol, value)) = domain.zero.iter().find_map(solved) else { return Ok(None) };
    let here = polynomial.substitute(symbol, &value)?;
    for (other, candidate) in pieces {
        if other.zero.is_empty() && candidate.substitute(symbol, &value)? == here {
            return Ok(Some(candidate.clone()));
        }
    }
    Ok(None)
}

/// The symbol that an equation determines, and its value.
fn solved(equation: &Linear) -> Option<(Symbol, Linear)> {
    equation.terms.iter().find_map(|(atom, coefficient)| {
        let Atom::Symbol(symbol) = atom else { return None };
        let rest = equation.without(atom);
        let single = coefficient.abs() == 1 && !rest.mentions(*symbol);
        let value = rest.scale(-coefficient.signum()).ok().filter(|_| single)?;
        Some((*symbol, value))
    })
}

/// In the order of reading.
pub(super) fn ordered(pieces: &BTreeMap<Conjunction, Polynomial>) -> Vec<(&Conjunction, &Polynomial)> {
    let mut pieces: Vec<(&Conjunction, &Polynomial)> = pieces.iter().collect();
    pieces.sort_by_key(|(domain, _)| (!domain.holds(&large), domain.zero.len()));
    pieces
}

/// Large values, of which later symbols have slightly larger ones.
fn large(symbol: Symbol) -> BigInt {
    BigInt::from(720_720_000_u64 + 5040 * u64::from(symbol.0 % 1000))
}

/// Without conditions `e >= 1` on a piece where `e` cannot be negative and the polynomial is a multiple of `e`:
/// it is zero where the condition fails.
pub(super) fn without_zeros(pieces: BTreeMap<Conjunction, Polynomial>) -> Checked<BTreeMap<Conjunction, Polynomial>> {
    if pieces.len() > 1 {
        return Ok(pieces);
    }
    let mut result = BTreeMap::new();
    for (mut domain, polynomial) in pieces {
        let mut i = 0;
        while i < domain.nonnegative.len() {
            if vanishes_outside(&domain, i, &polynomial)? {
                domain.nonnegative.remove(i);
            } else {
                i += 1;
            }
        }
        result.insert(domain, polynomial);
    }
    Ok(result)
}

fn vanishes_outside(domain: &Conjunction, at: usize, polynomial: &Polynomial) -> Checked<bool> {
    let factor = domain.nonnegative[at].plus_constant(1)?;
    let floors = factor.terms.iter().any(|(atom, _)| matches!(atom, Atom::Floor(_)));
    if !floors || !polynomial.is_multiple_of(&factor) {
        return Ok(false);
    }
    let mut outside = domain.clone();
    outside.nonnegative[at] = factor.scale(-1)?.plus_constant(-1)?;
    Ok(feasible(&outside)? == Outcome::Empty)
}

/// Negations tried to see whether pieces cover everything.
const MAX_CHOICES: usize = 64;

/// One of the pieces holds whatever the values are. Errs towards false.
pub(super) fn covers(pieces: &BTreeMap<Conjunction, Polynomial>) -> bool {
    let mut outside = vec![Conjunction::default()];
    for domain in pieces.keys() {
        let Some(negations) = negations(domain) else { return false };
        let mut next = Vec::new();
        for part in &outside {
            for negation in &negations {
                let both = part.intersect(negation);
                if feasible(&both).unwrap_or(Outcome::Possible) == Outcome::Possible {
                    next.push(both);
                }
            }
        }
        if next.len() > MAX_CHOICES {
            return false;
        }
        outside = next;
    }
    outside.is_empty()
}

/// One of them holds where the domain does not; `None` for conditions on remainders.
fn negations(domain: &Conjunction) -> Option<Vec<Conjunction>> {
    let below = |linear: &Linear| {
        let nonnegative = vec![linear.scale(-1).ok()?.plus_constant(-1).ok()?];
        Some(Conjunction { nonnegative, ..Conjunction::default() })
    };
    let mut all = Vec::new();
    for linear in &domain.zero {
        all.push(below(linear)?);
        all.push(below(&linear.scale(-1).ok()?)?);
    }
    for linear in &domain.nonnegative {
        all.push(below(linear)?);
    }
    domain.congruent.is_empty().then_some(all)
}
