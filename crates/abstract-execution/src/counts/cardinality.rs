//! Number of integer points of a conjunction of constraints.
//!
//! Counters that no constraint ties together are counted apart, so rectangular nests are products
//! of intervals; what is tied together goes to `nest`.

use super::{TooComplex, coupled, enumerate};
use crate::expressions::affine::{Affine, Symbol};
use crate::expressions::bounds::Bounds;
use crate::expressions::formula::{Conjunction, Constraint};
use crate::expressions::quotients::Quotients;
use chronos_math::quasi::QuasiPolynomial;
use std::collections::{BTreeMap, BTreeSet};

/// The sum of a quasi-polynomial over the values of `symbols` that fulfil the constraints: see [`coupled::sum`].
pub fn sum(
    symbols: &[Symbol],
    constraints: &Conjunction,
    quotients: &Quotients,
    summand: &QuasiPolynomial,
    arguments: &[(chronos_math::quasi::Symbol, Affine)],
    steps: &mut u32,
) -> Result<QuasiPolynomial, TooComplex> {
    let (mut symbols, mut constraints) = (symbols.to_vec(), constraints.clone());
    for symbol in arguments.iter().flat_map(|(_, argument)| argument.symbols()) {
        if !quotients.is_countable(symbol) {
            return Err(TooComplex);
        }
        if let (false, Some(definition)) = (symbols.contains(&symbol), quotients.constraints(symbol)) {
            symbols.push(symbol);
            constraints.extend(definition);
        }
    }
    let (symbols, constraints) = with_quotients(&symbols, &constraints, quotients);
    if constraints.iter().any(|c| c.truth() == Some(false)) || Bounds::of(&constraints).is_none() {
        return Ok(QuasiPolynomial::zero());
    }
    if constraints.iter().flat_map(|c| c.affine().symbols()).any(|symbol| !quotients.is_countable(symbol)) {
        return Err(TooComplex);
    }
    coupled::sum(&symbols, &constraints, quotients, summand, arguments, steps)
}

/// Number of values of `symbols`, outermost first, that fulfil the constraints.
pub fn count(symbols: &[Symbol], constraints: &Conjunction, quotients: &Quotients) -> Result<u128, TooComplex> {
    if enumerate::is_needed(constraints, quotients) {
        return enumerate::count(symbols, constraints, quotients);
    }
    let (symbols, constraints) = with_quotients(symbols, constraints, quotients);
    if constraints.iter().any(|c| c.truth() == Some(false)) {
        return Ok(0);
    }
    let Some(bounds) = Bounds::of(&constraints) else { return Ok(0) };
    let mut product = 1_u128;
    for (symbols, constraints) in components(&symbols, &constraints) {
        let points = match symbols[..] {
            [only] => interval(only, &constraints, &bounds)?,
            _ => coupled::count(&symbols, &constraints, quotients)?,
        };
        if points == 0 {
            return Ok(0);
        }
        product = product.checked_mul(points).ok_or(TooComplex)?;
    }
    Ok(product)
}

/// Adds the quotients that the constraints mention, as further symbols that the others determine.
pub(crate) fn with_quotients(
    symbols: &[Symbol],
    constraints: &Conjunction,
    quotients: &Quotients,
) -> (Vec<Symbol>, Conjunction) {
    let mut symbols = symbols.to_vec();
    let mut constraints = constraints.clone();
    let mut next = 0;
    while next < constraints.len() {
        let mentioned: Vec<Symbol> = constraints[next].affine().symbols().collect();
        for symbol in mentioned {
            if let (false, Some(definition)) = (symbols.contains(&symbol), quotients.constraints(symbol)) {
                symbols.push(symbol);
                constraints.extend(definition);
            }
        }
        next += 1;
    }
    (symbols, constraints)
}

/// Symbols that constraints tie together, each group with its constraints.
fn components(symbols: &[Symbol], constraints: &Conjunction) -> Vec<(Vec<Symbol>, Conjunction)> {
    let mut group: BTreeMap<Symbol, usize> = symbols.iter().enumerate().map(|(i, &s)| (s, i)).collect();
    for constraint in constraints {
        let mut mentioned = constraint.affine().symbols().filter_map(|s| group.get(&s).copied());
        let Some(first) = mentioned.next() else { continue };
        let others: BTreeSet<usize> = mentioned.collect();
        group.values_mut().filter(|g| others.contains(g)).for_each(|g| *g = first);
    }
    let groups: BTreeSet<usize> = group.values().copied().collect();
    let member = |constraint: &Constraint, g| constraint.affine().symbols().any(|s| group.get(&s) == Some(&g));
    groups
        .into_iter()
        .map(|g| {
            let symbols = symbols.iter().copied().filter(|s| group[s] == g).collect();
            (symbols, constraints.iter().filter(|c| member(c, g)).cloned().collect())
        })
        .collect()
}

/// Number of values of a symbol on its own.
fn interval(symbol: Symbol, constraints: &Conjunction, bounds: &Bounds) -> Result<u128, TooComplex> {
    let (Some(low), Some(high)) = bounds.interval(symbol) else { return Err(TooComplex) };
    if low > high {
        return Ok(0);
    }
    if low == high {
        let point = Affine::constant(low);
        let holds = |c: &Constraint| c.substitute(symbol, &point).and_then(|c| c.truth());
        return constraints.iter().map(holds).try_fold(1, |n, holds| Ok(n * u128::from(holds.ok_or(TooComplex)?)));
    }
    let residues: Vec<&Constraint> = constraints.iter().filter(|c| !matches!(c, Constraint::Nonnegative(_))).collect();
    let period = period(&residues).ok_or(TooComplex)?;
    let mut points = 0;
    for residue in 0..period {
        let point = Affine::constant(low + residue);
        let holds = |c: &&Constraint| c.substitute(symbol, &point).and_then(|c| c.truth()).unwrap_or(false);
        if residue <= high - low && residues.iter().all(holds) {
            points += (high - low - residue) / period + 1;
        }
    }
    u128::try_from(points).map_err(|_| TooComplex)
}

/// After how many values residues repeat.
fn period(residues: &[&Constraint]) -> Option<i128> {
    let modulus = |c: &&Constraint| match c {
        Constraint::Residue { modulus, .. } => Some(*modulus),
        Constraint::Zero(_) | Constraint::Nonnegative(_) => None,
    };
    let period = residues.iter().map(modulus).try_fold(1_i128, |p, m| Some(num_integer::lcm(p, m?)))?;
    (period <= 1 << 16).then_some(period)
}
