//! C arithmetic on symbolic values.

use crate::expressions::affine::Affine;
use crate::expressions::bounds::Bounds;
use crate::expressions::formula::{Conjunction, Constraint, Formula, conjoin};
use crate::expressions::symbolic::{Symbolic, limits, wrap};
use crate::expressions::symbols::Symbols;
use chronos_ir::wide::{self, Number};
use chronos_ir::{BinaryOp, ScalarType, UnaryOp};
use chronos_values::Value;

impl Symbols {
    /// The condition that a value is not zero; `None` where it is unknown, or says something of products
    /// that iterations cannot be counted by.
    pub fn truth(&self, value: &Symbolic) -> Option<Formula> {
        let formula = self.any_truth(value)?;
        let countable = self.quotients.free.is_empty()
            || formula
                .symbols()
                .all(|s| self.quotients.is_countable(s) || self.quotients.is_tiled(s) || self.may_sum());
        countable.then_some(formula)
    }

    fn any_truth(&self, value: &Symbolic) -> Option<Formula> {
        match value {
            Symbolic::Truth(formula) => Some(formula.clone()),
            Symbolic::Pointer(..) => Some(Formula::always()),
            Symbolic::Constant(constant) => constant.truth().ok().map(Formula::constant),
            Symbolic::Real(_) | Symbolic::Fraction(_) | Symbolic::Unknown(_) => None,
            Symbolic::Int(_) | Symbolic::Cases(_) => Self::join(
                value.cases()?.iter().map(|(guard, affine)| Some((guard.clone(), self.zero(affine)?.not()?))),
            ),
        }
    }

    /// The union of disjoint guarded conditions.
    fn join(parts: impl Iterator<Item = Option<(Conjunction, Formula)>>) -> Option<Formula> {
        let mut pieces = Vec::new();
        for part in parts {
            let (guard, formula) = part?;
            pieces.extend(Formula { pieces: vec![guard] }.and(&formula)?.pieces);
        }
        Some(Formula { pieces })
    }

    pub fn unary(&mut self, op: UnaryOp, ty: ScalarType, value: &Symbolic, bounds: &Bounds) -> Option<Symbolic> {
        if let (UnaryOp::Neg, Symbolic::Constant(Value::Float(x))) = (op, value) {
            return Some(Symbolic::Constant(Value::Float(-x)));
        }
        match op {
            UnaryOp::Neg | UnaryOp::Not if ty.is_wide() => of_number(wide::unary(op, ty, number(value)?)?),
            UnaryOp::LogicalNot => Some(Symbolic::Truth(self.truth(value)?.not()?).constant_folded()),
            UnaryOp::Neg => each(value, |a| self.fit(a.negate()?, None, ty, bounds)),
            UnaryOp::Not => each(value, |a| self.fit(a.negate()?.plus(-1)?, None, ty, bounds)),
        }
    }

    pub fn binary(
        &mut self,
        op: BinaryOp,
        ty: ScalarType,
        a: &Symbolic,
        b: &Symbolic,
        bounds: &Bounds,
    ) -> Option<Symbolic> {
        match (a, b) {
            _ if ty.is_wide() => of_number(wide::binary(op, ty, number(a)?, number(b)?).ok()?),
            (Symbolic::Constant(Value::Float(x)), Symbolic::Constant(Value::Float(y))) => float(op, ty, *x, *y),
            (Symbolic::Real(_) | Symbolic::Fraction(_), _) | (_, Symbolic::Real(_) | Symbolic::Fraction(_)) => {
                let real = self.real_binary(op, a, b).or_else(|| self.fraction_binary(op, a, b));
                real.filter(|_| ty == ScalarType::F64)
            }
            (Symbolic::Pointer(object, x), Symbolic::Pointer(other, y)) if object == other => {
                self.integers(op, ScalarType::I64, &Symbolic::Int(x.clone()), &Symbolic::Int(y.clone()), bounds)
            }
            (Symbolic::Pointer(..), other) | (other, Symbolic::Pointer(..)) if *other == Symbolic::int(0) => match op {
                BinaryOp::Eq => Some(Symbolic::int(0)),
                BinaryOp::Ne => Some(Symbolic::int(1)),
                _ => None,
            },
            (Symbolic::Truth(x), Symbolic::Truth(y)) if matches!(op, BinaryOp::And | BinaryOp::Or) => {
                let both = if op == BinaryOp::And { x.and(y)? } else { x.or(y)? };
                Some(Symbolic::Truth(both).constant_folded())
            }
            _ => self.integers(op, ty, a, b, bounds),
        }
    }

    fn integers(
        &mut self,
        op: BinaryOp,
        ty: ScalarType,
        a: &Symbolic,
        b: &Symbolic,
        bounds: &Bounds,
    ) -> Option<Symbolic> {
        if let Some(bounded) = self.compared_with_minimum(op, a, b, bounds) {
            return Some(Symbolic::Truth(bounded).constant_folded());
        }
        let (left, right) = (a.cases()?, b.cases()?);
        let mut values = Vec::new();
        let mut truths = Vec::new();
        for (guard_a, x) in &left {
            for (guard_b, y) in &right {
                let guard = conjoin(guard_a, guard_b);
                if op.is_comparison() {
                    truths.push(Some((guard, self.compare(op, x, y, bounds)?)));
                } else if Bounds::of(&guard).is_some() {
                    for (sign, value) in self.by_sign(op, ty, x, y, bounds)? {
                        values.push((conjoin(&guard, &sign), value));
                    }
                }
            }
        }
        if op.is_comparison() {
            return Some(Symbolic::Truth(Self::join(truths.into_iter())?).constant_folded());
        }
        Symbolic::from_cases(values)
    }

    pub fn compare(&mut self, op: BinaryOp, a: &Affine, b: &Affine, bounds: &Bounds) -> Option<Formula> {
        match op {
            BinaryOp::Lt => self.nonnegative_within(&b.sub(a)?.plus(-1)?, bounds),
            BinaryOp::Le => self.nonnegative_within(&b.sub(a)?, bounds),
            BinaryOp::Gt => self.nonnegative_within(&a.sub(b)?.plus(-1)?, bounds),
            BinaryOp::Ge => self.nonnegative_within(&a.sub(b)?, bounds),
            BinaryOp::Eq => self.zero(&a.sub(b)?),
            BinaryOp::Ne => self.zero(&a.sub(b)?)?.not(),
            _ => None,
        }
    }

    /// C divides towards zero: a dividend of unknown sign is two cases.
    fn by_sign(
        &mut self,
        op: BinaryOp,
        ty: ScalarType,
        a: &Affine,
        b: &Affine,
        bounds: &Bounds,
    ) -> Option<Vec<(Conjunction, Affine)>> {
        if let Some(cases) = self.divided_by_free(op, a, b, bounds) {
            return Some(cases);
        }
        let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem) && a.as_constant().is_none();
        let Some(divisor) = b.as_constant().filter(|divisor| divides && *divisor >= 1) else {
            return Some(vec![(Vec::new(), self.affine(op, ty, a, b, bounds)?)]);
        };
        let (least, greatest) = self.range(a, bounds);
        let (minus, below) = (a.negate()?, a.negate()?.plus(-1)?);
        let mut cases = Vec::new();
        if greatest.is_none_or(|greatest| greatest >= 0) {
            let sign =
                if least.is_some_and(|least| least >= 0) { vec![] } else { vec![Constraint::Nonnegative(a.clone())] };
            cases.push((sign, self.divided(op, a, divisor)?));
        }
        if least.is_none_or(|least| least < 0) {
            let sign = if greatest.is_some_and(|greatest| greatest < 0) {
                vec![]
            } else {
                vec![Constraint::Nonnegative(below)]
            };
            cases.push((sign, self.divided(op, &minus, divisor)?.negate()?));
        }
        Some(cases)
    }

    /// Of a dividend that is not negative.
    fn divided(&mut self, op: BinaryOp, a: &Affine, divisor: i128) -> Option<Affine> {
        if op == BinaryOp::Div { Some(self.quotient(a, divisor)) } else { self.modulo(a, divisor) }
    }

    fn affine(&mut self, op: BinaryOp, ty: ScalarType, a: &Affine, b: &Affine, bounds: &Bounds) -> Option<Affine> {
        if let (Some(x), Some(y)) = (a.as_constant(), b.as_constant()) {
            return Some(Affine::constant(wrap(integer(op, x, y, ty)?, ty)));
        }
        let result = match (op, b.as_constant()) {
            (BinaryOp::Add, _) => a.add(b)?,
            (BinaryOp::Sub, _) => a.sub(b)?,
            (BinaryOp::Mul, Some(factor)) => a.scale(factor)?,
            (BinaryOp::Mul, None) => match a.as_constant() {
                Some(factor) => b.scale(factor)?,
                None => self.product_within(a, b, ty, bounds)?,
            },
            (BinaryOp::Shl, Some(bits @ 0..=62)) => a.scale(1 << bits)?,
            (BinaryOp::Shr, Some(bits @ 0..=62)) => self.quotient(a, 1 << bits),
            (BinaryOp::And, Some(mask @ 1..)) => self.masked(a, mask)?,
            _ => return None,
        };
        self.fit(result, None, ty, bounds)
    }

    /// The bits of a mask that has no gaps.
    fn masked(&mut self, affine: &Affine, mask: i128) -> Option<Affine> {
        let lowest = mask & -mask;
        let above = mask.checked_add(lowest)?;
        if above & mask != 0 {
            return None;
        }
        let bits = self.modulo(affine, above)?;
        if lowest == 1 { Some(bits) } else { bits.sub(&self.modulo(affine, lowest)?) }
    }

    fn modulo(&mut self, affine: &Affine, modulus: i128) -> Option<Affine> {
        affine.sub(&self.quotient(affine, modulus).scale(modulus)?)
    }

    pub fn convert(&mut self, from: ScalarType, to: ScalarType, value: &Symbolic, bounds: &Bounds) -> Option<Symbolic> {
        match value {
            // Integers are followed as what they are, whatever their type.
            Symbolic::Int(_) if to == ScalarType::I128 || (to, from.is_signed()) == (ScalarType::U128, false) => {
                Some(value.clone())
            }
            _ if to.is_wide() || from.is_wide() => of_number(wide::convert(from, to, number(value)?).ok()?),
            Symbolic::Constant(Value::Float(x)) if to.is_float() => Some(rounded(*x, to)),
            Symbolic::Constant(Value::Float(x)) if to == ScalarType::Bool => Some(Symbolic::int(i128::from(*x != 0.0))),
            Symbolic::Constant(Value::Float(x)) => {
                let (low, high) = limits(to);
                let whole = x.trunc();
                (whole >= low as f64 && whole <= high as f64).then(|| Symbolic::int(whole as i128))
            }
            Symbolic::Pointer(..) | Symbolic::Constant(_) if !to.is_float() => Some(value.clone()),
            Symbolic::Int(affine) if to.is_float() => match affine.as_constant() {
                Some(constant) => Some(rounded(constant as f64, to)),
                None if to == ScalarType::F64 => Self::real(from, affine, bounds),
                None => None,
            },
            Symbolic::Real(real) if to.is_integer() && to != ScalarType::Bool => self.truncated(real, to, bounds),
            Symbolic::Real(_) | Symbolic::Fraction(_) => None,
            _ if to.is_float() || from.is_float() => None,
            _ if to == ScalarType::Bool => Some(Symbolic::Truth(self.truth(value)?).constant_folded()),
            Symbolic::Truth(_) => Some(value.clone()),
            _ if to == ScalarType::Pointer => Some(value.clone()),
            Symbolic::Int(affine) if (from, to) == (ScalarType::I32, ScalarType::U32) => self
                .unsigned(affine, bounds)
                .or_else(|| Some(Symbolic::Int(self.fit(affine.clone(), Some(from), to, bounds)?))),
            _ => each(value, |a| self.fit(a.clone(), Some(from), to, bounds)),
        }
    }

    /// What is left free may be negative: as an unsigned number it is then large.
    fn unsigned(&self, affine: &Affine, bounds: &Bounds) -> Option<Symbolic> {
        let free = affine.as_constant().is_none() && affine.symbols().all(|symbol| self.quotients.is_free(symbol));
        if !free || bounds.is_nonnegative(affine) {
            return None;
        }
        let negative = Constraint::Nonnegative(affine.negate()?.plus(-1)?);
        let wrapped = affine.plus(1 << 32)?;
        Symbolic::from_cases(vec![
            (vec![Constraint::Nonnegative(affine.clone())], affine.clone()),
            (vec![negative], wrapped),
        ])
    }
}

impl Symbolic {
    /// A truth value that is the same everywhere is a number.
    pub(crate) fn constant_folded(self) -> Self {
        match self {
            Self::Truth(formula) if formula.is_always() => Self::int(1),
            Self::Truth(formula) if formula.is_never() => Self::int(0),
            other => other,
        }
    }
}

fn each(value: &Symbolic, mut f: impl FnMut(&Affine) -> Option<Affine>) -> Option<Symbolic> {
    let cases = value.cases()?.into_iter().map(|(guard, affine)| Some((guard, f(&affine)?)));
    Symbolic::from_cases(cases.collect::<Option<_>>()?)
}

fn integer(op: BinaryOp, x: i128, y: i128, ty: ScalarType) -> Option<i128> {
    let bits = match ty {
        ScalarType::I64 | ScalarType::U64 | ScalarType::Pointer => 64,
        _ => 32,
    };
    let shift = u32::try_from(y).ok().filter(|shift| *shift < bits);
    Some(match op {
        BinaryOp::Add => x.checked_add(y)?,
        BinaryOp::Sub => x.checked_sub(y)?,
        BinaryOp::Mul => x.checked_mul(y)?,
        BinaryOp::Div => x.checked_div(y)?,
        BinaryOp::Rem => x.checked_rem(y)?,
        BinaryOp::And => x & y,
        BinaryOp::Or => x | y,
        BinaryOp::Xor => x ^ y,
        BinaryOp::Shl => x.checked_shl(shift?)?,
        BinaryOp::Shr => x >> shift?,
        _ => return None,
    })
}

/// A constant for arithmetic with wide types.
fn number(value: &Symbolic) -> Option<Number> {
    match value {
        Symbolic::Constant(value) => value.number(),
        Symbolic::Int(affine) => i64::try_from(affine.as_constant()?).ok().map(Number::Int),
        _ => None,
    }
}

fn of_number(number: Number) -> Option<Symbolic> {
    match Value::of_number(number)? {
        Value::Int(n) => Some(Symbolic::int(n.into())),
        value => Some(Symbolic::Constant(value)),
    }
}

fn rounded(x: f64, ty: ScalarType) -> Symbolic {
    Symbolic::Constant(Value::Float(if ty == ScalarType::F32 { f64::from(x as f32) } else { x }))
}

fn float(op: BinaryOp, ty: ScalarType, x: f64, y: f64) -> Option<Symbolic> {
    let truth = |truth: bool| Some(Symbolic::int(i128::from(truth)));
    match op {
        BinaryOp::Add => Some(rounded(x + y, ty)),
        BinaryOp::Sub => Some(rounded(x - y, ty)),
        BinaryOp::Mul => Some(rounded(x * y, ty)),
        BinaryOp::Div => Some(rounded(x / y, ty)),
        BinaryOp::Eq => truth(x == y),
        BinaryOp::Ne => truth(x != y),
        BinaryOp::Lt => truth(x < y),
        BinaryOp::Le => truth(x <= y),
        BinaryOp::Gt => truth(x > y),
        BinaryOp::Ge => truth(x >= y),
        _ => None,
    }
}
