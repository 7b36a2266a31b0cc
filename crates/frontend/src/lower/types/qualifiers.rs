//! What tells types apart that are represented alike: qualifiers, `char` and `signed char`, `long` and `long long`,
//! enumerations. Nothing is computed otherwise for it; `_Generic`, `__builtin_types_compatible_p` and `typeof` ask.

use crate::lower::context::interner::{Kind, Qualifiers};
use crate::lower::context::lowerer::Lowerer;
use chronos_ir::types::{ScalarType, Type, TypeId};

impl Lowerer<'_> {
    pub(crate) fn is_volatile(&self, id: TypeId) -> bool {
        self.own_qualifiers(id).is_volatile()
    }

    /// The type without its own qualifiers.
    pub(crate) fn unqualified(&self, id: TypeId) -> TypeId {
        self.interner.variants.split(id).0
    }

    pub(crate) fn own_qualifiers(&self, id: TypeId) -> Qualifiers {
        self.interner.variants.split(id).1
    }

    /// The qualifiers of a type; those of an array are those of its elements.
    pub(crate) fn qualifiers(&self, id: TypeId) -> Qualifiers {
        let own = self.own_qualifiers(id);
        match self.ty(id) {
            Type::Array { element, .. } => own.with(self.qualifiers(*element)),
            _ => own,
        }
    }

    /// The type with more qualifiers.
    pub(crate) fn qualify(&mut self, id: TypeId, more: Qualifiers) -> TypeId {
        let (plain, own) = self.interner.variants.split(id);
        let all = own.with(more);
        if all == own {
            return id;
        }
        if let Some(&known) = self.interner.variants.qualified.get(&(plain, all)) {
            return known;
        }
        let qualified = self.program.types.types.push(self.ty(plain).clone());
        self.interner.variants.qualified.insert((plain, all), qualified);
        self.interner.variants.unqualified.insert(qualified, (plain, all));
        if let Some(bytes) = self.body.vla_bytes.get(&plain).cloned() {
            self.body.vla_bytes.insert(qualified, bytes);
        }
        if let Some(length) = self.free.lengths.get(&plain).cloned() {
            self.free.lengths.insert(qualified, length);
        }
        qualified
    }

    /// A scalar type of another name.
    pub(crate) fn named_scalar(&mut self, scalar: ScalarType, kind: Kind) -> TypeId {
        if let Some(&known) = self.interner.variants.named.get(&(scalar, kind)) {
            return known;
        }
        let named = self.program.types.types.push(Type::Scalar(scalar));
        self.interner.variants.named.insert((scalar, kind), named);
        self.interner.variants.kinds.insert(named, kind);
        named
    }

    /// An enumeration of its own.
    pub(crate) fn new_enumeration(&mut self, scalar: ScalarType) -> TypeId {
        let number = self.interner.variants.enumerations;
        self.interner.variants.enumerations += 1;
        self.named_scalar(scalar, Kind::Enumeration(number))
    }

    pub(crate) fn kind(&self, id: TypeId) -> Option<Kind> {
        self.interner.variants.kinds.get(&self.unqualified(id)).copied()
    }

    /// The scalar that `long long` (`long` where `long long` is longer) is another name of.
    pub(crate) fn longer(&self, unsigned: bool) -> ScalarType {
        if unsigned { self.program.model.unsigned_long() } else { self.program.model.long() }
    }

    /// The type of a number computed of operands of these types: of two types of the same size the longer one has the
    /// higher rank (ISO C, 6.3.1.1), also where one of them is unsigned.
    pub(crate) fn computed_type(&mut self, scalar: ScalarType, operands: &[TypeId]) -> TypeId {
        let ranks = [self.longer(false), self.longer(true)];
        let is_longer = |&ty: &TypeId| match self.kind(ty) {
            Some(Kind::Longer) => true,
            Some(Kind::Quad) => scalar == ScalarType::F128,
            _ => false,
        };
        match operands.iter().find(|ty| is_longer(ty)).and_then(|&ty| self.kind(ty)) {
            Some(Kind::Longer) if ranks.contains(&scalar) => self.named_scalar(scalar, Kind::Longer),
            Some(Kind::Quad) => self.named_scalar(scalar, Kind::Quad),
            _ => self.scalar_type(scalar),
        }
    }

    /// Whether two types are compatible (ISO C, 6.2.7), as GCC decides for `_Generic`.
    pub(crate) fn compatible(&self, a: TypeId, b: TypeId) -> bool {
        a == b || self.qualifiers(a) == self.qualifiers(b) && self.compatible_unqualified(a, b)
    }

    /// Whether two types are compatible but for their own qualifiers.
    pub(crate) fn compatible_unqualified(&self, a: TypeId, b: TypeId) -> bool {
        match (self.ty(a), self.ty(b)) {
            (Type::Pointer(a), Type::Pointer(b)) => self.compatible(*a, *b),
            (Type::Array { element: a, length: n }, Type::Array { element: b, length: m }) => {
                (n == m || n.is_none() || m.is_none()) && self.compatible_unqualified(*a, *b)
            }
            (Type::Function { .. }, Type::Function { .. }) => self.compatible_functions(a, b),
            (Type::Scalar(s), Type::Scalar(t)) => s == t && self.same_kind(a, b),
            (a, b) => a == b,
        }
    }

    /// An enumeration is compatible with the integer type that represents it, and with no other enumeration.
    fn same_kind(&self, a: TypeId, b: TypeId) -> bool {
        let (a, b) = (self.kind(a), self.kind(b));
        let is_one_enumeration = |a, b: Option<Kind>| matches!(a, Some(Kind::Enumeration(_))) && b.is_none();
        a == b || is_one_enumeration(a, b) || is_one_enumeration(b, a)
    }

    fn compatible_functions(&self, a: TypeId, b: TypeId) -> bool {
        let (
            Type::Function { result, params, variadic },
            Type::Function { result: other_result, params: other_params, variadic: other_variadic },
        ) = (self.ty(a), self.ty(b))
        else {
            return false;
        };
        if !self.compatible_unqualified(*result, *other_result) {
            return false;
        }
        let open = |params: &[TypeId], variadic: bool| variadic && params.is_empty();
        match (open(params, *variadic), open(other_params, *other_variadic)) {
            (false, false) => {
                variadic == other_variadic
                    && params.len() == other_params.len()
                    && params.iter().zip(other_params).all(|(p, q)| self.compatible_unqualified(*p, *q))
            }
            (true, true) => true,
            (true, false) => !other_variadic && other_params.iter().all(|&param| self.is_passed_as_it_is(param)),
            (false, true) => !variadic && params.iter().all(|&param| self.is_passed_as_it_is(param)),
        }
    }

    /// Whether the promotions of arguments leave a parameter as it is (ISO C, 6.7.6.3).
    fn is_passed_as_it_is(&self, ty: TypeId) -> bool {
        self.scalar(ty).is_none_or(|scalar| {
            scalar != ScalarType::F32 && crate::lower::context::constants::promoted(scalar) == scalar
        })
    }
}
