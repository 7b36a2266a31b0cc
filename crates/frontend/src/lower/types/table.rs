//! Types as ids in the type table: equal ones are one; qualified ones, and those of other names, are apart.

use crate::lower::context::interner::Kind;
use crate::lower::context::lowerer::Lowerer;
use chronos_ir::Operand;
use chronos_ir::types::{ScalarType, Type, TypeId};

impl Lowerer<'_> {
    pub(crate) fn intern(&mut self, ty: Type) -> TypeId {
        self.interner.intern(&mut self.program.types, ty)
    }

    pub(crate) fn scalar_type(&mut self, scalar: ScalarType) -> TypeId {
        if scalar == ScalarType::Pointer {
            let void = self.void();
            return self.pointer_to(void);
        }
        self.interner.scalar(&mut self.program.types, scalar)
    }

    /// `char`.
    pub(crate) fn char_type(&mut self) -> TypeId {
        match self.plain_char() {
            ScalarType::U8 => self.named_scalar(ScalarType::U8, Kind::PlainChar),
            signed => self.scalar_type(signed),
        }
    }

    pub(crate) fn void(&self) -> TypeId {
        self.interner.void
    }

    pub(crate) fn int(&mut self) -> TypeId {
        self.scalar_type(ScalarType::I32)
    }

    /// `size_t`.
    pub(crate) fn size_scalar(&self) -> ScalarType {
        self.program.model.unsigned_long()
    }

    pub(crate) fn pointer_to(&mut self, target: TypeId) -> TypeId {
        self.interner.pointer(&mut self.program.types, target)
    }

    pub(crate) fn array_of(&mut self, element: TypeId, length: Option<u64>) -> TypeId {
        self.intern(Type::Array { element, length })
    }

    pub(crate) fn ty(&self, id: TypeId) -> &Type {
        self.program.types.get(id)
    }

    pub(crate) fn scalar(&self, id: TypeId) -> Option<ScalarType> {
        self.program.types.scalar(id)
    }

    /// Bytes of a type whose size is constant; 0 where it has none.
    pub(crate) fn size(&self, id: TypeId) -> u64 {
        match self.ty(id) {
            // GNU: arithmetic on pointers to void and functions is in bytes.
            Type::Void | Type::Function { .. } => 1,
            _ => self.program.types.size(id, self.program.model),
        }
    }

    /// Whether two types are the same, qualifiers apart.
    pub(crate) fn same_type(&self, a: TypeId, b: TypeId) -> bool {
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
    pub(crate) fn size_value(&mut self, ty: TypeId) -> Operand {
        match self.body.vla_bytes.get(&ty) {
            Some(bytes) => bytes.clone(),
            None => crate::lower::context::constants::int(self.size(ty), ScalarType::I64),
        }
    }
}
