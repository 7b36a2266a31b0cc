//! Other symbols for the same quasi-polynomial: renaming, and symbols that stand for polynomials.

use super::conjunction::{Conjunction, Outcome};
use super::feasible::feasible;
use super::linear::{Atom, Checked, Floor, Linear};
use super::number::Rational;
use super::polynomial::Polynomial;
use super::{Affine, QuasiError, QuasiPolynomial, Symbol};
use num_rational::BigRational;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

impl QuasiPolynomial {
    /// Every value times a number.
    #[must_use]
    pub fn scale_exactly(&self, factor: &BigRational) -> Self {
        let scaled = |(domain, polynomial): (&Conjunction, &Polynomial)| (domain.clone(), polynomial.scale(factor));
        Self { disjoint: self.disjoint, ..Self::from_pieces(self.pieces.iter().map(scaled).collect()) }
    }

    /// Every symbol under its other name; names must stay distinct.
    ///
    /// # Errors
    /// `Overflow`.
    pub fn renamed(&self, name: &dyn Fn(Symbol) -> Symbol) -> Result<Self, QuasiError> {
        let mut pieces: BTreeMap<Conjunction, Polynomial> = BTreeMap::new();
        for (domain, polynomial) in &self.pieces {
            let renamed = rename_polynomial(polynomial, name)?;
            pieces.entry(rename_conjunction(domain, name)?).or_default().add_scaled(&renamed, &Rational::ONE);
        }
        Ok(Self { disjoint: self.disjoint, ..Self::from_pieces(pieces) })
    }

    /// With symbols replaced by the polynomials that they stand for. Where one stands in a condition or in a
    /// floor it remains: it is an integer there, of which no more is said.
    #[must_use]
    pub fn expanded(&self, definition: &dyn Fn(Symbol) -> Option<Polynomial>) -> Self {
        let expand =
            |(domain, polynomial): (&Conjunction, &Polynomial)| (domain.clone(), polynomial.expanded(definition));
        Self { disjoint: self.disjoint, ..Self::from_pieces(self.pieces.iter().map(expand).collect()) }
    }
}

/// Expressions that are not negative.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Forms that are known to be at least 0.
    pub known: Vec<Affine>,
    /// Where a condition says one of these it stays.
    pub told: Vec<Affine>,
}

impl QuasiPolynomial {
    /// Conditions said otherwise: `instead` gives an expression that is not negative just where the given one is not.
    ///
    /// # Errors
    /// `Overflow`.
    pub fn with_conditions(&self, instead: &dyn Fn(&Affine) -> Option<Affine>) -> Result<Self, QuasiError> {
        let mut pieces: BTreeMap<Conjunction, Polynomial> = BTreeMap::new();
        for (domain, polynomial) in &self.pieces {
            if let Some(domain) = conditions_instead(domain, instead)? {
                pieces.entry(domain).or_default().add_scaled(polynomial, &Rational::ONE);
            }
        }
        Ok(Self { disjoint: self.disjoint, ..Self::from_pieces(pieces) })
    }
}

impl QuasiPolynomial {
    /// As it is where expressions that `facts` gives for the symbols of a piece are not negative: pieces and conditions
    /// that say nothing there are left out, unless they are one of the `told`.
    ///
    /// # Errors
    /// `Overflow`.
    pub fn where_known(&self, facts: &dyn Fn(&[Symbol]) -> Facts) -> Result<Self, QuasiError> {
        let mut pieces: BTreeMap<Conjunction, Polynomial> = BTreeMap::new();
        for (domain, polynomial) in &self.pieces {
            let mut mentioned = BTreeSet::new();
            polynomial.atoms().for_each(|atom| atom.collect_symbols(&mut mentioned));
            domain.linears().for_each(|linear| linear.collect_symbols(&mut mentioned));
            let mentioned: Vec<Symbol> = mentioned.into_iter().collect();
            let facts = facts(&mentioned);
            let [known, told] = [&facts.known, &facts.told]
                .map(|facts| facts.iter().map(Linear::from_affine).collect::<Checked<Vec<_>>>());
            if let Some(domain) = within_facts(domain, &[known?, told.clone()?].concat(), &told?)? {
                pieces.entry(domain).or_default().add_scaled(polynomial, &Rational::ONE);
            }
        }
        Ok(Self { disjoint: self.disjoint, ..Self::from_pieces(pieces) })
    }
}

impl QuasiPolynomial {
    /// Without conditions that one of the symbols, which are not negative, is at least 1 where the value is 0 anyway;
    /// `None` where a condition on one of them is left.
    pub fn where_they_vanish(&self, symbols: &[Symbol]) -> Option<Self> {
        let mut pieces: BTreeMap<Conjunction, Polynomial> = BTreeMap::new();
        for (domain, polynomial) in &self.pieces {
            let mut kept = domain.clone();
            kept.nonnegative.retain(|linear| {
                let [(atom @ Atom::Symbol(symbol), 1)] = &linear.terms[..] else { return true };
                let vanishes = || polynomial.terms.keys().all(|monomial| monomial.iter().any(|(own, _)| own == atom));
                !(symbols.contains(symbol) && linear.constant == -1 && vanishes())
            });
            if kept.linears().any(|linear| symbols.iter().any(|&symbol| linear.mentions(symbol))) {
                return None;
            }
            pieces.entry(kept).or_default().add_scaled(polynomial, &Rational::ONE);
        }
        Some(Self::from_pieces(pieces))
    }
}

/// The conditions that do not follow from the facts and the others; `None` where they contradict the facts.
fn within_facts(domain: &Conjunction, facts: &[Linear], told: &[Linear]) -> Checked<Option<Conjunction>> {
    if facts.is_empty() {
        return Ok(Some(domain.clone()));
    }
    let excluded = |domain: &Conjunction| {
        let mut known = domain.clone();
        known.nonnegative.extend(facts.iter().cloned());
        Ok::<_, QuasiError>(known.normalise(&[])? == Outcome::Empty || feasible(&known)? == Outcome::Empty)
    };
    if excluded(domain)? {
        return Ok(None);
    }
    let mut kept = domain.clone();
    let mut at = 0;
    while at < kept.nonnegative.len() {
        let mut other = kept.clone();
        other.nonnegative[at] = other.nonnegative[at].scale(-1)?.plus_constant(-1)?;
        if !told.contains(&kept.nonnegative[at]) && excluded(&other)? {
            kept.nonnegative.remove(at);
        } else {
            at += 1;
        }
    }
    Ok(Some(kept))
}

/// `None` where it can never hold.
fn conditions_instead(
    domain: &Conjunction,
    instead: &dyn Fn(&Affine) -> Option<Affine>,
) -> Checked<Option<Conjunction>> {
    let mut result = Conjunction { nonnegative: Vec::new(), ..domain.clone() };
    for linear in &domain.nonnegative {
        let other = as_affine(linear).and_then(|affine| instead(&affine));
        match other {
            None => result.nonnegative.push(linear.clone()),
            Some(affine) => result.nonnegative.push(Linear::from_affine(&affine)?),
        }
    }
    Ok((result.normalise(&[])? == Outcome::Possible).then_some(result))
}

/// Without floors.
fn as_affine(linear: &Linear) -> Option<Affine> {
    let term = |(atom, coefficient): &(Atom, i128)| match atom {
        Atom::Symbol(symbol) => Some((*symbol, *coefficient)),
        Atom::Floor(_) => None,
    };
    Some(Affine { constant: linear.constant, terms: linear.terms.iter().map(term).collect::<Option<_>>()? })
}

impl Polynomial {
    fn expanded(&self, definition: &dyn Fn(Symbol) -> Option<Self>) -> Self {
        let mut result = Self::default();
        for (monomial, coefficient) in &self.terms {
            let mut product = Self::from_number(coefficient.clone());
            for (atom, exponent) in monomial {
                let standing = if let Atom::Symbol(symbol) = atom { definition(*symbol) } else { None };
                let factor =
                    standing.unwrap_or_else(|| Self { terms: [(vec![(atom.clone(), 1)], Rational::ONE)].into() });
                product = (0..*exponent).fold(product, |product, _| product.multiply(&factor));
            }
            result = result.plus(&product);
        }
        result
    }

    /// The linear expression times a number.
    pub(super) fn is_multiple_of(&self, linear: &Linear) -> bool {
        let own = Self::from_linear(linear);
        let ratio = |(monomial, value): (&super::polynomial::Monomial, &Rational)| {
            own.terms.get(monomial).map(|other| value.to_big() / other.to_big())
        };
        let mut ratios = self.terms.iter().map(ratio);
        let Some(Some(first)) = ratios.next() else { return false };
        self.terms.len() == own.terms.len() && ratios.all(|ratio| ratio.as_ref() == Some(&first))
    }

    /// `floor(affine / modulus)` with a positive modulus.
    ///
    /// # Errors
    /// `Overflow`.
    pub fn floor(affine: &Affine, modulus: i128) -> Result<Self, QuasiError> {
        Ok(Self::from_linear(&Linear::from_affine(affine)?.floor(modulus)?))
    }

    /// A product of symbols.
    pub fn product(symbols: &[Symbol]) -> Self {
        let factor = |symbol: &Symbol| Self::from_linear(&Linear::symbol(*symbol));
        symbols.iter().fold(Self::one(), |product, symbol| product.multiply(&factor(symbol)))
    }
}

fn rename_atom(atom: &Atom, name: &dyn Fn(Symbol) -> Symbol) -> Checked<Atom> {
    Ok(match atom {
        Atom::Symbol(symbol) => Atom::Symbol(name(*symbol)),
        Atom::Floor(floor) => {
            let argument = rename_linear(&floor.argument, name)?;
            Atom::Floor(Arc::new(Floor { argument, modulus: floor.modulus }))
        }
    })
}

fn rename_linear(linear: &Linear, name: &dyn Fn(Symbol) -> Symbol) -> Checked<Linear> {
    let mut sum = Linear::constant(linear.constant);
    for (atom, coefficient) in &linear.terms {
        let term = Linear { terms: vec![(rename_atom(atom, name)?, *coefficient)], constant: 0 };
        sum = sum.add_scaled(&term, 1)?;
    }
    Ok(sum)
}

fn rename_polynomial(polynomial: &Polynomial, name: &dyn Fn(Symbol) -> Symbol) -> Checked<Polynomial> {
    let mut result = Polynomial::default();
    for (monomial, coefficient) in &polynomial.terms {
        let mut renamed = Polynomial::from_number(coefficient.clone());
        for (atom, exponent) in monomial {
            let power = Polynomial { terms: [(vec![(rename_atom(atom, name)?, *exponent)], Rational::ONE)].into() };
            renamed = renamed.multiply(&power);
        }
        result = result.plus(&renamed);
    }
    Ok(result)
}

fn rename_conjunction(domain: &Conjunction, name: &dyn Fn(Symbol) -> Symbol) -> Checked<Conjunction> {
    let rename = |linear: &Linear| rename_linear(linear, name);
    Ok(Conjunction {
        zero: domain.zero.iter().map(rename).collect::<Checked<_>>()?,
        nonnegative: domain.nonnegative.iter().map(rename).collect::<Checked<_>>()?,
        congruent: domain.congruent.iter().map(|(l, m)| Ok((rename(l)?, *m))).collect::<Checked<_>>()?,
    })
}
