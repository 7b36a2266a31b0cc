//! Affine expressions over iteration counters.

use std::collections::BTreeMap;

crate::define_ids! {
    /// An integer that a summary leaves open: the number of an iteration, from 0, or a quotient.
    Symbol = "k";
}

/// `constant + Σ coefficient · symbol`; terms sorted by symbol, no zero coefficients.
/// Operations give `None` where a coefficient would leave 128 bits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Affine {
    pub constant: i128,
    pub terms: Vec<(Symbol, i128)>,
}

impl Affine {
    pub fn constant(constant: i128) -> Self {
        Self { constant, terms: Vec::new() }
    }

    pub fn symbol(symbol: Symbol) -> Self {
        Self { constant: 0, terms: vec![(symbol, 1)] }
    }

    pub fn as_constant(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    pub fn coefficient(&self, symbol: Symbol) -> i128 {
        self.terms.binary_search_by_key(&symbol, |t| t.0).map_or(0, |at| self.terms[at].1)
    }

    pub fn mentions(&self, symbol: Symbol) -> bool {
        self.coefficient(symbol) != 0
    }

    pub fn symbols(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.terms.iter().map(|t| t.0)
    }

    pub fn add(&self, other: &Self) -> Option<Self> {
        let constant = self.constant.checked_add(other.constant)?;
        let mut terms: BTreeMap<Symbol, i128> = self.terms.iter().copied().collect();
        for &(symbol, coefficient) in &other.terms {
            let sum = terms.entry(symbol).or_insert(0);
            *sum = sum.checked_add(coefficient)?;
        }
        terms.retain(|_, coefficient| *coefficient != 0);
        Some(Self { constant, terms: terms.into_iter().collect() })
    }

    pub fn plus(&self, constant: i128) -> Option<Self> {
        Some(Self { constant: self.constant.checked_add(constant)?, terms: self.terms.clone() })
    }

    pub fn scale(&self, factor: i128) -> Option<Self> {
        if factor == 0 {
            return Some(Self::default());
        }
        let terms = self.terms.iter().map(|&(s, c)| Some((s, c.checked_mul(factor)?)));
        Some(Self { constant: self.constant.checked_mul(factor)?, terms: terms.collect::<Option<_>>()? })
    }

    pub fn negate(&self) -> Option<Self> {
        self.scale(-1)
    }

    pub fn sub(&self, other: &Self) -> Option<Self> {
        self.add(&other.negate()?)
    }

    /// With `symbol` replaced by `by`.
    pub fn substitute(&self, symbol: Symbol, by: &Self) -> Option<Self> {
        let coefficient = self.coefficient(symbol);
        if coefficient == 0 {
            return Some(self.clone());
        }
        let terms = self.terms.iter().copied().filter(|t| t.0 != symbol).collect();
        Self { constant: self.constant, terms }.add(&by.scale(coefficient)?)
    }
}
