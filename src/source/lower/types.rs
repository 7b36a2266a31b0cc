//! Types: specifiers and declarators to ids in the type table.

use super::Lowerer;
use super::codes;
use super::layout;
use super::scopes::Entry;
use super::structs::declares_noreturn;
use crate::ids::Id;
use crate::program::types::{ScalarType, Type, TypeId, TypeTable};
use crate::program::{BinaryOp, DataModel, Operand};
use lang_c::ast;
use lang_c::span::Node;
use std::collections::{HashMap, HashSet};

/// Gives equal types equal ids, apart from variable-length and volatile ones.
pub struct Interner {
    ids: HashMap<Type, TypeId>,
    /// Types that nearly every expression asks for, so that they need no hashing: scalars by their
    /// discriminant, pointers by what they point to.
    scalars: Vec<Option<TypeId>>,
    pointers: Vec<Option<TypeId>>,
    void: TypeId,
    /// The volatile version of a type.
    volatile: HashMap<TypeId, TypeId>,
    /// Which types are volatile.
    is_volatile: HashSet<TypeId>,
}

impl Interner {
    /// Enters `void` as the first type.
    pub fn new(types: &mut TypeTable) -> Self {
        let mut interner = Self {
            ids: HashMap::new(),
            scalars: Vec::new(),
            pointers: Vec::new(),
            void: TypeId(0),
            volatile: HashMap::new(),
            is_volatile: HashSet::new(),
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

/// What the specifiers of a declaration say besides the type.
#[derive(Clone, Copy)]
pub struct Specifiers {
    pub ty: TypeId,
    pub storage: Option<Storage>,
    pub noreturn: bool,
    pub align: u64,
    /// `__auto_type`: the initialiser gives the type.
    pub auto: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    Typedef,
    Extern,
    Static,
    Automatic,
}

/// Counts of the words that make up an arithmetic type.
#[derive(Default)]
struct Words {
    long: u32,
    short: bool,
    char: bool,
    float: bool,
    double: bool,
    bool: bool,
    void: bool,
    signed: bool,
    unsigned: bool,
    complex: bool,
    other: Option<TypeId>,
}

impl Words {
    fn scalar(&self, model: DataModel) -> ScalarType {
        let signed = |s, u| if self.unsigned { u } else { s };
        match self {
            Self { float: true, .. } => ScalarType::F32,
            Self { double: true, long: 0, .. } => ScalarType::F64,
            Self { double: true, .. } => ScalarType::F80,
            Self { bool: true, .. } => ScalarType::Bool,
            Self { char: true, .. } => signed(ScalarType::I8, ScalarType::U8),
            Self { short: true, .. } => signed(ScalarType::I16, ScalarType::U16),
            Self { long: 1, .. } if model == DataModel::Lp64 => signed(ScalarType::I64, ScalarType::U64),
            Self { long: 0 | 1, complex: false, .. } => signed(ScalarType::I32, ScalarType::U32),
            Self { complex: true, .. } => ScalarType::F64,
            _ => signed(ScalarType::I64, ScalarType::U64),
        }
    }
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

    pub(super) fn is_volatile(&self, id: TypeId) -> bool {
        self.interner.is_volatile.contains(&id)
    }

    pub(super) fn volatile(&mut self, id: TypeId) -> TypeId {
        if self.is_volatile(id) {
            return id;
        }
        if let Some(&volatile) = self.interner.volatile.get(&id) {
            return volatile;
        }
        let volatile = self.program.types.types.push(self.ty(id).clone());
        self.interner.volatile.insert(id, volatile);
        self.interner.is_volatile.insert(volatile);
        if let Some(bytes) = self.body.vla_bytes.get(&id).cloned() {
            self.body.vla_bytes.insert(volatile, bytes);
        }
        volatile
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

    pub(super) fn specifiers(&mut self, nodes: &'a [Node<ast::DeclarationSpecifier>]) -> Specifiers {
        let mut words = Words::default();
        let mut specifiers = Specifiers { ty: TypeId(0), storage: None, noreturn: false, align: 0, auto: false };
        let mut volatile = false;
        for node in nodes {
            match &node.node {
                ast::DeclarationSpecifier::StorageClass(class) => {
                    specifiers.storage = storage(&class.node).or(specifiers.storage);
                }
                ast::DeclarationSpecifier::TypeSpecifier(word) => {
                    specifiers.auto |= is_auto(&word.node);
                    self.word(word, &mut words);
                }
                ast::DeclarationSpecifier::TypeQualifier(q) => volatile |= q.node == ast::TypeQualifier::Volatile,
                ast::DeclarationSpecifier::Function(f) => {
                    specifiers.noreturn |= f.node == ast::FunctionSpecifier::Noreturn;
                }
                ast::DeclarationSpecifier::Alignment(align) => {
                    specifiers.align = specifiers.align.max(self.alignment(&align.node));
                }
                ast::DeclarationSpecifier::Extension(extensions) => {
                    specifiers.noreturn |= declares_noreturn(extensions);
                    self.apply_attributes(words.other, extensions);
                }
            }
        }
        specifiers.ty = self.finish_words(&words);
        if volatile {
            specifiers.ty = self.volatile(specifiers.ty);
        }
        specifiers
    }

    fn alignment(&mut self, align: &'a ast::AlignmentSpecifier) -> u64 {
        match align {
            ast::AlignmentSpecifier::Type(name) => {
                let ty = self.type_name(name);
                layout::align_of(&self.program.types, ty, self.program.model)
            }
            ast::AlignmentSpecifier::Constant(expression) => {
                u64::try_from(self.constant_integer(expression).unwrap_or(0)).unwrap_or(0)
            }
        }
    }

    pub(super) fn qualified(&mut self, nodes: &'a [Node<ast::SpecifierQualifier>]) -> TypeId {
        let mut words = Words::default();
        let mut volatile = false;
        for node in nodes {
            match &node.node {
                ast::SpecifierQualifier::TypeSpecifier(word) => self.word(word, &mut words),
                ast::SpecifierQualifier::TypeQualifier(q) => volatile |= q.node == ast::TypeQualifier::Volatile,
                ast::SpecifierQualifier::Extension(extensions) => self.apply_attributes(words.other, extensions),
            }
        }
        let ty = self.finish_words(&words);
        if volatile { self.volatile(ty) } else { ty }
    }

    fn word(&mut self, node: &'a Node<ast::TypeSpecifier>, words: &mut Words) {
        match &node.node {
            ast::TypeSpecifier::Void => words.void = true,
            ast::TypeSpecifier::Char => words.char = true,
            ast::TypeSpecifier::Short => words.short = true,
            ast::TypeSpecifier::Int => {}
            ast::TypeSpecifier::Long => words.long += 1,
            ast::TypeSpecifier::Float => words.float = true,
            ast::TypeSpecifier::Double => words.double = true,
            ast::TypeSpecifier::Signed => words.signed = true,
            ast::TypeSpecifier::Unsigned => words.unsigned = true,
            ast::TypeSpecifier::Bool => words.bool = true,
            ast::TypeSpecifier::Complex => words.complex = true,
            ast::TypeSpecifier::Atomic(name) => words.other = Some(self.type_name(name)),
            ast::TypeSpecifier::Struct(node) => words.other = Some(self.structure(node)),
            ast::TypeSpecifier::Enum(node) => words.other = Some(self.enumeration(node)),
            ast::TypeSpecifier::TypedefName(name) => words.other = Some(self.typedef(name)),
            ast::TypeSpecifier::TypeOf(node) => words.other = Some(self.type_of(&node.node)),
            ast::TypeSpecifier::TS18661Float(float) => match float.width {
                0..=32 if float.format == ast::TS18661FloatFormat::BinaryInterchange => words.float = true,
                128 => (words.double, words.long) = (true, 1),
                _ => words.double = true,
            },
        }
    }

    fn finish_words(&mut self, words: &Words) -> TypeId {
        if let Some(ty) = words.other {
            return ty;
        }
        if words.void {
            return self.void();
        }
        let scalar = words.scalar(self.program.model);
        if words.complex { self.complex(scalar) } else { self.scalar_type(scalar) }
    }

    fn typedef(&mut self, name: &'a Node<ast::Identifier>) -> TypeId {
        match self.lookup(&name.node.name) {
            Some(Entry::Typedef(ty)) => ty,
            _ if name.node.name == "__builtin_va_list" => self.va_list(),
            _ => {
                let message = format!("unknown type name `{}`", name.node.name);
                self.error(&codes::UNDECLARED, name.span, message, "include the header that declares it");
                self.int()
            }
        }
    }

    fn type_of(&mut self, node: &'a ast::TypeOf) -> TypeId {
        match node {
            ast::TypeOf::Expression(expression) => self.expression_type(expression),
            ast::TypeOf::Type(name) => self.type_name(name),
        }
    }

    pub(super) fn type_name(&mut self, name: &'a Node<ast::TypeName>) -> TypeId {
        let base = self.qualified(&name.node.specifiers);
        match &name.node.declarator {
            Some(declarator) => self.declarator(base, &declarator.node),
            None => base,
        }
    }

    /// The type that a declarator makes of its base type.
    pub(super) fn declarator(&mut self, base: TypeId, declarator: &'a ast::Declarator) -> TypeId {
        self.derived_type(base, declarator, false)
    }

    /// The type of a parameter: arrays and functions are pointers, and the outermost size does not matter.
    pub(super) fn parameter_declarator(&mut self, base: TypeId, declarator: &'a ast::Declarator) -> TypeId {
        let ty = self.derived_type(base, declarator, true);
        self.adjusted(ty)
    }

    fn derived_type(&mut self, base: TypeId, declarator: &'a ast::Declarator, is_parameter: bool) -> TypeId {
        let mut ty = base;
        let is_pointer = |d: &&'a Node<ast::DerivedDeclarator>| {
            matches!(d.node, ast::DerivedDeclarator::Pointer(_) | ast::DerivedDeclarator::Block(_))
        };
        for derived in declarator.derived.iter().filter(is_pointer) {
            ty = self.derive(ty, derived);
        }
        let is_named = !matches!(declarator.kind.node, ast::DeclaratorKind::Declarator(_));
        let outermost = declarator.derived.iter().position(|d| !is_pointer(&d)).filter(|_| is_parameter && is_named);
        for (position, derived) in declarator.derived.iter().enumerate().filter(|(_, d)| !is_pointer(d)).rev() {
            ty = match &derived.node {
                ast::DerivedDeclarator::Array(_) if outermost == Some(position) => self.array_of(ty, None),
                _ => self.derive(ty, derived),
            };
        }
        match &declarator.kind.node {
            ast::DeclaratorKind::Declarator(inner) => self.derived_type(ty, &inner.node, is_parameter),
            _ => ty,
        }
    }

    fn derive(&mut self, ty: TypeId, derived: &'a Node<ast::DerivedDeclarator>) -> TypeId {
        match &derived.node {
            ast::DerivedDeclarator::Pointer(qualifiers) | ast::DerivedDeclarator::Block(qualifiers) => {
                let pointer = self.pointer_to(ty);
                let volatile = qualifiers.iter().any(|q| {
                    matches!(&q.node, ast::PointerQualifier::TypeQualifier(q) if q.node == ast::TypeQualifier::Volatile)
                });
                if volatile { self.volatile(pointer) } else { pointer }
            }
            ast::DerivedDeclarator::Array(array) => self.array(ty, array),
            ast::DerivedDeclarator::Function(function) => self.function_type(ty, &function.node),
            // No parameters are known: any may follow.
            ast::DerivedDeclarator::KRFunction(_) => {
                self.intern(Type::Function { result: ty, params: Vec::new(), variadic: true })
            }
        }
    }

    fn function_type(&mut self, result: TypeId, function: &'a ast::FunctionDeclarator) -> TypeId {
        self.prototype += 1;
        self.scopes.push();
        let params: Vec<TypeId> = function.parameters.iter().map(|p| self.parameter_type(&p.node)).collect();
        self.scopes.pop();
        self.prototype -= 1;
        let none = matches!(params[..], [only] if matches!(self.ty(only), Type::Void));
        let variadic = function.ellipsis == ast::Ellipsis::Some || params.is_empty();
        let params = if none { Vec::new() } else { params };
        self.intern(Type::Function { result, params, variadic })
    }

    fn parameter_type(&mut self, parameter: &'a ast::ParameterDeclaration) -> TypeId {
        let base = self.specifiers(&parameter.specifiers).ty;
        match &parameter.declarator {
            Some(declarator) => self.parameter_declarator(base, &declarator.node),
            None => self.adjusted(base),
        }
    }

    /// Parameters of array and function type are pointers.
    pub(super) fn adjusted(&mut self, ty: TypeId) -> TypeId {
        match *self.ty(ty) {
            Type::Array { element, .. } => self.pointer_to(element),
            Type::Function { .. } => self.pointer_to(ty),
            _ => ty,
        }
    }

    fn array(&mut self, element: TypeId, array: &'a Node<ast::ArrayDeclarator>) -> TypeId {
        let size = match &array.node.size {
            ast::ArraySize::VariableExpression(size) | ast::ArraySize::StaticExpression(size) => size,
            ast::ArraySize::Unknown | ast::ArraySize::VariableUnknown => return self.array_of(element, None),
        };
        let dynamic = self.body.vla_bytes.contains_key(&element);
        match self.try_constant_integer(size) {
            Some(length) if !dynamic => self.array_of(element, Some(u64::try_from(length).unwrap_or(0))),
            _ if self.prototype > 0 => self.array_of(element, None),
            _ if self.body.function.is_some() => self.variable_array(element, size),
            _ => {
                let help = "give a constant size; file-scope arrays cannot have variable length";
                self.error(&codes::NOT_CONSTANT, size.span, "array size is not constant".to_owned(), help);
                self.array_of(element, None)
            }
        }
    }

    /// A variable-length array: a type of its own, whose bytes are computed here.
    fn variable_array(&mut self, element: TypeId, size: &'a Node<ast::Expression>) -> TypeId {
        let span = self.span(size.span);
        let length = self.index_value(size);
        let bytes = match self.size_value(element) {
            Operand::Const(crate::program::Const::Int(1, _)) => length,
            unit => self.binary(BinaryOp::Mul, ScalarType::I64, length, unit, span),
        };
        let ty = self.program.types.types.push(Type::Array { element, length: None });
        self.body.vla_bytes.insert(ty, bytes);
        ty
    }

    /// Bytes of a type, as an I64 operand.
    pub(super) fn size_value(&mut self, ty: TypeId) -> Operand {
        match self.body.vla_bytes.get(&ty) {
            Some(bytes) => bytes.clone(),
            None => super::constants::int(self.size(ty), ScalarType::I64),
        }
    }
}

fn is_auto(word: &ast::TypeSpecifier) -> bool {
    matches!(word, ast::TypeSpecifier::TypedefName(name) if name.node.name == crate::source::AUTO_TYPE)
}

fn storage(class: &ast::StorageClassSpecifier) -> Option<Storage> {
    match class {
        ast::StorageClassSpecifier::Typedef => Some(Storage::Typedef),
        ast::StorageClassSpecifier::Extern => Some(Storage::Extern),
        ast::StorageClassSpecifier::Static => Some(Storage::Static),
        ast::StorageClassSpecifier::Auto | ast::StorageClassSpecifier::Register => Some(Storage::Automatic),
        ast::StorageClassSpecifier::ThreadLocal => None,
    }
}
