//! Conditions over iteration counters: unions of conjunctions of affine constraints.

use super::affine::{Affine, Symbol};

/// What a point of the iteration space must fulfil.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constraint {
    /// `affine >= 0`
    Nonnegative(Affine),
    /// `affine == 0`
    Zero(Affine),
    /// `low <= affine mod modulus <= high`, the modulo in `0..modulus`.
    Residue { affine: Affine, modulus: i128, low: i128, high: i128 },
}

/// All of them hold.
pub type Conjunction = Vec<Constraint>;

/// One of the pieces holds; they are disjoint. No piece: never.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Formula {
    pub pieces: Vec<Conjunction>,
}

/// Beyond this many pieces a condition counts as unknown.
const MAX_PIECES: usize = 64;

impl Constraint {
    pub fn affine(&self) -> &Affine {
        match self {
            Self::Nonnegative(affine) | Self::Zero(affine) | Self::Residue { affine, .. } => affine,
        }
    }

    /// `None` unless no symbol is left in it.
    pub fn truth(&self) -> Option<bool> {
        let constant = self.affine().as_constant()?;
        Some(match self {
            Self::Nonnegative(_) => constant >= 0,
            Self::Zero(_) => constant == 0,
            Self::Residue { modulus, low, high, .. } => (*low..=*high).contains(&constant.rem_euclid(*modulus)),
        })
    }

    pub fn substitute(&self, symbol: Symbol, by: &Affine) -> Option<Self> {
        Some(match self {
            Self::Nonnegative(affine) => Self::Nonnegative(affine.substitute(symbol, by)?),
            Self::Zero(affine) => Self::Zero(affine.substitute(symbol, by)?),
            Self::Residue { affine, modulus, low, high } => {
                Self::Residue { affine: affine.substitute(symbol, by)?, modulus: *modulus, low: *low, high: *high }
            }
        })
    }

    /// Disjoint constraints of which one holds where this does not.
    fn negated(&self) -> Option<Vec<Self>> {
        let below = |affine: &Affine| Some(Self::Nonnegative(affine.negate()?.plus(-1)?));
        Some(match self {
            Self::Nonnegative(affine) => vec![below(affine)?],
            Self::Zero(affine) => vec![Self::Nonnegative(affine.plus(-1)?), below(affine)?],
            Self::Residue { affine, modulus, low, high } => {
                let part = |low, high| Self::Residue { affine: affine.clone(), modulus: *modulus, low, high };
                let parts = [part(0, low - 1), part(high + 1, modulus - 1)];
                parts.into_iter().filter(|p| matches!(p, Self::Residue { low, high, .. } if low <= high)).collect()
            }
        })
    }
}

impl Formula {
    pub fn always() -> Self {
        Self { pieces: vec![Vec::new()] }
    }

    pub fn never() -> Self {
        Self { pieces: Vec::new() }
    }

    pub fn constant(truth: bool) -> Self {
        if truth { Self::always() } else { Self::never() }
    }

    pub fn atom(constraint: Constraint) -> Self {
        Self { pieces: vec![vec![constraint]] }.simplified()
    }

    pub(crate) fn is_never(&self) -> bool {
        self.pieces.is_empty()
    }

    pub(crate) fn is_always(&self) -> bool {
        matches!(&self.pieces[..], [only] if only.is_empty())
    }

    pub fn symbols(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.pieces.iter().flatten().flat_map(|constraint| constraint.affine().symbols())
    }

    pub fn and(&self, other: &Self) -> Option<Self> {
        let mut pieces = Vec::new();
        for a in &self.pieces {
            for b in &other.pieces {
                pieces.push(conjoin(a, b));
            }
        }
        Self { pieces }.simplified().capped()
    }

    /// `self`, or `other` where `self` does not hold.
    pub fn or(&self, other: &Self) -> Option<Self> {
        if self.is_always() || other.is_never() {
            return Some(self.clone());
        }
        let mut pieces = self.pieces.clone();
        pieces.extend(self.not()?.and(other)?.pieces);
        Self { pieces }.simplified().capped()
    }

    pub fn not(&self) -> Option<Self> {
        self.pieces.iter().try_fold(Self::always(), |rest, piece| rest.and(&complement(piece)?))
    }

    pub fn substitute(&self, symbol: Symbol, by: &Affine) -> Option<Self> {
        let piece = |piece: &Conjunction| piece.iter().map(|c| c.substitute(symbol, by)).collect::<Option<_>>();
        Some(Self { pieces: self.pieces.iter().map(piece).collect::<Option<_>>()? }.simplified())
    }

    fn capped(self) -> Option<Self> {
        (self.pieces.len() <= MAX_PIECES).then_some(self)
    }

    /// Without constraints that always hold and pieces that never do.
    fn simplified(mut self) -> Self {
        self.pieces.retain(|piece| piece.iter().all(|c| c.truth() != Some(false)) && !contradicts(piece));
        self.pieces.iter_mut().for_each(|piece| piece.retain(|c| c.truth() != Some(true)));
        self
    }
}

/// Both, without constraints that others of them imply by their constant alone.
pub(crate) fn conjoin(a: &Conjunction, b: &Conjunction) -> Conjunction {
    let mut both = a.clone();
    for constraint in b {
        if both.iter().any(|known| implies(known, constraint)) {
            continue;
        }
        match both.iter().position(|known| implies(constraint, known)) {
            Some(weaker) => both[weaker] = constraint.clone(),
            None => both.push(constraint.clone()),
        }
    }
    both
}

/// The same constraint, or a parallel one that is tighter.
fn implies(a: &Constraint, b: &Constraint) -> bool {
    match (a, b) {
        (Constraint::Nonnegative(a), Constraint::Nonnegative(b)) => a.constant <= b.constant && a.terms == b.terms,
        _ => a == b,
    }
}

/// Two inequalities of the piece exclude each other: `e >= 0` and `-e - d >= 0` with d > 0.
fn contradicts(piece: &Conjunction) -> bool {
    let opposite = |a: &Affine, b: &Affine| {
        a.terms.len() == b.terms.len()
            && a.terms.iter().zip(&b.terms).all(|(x, y)| x.0 == y.0 && x.1 == -y.1)
            && a.constant.checked_add(b.constant).is_some_and(|sum| sum < 0)
    };
    let affines: Vec<&Affine> = piece
        .iter()
        .filter_map(|c| if let Constraint::Nonnegative(affine) = c { Some(affine) } else { None })
        .collect();
    affines.iter().enumerate().any(|(i, a)| affines[i + 1..].iter().any(|b| opposite(a, b)))
}

/// Where not all of the piece hold, as disjoint pieces.
fn complement(piece: &Conjunction) -> Option<Formula> {
    let mut pieces = Vec::new();
    for (i, constraint) in piece.iter().enumerate() {
        for negation in constraint.negated()? {
            let mut outside: Conjunction = piece[..i].to_vec();
            outside.push(negation);
            pieces.push(outside);
        }
    }
    Formula { pieces }.simplified().capped()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_least(symbol: u32, bound: i128) -> Formula {
        Formula::atom(Constraint::Nonnegative(Affine::symbol(Symbol(symbol)).plus(-bound).expect("small")))
    }

    #[test]
    fn excluded_middle_is_disjoint() {
        let both = at_least(0, 3).and(&at_least(1, 5)).expect("small");
        let outside = both.not().expect("small");
        assert_eq!(outside.pieces.len(), 2);
        assert!(both.and(&outside).expect("small").is_never());
    }

    #[test]
    fn negation_of_a_residue_has_two_ranges() {
        let affine = Affine::symbol(Symbol(0));
        let third = Formula::atom(Constraint::Residue { affine, modulus: 5, low: 2, high: 2 });
        assert_eq!(third.not().expect("small").pieces.len(), 2);
    }
}
