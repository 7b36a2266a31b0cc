//! Types as ids in the type table: equal ones are one; qualified ones, and those of other names, are apart.

use super::Lowerer;
use super::qualifiers::Variants;
use chronos_base::ids::Id;
use chronos_ir::types::{ScalarType, Type, TypeId, TypeTable};
use chronos_ir::{DataModel, Operand};
use std::collections::HashMap;

/// Gives equal types equal ids, apart from variable-length and qualified ones.
pub(crate) struct Interner {
    ids: HashMap<Type, TypeId>,
    /// Types that nearly every expression asks for, so that they need no hashing: scalars by their
    /// discriminant, pointers by what they point to.
    scalars: Vec<Option<TypeId>>,
    pointers: Vec<Option<TypeId>>,
    void: TypeId,
    pub variants: Variants,
}

impl Interner {
    /// Enters `void` as the first type.
    pub fn new(types: &mut TypeTable) -> Self {
        let mut interner = Self {
            ids: HashMap::new(),
            scalars: Vec::new(),
            pointers: Vec::new(),
            void: TypeId(0),
            variants: Variants::default(),
        };
        interner.void = interner.intern(types, Type::Void);
        interner
    }

    fn scalar(&mut self, types: &mut TypeTable, scalar: ScalarType) -> TypeId {
        match self.scalars.get(scalar as usize) {
            Some(Some(id)) => *id,
            _ => {
                let id = self.intern(types, Type::Scalar(scalar));
                remember(&mut self.scalars, scalar as usize, id)
            }
        }
    }

    fn pointer(&mut self, types: &mut TypeTable, target: TypeId) -> TypeId {
        match self.pointers.get(target.index()) {
            Some(Some(id)) => *id,
            _ => {
                let id = self.intern(types, Type::Pointer(target));
                remember(&mut self.pointers, target.index(), id)
            }
        }
    }

    fn intern(&mut self, types: &mut TypeTable, ty: Type) -> TypeId {
        if let Some(&id) = self.ids.get(&ty) {
            return id;
        }
        let id = types.types.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }
}

fn remember(ids: &mut Vec<Option<TypeId>>, index: usize, id: TypeId) -> TypeId {
    if ids.len() <= index {
        ids.resize(index + 1, None);
    }
    ids[index] = Some(id);
    id
}

impl<'a> Lowerer<'a> {
    pub(super) fn intern(&mut self, ty: Type) -> TypeId {
        self.interner.intern(&mut self.program.types, ty)
    }

    pub(super) fn scalar_type(&mut self, scalar: ScalarType) -> TypeId {
        if scalar == ScalarType::Pointer {
            let void = self.void();
            return self.pointer_to(void);
        }
        self.interner.scalar(&mut self.program.types, scalar)
    }

    pub(super) fn void(&self) -> TypeId {
        self.interner.void
    }

    pub(super) fn int(&mut self) -> TypeId {
        self.scalar_type(ScalarType::I32)
    }

    /// `size_t`.
    pub(super) fn size_scalar(&self) -> ScalarType {
        if self.program.model == DataModel::Lp64 { ScalarType::U64 } else { ScalarType::U32 }
    }

    pub(super) fn pointer_to(&mut self, target: TypeId) -> TypeId {
        self.interner.pointer(&mut self.program.types, target)
    }

    pub(super) fn array_of(&mut self, element: TypeId, length: Option<u64>) -> TypeId {
        self.intern(Type::Array { element, length })
    }

    pub(super) fn ty(&self, id: TypeId) -> &Type {
        self.program.types.get(id)
    }

    pub(super) fn scalar(&self, id: TypeId) -> Option<ScalarType> {
        self.program.types.scalar(id)
    }

    /// Bytes of a type whose size is constant; 0 where it has none.
    pub(super) fn size(&self, id: TypeId) -> u64 {
        match self.ty(id) {
            // GNU: arithmetic on pointers to void and functions is in bytes.
            Type::Void | Type::Function { .. } => 1,
            _ => self.program.types.size(id, self.program.model),
        }
    }

    /// Whether two types are the same, qualifiers apart.
    pub(super) fn same_type(&self, a: TypeId, b: TypeId) -> bool {
        if a == b {
            return true;
        }
        match (self.ty(a), self.ty(b)) {
            (Type::Pointer(a), Type::Pointer(b)) => self.same_type(*a, *b),
            (Type::Array { element: a, length: n }, Type::Array { element: b, length: m }) => {
                (n == m || n.is_none() || m.is_none()) && self.same_type(*a, *b)
            }
            (
                Type::Function { result: a, params: p, variadic: v },
                Type::Function { result: b, params: q, variadic: w },
            ) => {
                v == w
                    && p.len() == q.len()
                    && self.same_type(*a, *b)
                    && p.iter().zip(q).all(|(p, q)| self.same_type(*p, *q))
            }
            (a, b) => a == b,
        }
    }

    /// Bytes of a type, as an I64 operand.
    pub(super) fn size_value(&mut self, ty: TypeId) -> Operand {
        match self.body.vla_bytes.get(&ty) {
            Some(bytes) => bytes.clone(),
            None => crate::lower::constants::int(self.size(ty), ScalarType::I64),
        }
    }
}
