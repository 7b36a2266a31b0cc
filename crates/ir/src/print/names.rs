//! Words of the textual form.

use crate::block::ArmLabel;
use crate::op::{BinaryOp, UnaryOp};
use crate::types::ScalarType;
use crate::{Function, Storage, ValueId};

pub(super) fn offset_text(offset: i64) -> String {
    if offset == 0 { String::new() } else { format!("{offset:+}") }
}

pub(super) fn storage_name(storage: Storage) -> &'static str {
    match storage {
        Storage::Global => "global",
        Storage::Static => "static",
        Storage::Parameter(_) => "parameter",
        Storage::Local => "local",
    }
}

pub(super) fn effects(function: &Function) -> String {
    let effects = function.effects;
    let named = [
        (effects.reaches_mpi, " reaches-mpi"),
        (effects.may_not_return, " may-not-return"),
        (effects.recursive, " recursive"),
        (effects.address_taken, " address-taken"),
    ];
    named.iter().filter(|(holds, _)| *holds).map(|(_, name)| *name).collect()
}

pub(super) fn label_text(label: &ArmLabel) -> String {
    match label {
        ArmLabel::True => "true".to_owned(),
        ArmLabel::False => "false".to_owned(),
        ArmLabel::Case(low, high) if low == high => format!("case {low}"),
        ArmLabel::Case(low, high) => format!("case {low} ... {high}"),
        ArmLabel::Default => "default".to_owned(),
    }
}

pub(super) fn type_suffix(function: &Function, value: ValueId) -> String {
    function.values.get(value).map_or(String::new(), |ty| format!(":{}", scalar_name(*ty)))
}

pub(super) fn unary_name(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Neg => "neg",
        UnaryOp::Not => "not",
        UnaryOp::LogicalNot => "lnot",
    }
}

pub(super) fn binary_name(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "add",
        BinaryOp::Sub => "sub",
        BinaryOp::Mul => "mul",
        BinaryOp::Div => "div",
        BinaryOp::Rem => "rem",
        BinaryOp::And => "and",
        BinaryOp::Or => "or",
        BinaryOp::Xor => "xor",
        BinaryOp::Shl => "shl",
        BinaryOp::Shr => "shr",
        BinaryOp::Eq => "eq",
        BinaryOp::Ne => "ne",
        BinaryOp::Lt => "lt",
        BinaryOp::Le => "le",
        BinaryOp::Gt => "gt",
        BinaryOp::Ge => "ge",
    }
}

/// As it stands in the textual form.
pub fn scalar_name(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::Bool => "bool",
        ScalarType::I8 => "i8",
        ScalarType::U8 => "u8",
        ScalarType::I16 => "i16",
        ScalarType::U16 => "u16",
        ScalarType::I32 => "i32",
        ScalarType::U32 => "u32",
        ScalarType::I64 => "i64",
        ScalarType::U64 => "u64",
        ScalarType::F32 => "f32",
        ScalarType::F64 => "f64",
        ScalarType::I128 => "i128",
        ScalarType::U128 => "u128",
        ScalarType::F80 => "f80",
        ScalarType::F128 => "f128",
        ScalarType::Pointer => "ptr",
    }
}
