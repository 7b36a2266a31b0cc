//! Linear (affine) forms `constant + Σ coefficient · symbol` with checked arithmetic.
//!
//! Counting, static initialisers and addresses speak of integers in this one type; what a symbol stands for is theirs.
//! It must not know programs, machines or polynomials. The forms inside of [`crate::quasi`]'s polynomials are
//! another type: their symbols are floors of such forms as well, and their normal form compares terms before constants.

#[cfg(test)]
mod tests;

use num_traits::{PrimInt, Signed};
use std::cmp::Ordering;

chronos_base::define_ids! {
    /// An integer that counting leaves open: the number of an iteration, from 0, a quotient, or a parameter.
    Symbol = "k";
}

/// `constant + Σ coefficient · symbol`; terms sorted by symbol, no zero coefficients.
///
/// Operations give `None` where a number would leave the type of the coefficients: a form that overflowed says nothing of
/// the integer. The least number counts as left, so that every form can be negated.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinearForm<S, N = i128> {
    /// The part without a symbol.
    pub constant: N,
    /// Symbols with their coefficients, sorted by symbol; no coefficient is zero.
    pub terms: Vec<(S, N)>,
}

impl<S, N: PrimInt> Default for LinearForm<S, N> {
    fn default() -> Self {
        Self { constant: N::zero(), terms: Vec::new() }
    }
}

/// Numbers that can be negated.
fn in_range<N: PrimInt>(number: N) -> Option<N> {
    (number != N::min_value()).then_some(number)
}

fn product<N: PrimInt>(a: N, b: N) -> Option<N> {
    a.checked_mul(&b).and_then(in_range)
}

fn total<N: PrimInt>(a: N, b: N) -> Option<N> {
    a.checked_add(&b).and_then(in_range)
}

impl<S: Ord + Clone, N: PrimInt + Signed> LinearForm<S, N> {
    /// A form without symbols.
    pub fn constant(constant: N) -> Self {
        Self { constant, terms: Vec::new() }
    }

    /// The symbol alone.
    pub fn symbol(symbol: S) -> Self {
        Self { constant: N::zero(), terms: vec![(symbol, N::one())] }
    }

    /// The number, where the form has no symbols.
    pub fn as_constant(&self) -> Option<N> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The symbol that it is.
    pub fn as_symbol(&self) -> Option<&S> {
        match &self.terms[..] {
            [(symbol, factor)] if *factor == N::one() && self.constant == N::zero() => Some(symbol),
            _ => None,
        }
    }

    /// `self + factor * other`.
    pub fn add_scaled(&self, other: &Self, factor: N) -> Option<Self> {
        let constant = total(self.constant, product(factor, other.constant)?)?;
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (Some(a), Some(b)) => a.0.cmp(&b.0),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return Some(Self { constant, terms }),
            };
            let mine = if order.is_le() { left.next() } else { None };
            let theirs = if order.is_ge() { right.next() } else { None };
            let of = |term: Option<&(S, N)>| term.map_or(N::zero(), |term| term.1);
            let coefficient = total(of(mine), product(factor, of(theirs))?)?;
            if let Some((symbol, _)) = mine.or(theirs).filter(|_| coefficient != N::zero()) {
                terms.push((symbol.clone(), coefficient));
            }
        }
    }

    /// `self + other`; `None` on overflow.
    pub fn add(&self, other: &Self) -> Option<Self> {
        self.add_scaled(other, N::one())
    }

    /// `self - other`; `None` on overflow.
    pub fn sub(&self, other: &Self) -> Option<Self> {
        self.add_scaled(other, -N::one())
    }

    /// `self + constant`; `None` on overflow.
    pub fn plus(&self, constant: N) -> Option<Self> {
        Some(Self { constant: total(self.constant, constant)?, terms: self.terms.clone() })
    }

    /// `factor * self`; `None` on overflow.
    pub fn scale(&self, factor: N) -> Option<Self> {
        Self::default().add_scaled(self, factor)
    }

    /// `-self`.
    pub fn negate(&self) -> Option<Self> {
        self.scale(-N::one())
    }

    /// Without a remainder.
    pub fn divided(&self, by: N) -> Option<Self> {
        let exact = |value: N| (by != N::zero() && value % by == N::zero()).then(|| value / by);
        let terms = self.terms.iter().map(|(symbol, factor)| Some((symbol.clone(), exact(*factor)?)));
        Some(Self { terms: terms.collect::<Option<_>>()?, constant: exact(self.constant)? })
    }

    /// The terms alone.
    #[must_use]
    pub fn without_constant(&self) -> Self {
        Self { constant: N::zero(), terms: self.terms.clone() }
    }

    /// All but the term of a symbol.
    #[must_use]
    pub fn without(&self, symbol: &S) -> Self {
        Self { constant: self.constant, terms: self.terms.iter().filter(|term| term.0 != *symbol).cloned().collect() }
    }

    /// The value where `of` gives those of the symbols; `None` where one has none, or on overflow.
    pub fn evaluate(&self, of: impl Fn(&S) -> Option<N>) -> Option<N> {
        self.terms
            .iter()
            .try_fold(self.constant, |sum, (symbol, factor)| sum.checked_add(&of(symbol)?.checked_mul(factor)?))
    }

    /// Symbols with a coefficient, in their order.
    pub fn each_symbol(&self) -> impl Iterator<Item = &S> {
        self.terms.iter().map(|term| &term.0)
    }
}

impl<S: Ord + Copy, N: PrimInt + Signed> LinearForm<S, N> {
    /// The coefficient of a symbol; zero where the form does not have it.
    pub fn coefficient(&self, symbol: S) -> N {
        self.terms.binary_search_by_key(&symbol, |term| term.0).map_or(N::zero(), |at| self.terms[at].1)
    }

    /// Whether the symbol has a coefficient.
    pub fn mentions(&self, symbol: S) -> bool {
        self.coefficient(symbol) != N::zero()
    }

    /// Symbols with a coefficient, in their order.
    pub fn symbols(&self) -> impl Iterator<Item = S> + '_ {
        self.terms.iter().map(|term| term.0)
    }

    /// With `symbol` replaced by `by`.
    pub fn substitute(&self, symbol: S, by: &Self) -> Option<Self> {
        let coefficient = self.coefficient(symbol);
        if coefficient == N::zero() {
            return Some(self.clone());
        }
        self.without(&symbol).add_scaled(by, coefficient)
    }
}
