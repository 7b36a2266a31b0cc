//! Exact division: what is left of a sum over repetitions for one of them.

use super::number::Rational;
use super::polynomial::{Monomial, Polynomial};
use super::{Limits, QuasiPolynomial};
use num_bigint::BigInt;
use std::cmp::Ordering;

/// Of a dividend and a divisor: time that a person reads has no more.
const MAX_PIECES: usize = 8;
/// Terms of a quotient.
const MAX_TERMS: usize = 64;

impl QuasiPolynomial {
    /// The polynomial whose product with the divisor is this, everywhere; `None` where there is none, or none is
    /// found in short time.
    pub fn divided_exactly(&self, divisor: &Self, limits: &Limits) -> Option<Self> {
        if self.pieces.len() > MAX_PIECES || divisor.pieces.len() > MAX_PIECES {
            return None;
        }
        let pairs = self.pieces.values().flat_map(|own| divisor.pieces.values().map(move |by| (own, by)));
        let mut quotients: Vec<Polynomial> = Vec::new();
        for quotient in pairs.filter_map(|(own, by)| own.divided(by)) {
            if !quotients.contains(&quotient) {
                quotients.push(quotient);
            }
        }
        quotients.into_iter().map(Self::from).find(|quotient| self.is_product(quotient, divisor, limits))
    }

    /// Divided by a polynomial, of which `reciprocal` is the reciprocal: only what cannot be divided is multiplied by it.
    #[must_use]
    pub fn divided_with_rest(&self, divisor: &Polynomial, reciprocal: &Polynomial) -> Self {
        let pieces = self.pieces.iter().map(|(domain, polynomial)| {
            let (quotient, rest) = polynomial.divided_with_rest(divisor);
            (domain.clone(), quotient.plus(&rest.multiply(reciprocal)))
        });
        Self { disjoint: self.disjoint, ..Self::from_pieces(pieces.collect()) }
    }

    fn is_product(&self, quotient: &Self, divisor: &Self, limits: &Limits) -> bool {
        let product = divisor.multiply(quotient).map(|product| product.scale(&BigInt::from(-1)));
        let difference = product.and_then(|product| self.add(&product).simplified(limits));
        difference.is_ok_and(|difference| difference == Self::zero())
    }
}

impl Polynomial {
    fn divided(&self, by: &Self) -> Option<Self> {
        let (lead, coefficient) = by.leading()?;
        let (mut rest, mut quotient) = (self.clone(), Self::default());
        for _ in 0..MAX_TERMS {
            let Some((monomial, value)) = rest.leading() else { return Some(quotient) };
            let factor = Rational::from_big(value.to_big() / coefficient.to_big());
            let term = Self { terms: [(divided_monomial(monomial, lead)?, factor)].into() };
            rest.add_scaled(&term.multiply(by), &Rational::integer(-1));
            quotient = quotient.plus(&term);
        }
        None
    }

    /// Quotient and rest: no term of the rest is divided by the divisor's leading one.
    fn divided_with_rest(&self, by: &Self) -> (Self, Self) {
        let (mut left, mut quotient, mut rest) = (self.clone(), Self::default(), Self::default());
        let Some((lead, coefficient)) = by.leading() else { return (quotient, left) };
        for _ in 0..MAX_TERMS {
            let Some((monomial, value)) = left.leading().map(|(m, v)| (m.clone(), v.to_big())) else { break };
            let (to, by, factor) = match divided_monomial(&monomial, lead) {
                Some(less) => (&mut quotient, by, (less, value / coefficient.to_big())),
                None => (&mut rest, &Self::one(), (monomial, value)),
            };
            let term = Self { terms: [(factor.0, Rational::from_big(factor.1))].into() };
            left.add_scaled(&term.multiply(by), &Rational::integer(-1));
            to.add_scaled(&term, &Rational::ONE);
        }
        (quotient, rest.plus(&left))
    }

    /// The term that is greatest in lexicographic order.
    fn leading(&self) -> Option<(&Monomial, &Rational)> {
        self.terms.iter().max_by(|a, b| lexicographic(a.0, b.0))
    }
}

/// By the exponent of the first atom, then that of the second, and so on.
fn lexicographic(a: &Monomial, b: &Monomial) -> Ordering {
    for (x, y) in a.iter().zip(b) {
        // An atom that the other lacks comes first there with exponent 0.
        match y.0.cmp(&x.0).then(x.1.cmp(&y.1)) {
            Ordering::Equal => {}
            different => return different,
        }
    }
    a.len().cmp(&b.len())
}

fn divided_monomial(monomial: &Monomial, by: &Monomial) -> Option<Monomial> {
    let exponent = |of: &Monomial, atom| of.iter().find(|(own, _)| own == atom).map_or(0, |(_, exponent)| *exponent);
    if by.iter().any(|(atom, needed)| exponent(monomial, atom) < *needed) {
        return None;
    }
    let left = monomial.iter().map(|(atom, own)| (atom.clone(), own - exponent(by, atom)));
    Some(left.filter(|(_, exponent)| *exponent > 0).collect())
}

#[cfg(test)]
mod tests {
    use super::super::{Affine, Constraint, Domain, Symbol, count};
    use super::*;

    fn named(symbol: Symbol) -> String {
        ["N", "M"].get(symbol.0 as usize).map_or_else(|| "?".to_owned(), ToString::to_string)
    }

    /// `symbol + by`
    fn affine(symbol: u32, by: i128) -> QuasiPolynomial {
        let affine = Affine { constant: by, terms: vec![(Symbol(symbol), 1)] };
        QuasiPolynomial::from(Polynomial::affine(&affine).expect("small"))
    }

    /// `N + by` where that is at least 0.
    fn counted(by: i128) -> QuasiPolynomial {
        let i = Affine::symbol(Symbol(2));
        let below = Affine { constant: by - 1, terms: vec![(Symbol(0), 1)] }.sub(&i).expect("small");
        let pieces = vec![vec![Constraint::Nonnegative(i), Constraint::Nonnegative(below)]];
        count(&Domain { symbols: vec![Symbol(2)], pieces }, &Limits::default()).expect("counted")
    }

    fn divided(own: &QuasiPolynomial, by: &QuasiPolynomial) -> Option<String> {
        own.divided_exactly(by, &Limits::default()).map(|quotient| quotient.display(&named))
    }

    fn times(a: &QuasiPolynomial, b: &QuasiPolynomial) -> QuasiPolynomial {
        a.multiply(b).expect("small")
    }

    #[test]
    fn what_was_multiplied_is_divided() {
        let (n, m) = (affine(0, 3), affine(1, -2));
        assert_eq!(divided(&times(&n, &m), &m).as_deref(), Some("N+3"));
        assert_eq!(divided(&times(&times(&n, &m), &n), &times(&n, &m)).as_deref(), Some("N+3"));
        assert_eq!(divided(&times(&counted(-1), &m), &counted(-1)).as_deref(), Some("M-2"));
        assert_eq!(divided(&n, &m), None);
        assert_eq!(divided(&n, &QuasiPolynomial::zero()), None);
    }

    #[test]
    fn what_cannot_be_divided_is_multiplied_by_the_reciprocal() {
        let n = Polynomial::affine(&Affine::symbol(Symbol(0))).expect("small");
        let reciprocal = Polynomial::affine(&Affine::symbol(Symbol(1))).expect("small");
        let divided = |own: QuasiPolynomial| own.divided_with_rest(&n, &reciprocal).display(&named);
        assert_eq!(divided(times(&affine(0, 3), &affine(0, 0))), "N+3");
        assert_eq!(divided(times(&affine(0, 3), &affine(0, -1))), "N-3*M+2");
        assert_eq!(divided(counted(1)), "M+1 if N >= 0, else 0");
    }

    #[test]
    fn a_quotient_holds_everywhere_or_is_none() {
        // N from 1 on is N times 1 there, and is not N - 1 of anything.
        assert_eq!(divided(&counted(0), &counted(0)).as_deref(), Some("1"));
        assert_eq!(divided(&counted(0), &counted(-1)), None);
        assert_eq!(divided(&counted(0), &affine(0, 0)), None);
    }
}
