//! Types that were made before, by what they are.

use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id;
use chronos_ir::types::{ScalarType, StructId, Type, TypeId, TypeTable};

/// Gives equal types equal ids, apart from variable-length and qualified ones.
pub(crate) struct Interner {
    pub ids: FxHashMap<Type, TypeId>,
    /// Types that nearly every expression asks for, so that they need no hashing: scalars by their
    /// discriminant, pointers by what they point to.
    pub scalars: Vec<Option<TypeId>>,
    pub pointers: Vec<Option<TypeId>>,
    pub void: TypeId,
    pub variants: Variants,
}

impl Interner {
    /// Enters `void` as the first type.
    pub fn new(types: &mut TypeTable) -> Self {
        let mut interner = Self {
            ids: FxHashMap::default(),
            scalars: Vec::new(),
            pointers: Vec::new(),
            void: TypeId(0),
            variants: Variants::default(),
        };
        interner.void = interner.intern(types, Type::Void);
        interner
    }

    pub(crate) fn scalar(&mut self, types: &mut TypeTable, scalar: ScalarType) -> TypeId {
        match self.scalars.get(scalar as usize) {
            Some(Some(id)) => *id,
            _ => {
                let id = self.intern(types, Type::Scalar(scalar));
                remember(&mut self.scalars, scalar as usize, id)
            }
        }
    }

    pub(crate) fn pointer(&mut self, types: &mut TypeTable, target: TypeId) -> TypeId {
        match self.pointers.get(target.index()) {
            Some(Some(id)) => *id,
            _ => {
                let id = self.intern(types, Type::Pointer(target));
                remember(&mut self.pointers, target.index(), id)
            }
        }
    }

    pub(crate) fn intern(&mut self, types: &mut TypeTable, ty: Type) -> TypeId {
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

/// A set of qualifiers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Qualifiers(u8);

impl Qualifiers {
    pub(crate) const CONST: Self = Self(1);
    pub(crate) const VOLATILE: Self = Self(2);
    pub(crate) const RESTRICT: Self = Self(4);
    pub(crate) const ATOMIC: Self = Self(8);

    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// As the words of a declaration have it.
    pub fn of(word: &lang_c::ast::TypeQualifier) -> Self {
        match word {
            lang_c::ast::TypeQualifier::Const => Self::CONST,
            lang_c::ast::TypeQualifier::Volatile => Self::VOLATILE,
            lang_c::ast::TypeQualifier::Restrict => Self::RESTRICT,
            lang_c::ast::TypeQualifier::Atomic => Self::ATOMIC,
            _ => Self::default(),
        }
    }

    pub(crate) fn is_volatile(self) -> bool {
        self.0 & Self::VOLATILE.0 != 0
    }
}

/// A scalar type that another one of C is represented as, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `char` may be signed as well.
    SignedChar,
    /// `char` where it is unsigned.
    PlainChar,
    /// The longer one of two integer types of the same size: `long long` of LP64, `long` of ILP32.
    Longer,
    /// `__float128` and `_Float128`, where `long double` has quad precision.
    Quad,
    /// An enumeration, by its number.
    Enumeration(u32),
}

/// Types that have an id of their own although the type table has an equal one.
#[derive(Default)]
pub struct Variants {
    pub qualified: FxHashMap<(TypeId, Qualifiers), TypeId>,
    /// The unqualified type, and the qualifiers, of those that have some.
    pub unqualified: FxHashMap<TypeId, (TypeId, Qualifiers)>,
    pub named: FxHashMap<(ScalarType, Kind), TypeId>,
    pub kinds: FxHashMap<TypeId, Kind>,
    pub enumerations: u32,
}

impl Variants {
    pub(crate) fn split(&self, id: TypeId) -> (TypeId, Qualifiers) {
        self.unqualified.get(&id).copied().unwrap_or((id, Qualifiers::default()))
    }
}

/// A vector of the compiler, as a struct of an array: layout, copies, elements and arithmetic by elements.
#[derive(Clone, Copy, Debug)]
pub struct Vector {
    pub element: TypeId,
    pub bytes: u64,
    pub structure: StructId,
    pub ty: TypeId,
}
