//! Constants: arithmetic on them as C defines it, and constant expressions.

use chronos_ir::types::ScalarType;
use chronos_ir::wide::{self, Number};
use chronos_ir::{Base, BinaryOp, Const, Operand, Place, Step, Stride, UnaryOp};

/// An integer constant of a type that holds it.
pub fn int(value: impl TryInto<i64>, ty: ScalarType) -> Operand {
    // Only sizes beyond 2^63 do not fit; no object is that large.
    Operand::Const(Const::Int(value.try_into().unwrap_or(i64::MAX), ty))
}

/// Zero of a scalar type; of `int` for what is no scalar.
pub fn zero(ty: Option<ScalarType>) -> Const {
    match ty {
        Some(ty) if ty.is_float() => Const::Float(0.0, ty),
        Some(ty) => Const::Int(0, ty),
        None => Const::Int(0, ScalarType::I32),
    }
}

/// A constant as a number for arithmetic with wide types.
fn number(constant: &Const) -> Option<Number> {
    match constant {
        Const::Int(value, ScalarType::U64) => Some(wide::from_bits(ScalarType::U128, u128::from(*value as u64))),
        Const::Int(value, _) => Some(Number::Int(*value)),
        Const::Float(value, _) => Some(Number::Float(*value)),
        Const::Wide(bits, _) => Some(Number::Bits(*bits)),
        Const::Str(..) | Const::Address(..) | Const::Function(_) | Const::Library(_) => None,
    }
}

/// A number as a constant of a type.
pub fn of_number(number: Number, ty: ScalarType) -> Const {
    match number {
        Number::Int(value) => Const::Int(value, ty),
        Number::Float(value) => Const::Float(value, ty),
        Number::Bits(bits) => Const::Wide(bits, ty),
    }
}

/// Bits of an integer type as arithmetic sees it; pointers are taken as 64 bits.
fn bits(ty: ScalarType) -> u32 {
    match ty {
        ScalarType::Bool | ScalarType::I8 | ScalarType::U8 => 8,
        ScalarType::I16 | ScalarType::U16 => 16,
        ScalarType::I32 | ScalarType::U32 | ScalarType::F32 => 32,
        _ => 64,
    }
}

/// Brings a value into the range of an integer type, modulo 2^bits; sign- or zero-extended.
pub fn wrap(value: i128, ty: ScalarType) -> i64 {
    match ty {
        ScalarType::Bool => i64::from(value != 0),
        ScalarType::I8 => i64::from(value as i8),
        ScalarType::U8 => i64::from(value as u8),
        ScalarType::I16 => i64::from(value as i16),
        ScalarType::U16 => i64::from(value as u16),
        ScalarType::I32 => i64::from(value as i32),
        ScalarType::U32 => i64::from(value as u32),
        _ => value as i64,
    }
}

/// The mathematical value of a narrow integer constant as it is stored.
fn extended(value: i64, ty: ScalarType) -> i128 {
    if ty == ScalarType::U64 { i128::from(value as u64) } else { i128::from(value) }
}

fn round(value: f64, ty: ScalarType) -> f64 {
    if ty == ScalarType::F32 { f64::from(value as f32) } else { value }
}

/// A constant as another type; `None` where it is no number.
pub fn convert(constant: &Const, to: ScalarType) -> Option<Const> {
    match constant {
        Const::Int(_, from) | Const::Float(_, from) | Const::Wide(_, from) if to.is_wide() || from.is_wide() => {
            let from = if *from == ScalarType::U64 { ScalarType::U128 } else { *from };
            Some(of_number(wide::convert(from, to, number(constant)?).ok()?, to))
        }
        Const::Int(value, from) if to.is_float() => Some(Const::Float(round(extended(*value, *from) as f64, to), to)),
        Const::Int(value, from) => Some(Const::Int(wrap(extended(*value, *from), to), to)),
        Const::Float(value, _) if to.is_float() => Some(Const::Float(round(*value, to), to)),
        Const::Float(value, _) if to == ScalarType::Bool => Some(Const::Int(i64::from(*value != 0.0), to)),
        // Out of range is undefined in C; `as` saturates.
        Const::Float(value, _) => Some(Const::Int(wrap(*value as i128, to), to)),
        Const::Wide(..) | Const::Str(..) | Const::Address(..) | Const::Function(_) | Const::Library(_) => None,
    }
}

/// Whether a constant counts as true; `None` where that is not known here.
pub fn truth(constant: &Const) -> Option<bool> {
    match constant {
        Const::Int(value, _) => Some(*value != 0),
        Const::Float(value, _) => Some(*value != 0.0),
        Const::Wide(..) | Const::Str(..) | Const::Address(..) | Const::Function(_) | Const::Library(_) => Some(true),
    }
}

/// `op operand`; `None` where the result is not known at compile time.
pub(crate) fn fold_unary(op: UnaryOp, operand: &Const) -> Option<Const> {
    Some(match (op, operand) {
        (UnaryOp::LogicalNot, constant) => Const::Int(i64::from(!truth(constant)?), ScalarType::I32),
        (_, Const::Int(_, ty) | Const::Float(_, ty) | Const::Wide(_, ty)) if ty.is_wide() => {
            of_number(wide::unary(op, *ty, number(operand)?)?, *ty)
        }
        (UnaryOp::Neg, Const::Int(value, ty)) => Const::Int(wrap(-extended(*value, *ty), *ty), *ty),
        (UnaryOp::Neg, Const::Float(value, ty)) => Const::Float(-value, *ty),
        (UnaryOp::Not, Const::Int(value, ty)) => Const::Int(wrap(!extended(*value, *ty), *ty), *ty),
        _ => return None,
    })
}

/// `a op b` of type `ty`, comparisons as an `I32`; `None` where the result is not known at compile time.
pub(crate) fn fold_binary(op: BinaryOp, ty: ScalarType, a: &Const, b: &Const) -> Option<Const> {
    match (a, b) {
        _ if ty.is_wide() => {
            let result = wide::binary(op, ty, number(a)?, number(b)?).ok()?;
            Some(of_number(result, if op.is_comparison() { ScalarType::I32 } else { ty }))
        }
        (Const::Int(a, s), Const::Int(b, t)) => fold_int(op, ty, extended(*a, *s), extended(*b, *t)),
        (Const::Float(a, _), Const::Float(b, _)) => fold_float(op, ty, *a, *b),
        _ => None,
    }
}

fn fold_int(op: BinaryOp, ty: ScalarType, a: i128, b: i128) -> Option<Const> {
    if op.is_comparison() {
        return Some(Const::Int(i64::from(compare(op, &a, &b)), ScalarType::I32));
    }
    let shift = || u32::try_from(b).ok().filter(|&b| b < bits(ty));
    let value = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::Div if b != 0 => a / b,
        BinaryOp::Rem if b != 0 => a % b,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl => a << shift()?,
        BinaryOp::Shr => a >> shift()?,
        _ => return None,
    };
    Some(Const::Int(wrap(value, ty), ty))
}

fn fold_float(op: BinaryOp, ty: ScalarType, a: f64, b: f64) -> Option<Const> {
    if op.is_comparison() {
        return Some(Const::Int(i64::from(compare(op, &a, &b)), ScalarType::I32));
    }
    let value = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div => a / b,
        _ => return None,
    };
    Some(Const::Float(round(value, ty), ty))
}

fn compare<T: PartialOrd>(op: BinaryOp, a: &T, b: &T) -> bool {
    match op {
        BinaryOp::Eq => a == b,
        BinaryOp::Lt => a < b,
        BinaryOp::Le => a <= b,
        BinaryOp::Gt => a > b,
        BinaryOp::Ge => a >= b,
        _ => a != b,
    }
}

/// Bytes from the base of a place to what it reaches, where they are constant.
pub(crate) fn constant_offset(place: &Place) -> Option<i64> {
    let mut offset = 0i64;
    for step in &place.steps {
        let bytes = match step {
            Step::Field { offset, .. } => i64::try_from(*offset).ok()?,
            Step::Index { index: Operand::Const(Const::Int(index, _)), stride: Stride::Bytes(stride), .. } => {
                index.checked_mul(i64::try_from(*stride).ok()?)?
            }
            Step::Index { .. } => return None,
        };
        offset = offset.checked_add(bytes)?;
    }
    Some(offset)
}

/// The address of a place, where it is a constant of the program.
pub(crate) fn constant_address(place: &Place) -> Option<Const> {
    let offset = constant_offset(place)?;
    match &place.base {
        Base::Variable(variable) => Some(Const::Address(*variable, offset)),
        Base::Pointer(Operand::Const(base)) => offset_constant(base, offset),
        Base::Pointer(Operand::Value(_)) => None,
    }
}

fn offset_constant(base: &Const, offset: i64) -> Option<Const> {
    match base {
        Const::Address(variable, o) => Some(Const::Address(*variable, o.checked_add(offset)?)),
        Const::Str(string, o) => Some(Const::Str(*string, o.checked_add(offset)?)),
        Const::Int(value, ty) => Some(Const::Int(value.checked_add(offset)?, *ty)),
        other if offset == 0 => Some(other.clone()),
        _ => None,
    }
}

/// The integer promotions.
pub fn promoted(ty: ScalarType) -> ScalarType {
    match ty {
        ScalarType::Bool | ScalarType::I8 | ScalarType::U8 | ScalarType::I16 | ScalarType::U16 => ScalarType::I32,
        other => other,
    }
}

/// The usual arithmetic conversions; the order of [`ScalarType`] is that of C's ranks.
pub fn common(a: ScalarType, b: ScalarType) -> ScalarType {
    promoted(a).max(promoted(b))
}
