//! Several conditions on remainders of one expression, as sums of counts that have one each.
//!
//! `e % 13 != 0 && e % 7 == 0` ties two quotients together, which costs the counting engine much. All
//! less those with `e % 13 == 0` are two counts of one congruence each, by the Chinese remainder theorem.

use crate::expressions::affine::Affine;
use crate::expressions::formula::{Conjunction, Constraint};

/// Constraints that are counted one after the other.
#[derive(Debug, PartialEq)]
pub(crate) enum Residues {
    /// They contradict each other.
    Nothing,
    Single(Conjunction),
    /// Counts to be added or subtracted.
    Sum(Vec<(i32, Conjunction)>),
}

/// Most single remainders that a range of them is taken apart into.
const MAX_SINGLE: i128 = 3;
/// Most counts that one becomes.
const MAX_PARTS: usize = 64;

/// An expression that is congruent to a remainder.
struct Congruence {
    affine: Affine,
    modulus: i128,
    remainder: i128,
}

/// What to count instead.
pub fn split(constraints: &Conjunction) -> Residues {
    let (ranges, rest): (Conjunction, Conjunction) =
        constraints.iter().cloned().partition(|c| matches!(c, Constraint::Residue { .. }));
    if ranges.len() < 2 {
        return Residues::Single(constraints.clone());
    }
    let mut parts = vec![(1, Vec::new(), rest)];
    for range in &ranges {
        parts = match separate(range) {
            Some(terms) => multiplied(&parts, &terms),
            None => parts.into_iter().map(|(sign, all, rest)| (sign, all, with(rest, range.clone()))).collect(),
        };
        if parts.len() > MAX_PARTS {
            return Residues::Single(constraints.clone());
        }
    }
    let merged = parts.into_iter().filter_map(|(sign, all, rest)| Some((sign, merge(all)?, rest)));
    let mut parts: Vec<(i32, Conjunction)> = merged.map(|(sign, all, rest)| (sign, joined(rest, all))).collect();
    match (parts.len(), parts.first()) {
        (0, _) => Residues::Nothing,
        (1, Some((1, _))) => Residues::Single(parts.swap_remove(0).1),
        _ => Residues::Sum(parts),
    }
}

type Part = (i32, Vec<Congruence>, Conjunction);

/// The range as single remainders, `None` standing for all: those in it, or all less those outside.
fn separate(range: &Constraint) -> Option<Vec<(i32, Option<Congruence>)>> {
    let Constraint::Residue { affine, modulus, low, high } = range else { return None };
    let single =
        |sign| move |remainder| (sign, Some(Congruence { affine: affine.clone(), modulus: *modulus, remainder }));
    let (inside, outside) = (high - low + 1, modulus - (high - low + 1));
    if inside <= MAX_SINGLE {
        return Some((*low..=*high).map(single(1)).collect());
    }
    let others = (0..*low).chain(high + 1..*modulus).map(single(-1));
    (outside <= MAX_SINGLE).then(|| std::iter::once((1, None)).chain(others).collect())
}

fn multiplied(parts: &[Part], terms: &[(i32, Option<Congruence>)]) -> Vec<Part> {
    let product = |(sign, all, rest): &Part, (times, more): &(i32, Option<Congruence>)| {
        let all = all.iter().chain(more).map(Congruence::copy).collect();
        (sign * times, all, rest.clone())
    };
    parts.iter().flat_map(|part| terms.iter().map(move |term| product(part, term))).collect()
}

fn with(mut constraints: Conjunction, more: Constraint) -> Conjunction {
    constraints.push(more);
    constraints
}

fn joined(rest: Conjunction, congruences: Vec<Congruence>) -> Conjunction {
    let constraint = |c: Congruence| {
        let (low, high) = (c.remainder, c.remainder);
        Constraint::Residue { affine: c.affine, modulus: c.modulus, low, high }
    };
    rest.into_iter().chain(congruences.into_iter().map(constraint)).collect()
}

/// One congruence for each expression; `None` where two of them contradict each other.
fn merge(all: Vec<Congruence>) -> Option<Vec<Congruence>> {
    let mut merged: Vec<Congruence> = Vec::new();
    for next in all {
        match merged.iter().position(|known| known.affine == next.affine) {
            Some(at) => match merged[at].and(&next) {
                Both::Never => return None,
                Both::One(both) => merged[at] = both,
                Both::TooLarge => merged.push(next),
            },
            None => merged.push(next),
        }
    }
    Some(merged)
}

enum Both {
    Never,
    One(Congruence),
    TooLarge,
}

impl Congruence {
    fn copy(&self) -> Self {
        Self { affine: self.affine.clone(), modulus: self.modulus, remainder: self.remainder }
    }

    /// Chinese remainder theorem.
    fn and(&self, other: &Self) -> Both {
        let gcd = num_integer::Integer::extended_gcd(&self.modulus, &other.modulus);
        let apart = other.remainder - self.remainder;
        if apart % gcd.gcd != 0 {
            return Both::Never;
        }
        let step = other.modulus / gcd.gcd;
        let modulus = self.modulus.checked_mul(step).filter(|&modulus| modulus < 1 << 40);
        match modulus {
            Some(modulus) => {
                let times = (apart / gcd.gcd * gcd.x).rem_euclid(step);
                let remainder = (self.remainder + self.modulus * times).rem_euclid(modulus);
                Both::One(Self { affine: self.affine.clone(), modulus, remainder })
            }
            None => Both::TooLarge,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expressions::affine::Symbol;

    fn range(modulus: i128, low: i128, high: i128) -> Constraint {
        Constraint::Residue { affine: Affine::symbol(Symbol(0)), modulus, low, high }
    }

    /// How many of `0..1000` fulfil the constraints, by their parts and one by one.
    fn both_ways(constraints: &Conjunction) -> (i32, i32) {
        let holds = |all: &Conjunction, n: i128| {
            all.iter().all(|c| c.substitute(Symbol(0), &Affine::constant(n)).and_then(|c| c.truth()) == Some(true))
        };
        let number = |all: &Conjunction| (0..1000).filter(|&n| holds(all, n)).count() as i32;
        let parts = match split(constraints) {
            Residues::Nothing => 0,
            Residues::Single(one) => number(&one),
            Residues::Sum(parts) => parts.iter().map(|(sign, part)| sign * number(part)).sum(),
        };
        (parts, number(constraints))
    }

    #[test]
    fn parts_add_up() {
        let ranges = [(13, 1, 12), (7, 1, 6), (11, 0, 0), (4, 1, 2), (6, 0, 4), (9, 3, 5), (10, 2, 7)];
        for a in ranges {
            for b in ranges {
                for c in ranges {
                    let all: Conjunction = [a, b, c].into_iter().map(|(m, low, high)| range(m, low, high)).collect();
                    let (parts, direct) = both_ways(&all);
                    assert_eq!(parts, direct, "{all:?}");
                }
            }
        }
    }

    #[test]
    fn congruences_are_merged() {
        assert_eq!(split(&vec![range(13, 0, 0), range(7, 0, 0)]), Residues::Single(vec![range(91, 0, 0)]));
        assert_eq!(split(&vec![range(4, 1, 1), range(6, 2, 2)]), Residues::Nothing);
    }
}
