//! Sizes, alignments and the layout of structs, as the System V ABIs for x86 and AAPCS64 have them.

use chronos_ir::DataModel;
use chronos_ir::types::{Field, ScalarType, Type, TypeId, TypeTable};
use std::sync::Arc;

/// A member before it has its place.
#[derive(Clone)]
pub struct Member {
    /// Empty for an anonymous struct or union member; `None` for an unnamed bit-field.
    pub name: Option<Arc<str>>,
    pub ty: TypeId,
    pub width: Option<u64>,
    /// `_Alignas`, `__attribute__((aligned(n)))`.
    pub align: u64,
    /// `__attribute__((packed))` of the member alone.
    pub packed: bool,
}

impl Member {
    /// With the layout that its type asks for.
    pub fn plain(name: &str, ty: TypeId) -> Self {
        Self { name: Some(name.into()), ty, width: None, align: 0, packed: false }
    }
}

/// Alignment in bytes, at least 1.
pub(crate) fn align_of(types: &TypeTable, ty: TypeId, model: DataModel) -> u64 {
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
        DataModel::Lp64 | DataModel::Aarch64 => scalar.size(model),
        DataModel::Ilp32 if scalar == ScalarType::F128 => 16,
        DataModel::Ilp32 => scalar.size(model).min(4),
    }
}

fn round_up(value: u64, to: u64) -> u64 {
    value.div_ceil(to).saturating_mul(to)
}

/// Fields, size and alignment.
pub(crate) struct Layout {
    pub fields: Vec<Field>,
    pub size: u64,
    pub align: u64,
}

/// Rules for a whole struct.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Rules {
    pub is_union: bool,
    /// No padding: every member has alignment 1.
    pub packed: bool,
    /// At least this alignment, in bytes.
    pub align: u64,
    /// Members have at most this alignment, in bytes, whatever they ask for: `#pragma pack`.
    pub most: Option<u64>,
}

impl Rules {
    /// The alignment of a member in bytes.
    fn align(&self, types: &TypeTable, member: &Member, model: DataModel) -> u64 {
        // A bit-field of no bits ends its unit, however tightly members lie.
        if member.width == Some(0) {
            return align_of(types, member.ty, model);
        }
        let natural = if self.packed || member.packed { 1 } else { align_of(types, member.ty, model) };
        let wanted = natural.max(member.align);
        self.most.map_or(wanted, |most| wanted.min(most))
    }
}

/// Places members one behind the other (struct) or all at the begin (union).
pub(crate) fn lay_out(types: &TypeTable, members: &[Member], rules: Rules, model: DataModel) -> Layout {
    let mut layout = Layout { fields: Vec::new(), size: 0, align: rules.align.max(1) };
    // First free bit of a struct.
    let mut free: u64 = 0;
    for member in members {
        let begin = if rules.is_union { 0 } else { free };
        let align = rules.align(types, member, model);
        let size = types.size(member.ty, model);
        let end = match member.width {
            Some(width) => {
                // AAPCS64 aligns a struct for all its bit-fields, the System V ABIs for those that have a name.
                let aligns = model == DataModel::Aarch64 || member.name.is_some() && width > 0;
                layout.place_bits(
                    member,
                    begin,
                    Unit { bytes: size.max(1), align, width, packed: rules.packed, aligns },
                )
            }
            None => layout.place(member, begin, align, size),
        };
        free = free.max(end);
    }
    layout.size = round_up(free.div_ceil(8), layout.align);
    layout
}

/// A bit-field and the storage unit that its type names.
struct Unit {
    bytes: u64,
    align: u64,
    /// Bits of the field.
    width: u64,
    /// The field follows the one before it without padding.
    packed: bool,
    /// The struct is aligned at least as the field.
    aligns: bool,
}

impl Unit {
    /// The bit where the field begins: it must not lie in more aligned pieces than its unit has (System V ABI, 3.1.2).
    fn begin(&self, free: u64) -> u64 {
        let align = self.align * 8;
        let pieces = (free % align + self.width).div_ceil(align);
        let crosses = pieces > (self.bytes * 8).div_ceil(align);
        if self.width == 0 || crosses && !self.packed { round_up(free, align) } else { free }
    }
}

impl Layout {
    /// Places one member at or behind the bit `free`; returns the bit behind it.
    fn place(&mut self, member: &Member, free: u64, align: u64, size: u64) -> u64 {
        let offset = round_up(free.div_ceil(8), align);
        self.align = self.align.max(align);
        self.push(member, offset, None);
        offset.saturating_add(size).saturating_mul(8)
    }

    /// Places one bit-field at or behind the bit `free`; returns the bit behind it.
    fn place_bits(&mut self, member: &Member, free: u64, unit: Unit) -> u64 {
        let bits = unit.bytes * 8;
        let unit = Unit { width: unit.width.min(bits), packed: unit.packed || member.packed, ..unit };
        let begin = unit.begin(free);
        if unit.aligns {
            self.align = self.align.max(unit.align);
        }
        if unit.width == 0 {
            return begin;
        }
        let crosses = unit.packed || begin % bits + unit.width > bits;
        let offset = if crosses { begin / 8 } else { begin / bits * bits / 8 };
        // Both are at most 64.
        self.push(member, offset, Some(((begin - offset * 8) as u8, unit.width as u8)));
        begin + unit.width
    }

    fn push(&mut self, member: &Member, offset: u64, bits: Option<(u8, u8)>) {
        if let Some(name) = &member.name {
            self.fields.push(Field { name: name.clone(), ty: member.ty, offset, bits });
        }
    }
}
