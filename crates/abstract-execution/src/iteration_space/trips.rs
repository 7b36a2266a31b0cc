//! How often a loop runs: from "the condition holds in iteration k" to the iterations there are.

use crate::expressions::affine::{Affine, Symbol};
use crate::expressions::bounds::Bounds;
use crate::expressions::formula::{Conjunction, Constraint, Formula};
use crate::expressions::symbols::Symbols;

/// Given where a loop goes on after iteration `k`, the k's for which it went on in all iterations
/// up to k as well. `None` where that is no closed form.
pub(crate) fn prefix_closed(formula: &Formula, k: Symbol, symbols: &Symbols, bounds: &Bounds) -> Option<Formula> {
    if formula.is_always() || formula.is_never() {
        return Some(formula.clone());
    }
    if formula.symbols().any(|symbol| symbol != k && symbols.depends(symbol, k)) {
        return None;
    }
    if formula.pieces.iter().all(|piece| piece.iter().all(|c| falls(c, k))) {
        return Some(formula.clone());
    }
    differing(formula, k, bounds)
}

/// Once it is false it stays false.
fn falls(constraint: &Constraint, k: Symbol) -> bool {
    match constraint {
        Constraint::Nonnegative(affine) => affine.coefficient(k) <= 0,
        Constraint::Zero(affine) | Constraint::Residue { affine, .. } => !affine.mentions(k),
    }
}

/// `e != 0` as the two pieces `e - 1 >= 0` and `-e - 1 >= 0`: goes on until e is 0.
fn differing(formula: &Formula, k: Symbol, bounds: &Bounds) -> Option<Formula> {
    let [a, b] = &formula.pieces[..] else { return None };
    let ([Constraint::Nonnegative(above)], [Constraint::Nonnegative(below)]) = (&a[..], &b[..]) else { return None };
    let expression = above.plus(1)?;
    if below.plus(1)? != expression.negate()? {
        return None;
    }
    let toward = if expression.coefficient(k) < 0 { expression } else { expression.negate()? };
    let start = toward.substitute(k, &Affine::default())?;
    let stride = -toward.coefficient(k);
    let meets = match start.as_constant() {
        Some(constant) => constant.rem_euclid(stride) == 0,
        None => stride == 1,
    };
    if !meets || !bounds.is_nonnegative(&start) {
        return None;
    }
    Some(Formula::atom(Constraint::Nonnegative(toward.plus(-1)?)))
}

/// Every piece bounds k from above.
pub fn ends(formula: &Formula, k: Symbol) -> bool {
    let bounded = |piece: &Conjunction| {
        piece.iter().any(|c| match c {
            Constraint::Nonnegative(affine) => affine.coefficient(k) < 0,
            Constraint::Zero(affine) => affine.mentions(k),
            Constraint::Residue { .. } => false,
        })
    };
    formula.pieces.iter().all(bounded)
}

/// Number of k from 0 on for which the formula holds, where that is one affine expression as long
/// as it is not negative.
pub fn trip_count(formula: &Formula, k: Symbol, symbols: &mut Symbols) -> Option<Affine> {
    if formula.is_never() {
        return Some(Affine::default());
    }
    let [piece] = &formula.pieces[..] else { return None };
    let bounding: Vec<&Constraint> = piece.iter().filter(|c| c.affine().mentions(k)).collect();
    let limits = bounding.iter().map(|c| last(c, k, symbols).and_then(|last| last.plus(1)));
    let limits: Vec<Affine> = limits.collect::<Option<_>>()?;
    match &limits[..] {
        [only] => Some(only.clone()),
        several => {
            let constants: Option<Vec<i128>> = several.iter().map(Affine::as_constant).collect();
            constants?.into_iter().min().map(Affine::constant)
        }
    }
}

/// Expressions of which the number of k from 0 on for which the formula holds is the least, or 0 where that is
/// negative; `None` where conditions besides matter.
pub(crate) fn trip_limits(formula: &Formula, k: Symbol, symbols: &mut Symbols) -> Option<Vec<Affine>> {
    let [piece] = &formula.pieces[..] else { return None };
    let limits = piece.iter().map(|c| {
        let bounds = c.affine().mentions(k).then_some(c)?;
        last(bounds, k, symbols).and_then(|last| last.plus(1))
    });
    limits.collect()
}

/// Conditions under which each of the expressions is the least, the first of equal ones.
pub(crate) fn least_of(limits: &[Affine]) -> Option<Vec<(Conjunction, Affine)>> {
    let mut cases = Vec::new();
    for (at, least) in limits.iter().enumerate() {
        let others = limits.iter().enumerate().filter(|(other, _)| *other != at);
        let guard = others.map(|(other, limit)| {
            let room = limit.sub(least)?;
            Some(Constraint::Nonnegative(if other < at { room.plus(-1)? } else { room }))
        });
        let guard = guard.collect::<Option<Conjunction>>()?;
        if guard.iter().all(|constraint| constraint.truth() != Some(false)) {
            cases.push((guard, least.clone()));
        }
    }
    Some(cases)
}

/// The greatest k for which a falling constraint holds.
fn last(constraint: &Constraint, k: Symbol, symbols: &mut Symbols) -> Option<Affine> {
    let Constraint::Nonnegative(affine) = constraint else { return None };
    let stride = -affine.coefficient(k);
    let start = affine.substitute(k, &Affine::default())?;
    match (start.as_constant(), stride) {
        (_, 1) => Some(start),
        (Some(constant), 2..) => Some(Affine::constant(constant.div_euclid(stride))),
        (None, 2..) if !symbols.quotients.free.is_empty() => Some(symbols.quotient(&start, stride)),
        _ => None,
    }
}
