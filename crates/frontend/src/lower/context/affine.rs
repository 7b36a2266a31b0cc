//! Static initialisers as sums of parameters: the operations of a constant expression, evaluated
//! with parameters in place of numbers.

use chronos_base::hash::FxHashMap;
use chronos_ir::raw::{RawItem, RawRegion};
use chronos_ir::types::ScalarType;
use chronos_ir::{BinaryOp, Const, OpKind, Operand, Place, UnaryOp, ValueId};
use chronos_math::linear::LinearForm;

/// Parameters by their position.
pub type Affine = LinearForm<usize>;

/// The value of `operand`, which the operations of `region` compute, where it is such a sum and fits its
/// type for the values that matter. `read` says what objects hold.
pub fn evaluate(
    region: &RawRegion,
    operand: &Operand,
    ty: ScalarType,
    read: &dyn Fn(&Place) -> Option<Affine>,
) -> Option<Affine> {
    let mut values = FxHashMap::default();
    for item in region {
        let RawItem::Op(op) = item else { return None };
        let dst = op.dst?;
        let value = operation(&op.kind, &values, read)?;
        values.insert(dst, value);
    }
    // A narrow type would cut the value off.
    let is_wide = matches!(ty, ScalarType::I32 | ScalarType::U32 | ScalarType::I64 | ScalarType::U64);
    operand_value(operand, &values).filter(|_| is_wide)
}

fn operand_value(operand: &Operand, values: &FxHashMap<ValueId, Affine>) -> Option<Affine> {
    match operand {
        Operand::Const(Const::Int(value, ty)) => Some(Affine::constant(match ty {
            ScalarType::U64 => i128::from(*value as u64),
            _ => i128::from(*value),
        })),
        Operand::Const(_) => None,
        Operand::Value(value) => values.get(value).cloned(),
    }
}

fn operation(
    kind: &OpKind,
    values: &FxHashMap<ValueId, Affine>,
    read: &dyn Fn(&Place) -> Option<Affine>,
) -> Option<Affine> {
    match kind {
        OpKind::Read(place) => read(place),
        OpKind::Move(operand) => operand_value(operand, values),
        OpKind::Unary(UnaryOp::Neg, operand) => operand_value(operand, values)?.negate(),
        OpKind::Convert(from, operand) if from.is_integer() => operand_value(operand, values),
        OpKind::Binary(op, ty, a, b) if ty.is_integer() => {
            binary(*op, &operand_value(a, values)?, &operand_value(b, values)?)
        }
        _ => None,
    }
}

fn binary(op: BinaryOp, a: &Affine, b: &Affine) -> Option<Affine> {
    match op {
        BinaryOp::Add => a.add(b),
        BinaryOp::Sub => a.sub(b),
        BinaryOp::Mul => match (a.as_constant(), b.as_constant()) {
            (Some(factor), _) => b.scale(factor),
            (_, Some(factor)) => a.scale(factor),
            (None, None) => None,
        },
        BinaryOp::Div => a.divided(b.as_constant()?),
        BinaryOp::Shl => {
            let shift = u32::try_from(b.as_constant()?).ok().filter(|&shift| shift < 64)?;
            a.scale(1 << shift)
        }
        _ => None,
    }
}
