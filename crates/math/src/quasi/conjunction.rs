//! A conjunction of linear constraints and congruences in normal form.

use super::linear::{Atom, Checked, Floor, Linear, product};
use super::number::gcd;
use super::{Constraint, QuasiError, Symbol};
use std::sync::Arc;

/// All hold: `zero == 0`, `nonnegative >= 0`, `congruent == 0 (mod m)`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Conjunction {
    pub zero: Vec<Linear>,
    pub nonnegative: Vec<Linear>,
    pub congruent: Vec<(Linear, i128)>,
}

/// Whether a conjunction may have a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Possible,
    Empty,
}

impl Conjunction {
    /// # Errors
    /// `Overflow`, or `ZeroModulus` for a modulus that is not positive.
    pub(crate) fn from_constraints(constraints: &[Constraint]) -> Checked<Self> {
        let mut result = Self::default();
        let mut definitions = Vec::new();
        for constraint in constraints {
            match constraint {
                Constraint::Nonnegative(affine) => result.nonnegative.push(Linear::from_affine(affine)?),
                Constraint::Zero(affine) => result.zero.push(Linear::from_affine(affine)?),
                Constraint::Congruent { affine, modulus, remainder } => {
                    let shifted = Linear::from_affine(affine)?.add_scaled(&Linear::constant(*remainder), -1)?;
                    result.congruent.push((shifted, positive(*modulus)?));
                }
                Constraint::Quotient { symbol, affine, modulus } => {
                    definitions.push((*symbol, Linear::from_affine(affine)?, positive(*modulus)?));
                }
            }
        }
        result.define(definitions)?;
        Ok(result)
    }

    /// Replaces each symbol by its floor; a later definition may use an earlier one.
    fn define(&mut self, definitions: Vec<(Symbol, Linear, i128)>) -> Checked<()> {
        for (symbol, argument, modulus) in resolved(definitions)? {
            self.substitute(symbol, &argument.floor(modulus)?)?;
        }
        Ok(())
    }

    pub fn substitute(&mut self, symbol: Symbol, by: &Linear) -> Checked<()> {
        let linears = self.zero.iter_mut().chain(&mut self.nonnegative);
        for linear in linears.chain(self.congruent.iter_mut().map(|pair| &mut pair.0)) {
            if linear.mentions(symbol) {
                *linear = linear.substitute(symbol, by)?;
            }
        }
        Ok(())
    }

    pub(crate) fn linears(&self) -> impl Iterator<Item = &Linear> {
        self.zero.iter().chain(&self.nonnegative).chain(self.congruent.iter().map(|pair| &pair.0))
    }

    pub fn intersect(&self, other: &Self) -> Self {
        let mut both = self.clone();
        both.zero.extend(other.zero.iter().cloned());
        both.nonnegative.extend(other.nonnegative.iter().cloned());
        both.congruent.extend(other.congruent.iter().cloned());
        both
    }

    /// Brings every constraint into lowest terms and drops what always holds. Floors that mention one of
    /// `counted` are rewritten away where an inequality allows it.
    pub(crate) fn normalise(&mut self, counted: &[Symbol]) -> Checked<Outcome> {
        loop {
            let converted = self.pass(counted)?;
            match converted {
                Some(0) => return Ok(Outcome::Possible),
                Some(_) => {}
                None => return Ok(Outcome::Empty),
            }
        }
    }

    /// How many constraints changed their kind; `None` when one can never hold.
    fn pass(&mut self, counted: &[Symbol]) -> Checked<Option<usize>> {
        let mut converted = 0;
        for linear in std::mem::take(&mut self.zero) {
            match reduce_zero(linear)? {
                Reduced::Never => return Ok(None),
                Reduced::Always => {}
                Reduced::Zero(linear) => self.zero.push(linear),
                Reduced::Congruent(linear, modulus) => self.congruent.push((linear, modulus)),
            }
        }
        for (linear, modulus) in std::mem::take(&mut self.congruent) {
            match reduce_congruence(linear, modulus)? {
                Reduced::Never => return Ok(None),
                Reduced::Congruent(linear, modulus) => self.congruent.push((linear, modulus)),
                Reduced::Always | Reduced::Zero(_) => {}
            }
        }
        for linear in std::mem::take(&mut self.nonnegative) {
            let reduced = reduce_nonnegative(linear, counted)?;
            match reduced.terms.is_empty() {
                true if reduced.constant < 0 => return Ok(None),
                true => {}
                false => self.nonnegative.push(reduced),
            }
        }
        self.zero.sort();
        self.zero.dedup();
        self.congruent.sort();
        self.congruent.dedup();
        self.keep_tightest();
        match self.join_opposites()? {
            Some(joined) => converted += joined,
            None => return Ok(None),
        }
        Ok(Some(converted))
    }

    /// Of inequalities with equal terms, the one with the smallest constant implies the others.
    fn keep_tightest(&mut self) {
        self.nonnegative.sort();
        self.nonnegative.dedup_by(|later, earlier| later.terms == earlier.terms);
    }

    /// `t + c >= 0` and `-t + d >= 0`: impossible when `c + d < 0`, an equality when `c + d == 0`.
    fn join_opposites(&mut self) -> Checked<Option<usize>> {
        let mut joined = 0;
        let mut i = 0;
        while i < self.nonnegative.len() {
            let opposite = (i + 1..self.nonnegative.len()).find(|j| self.are_opposite(i, *j));
            if let Some(j) = opposite {
                let slack = super::linear::total(self.nonnegative[i].constant, self.nonnegative[j].constant)?;
                if slack < 0 {
                    return Ok(None);
                }
                if slack == 0 {
                    self.zero.push(self.nonnegative[i].clone());
                    self.nonnegative.remove(j);
                    self.nonnegative.remove(i);
                    joined += 1;
                    continue;
                }
            }
            i += 1;
        }
        Ok(Some(joined))
    }

    fn are_opposite(&self, i: usize, j: usize) -> bool {
        let (a, b) = (&self.nonnegative[i].terms, &self.nonnegative[j].terms);
        a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.0 == y.0 && x.1 == -y.1)
    }
}

fn positive(modulus: i128) -> Checked<i128> {
    if modulus > 0 { Ok(modulus) } else { Err(QuasiError::ZeroModulus) }
}

/// What each symbol that constraints define stands for, without symbols that were defined before it.
pub(super) fn replacements(constraints: &[Constraint]) -> Checked<Vec<(Symbol, Linear)>> {
    let mut definitions = Vec::new();
    for constraint in constraints {
        if let Constraint::Quotient { symbol, affine, modulus } = constraint {
            definitions.push((*symbol, Linear::from_affine(affine)?, positive(*modulus)?));
        }
    }
    let resolved = resolved(definitions)?.into_iter();
    resolved.map(|(symbol, argument, modulus)| Ok((symbol, argument.floor(modulus)?))).collect()
}

fn resolved(definitions: Vec<(Symbol, Linear, i128)>) -> Checked<Vec<(Symbol, Linear, i128)>> {
    let mut done: Vec<(Symbol, Linear, i128)> = Vec::new();
    for (symbol, mut argument, modulus) in definitions {
        for (earlier, inner, divisor) in &done {
            argument = argument.substitute(*earlier, &inner.floor(*divisor)?)?;
        }
        done.push((symbol, argument, modulus));
    }
    Ok(done)
}

enum Reduced {
    Always,
    Never,
    Zero(Linear),
    Congruent(Linear, i128),
}

fn content(linear: &Linear) -> i128 {
    linear.terms.iter().fold(0, |g, (_, coefficient)| gcd(g, *coefficient))
}

fn reduce_zero(mut linear: Linear) -> Checked<Reduced> {
    if linear.terms.is_empty() {
        return Ok(if linear.constant == 0 { Reduced::Always } else { Reduced::Never });
    }
    let common = content(&linear);
    if linear.constant % common != 0 {
        return Ok(Reduced::Never);
    }
    let sign = if linear.terms[0].1 < 0 { -common } else { common };
    linear.constant /= sign;
    linear.terms.iter_mut().for_each(|term| term.1 /= sign);
    as_congruence(&linear)?
        .map_or(Ok(Reduced::Zero(linear)), |(linear, modulus)| Ok(Reduced::Congruent(linear, modulus)))
}

/// `s*(f - m*floor(f/m)) == k` says that `f` leaves the remainder `k/s`, when `k/s` is one.
fn as_congruence(linear: &Linear) -> Checked<Option<(Linear, i128)>> {
    for (atom, coefficient) in &linear.terms {
        let Atom::Floor(floor) = atom else { continue };
        if coefficient % floor.modulus != 0 {
            continue;
        }
        let factor = -coefficient / floor.modulus;
        let rest = linear.without(atom).add_scaled(&floor.argument, -factor)?;
        if rest.terms.is_empty() && rest.constant % factor == 0 {
            let remainder = -rest.constant / factor;
            let shifted = floor.argument.plus_constant(-remainder)?;
            let possible = (0..floor.modulus).contains(&remainder);
            return Ok(Some(if possible { (shifted, floor.modulus) } else { (Linear::constant(1), 2) }));
        }
    }
    Ok(None)
}

fn reduce_congruence(linear: Linear, modulus: i128) -> Checked<Reduced> {
    let constant = linear.constant.rem_euclid(modulus);
    let terms = linear.terms.into_iter().map(|(atom, c)| (atom, c.rem_euclid(modulus))).filter(|term| term.1 != 0);
    let mut linear = Linear { terms: terms.collect(), constant };
    let common = gcd(content(&linear), modulus);
    if linear.constant % common != 0 {
        return Ok(Reduced::Never);
    }
    if common == modulus {
        return Ok(Reduced::Always);
    }
    linear.constant /= common;
    linear.terms.iter_mut().for_each(|term| term.1 /= common);
    Ok(Reduced::Congruent(linear, modulus / common))
}

fn reduce_nonnegative(mut linear: Linear, counted: &[Symbol]) -> Checked<Linear> {
    loop {
        let common = content(&linear);
        if common == 0 {
            return Ok(linear);
        }
        linear.constant = linear.constant.div_euclid(common);
        linear.terms.iter_mut().for_each(|term| term.1 /= common);
        match without_floor(&linear, counted)? {
            Some(simpler) => linear = simpler,
            None => return Ok(linear),
        }
    }
}

/// `floor(f/m) >= e` is `f >= m*e`, and `floor(f/m) <= e` is `f <= m*e + m - 1`.
fn without_floor(linear: &Linear, counted: &[Symbol]) -> Checked<Option<Linear>> {
    for (atom, coefficient) in &linear.terms {
        let Atom::Floor(floor) = atom else { continue };
        let rest = linear.without(atom);
        let divisor = coefficient.abs();
        if divisor != 1 && (!atom.mentions_any(counted) || rest.mentions_any(counted)) {
            continue;
        }
        let bound = rest.floor(divisor)?;
        return released(floor, *coefficient > 0, &bound).map(Some);
    }
    Ok(None)
}

/// `floor + bound >= 0`, or `bound - floor >= 0`, without the floor.
fn released(floor: &Arc<Floor>, is_lower: bool, bound: &Linear) -> Checked<Linear> {
    let scaled = bound.scale(floor.modulus)?;
    if is_lower {
        return scaled.add_scaled(&floor.argument, 1);
    }
    scaled.add_scaled(&floor.argument, -1)?.plus_constant(floor.modulus - 1)
}

/// The inverse of `a` modulo `m`; the two are coprime.
pub(super) fn inverse(a: i128, m: i128) -> Checked<i128> {
    let (mut r, mut s) = ((m, a.rem_euclid(m)), (0, 1));
    while r.1 != 0 {
        let quotient = r.0 / r.1;
        r = (r.1, r.0 - quotient * r.1);
        s = (s.1, s.0 - product(quotient, s.1)?);
    }
    Ok(s.0.rem_euclid(m))
}
