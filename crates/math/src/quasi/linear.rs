//! Integer-valued linear expressions over symbols and floors of such expressions. A floor is kept in
//! one normal form, so that equal floors compare equal and cancel.

use super::number::gcd;
use super::{Affine, QuasiError, Symbol};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a linear expression or a monomial is made of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Atom {
    Symbol(Symbol),
    Floor(Arc<Floor>),
}

/// `floor(argument / modulus)`; coefficients and constant of the argument lie in `0..modulus`.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Floor {
    pub argument: Linear,
    pub modulus: i128,
}

/// Terms sorted by atom, no zero coefficients. It is no [`crate::linear::LinearForm`]: forms stand inside of their own atoms,
/// a symbol is replaced inside of floors as well, and terms compare before constants, which is the order of display.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Linear {
    pub terms: Vec<(Atom, i128)>,
    pub constant: i128,
}

pub(super) type Checked<T> = Result<T, QuasiError>;

/// Every number in an expression can be negated.
fn in_range(value: Option<i128>) -> Option<i128> {
    value.filter(|value| *value != i128::MIN)
}

pub(super) fn product(a: i128, b: i128) -> Checked<i128> {
    in_range(a.checked_mul(b)).ok_or(QuasiError::Overflow)
}

pub(super) fn total(a: i128, b: i128) -> Checked<i128> {
    in_range(a.checked_add(b)).ok_or(QuasiError::Overflow)
}

pub(super) fn least_common_multiple(a: i128, b: i128) -> Checked<i128> {
    product(a / gcd(a, b), b)
}

impl Atom {
    pub fn mentions(&self, symbol: Symbol) -> bool {
        match self {
            Self::Symbol(own) => *own == symbol,
            Self::Floor(floor) => floor.argument.mentions(symbol),
        }
    }

    pub(crate) fn mentions_any(&self, symbols: &[Symbol]) -> bool {
        match self {
            Self::Symbol(own) => symbols.contains(own),
            Self::Floor(floor) => floor.argument.mentions_any(symbols),
        }
    }

    pub(crate) fn collect_symbols(&self, found: &mut BTreeSet<Symbol>) {
        match self {
            Self::Symbol(symbol) => {
                found.insert(*symbol);
            }
            Self::Floor(floor) => floor.argument.collect_symbols(found),
        }
    }

    pub fn evaluate(&self, value: &dyn Fn(Symbol) -> BigInt) -> BigInt {
        match self {
            Self::Symbol(symbol) => value(*symbol),
            Self::Floor(floor) => floor.argument.evaluate(value).div_floor(&BigInt::from(floor.modulus)),
        }
    }

    /// As [`Self::evaluate`], of a symbol that need not be an integer.
    pub fn evaluate_exactly<V: Into<BigRational>>(&self, value: &dyn Fn(Symbol) -> V) -> BigRational {
        match self {
            Self::Symbol(symbol) => value(*symbol).into(),
            Self::Floor(_) => BigRational::from(self.evaluate(&|symbol| value(symbol).into().to_integer())),
        }
    }

    /// The atom with `symbol` replaced; `None` where nothing changes.
    pub fn substitute(&self, symbol: Symbol, by: &Linear) -> Checked<Option<Linear>> {
        match self {
            Self::Symbol(own) if *own == symbol => Ok(Some(by.clone())),
            Self::Floor(floor) if floor.argument.mentions(symbol) => {
                Ok(Some(floor.argument.substitute(symbol, by)?.floor(floor.modulus)?))
            }
            _ => Ok(None),
        }
    }

    /// The step of `symbol` over which the atom grows by an integer, and that integer.
    fn period(&self, symbol: Symbol) -> Checked<(i128, i128)> {
        match self {
            Self::Symbol(own) => Ok((1, i128::from(*own == symbol))),
            Self::Floor(floor) => {
                let (period, slope) = floor.argument.period(symbol)?;
                let factor = floor.modulus / gcd(floor.modulus, slope);
                Ok((product(period, factor)?, product(slope, factor)? / floor.modulus))
            }
        }
    }
}

impl Linear {
    pub fn constant(constant: i128) -> Self {
        Self { terms: Vec::new(), constant }
    }

    pub fn symbol(symbol: Symbol) -> Self {
        Self { terms: vec![(Atom::Symbol(symbol), 1)], constant: 0 }
    }

    pub(crate) fn from_affine(affine: &Affine) -> Checked<Self> {
        let mut sum = Self::constant(affine.constant);
        for (symbol, coefficient) in &affine.terms {
            sum = sum.add_scaled(&Self::symbol(*symbol), *coefficient)?;
        }
        Ok(sum)
    }

    /// `self + factor * other`.
    pub fn add_scaled(&self, other: &Self, factor: i128) -> Checked<Self> {
        let constant = total(self.constant, product(factor, other.constant)?)?;
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (Some(a), Some(b)) => a.0.cmp(&b.0),
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (None, None) => return Ok(Self { terms, constant }),
            };
            let mine = if order.is_le() { left.next() } else { None };
            let theirs = if order.is_ge() { right.next() } else { None };
            let coefficient = total(mine.map_or(0, |t| t.1), product(factor, theirs.map_or(0, |t| t.1))?)?;
            if let (true, Some((atom, _))) = (coefficient != 0, mine.or(theirs)) {
                terms.push((atom.clone(), coefficient));
            }
        }
    }

    pub fn scale(&self, factor: i128) -> Checked<Self> {
        Self::default().add_scaled(self, factor)
    }

    pub(crate) fn plus_constant(&self, constant: i128) -> Checked<Self> {
        Ok(Self { terms: self.terms.clone(), constant: total(self.constant, constant)? })
    }

    pub fn coefficient(&self, symbol: Symbol) -> i128 {
        self.terms.iter().find(|(atom, _)| *atom == Atom::Symbol(symbol)).map_or(0, |term| term.1)
    }

    pub fn without(&self, atom: &Atom) -> Self {
        let terms = self.terms.iter().filter(|term| term.0 != *atom).cloned().collect();
        Self { terms, constant: self.constant }
    }

    pub fn mentions(&self, symbol: Symbol) -> bool {
        self.terms.iter().any(|(atom, _)| atom.mentions(symbol))
    }

    pub(crate) fn mentions_any(&self, symbols: &[Symbol]) -> bool {
        self.terms.iter().any(|(atom, _)| atom.mentions_any(symbols))
    }

    pub fn substitute(&self, symbol: Symbol, by: &Linear) -> Checked<Self> {
        let mut sum = Self::constant(self.constant);
        for (atom, coefficient) in &self.terms {
            match atom.substitute(symbol, by)? {
                Some(replaced) => sum = sum.add_scaled(&replaced, *coefficient)?,
                None => sum = sum.add_scaled(&Self { terms: vec![(atom.clone(), 1)], constant: 0 }, *coefficient)?,
            }
        }
        Ok(sum)
    }

    /// See [`Atom::period`].
    pub fn period(&self, symbol: Symbol) -> Checked<(i128, i128)> {
        let mut period = 1;
        let mut parts = Vec::new();
        for (atom, coefficient) in self.terms.iter().filter(|term| term.0.mentions(symbol)) {
            let (own, slope) = atom.period(symbol)?;
            period = least_common_multiple(period, own)?;
            parts.push((own, product(slope, *coefficient)?));
        }
        let slope = parts.into_iter().try_fold(0, |sum, (own, slope)| total(sum, product(slope, period / own)?))?;
        Ok((period, slope))
    }

    /// `floor(self / modulus)` in normal form; `modulus` is positive.
    pub fn floor(&self, modulus: i128) -> Checked<Self> {
        let mut whole = Self::constant(self.constant.div_euclid(modulus));
        let mut rest = Self::constant(self.constant.rem_euclid(modulus));
        for (atom, coefficient) in &self.terms {
            let (quotient, remainder) = (coefficient.div_euclid(modulus), coefficient.rem_euclid(modulus));
            if quotient != 0 {
                whole.terms.push((atom.clone(), quotient));
            }
            if remainder != 0 {
                rest.terms.push((atom.clone(), remainder));
            }
        }
        match rest.proper_floor(modulus)? {
            Some(fraction) => whole.add_scaled(&fraction, 1),
            None => Ok(whole),
        }
    }

    /// The floor of a proper fraction; `None` for zero.
    fn proper_floor(mut self, mut modulus: i128) -> Checked<Option<Self>> {
        let common = self.terms.iter().fold(modulus, |g, (_, coefficient)| gcd(g, *coefficient));
        if self.terms.is_empty() || common == modulus {
            return Ok(None);
        }
        modulus /= common;
        self.constant /= common;
        self.terms.iter_mut().for_each(|term| term.1 /= common);
        if let Some((inner, rest)) = self.inner_floor() {
            let argument = inner.argument.add_scaled(&rest, inner.modulus)?;
            return argument.floor(product(inner.modulus, modulus)?).map(Some);
        }
        let floor = Floor { argument: self, modulus };
        Ok(Some(Self { terms: vec![(Atom::Floor(Arc::new(floor)), 1)], constant: 0 }))
    }

    /// `floor((floor(a/k) + e)/m)` is `floor((a + k*e)/(k*m))`: the inner floor and `e`.
    fn inner_floor(&self) -> Option<(Arc<Floor>, Self)> {
        self.terms.iter().find_map(|(atom, coefficient)| match atom {
            Atom::Floor(floor) if *coefficient == 1 => Some((floor.clone(), self.without(atom))),
            _ => None,
        })
    }

    pub(crate) fn collect_symbols(&self, found: &mut BTreeSet<Symbol>) {
        self.terms.iter().for_each(|(atom, _)| atom.collect_symbols(found));
    }

    pub fn evaluate(&self, value: &dyn Fn(Symbol) -> BigInt) -> BigInt {
        let terms = self.terms.iter().map(|(atom, coefficient)| atom.evaluate(value) * coefficient);
        terms.fold(BigInt::from(self.constant), |sum, term| sum + term)
    }
}
