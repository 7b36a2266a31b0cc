//! Quotients of integer expressions: what the source says of branches and loops, as in `PIC_proba(1.0 / N)`.
//!
//! Nothing is compared with them. An integer expression is counted by one more counter that ranges over it, so a count
//! times a fraction is the number of points of such a set, divided by the divisor: see [`crate::counts::path::Piece::divisors`].

use crate::expressions::affine::Affine;
use crate::expressions::rational::rational;
use crate::expressions::symbolic::{Fraction, Symbolic};
use crate::expressions::symbols::Symbols;
use chronos_ir::BinaryOp;
use chronos_values::Value;
use num_bigint::BigInt;
use num_traits::ToPrimitive;

impl Fraction {
    /// The number, where it is one that is known exactly.
    pub fn of(value: &Symbolic) -> Option<Self> {
        match value {
            Symbolic::Int(affine) => Some(Self::integer(affine.clone())),
            Symbolic::Fraction(fraction) => Some(fraction.clone()),
            Symbolic::Real(real) => real.exact.clone().or_else(|| Some(Self::integer(real.as_integer()?.clone()))),
            Symbolic::Constant(Value::Float(x)) => {
                let exact = rational(*x);
                let same = exact.to_f64() == Some(*x);
                let part = |part: &BigInt| part.to_i128().map(Affine::constant).filter(|_| same);
                Some(Self { dividend: part(exact.numer())?, divisor: part(exact.denom())? })
            }
            _ => None,
        }
    }
}

impl Symbols {
    /// Arithmetic with quotients; `None` where the value is lost.
    pub(crate) fn fraction_binary(&mut self, op: BinaryOp, a: &Symbolic, b: &Symbolic) -> Option<Symbolic> {
        let (a, b) = (Fraction::of(a)?, Fraction::of(b)?);
        let fraction = match op {
            BinaryOp::Mul => {
                Fraction::new(self.multiplied(&a.dividend, &b.dividend)?, self.multiplied(&a.divisor, &b.divisor)?)?
            }
            BinaryOp::Div => {
                Fraction::new(self.multiplied(&a.dividend, &b.divisor)?, self.multiplied(&a.divisor, &b.dividend)?)?
            }
            BinaryOp::Add => self.fraction_sum(&a, &b)?,
            BinaryOp::Sub => {
                let negative = Fraction { dividend: b.dividend.negate()?, divisor: b.divisor };
                self.fraction_sum(&a, &negative)?
            }
            _ => return None,
        };
        Some(Symbolic::Fraction(fraction))
    }

    fn fraction_sum(&mut self, a: &Fraction, b: &Fraction) -> Option<Fraction> {
        if a.divisor == b.divisor {
            return Fraction::new(a.dividend.add(&b.dividend)?, a.divisor.clone());
        }
        let (left, right) = (self.multiplied(&a.dividend, &b.divisor)?, self.multiplied(&b.dividend, &a.divisor)?);
        Fraction::new(left.add(&right)?, self.multiplied(&a.divisor, &b.divisor)?)
    }

    fn multiplied(&mut self, a: &Affine, b: &Affine) -> Option<Affine> {
        match (a.as_constant(), b.as_constant()) {
            (Some(a), _) => b.scale(a),
            (_, Some(b)) => a.scale(b),
            (None, None) => self.product(a, b),
        }
    }
}
