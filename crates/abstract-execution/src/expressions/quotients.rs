//! Symbols that stand for integer quotients, and what is known of derived symbols.
//!
//! A quotient is determined by the symbols it is computed from: it is never counted itself.

use super::affine::{Affine, Symbol};
use super::derived::{Derived, FreeSymbols};
use super::formula::Constraint;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// Symbols that stand for `floor(affine / modulus)`, with a positive modulus.
#[derive(Clone, Debug, Default)]
pub struct Quotients {
    definitions: BTreeMap<Symbol, (Affine, i128)>,
    pub free: FreeSymbols,
    /// Of the counting engine, taken in all counts so far.
    pub steps: Cell<u32>,
    /// Values of counters gone through in all counts so far.
    pub enumerated: Cell<u64>,
}

impl Quotients {
    pub fn define(&mut self, symbol: Symbol, affine: Affine, modulus: i128) {
        self.definitions.insert(symbol, (affine, modulus));
    }

    pub fn get(&self, symbol: Symbol) -> Option<&(Affine, i128)> {
        self.definitions.get(&symbol)
    }

    pub fn find(&self, affine: &Affine, modulus: i128) -> Option<Symbol> {
        let same = |(_, definition): &(&Symbol, &(Affine, i128))| definition.0 == *affine && definition.1 == modulus;
        self.definitions.iter().find(same).map(|(&symbol, _)| symbol)
    }

    /// Symbols that `symbol` is computed from, itself included.
    pub fn sources(&self, symbol: Symbol) -> BTreeSet<Symbol> {
        let mut sources = BTreeSet::from([symbol]);
        if let Some((affine, _)) = self.get(symbol) {
            affine.symbols().for_each(|s| sources.extend(self.sources(s)));
        }
        self.free.factors(symbol).into_iter().for_each(|s| sources.extend(self.sources(s)));
        sources
    }

    /// `0 <= affine - modulus * symbol <= modulus - 1`
    pub fn constraints(&self, symbol: Symbol) -> Option<[Constraint; 2]> {
        let (affine, modulus) = self.get(symbol)?;
        let rest = affine.sub(&Affine::symbol(symbol).scale(*modulus)?)?;
        let room = rest.negate()?.plus(modulus - 1)?;
        Some([Constraint::Nonnegative(rest), Constraint::Nonnegative(room)])
    }
}

impl Quotients {
    /// The symbol depends on free symbols alone, or on none.
    pub fn is_free(&self, symbol: Symbol) -> bool {
        if self.free.is_parameter(symbol) {
            return true;
        }
        let of = |affine: &Affine| affine.symbols().all(|inner| self.is_free(inner));
        match (self.get(symbol), self.free.get(symbol).as_deref()) {
            (Some((affine, _)), _) => of(affine),
            (None, Some(Derived::Product(factors))) => factors.iter().all(|&factor| self.is_free(factor)),
            (None, Some(Derived::Function(_, argument) | Derived::Reciprocal(argument))) => of(argument),
            (None, Some(Derived::Ratio(dividend, divisor))) => of(dividend) && of(divisor),
            // Whatever is counted, they are given.
            (None, Some(Derived::Index(_) | Derived::Sum(_))) => true,
            (None, None) => false,
        }
    }

    /// The symbol depends on a free one.
    pub(crate) fn depends_on_free(&self, symbol: Symbol) -> bool {
        !self.free.is_empty()
            && self.sources(symbol).into_iter().any(|s| self.free.is_parameter(s) || self.free.get(s).is_some())
    }

    /// A counter by free symbols: where a step of that size leads.
    pub(crate) fn is_tiled(&self, symbol: Symbol) -> bool {
        self.tiled(symbol).is_some()
    }

    /// The counter and the free symbols of such a product.
    pub fn tiled(&self, symbol: Symbol) -> Option<(Symbol, Vec<Symbol>)> {
        let Some(Derived::Product(factors)) = self.free.get(symbol).as_deref().cloned() else { return None };
        let (free, other): (Vec<Symbol>, Vec<Symbol>) = factors.into_iter().partition(|&factor| self.is_free(factor));
        let [counter] = other[..] else { return None };
        let plain = self.get(counter).is_none() && self.free.get(counter).is_none();
        plain.then_some((counter, free))
    }

    /// An expression that is affine in the counters, whatever it is in free symbols.
    pub(crate) fn is_countable(&self, symbol: Symbol) -> bool {
        match (self.get(symbol), self.free.get(symbol).as_deref()) {
            (Some((affine, _)), _) => affine.symbols().all(|inner| self.is_countable(inner)),
            (None, Some(_)) => self.is_free(symbol),
            (None, None) => true,
        }
    }
}
