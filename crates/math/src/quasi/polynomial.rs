//! Polynomials with exact rational coefficients over symbols and floors, and their sums over a range.

use super::linear::{Atom, Checked, Linear};
use super::number::Rational;
use super::{Affine, QuasiError, Symbol};
use num_rational::BigRational;
use num_traits::Zero;
use std::collections::BTreeMap;

/// Powers of distinct atoms, sorted by atom; exponents are positive. Empty for the constant term.
pub(super) type Monomial = Vec<(Atom, u32)>;

/// A polynomial over symbols (and floors, where it comes out of a summation).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Polynomial {
    pub(super) terms: BTreeMap<Monomial, Rational>,
}

impl Polynomial {
    /// The polynomial that is `value` everywhere.
    pub fn constant(value: BigRational) -> Self {
        Self::from_number(Rational::from_big(value))
    }

    /// The polynomial that is 1 everywhere, whose sum over a set is the number of points.
    pub fn one() -> Self {
        Self::from_number(Rational::ONE)
    }

    /// A linear form as a polynomial.
    ///
    /// # Errors
    /// `Overflow` when a coefficient leaves 128 bits.
    pub fn affine(affine: &Affine) -> Result<Self, QuasiError> {
        Ok(Self::from_linear(&Linear::from_affine(affine)?))
    }

    pub(super) fn from_number(value: Rational) -> Self {
        let mut polynomial = Self::default();
        polynomial.accumulate(Vec::new(), value);
        polynomial
    }

    pub(super) fn from_linear(linear: &Linear) -> Self {
        let mut polynomial = Self::from_number(Rational::integer(linear.constant));
        for (atom, coefficient) in &linear.terms {
            polynomial.accumulate(vec![(atom.clone(), 1)], Rational::integer(*coefficient));
        }
        polynomial
    }

    /// Whether the polynomial has no terms.
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    fn accumulate(&mut self, monomial: Monomial, value: Rational) {
        if value.is_zero() {
            return;
        }
        match self.terms.entry(monomial) {
            std::collections::btree_map::Entry::Vacant(entry) => {
                entry.insert(value);
            }
            std::collections::btree_map::Entry::Occupied(mut entry) => {
                let sum = entry.get().add(&value);
                if sum.is_zero() {
                    entry.remove();
                } else {
                    entry.insert(sum);
                }
            }
        }
    }

    /// `self + other`.
    #[must_use]
    pub fn plus(mut self, other: &Self) -> Self {
        self.add_scaled(other, &Rational::ONE);
        self
    }

    pub(super) fn add_scaled(&mut self, other: &Self, factor: &Rational) {
        for (monomial, value) in &other.terms {
            self.accumulate(monomial.clone(), value.multiply(factor));
        }
    }

    /// `self * other`.
    #[must_use]
    pub fn multiply(&self, other: &Self) -> Self {
        let mut result = Self::default();
        for (a, x) in &self.terms {
            for (b, y) in &other.terms {
                result.accumulate(monomial_product(a, b), x.multiply(y));
            }
        }
        result
    }

    /// `factor * self`.
    #[must_use]
    pub fn scale(&self, factor: &BigRational) -> Self {
        self.scaled(&Rational::from_big(factor.clone()))
    }

    pub(super) fn scaled(&self, factor: &Rational) -> Self {
        let mut result = Self::default();
        result.add_scaled(self, factor);
        result
    }

    /// The value where every symbol has a value.
    pub fn evaluate<V: Into<BigRational>>(&self, value: &dyn Fn(Symbol) -> V) -> BigRational {
        let mut sum = BigRational::zero();
        for (monomial, coefficient) in &self.terms {
            let powers = monomial
                .iter()
                .map(|(atom, exponent)| num_traits::pow(atom.evaluate_exactly(value), *exponent as usize));
            sum += powers.fold(coefficient.to_big(), |product, power| product * power);
        }
        sum
    }

    /// The number, when no atom is left.
    pub(super) fn as_number(&self) -> Option<Rational> {
        match self.terms.iter().next() {
            None => Some(Rational::ZERO),
            Some((monomial, value)) if monomial.is_empty() && self.terms.len() == 1 => Some(value.clone()),
            Some(_) => None,
        }
    }

    /// As a linear expression, where it is one with integer coefficients.
    pub(super) fn as_integral_linear(&self) -> Option<Linear> {
        let mut linear = Linear::default();
        for (monomial, value) in &self.terms {
            let value = value.to_big();
            let coefficient = i128::try_from(value.to_integer()).ok().filter(|_| value.is_integer())?;
            match monomial.as_slice() {
                [] => linear.constant = coefficient,
                [(atom, 1)] => linear.terms.push((atom.clone(), coefficient)),
                _ => return None,
            }
        }
        linear.terms.sort();
        Some(linear)
    }

    pub(super) fn mentions(&self, symbol: Symbol) -> bool {
        self.atoms().any(|atom| atom.mentions(symbol))
    }

    pub(super) fn atoms(&self) -> impl Iterator<Item = &Atom> {
        self.terms.keys().flatten().map(|(atom, _)| atom)
    }

    pub(super) fn substitute(&self, symbol: Symbol, by: &Linear) -> Checked<Self> {
        if !self.mentions(symbol) {
            return Ok(self.clone());
        }
        let mut result = Self::default();
        for (monomial, coefficient) in &self.terms {
            let mut kept = Vec::new();
            let mut factor = Self::from_number(coefficient.clone());
            for (atom, exponent) in monomial {
                match atom.substitute(symbol, by)? {
                    None => kept.push((atom.clone(), *exponent)),
                    Some(linear) => factor = factor.multiply(&Self::from_linear(&linear).power(*exponent)),
                }
            }
            for (own, value) in factor.terms {
                result.accumulate(monomial_product(&kept, &own), value);
            }
        }
        Ok(result)
    }

    fn power(&self, exponent: u32) -> Self {
        (0..exponent).fold(Self::one(), |power, _| power.multiply(self))
    }

    /// The sum for `symbol` from `low` to `high`, which may be `low - 1` (nothing) but not less.
    /// No floor of the polynomial mentions the symbol.
    pub(super) fn sum_over(&self, symbol: Symbol, low: &Linear, high: &Linear) -> Checked<Self> {
        let by_degree = self.split_by_degree(symbol);
        let degree = by_degree.keys().next_back().copied().unwrap_or(0);
        let upper = faulhaber(degree, &Self::from_linear(high));
        let lower = faulhaber(degree, &Self::from_linear(&low.plus_constant(-1)?));
        let mut result = Self::default();
        for (k, coefficient) in by_degree {
            let mut range = upper[k as usize].clone();
            range.add_scaled(&lower[k as usize], &Rational::integer(-1));
            result = result.plus(&coefficient.multiply(&range));
        }
        Ok(result)
    }

    fn split_by_degree(&self, symbol: Symbol) -> BTreeMap<u32, Self> {
        let mut parts: BTreeMap<u32, Self> = BTreeMap::new();
        for (monomial, value) in &self.terms {
            let is_symbol = |atom: &Atom| *atom == Atom::Symbol(symbol);
            let degree = monomial.iter().find(|(atom, _)| is_symbol(atom)).map_or(0, |(_, exponent)| *exponent);
            let rest = monomial.iter().filter(|(atom, _)| !is_symbol(atom)).cloned().collect();
            parts.entry(degree).or_default().accumulate(rest, value.clone());
        }
        parts
    }
}

fn monomial_product(a: &Monomial, b: &Monomial) -> Monomial {
    if a.is_empty() || b.is_empty() {
        return if a.is_empty() { b.clone() } else { a.clone() };
    }
    let mut product = Vec::with_capacity(a.len() + b.len());
    let (mut left, mut right) = (a.iter().peekable(), b.iter().peekable());
    while let (Some(x), Some(y)) = (left.peek(), right.peek()) {
        let order = x.0.cmp(&y.0);
        let mine = if order.is_le() { left.next() } else { None };
        let theirs = if order.is_ge() { right.next() } else { None };
        let exponent = mine.map_or(0, |t| t.1) + theirs.map_or(0, |t| t.1);
        product.extend(mine.or(theirs).map(|(atom, _)| (atom.clone(), exponent)));
    }
    product.extend(left.cloned());
    product.extend(right.cloned());
    product
}

/// `1^k + 2^k + ... + n^k` for every k up to `degree`, as polynomials in `n`; as identities they hold
/// for negative `n` too.
fn faulhaber(degree: u32, n: &Polynomial) -> Vec<Polynomial> {
    let mut powers = vec![Polynomial::one()];
    for k in 0..=degree as usize {
        powers.push(powers[k].multiply(n));
    }
    let sums = (0..=degree).map(|k| {
        let mut sum = Polynomial::default();
        for (exponent, coefficient) in coefficients(k).iter().enumerate() {
            sum.add_scaled(&powers[exponent], coefficient);
        }
        sum
    });
    sums.collect()
}

/// The coefficients of Faulhaber's polynomial of `k` by ascending power, from
/// `(n+1)^(k+1) - 1 = sum over j <= k of binomial(k+1, j) * S_j(n)`.
fn coefficients(k: u32) -> Vec<Rational> {
    let mut table: Vec<Vec<Rational>> = Vec::new();
    for degree in 0..=k as usize {
        let mut row: Vec<Rational> = binomials(degree + 1);
        row[0] = Rational::ZERO;
        for (j, lower) in table.iter().enumerate() {
            let factor = binomials(degree + 1)[j].negate();
            for (exponent, coefficient) in lower.iter().enumerate() {
                row[exponent] = row[exponent].add(&coefficient.multiply(&factor));
            }
        }
        let last = Rational::Small { numerator: 1, denominator: degree as i128 + 1 };
        table.push(row.iter().map(|value| value.multiply(&last)).collect());
    }
    table.pop().unwrap_or_default()
}

fn binomials(n: usize) -> Vec<Rational> {
    let mut row = vec![Rational::ONE];
    for i in 0..n {
        let factor = Rational::Small { numerator: 1, denominator: i as i128 + 1 };
        let next = row[i].multiply(&Rational::integer((n - i) as i128)).multiply(&factor);
        row.push(next);
    }
    row
}
