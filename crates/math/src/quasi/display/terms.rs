//! Quasi-polynomials term by term, for those who write the coefficients themselves (times have units).

use super::{Notation, Writer};
use crate::quasi::conjunction::Conjunction;
use crate::quasi::feasible::drop_redundant;
use crate::quasi::linear::{Checked, Linear};
use crate::quasi::polynomial::{Monomial, Polynomial};
use crate::quasi::tidy::{covers, ordered};
use crate::quasi::{QuasiError, QuasiPolynomial, Symbol};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};

/// One case of a quasi-polynomial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// `None` where it always holds.
    pub condition: Option<String>,
    /// Coefficients with what they are multiplied by, highest degree first; the text of the constant is empty.
    pub terms: Vec<(BigRational, String)>,
}

impl QuasiPolynomial {
    /// Its pieces in the order of reading; none for zero. Where [`Self::is_disjoint`] is false several may hold at once,
    /// and the value is their sum.
    pub fn pieces(&self, notation: Notation, names: &dyn Fn(Symbol) -> String) -> Vec<Piece> {
        let writer = Writer { notation, names, decimals: false };
        let piece = |(domain, polynomial): (&Conjunction, &Polynomial)| Piece {
            condition: (*domain != Conjunction::default()).then(|| writer.condition(domain)),
            terms: writer.terms(polynomial),
        };
        ordered(&self.pieces).into_iter().map(piece).collect()
    }

    /// Which of the [`Self::pieces`] hold where `value` gives every symbol's.
    pub fn holding(&self, value: &dyn Fn(Symbol) -> BigInt) -> Vec<bool> {
        ordered(&self.pieces).into_iter().map(|(domain, _)| domain.holds(value)).collect()
    }

    /// One polynomial with the conditions under which it is the value, where those hold for `value`: the pieces that
    /// hold there are added up, and each of the others is kept away by the simplest of its conditions that fail.
    ///
    /// # Errors
    /// `Overflow`.
    pub fn around(&self, value: &dyn Fn(Symbol) -> BigInt) -> Result<Self, QuasiError> {
        let mut domain = Conjunction::default();
        let mut sum = Polynomial::default();
        for (piece, polynomial) in &self.pieces {
            if piece.holds(value) {
                domain = domain.intersect(piece);
                sum = sum.plus(polynomial);
            } else {
                exclude(piece, value, &mut domain)?;
            }
        }
        domain.normalise(&[])?;
        drop_redundant(&mut domain)?;
        Ok(Self::from_pieces([(domain, sum)].into()))
    }

    /// Whether some piece holds whatever the values are; errs towards false.
    pub fn covers_everything(&self) -> bool {
        covers(&self.pieces)
    }

    /// Whether at most one piece holds for any values of the symbols.
    pub fn is_disjoint(&self) -> bool {
        self.disjoint
    }
}

/// Adds what says that a piece does not hold, true for these values.
fn exclude(piece: &Conjunction, value: &dyn Fn(Symbol) -> BigInt, domain: &mut Conjunction) -> Checked<()> {
    let negative = |linear: &Linear| linear.evaluate(value).is_negative();
    let below = |linear: &Linear| linear.scale(-1)?.plus_constant(-1);
    let failing = piece.nonnegative.iter().filter(|linear| negative(linear));
    if let Some(linear) = failing.min_by_key(|linear| linear.terms.len()) {
        domain.nonnegative.push(below(linear)?);
    } else if let Some(linear) = piece.zero.iter().find(|linear| !linear.evaluate(value).is_zero()) {
        domain.nonnegative.push(if negative(linear) { below(linear)? } else { linear.plus_constant(-1)? });
    } else {
        for (linear, modulus) in &piece.congruent {
            let remainder = linear.evaluate(value).mod_floor(&BigInt::from(*modulus));
            let remainder = remainder.to_i128().ok_or(QuasiError::Overflow)?;
            if remainder != 0 {
                domain.congruent.push((linear.plus_constant(-remainder)?, *modulus));
                break;
            }
        }
    }
    Ok(())
}

impl Writer<'_> {
    fn terms(&self, polynomial: &Polynomial) -> Vec<(BigRational, String)> {
        let mut terms: Vec<(&Monomial, BigRational)> =
            polynomial.terms.iter().map(|(monomial, c)| (monomial, c.to_big())).collect();
        let degree = |monomial: &Monomial| monomial.iter().map(|(_, exponent)| *exponent).sum::<u32>();
        terms.sort_by_key(|(monomial, _)| std::cmp::Reverse(degree(monomial)));
        let factors = |monomial: &Monomial| {
            let powers = monomial.iter().map(|(atom, e)| self.power(self.atom(atom), *e));
            powers.collect::<Vec<_>>().join(self.times())
        };
        terms.into_iter().map(|(monomial, c)| (c, factors(monomial))).collect()
    }
}
