//! The C types of what lies in memory: those that objects are declared with.
//!
//! Allocated memory has the type of what the pointer points to that the allocator's result is stored into, where the
//! allocator is called; else it has none.

use crate::state::memory::Memory;
use chronos_base::hash::FxHashMap;
use chronos_ir::types::TypeId;
use chronos_ir::{BlockId, BlockKind, OpKind, Operand, Program, ScalarType, Straight, Type, ValueId};
use chronos_mpi_calls::CScalar;
use chronos_values::{Origin, Pointer};

/// By call of an allocator: the type of the elements that it is asked for.
pub type Allocated = FxHashMap<BlockId, TypeId>;

/// What pointers say about allocations.
pub fn allocated(program: &Program) -> Allocated {
    let mut all = Allocated::default();
    for block in program.blocks.values() {
        if let BlockKind::Straight(straight) = &block.kind {
            stored(program, straight, &mut all);
        }
    }
    all
}

fn stored(program: &Program, straight: &Straight, all: &mut Allocated) {
    let mut results: FxHashMap<ValueId, BlockId> = FxHashMap::default();
    let from = |results: &FxHashMap<ValueId, BlockId>, operand: &Operand| match operand {
        Operand::Value(value) => results.get(value).copied(),
        Operand::Const(_) => None,
    };
    for op in &straight.ops {
        match &op.kind {
            OpKind::Call(leaf) => {
                results.extend(op.dst.map(|dst| (dst, *leaf)));
            }
            OpKind::Move(operand) | OpKind::Convert(_, operand) => {
                let leaf = from(&results, operand);
                results.extend(op.dst.zip(leaf));
            }
            OpKind::Write(place, operand) => {
                let Some(leaf) = from(&results, operand) else { continue };
                if let Type::Pointer(to) = program.types.get(place.ty)
                    && program.types.size(*to, program.model) > 0
                {
                    all.entry(leaf).or_insert(*to);
                }
            }
            _ => {}
        }
    }
}

/// What C has at this place; `None` where it has no type, or several (unions).
pub fn at(program: &Program, allocated: &Allocated, memory: &Memory, pointer: Pointer) -> Option<CScalar> {
    let object = memory.object(pointer.object);
    let offset = u64::try_from(pointer.offset).ok().filter(|&offset| offset < object.size && object.live)?;
    match object.origin {
        Origin::Variable(id) => within(program, program.variables[id].ty, offset, false),
        Origin::Allocation(leaf) => {
            let of = *allocated.get(&leaf)?;
            within(program, of, offset % program.types.size(of, program.model), true)
        }
        Origin::String(_) => Some(CScalar::Element(ScalarType::I8)),
        Origin::Environment => None,
    }
}

fn within(program: &Program, ty: TypeId, offset: u64, in_array: bool) -> Option<CScalar> {
    let scalar = |scalar| match (offset, in_array) {
        (0, true) => CScalar::Element(scalar),
        (0, false) => CScalar::Single(scalar),
        _ => CScalar::Within,
    };
    match program.types.get(ty) {
        Type::Scalar(ty) => Some(scalar(*ty)),
        Type::Pointer(_) => Some(scalar(ScalarType::Pointer)),
        Type::Array { element, .. } => {
            let size = program.types.size(*element, program.model);
            within(program, *element, offset.checked_rem(size)?, true)
        }
        Type::Struct(id) => {
            let structure = &program.types.structs[*id];
            let fields = structure.fields.as_ref().filter(|_| !structure.is_union)?;
            let inside = |field: &&chronos_ir::Field| {
                let size = program.types.size(field.ty, program.model);
                field.offset <= offset && offset < field.offset.saturating_add(size)
            };
            match fields.iter().find(inside) {
                Some(field) if field.bits.is_some() => None,
                Some(field) => within(program, field.ty, offset - field.offset, false),
                None => Some(CScalar::Within),
            }
        }
        Type::Void | Type::Function { .. } => None,
    }
}
