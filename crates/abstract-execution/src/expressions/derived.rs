//! Symbols that are left free, and symbols that are no affine expression of others: products and
//! integer functions of them.
//!
//! A product of counters is an integer of which nothing more is known: it may cancel (the bounds of a
//! loop from `i * m` to `(i + 1) * m`), and where it does not, the iterations cannot be counted. A
//! product of free symbols is as free as they are.

use super::affine::{Affine, Symbol};
use chronos_math::quasi::QuasiPolynomial;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a symbol stands for that is no counter, no parameter and no quotient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Derived {
    /// Of symbols that are no products themselves, sorted.
    Product(Vec<Symbol>),
    /// An integer function of free symbols, or of counters.
    Function(IntegerFunction, Affine),
    /// `floor(dividend / divisor)`, the divisor positive.
    Ratio(Affine, Affine),
    /// `1 / divisor`, which is no integer: it stands in counts alone, never in conditions.
    Reciprocal(Affine),
    /// The index of sums with so many sums around them; it stands in sums alone.
    Index(u32),
    /// The sum of an expression over an index.
    Sum(Arc<Sum>),
}

/// A sum that is no quasi-polynomial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    pub index: Symbol,
    /// The index begins at the greatest of these, and ends at the least of those; nothing where that is less.
    pub low: Vec<Affine>,
    pub high: Vec<Affine>,
    pub body: QuasiPolynomial,
}

/// Functions of one integer that loops which are not affine bring about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IntegerFunction {
    /// The greatest integer whose square is not greater; 0 below 0.
    SquareRoot,
    /// The greatest integer e with `base^e <= x`; -1 below 1.
    FloorLog(u32),
    /// The least integer e with `base^e >= x`; 0 below 2.
    CeilLog(u32),
    /// The base to the power of x; 1 below 0.
    Power(u32),
}

/// Free and derived symbols of an execution.
#[derive(Clone, Debug, Default)]
pub struct FreeSymbols {
    symbols: BTreeSet<Symbol>,
    derived: RefCell<BTreeMap<Symbol, Arc<Derived>>>,
}

/// Symbols that counting brings about have numbers from here on: those of an execution never get there.
const FIRST_COUNTING_SYMBOL: u32 = 1 << 28;

impl FreeSymbols {
    pub fn insert_free(&mut self, symbol: Symbol) {
        self.symbols.insert(symbol);
    }

    /// Nothing is left free: all counts are numbers.
    pub fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    pub fn define(&self, symbol: Symbol, derived: Derived) {
        self.derived.borrow_mut().insert(symbol, Arc::new(derived));
    }

    pub fn get(&self, symbol: Symbol) -> Option<Arc<Derived>> {
        self.derived.borrow().get(&symbol).cloned()
    }

    pub fn find(&self, derived: &Derived) -> Option<Symbol> {
        self.derived.borrow().iter().find(|(_, known)| known.as_ref() == derived).map(|(&symbol, _)| symbol)
    }

    /// The symbol for something that comes up where symbols of the execution cannot be made.
    pub(crate) fn find_or_define(&self, derived: Derived) -> Symbol {
        self.find(&derived).unwrap_or_else(|| {
            let late = self.derived.borrow().range(Symbol(FIRST_COUNTING_SYMBOL)..).count();
            let symbol = Symbol(FIRST_COUNTING_SYMBOL.saturating_add(u32::try_from(late).unwrap_or(u32::MAX)));
            self.define(symbol, derived);
            symbol
        })
    }

    /// Symbols that a derived one is computed from.
    pub fn factors(&self, symbol: Symbol) -> Vec<Symbol> {
        match self.get(symbol).as_deref() {
            Some(Derived::Product(factors)) => factors.clone(),
            Some(Derived::Function(_, argument) | Derived::Reciprocal(argument)) => argument.symbols().collect(),
            Some(Derived::Ratio(dividend, divisor)) => dividend.symbols().chain(divisor.symbols()).collect(),
            Some(Derived::Sum(sum)) => {
                let bounds = sum.low.iter().chain(&sum.high).flat_map(Affine::symbols);
                let body = sum.body.symbols().into_iter().map(|symbol| Symbol(symbol.0));
                bounds.chain(body).filter(|&symbol| symbol != sum.index).collect()
            }
            Some(Derived::Index(_)) | None => Vec::new(),
        }
    }

    /// The symbol itself was left free.
    pub fn is_parameter(&self, symbol: Symbol) -> bool {
        self.symbols.contains(&symbol)
    }
}
