//! Static initialisers as sums of parameters: the operations of a constant expression, evaluated
//! with parameters in place of numbers.

use crate::program::raw::{RawItem, RawRegion};
use crate::program::types::ScalarType;
use crate::program::{BinaryOp, Const, OpKind, Operand, Place, UnaryOp, ValueId};
use std::collections::{BTreeMap, HashMap};

/// `constant + Σ factor · parameter`; parameters by their position, ascending, no zero factors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Affine {
    pub constant: i128,
    pub terms: Vec<(usize, i128)>,
}

impl Affine {
    pub fn parameter(position: usize) -> Self {
        Self { constant: 0, terms: vec![(position, 1)] }
    }

    fn number(constant: i128) -> Self {
        Self { constant, terms: Vec::new() }
    }

    /// `self + factor * other`; `None` on overflow.
    fn add(&self, other: &Self, factor: i128) -> Option<Self> {
        let mut terms: BTreeMap<usize, i128> = self.terms.iter().copied().collect();
        for (position, own) in &other.terms {
            let sum = terms.entry(*position).or_default();
            *sum = sum.checked_add(own.checked_mul(factor)?)?;
        }
        let constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        Some(Self { constant, terms: terms.into_iter().filter(|term| term.1 != 0).collect() })
    }

    /// Without a remainder.
    fn divided(&self, by: i128) -> Option<Self> {
        let exact = |value: i128| (by != 0 && value % by == 0).then(|| value / by);
        let terms =
            self.terms.iter().map(|&(position, factor)| Some((position, exact(factor)?))).collect::<Option<_>>()?;
        Some(Self { constant: exact(self.constant)?, terms })
    }

    fn as_number(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }
}

/// The value of `operand`, which the operations of `region` compute, where it is such a sum and fits its
/// type for the values that matter. `read` says what objects hold.
pub fn evaluate(
    region: &RawRegion,
    operand: &Operand,
    ty: ScalarType,
    read: &dyn Fn(&Place) -> Option<Affine>,
) -> Option<Affine> {
    let mut values = HashMap::new();
    for item in region {
        let RawItem::Op(op) = item else { return None };
        let dst = op.dst?;
        let value = operation(&op.kind, &values, read)?;
        values.insert(dst, value);
    }
    // A narrow type would cut the value off.
    let is_wide = matches!(ty, ScalarType::I32 | ScalarType::U32 | ScalarType::I64 | ScalarType::U64);
    known(operand, &values).filter(|_| is_wide)
}

fn known(operand: &Operand, values: &HashMap<ValueId, Affine>) -> Option<Affine> {
    match operand {
        Operand::Const(Const::Int(value, ty)) => Some(Affine::number(match ty {
            ScalarType::U64 => i128::from(*value as u64),
            _ => i128::from(*value),
        })),
        Operand::Const(_) => None,
        Operand::Value(value) => values.get(value).cloned(),
    }
}

fn operation(
    kind: &OpKind,
    values: &HashMap<ValueId, Affine>,
    read: &dyn Fn(&Place) -> Option<Affine>,
) -> Option<Affine> {
    match kind {
        OpKind::Read(place) => read(place),
        OpKind::Move(operand) => known(operand, values),
        OpKind::Unary(UnaryOp::Neg, operand) => Affine::default().add(&known(operand, values)?, -1),
        OpKind::Convert(from, operand) if from.is_integer() => known(operand, values),
        OpKind::Binary(op, ty, a, b) if ty.is_integer() => binary(*op, &known(a, values)?, &known(b, values)?),
        _ => None,
    }
}

fn binary(op: BinaryOp, a: &Affine, b: &Affine) -> Option<Affine> {
    match op {
        BinaryOp::Add => a.add(b, 1),
        BinaryOp::Sub => a.add(b, -1),
        BinaryOp::Mul => match (a.as_number(), b.as_number()) {
            (Some(factor), _) => Affine::default().add(b, factor),
            (_, Some(factor)) => Affine::default().add(a, factor),
            (None, None) => None,
        },
        BinaryOp::Div => a.divided(b.as_number()?),
        BinaryOp::Shl => {
            let shift = u32::try_from(b.as_number()?).ok().filter(|&shift| shift < 64)?;
            Affine::default().add(a, 1 << shift)
        }
        _ => None,
    }
}
