//! Sizes, alignments and the layout of structs, as the System V ABIs for x86 have them.

use crate::program::DataModel;
use crate::program::types::{Field, ScalarType, Type, TypeId, TypeTable};
use std::sync::Arc;

/// A member before it has its place.
pub struct Member {
    /// Empty for an anonymous struct or union member; `None` for an unnamed bit-field.
    pub name: Option<Arc<str>>,
    pub ty: TypeId,
    pub width: Option<u64>,
    /// `_Alignas`.
    pub align: u64,
}

/// Alignment in bytes, at least 1.
pub fn align_of(types: &TypeTable, ty: TypeId, model: DataModel) -> u64 {
    match types.get(ty) {
        Type::Void | Type::Function { .. } => 1,
        Type::Scalar(scalar) => align_of_scalar(*scalar, model),
        Type::Pointer(_) => ScalarType::Pointer.size(model),
        Type::Array { element, .. } => align_of(types, *element, model),
        Type::Struct(id) => types.structs[*id].align.max(1),
    }
}

fn align_of_scalar(scalar: ScalarType, model: DataModel) -> u64 {
    match model {
        DataModel::Lp64 => scalar.size(model),
        DataModel::Ilp32 if scalar == ScalarType::F128 => 16,
        DataModel::Ilp32 => scalar.size(model).min(4),
    }
}

fn round_up(value: u64, to: u64) -> u64 {
    value.div_ceil(to).saturating_mul(to)
}

/// Fields, size and alignment.
pub struct Layout {
    pub fields: Vec<Field>,
    pub size: u64,
    pub align: u64,
}

/// Rules for a whole struct.
#[derive(Clone, Copy, Default)]
pub struct Rules {
    pub is_union: bool,
    /// No padding: every member has alignment 1.
    pub packed: bool,
    /// At least this alignment, in bytes.
    pub align: u64,
}

/// Places members one behind the other (struct) or all at the begin (union).
pub fn lay_out(types: &TypeTable, members: Vec<Member>, rules: Rules, model: DataModel) -> Layout {
    let mut layout = Layout { fields: Vec::new(), size: 0, align: rules.align.max(1) };
    // First free bit of a struct.
    let mut free: u64 = 0;
    for member in members {
        let begin = if rules.is_union { 0 } else { free };
        let end = layout.place(types, member, begin, rules.packed, model);
        free = free.max(end);
    }
    layout.size = round_up(free.div_ceil(8), layout.align);
    layout
}

impl Layout {
    /// Places one member at or behind the bit `free`; returns the bit behind it.
    fn place(&mut self, types: &TypeTable, member: Member, free: u64, packed: bool, model: DataModel) -> u64 {
        let natural = if packed { 1 } else { align_of(types, member.ty, model) };
        let align = natural.max(member.align);
        let Some(width) = member.width else {
            let offset = round_up(free.div_ceil(8), align);
            self.align = self.align.max(align);
            let size = types.size(member.ty, model);
            self.push(member, offset, None);
            return offset.saturating_add(size).saturating_mul(8);
        };
        let unit = types.size(member.ty, model).max(1) * 8;
        let width = width.min(unit);
        if width == 0 {
            return round_up(free, unit);
        }
        let begin = if !packed && free % unit + width > unit { round_up(free, unit) } else { free };
        if member.name.is_some() {
            self.align = self.align.max(align);
        }
        let crosses = packed || begin % unit + width > unit;
        let offset = if crosses { begin / 8 } else { begin / unit * unit / 8 };
        // Both are at most 64.
        let bits = ((begin - offset * 8) as u8, width as u8);
        self.push(member, offset, Some(bits));
        begin + width
    }

    fn push(&mut self, member: Member, offset: u64, bits: Option<(u8, u8)>) {
        if let Some(name) = member.name {
            self.fields.push(Field { name, ty: member.ty, offset, bits });
        }
    }
}
