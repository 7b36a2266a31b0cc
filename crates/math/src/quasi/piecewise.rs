//! Quasi-polynomials: the value is the sum of the polynomials of all pieces whose condition holds.

use super::conjunction::{Conjunction, Outcome};
use super::feasible::{drop_redundant, feasible};
use super::isl::{Region, parameters_of};
use super::linear::Checked;
use super::number::Rational;
use super::polynomial::Polynomial;
use super::tidy::{without_points, without_zeros};
use super::{Limits, QuasiError, Symbol};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::Zero;
use std::collections::BTreeMap;

/// Conditions are made disjoint only up to this many pieces: the work grows with their square.
const MAX_DISJOINT: usize = 16;

/// A count that may depend on symbols. Pieces are sorted and carry no zero polynomial.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuasiPolynomial {
    pub(super) pieces: BTreeMap<Conjunction, Polynomial>,
    /// At most one piece holds for any values of the symbols.
    pub(super) disjoint: bool,
}

impl From<BigInt> for QuasiPolynomial {
    fn from(value: BigInt) -> Self {
        Self::from(Polynomial::constant(BigRational::from(value)))
    }
}

impl From<Polynomial> for QuasiPolynomial {
    fn from(polynomial: Polynomial) -> Self {
        Self::from_pieces(BTreeMap::from([(Conjunction::default(), polynomial)]))
    }
}

impl QuasiPolynomial {
    pub(super) fn from_pieces(mut pieces: BTreeMap<Conjunction, Polynomial>) -> Self {
        pieces.retain(|_, polynomial| !polynomial.is_zero());
        let disjoint = pieces.len() <= 1;
        Self { pieces, disjoint }
    }

    /// The quasi-polynomial that is 0 everywhere.
    pub fn zero() -> Self {
        Self::from_pieces(BTreeMap::new())
    }

    /// The value, when no symbol matters and it is an integer.
    pub fn constant(&self) -> Option<BigInt> {
        match self.pieces.iter().next() {
            None => Some(BigInt::zero()),
            Some((domain, polynomial)) if self.pieces.len() == 1 && *domain == Conjunction::default() => {
                let value = polynomial.as_number()?.to_big();
                value.is_integer().then(|| value.to_integer())
            }
            Some(_) => None,
        }
    }

    /// The exact value where `value` gives every symbol's; counts are integers. A sum of fractions is
    /// rounded down: see [`Self::evaluate_exactly`].
    pub fn evaluate(&self, value: &dyn Fn(Symbol) -> BigInt) -> BigInt {
        self.evaluate_exactly(value).floor().to_integer()
    }

    /// The exact value, where symbols that stand in no condition and in no floor need not be integers.
    pub fn evaluate_exactly<V: Into<BigRational>>(&self, value: &dyn Fn(Symbol) -> V) -> BigRational {
        let whole = |symbol| value(symbol).into().to_integer();
        let holding = self.pieces.iter().filter(|(domain, _)| domain.holds(&whole));
        holding.fold(BigRational::zero(), |sum, (_, polynomial)| sum + polynomial.evaluate(value))
    }

    /// The symbols it depends on, in order.
    pub fn symbols(&self) -> Vec<Symbol> {
        let mut found = std::collections::BTreeSet::new();
        for (domain, polynomial) in &self.pieces {
            domain.linears().for_each(|linear| linear.collect_symbols(&mut found));
            polynomial.atoms().for_each(|atom| atom.collect_symbols(&mut found));
        }
        found.into_iter().collect()
    }

    /// `self + other`.
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        let mut pieces = self.pieces.clone();
        for (domain, polynomial) in &other.pieces {
            pieces.entry(domain.clone()).or_default().add_scaled(polynomial, &Rational::ONE);
        }
        Self::from_pieces(pieces)
    }

    /// `factor * self`.
    #[must_use]
    pub fn scale(&self, factor: &BigInt) -> Self {
        let factor = BigRational::from(factor.clone());
        let scaled = |(domain, polynomial): (&Conjunction, &Polynomial)| (domain.clone(), polynomial.scale(&factor));
        Self { disjoint: self.disjoint, ..Self::from_pieces(self.pieces.iter().map(scaled).collect()) }
    }

    /// `self * other`.
    ///
    /// # Errors
    /// `Overflow`.
    pub fn multiply(&self, other: &Self) -> Result<Self, QuasiError> {
        let mut pieces: BTreeMap<Conjunction, Polynomial> = BTreeMap::new();
        for (a, p) in &self.pieces {
            for (b, q) in &other.pieces {
                let mut both = a.intersect(b);
                if both.normalise(&[])? == Outcome::Possible && feasible(&both)? == Outcome::Possible {
                    pieces.entry(both).or_default().add_scaled(&p.multiply(q), &Rational::ONE);
                }
            }
        }
        let disjoint = self.disjoint && other.disjoint;
        let result = Self::from_pieces(pieces);
        Ok(Self { disjoint: disjoint || result.disjoint, ..result })
    }

    /// It is seen to be at least the other one for all values of the symbols. Errs towards false.
    pub fn is_never_below(&self, other: &Self) -> bool {
        let more = self.add(&other.scale(&BigInt::from(-1))).simplified(&Limits::default());
        let Ok(more) = more else { return false };
        more.disjoint
            && more.pieces.iter().all(|(domain, polynomial)| {
                let Some(Ok(below)) = polynomial.as_integral_linear().map(|linear| linear.scale(-1)?.plus_constant(-1))
                else {
                    return false;
                };
                let mut negative = domain.clone();
                negative.nonnegative.push(below);
                matches!(feasible(&negative), Ok(Outcome::Empty))
            })
    }

    /// Drops what can never hold, makes few pieces disjoint and joins those of equal polynomials. The value
    /// is the same everywhere.
    ///
    /// # Errors
    /// `Overflow`. When isl's budget ends, the pieces stay as they are.
    pub fn simplified(self, limits: &Limits) -> Result<Self, QuasiError> {
        let mut pieces: BTreeMap<Conjunction, Polynomial> = BTreeMap::new();
        for (mut domain, polynomial) in self.pieces {
            if domain != Conjunction::default() {
                if feasible(&domain)? == Outcome::Empty {
                    continue;
                }
                drop_redundant(&mut domain)?;
            }
            pieces.entry(domain).or_default().add_scaled(&polynomial, &Rational::ONE);
        }
        let result = Self::from_pieces(without_zeros(pieces)?);
        if result.disjoint || result.pieces.len() > MAX_DISJOINT {
            return Ok(result);
        }
        match disjoint_pieces(&result.pieces, limits).and_then(|pieces| without_points(pieces, limits)) {
            Ok(pieces) => Ok(Self { disjoint: true, ..Self::from_pieces(pieces) }),
            Err(_) => Ok(result),
        }
    }
}

impl Conjunction {
    /// Whether it holds for these values.
    pub(super) fn holds(&self, value: &dyn Fn(Symbol) -> BigInt) -> bool {
        self.zero.iter().all(|linear| linear.evaluate(value).is_zero())
            && self.nonnegative.iter().all(|linear| linear.evaluate(value) >= BigInt::zero())
            && self.congruent.iter().all(|(linear, m)| linear.evaluate(value).mod_floor(&BigInt::from(*m)).is_zero())
    }
}

fn disjoint_pieces(
    pieces: &BTreeMap<Conjunction, Polynomial>,
    limits: &Limits,
) -> Checked<BTreeMap<Conjunction, Polynomial>> {
    let domains: Vec<Conjunction> = pieces.keys().cloned().collect();
    let parameters = parameters_of(&domains, &[]);
    let mut parts: Vec<(Region, Polynomial)> = Vec::new();
    for (domain, polynomial) in pieces {
        overlay(&mut parts, Region::new(domain, &parameters, limits)?, polynomial, limits)?;
    }
    piecewise(joined(parts, limits)?, limits)
}

/// Regions that exclude each other, as conditions.
pub(super) fn piecewise(
    parts: Vec<(Region, Polynomial)>,
    limits: &Limits,
) -> Checked<BTreeMap<Conjunction, Polynomial>> {
    let mut result = BTreeMap::new();
    for (region, polynomial) in parts {
        for mut domain in region.pieces(limits)? {
            if domain.normalise(&[])? == Outcome::Possible {
                drop_redundant(&mut domain)?;
                result.insert(domain, polynomial.clone());
            }
        }
    }
    Ok(result)
}

/// Adds `polynomial` on `region` to disjoint parts, which stay disjoint.
fn overlay(
    parts: &mut Vec<(Region, Polynomial)>,
    mut region: Region,
    polynomial: &Polynomial,
    limits: &Limits,
) -> Checked<()> {
    for (part, own) in std::mem::take(parts) {
        let common = part.intersect(&region, limits)?;
        if common.is_empty(limits)? {
            parts.push((part, own));
            continue;
        }
        let rest = part.subtract(&common, limits)?;
        region = region.subtract(&common, limits)?;
        parts.push((common, own.clone().plus(polynomial)));
        if !rest.is_empty(limits)? {
            parts.push((rest, own));
        }
    }
    if !region.is_empty(limits)? {
        parts.push((region, polynomial.clone()));
    }
    Ok(())
}

/// Regions of equal polynomials as one.
pub(super) fn joined(parts: Vec<(Region, Polynomial)>, limits: &Limits) -> Checked<Vec<(Region, Polynomial)>> {
    let mut result: Vec<(Region, Polynomial)> = Vec::new();
    for (region, polynomial) in parts.into_iter().filter(|(_, polynomial)| !polynomial.is_zero()) {
        match result.iter_mut().find(|(_, own)| *own == polynomial) {
            Some((own, _)) => *own = own.union(&region, limits)?,
            None => result.push((region, polynomial)),
        }
    }
    Ok(result)
}
