//! Specifiers and qualifiers of declarations, as types.

use crate::lower::codes;
use crate::lower::context::interner::{Kind, Qualifiers};
use crate::lower::context::layout;
use crate::lower::context::lowerer::Lowerer;
use crate::lower::context::scopes::Entry;
use crate::lower::context::syntax::{Enumeration, declares_noreturn};
use chronos_ir::DataModel;
use chronos_ir::types::{ScalarType, TypeId};
use lang_c::ast;
use lang_c::span::Node;

/// What the specifiers of a declaration say besides the type.
#[derive(Clone, Copy)]
pub(crate) struct Specifiers {
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
pub(crate) struct Words<'a> {
    long: u32,
    short: bool,
    char: bool,
    float: bool,
    double: bool,
    quad: bool,
    bool: bool,
    void: bool,
    signed: bool,
    unsigned: bool,
    complex: bool,
    pub(crate) other: Option<TypeId>,
    /// A struct, union or enumeration with its members: attributes behind it are the type's, others those of what is declared.
    defines: bool,
    /// Of an enumeration that is defined here: its tag and values.
    pub(crate) enumeration: Option<Enumeration<'a>>,
    /// What all attributes of a struct that is defined here ask for together: there may be several lists of them.
    pub(crate) rules: layout::Rules,
}

impl Words<'_> {
    fn scalar(&self, model: DataModel, plain_char: ScalarType) -> ScalarType {
        let signed = |s, u| if self.unsigned { u } else { s };
        match self {
            Self { float: true, .. } => ScalarType::F32,
            Self { quad: true, .. } => ScalarType::F128,
            Self { double: true, long: 0, .. } => ScalarType::F64,
            Self { double: true, .. } => model.long_double(),
            Self { bool: true, .. } => ScalarType::Bool,
            // The parser is given `__int128` as this.
            Self { long: 3, .. } => signed(ScalarType::I128, ScalarType::U128),
            Self { char: true, signed: false, unsigned: false, .. } => plain_char,
            Self { char: true, .. } => signed(ScalarType::I8, ScalarType::U8),
            Self { short: true, .. } => signed(ScalarType::I16, ScalarType::U16),
            Self { long: 1, .. } if model.is_64_bit() => signed(ScalarType::I64, ScalarType::U64),
            Self { long: 0 | 1, complex: false, .. } => signed(ScalarType::I32, ScalarType::U32),
            Self { complex: true, .. } => ScalarType::F64,
            _ => signed(ScalarType::I64, ScalarType::U64),
        }
    }
}

impl<'a> Lowerer<'a> {
    pub(crate) fn specifiers(&mut self, nodes: &'a [Node<ast::DeclarationSpecifier>]) -> Specifiers {
        let mut words = Words { rules: self.rules(), ..Words::default() };
        let mut specifiers = Specifiers { ty: TypeId(0), storage: None, noreturn: false, align: 0, auto: false };
        let mut qualifiers = Qualifiers::default();
        for node in nodes {
            match &node.node {
                ast::DeclarationSpecifier::StorageClass(class) => {
                    specifiers.storage = storage(&class.node).or(specifiers.storage);
                }
                ast::DeclarationSpecifier::TypeSpecifier(word) => {
                    specifiers.auto |= is_auto(&word.node);
                    self.word(word, &mut words);
                }
                ast::DeclarationSpecifier::TypeQualifier(q) => qualifiers = qualifiers.with(Qualifiers::of(&q.node)),
                ast::DeclarationSpecifier::Function(f) => {
                    specifiers.noreturn |= f.node == ast::FunctionSpecifier::Noreturn;
                }
                ast::DeclarationSpecifier::Alignment(align) => {
                    specifiers.align = specifiers.align.max(self.alignment(&align.node));
                }
                ast::DeclarationSpecifier::Extension(extensions) => {
                    specifiers.noreturn |= declares_noreturn(extensions);
                    if words.defines {
                        self.apply_attributes(&mut words, extensions);
                    } else {
                        specifiers.align = specifiers.align.max(self.aligned(extensions));
                    }
                }
            }
        }
        specifiers.ty = self.finish_words(&words);
        for node in nodes {
            if let ast::DeclarationSpecifier::Extension(extensions) = &node.node {
                specifiers.ty = self.retyped(specifiers.ty, extensions);
            }
        }
        specifiers.ty = self.qualify(specifiers.ty, qualifiers);
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

    /// The type that specifiers name, and the alignment that their attributes ask for, in bytes; 0 for none.
    pub(crate) fn qualified(&mut self, nodes: &'a [Node<ast::SpecifierQualifier>]) -> (TypeId, u64) {
        let mut words = Words { rules: self.rules(), ..Words::default() };
        let (mut qualifiers, mut align) = (Qualifiers::default(), 0);
        for node in nodes {
            match &node.node {
                ast::SpecifierQualifier::TypeSpecifier(word) => self.word(word, &mut words),
                ast::SpecifierQualifier::TypeQualifier(q) => qualifiers = qualifiers.with(Qualifiers::of(&q.node)),
                ast::SpecifierQualifier::Extension(extensions) if words.defines => {
                    self.apply_attributes(&mut words, extensions);
                }
                ast::SpecifierQualifier::Extension(extensions) => align = align.max(self.aligned(extensions)),
            }
        }
        let mut ty = self.finish_words(&words);
        for node in nodes {
            if let ast::SpecifierQualifier::Extension(extensions) = &node.node {
                ty = self.retyped(ty, extensions);
            }
        }
        (self.qualify(ty, qualifiers), align)
    }

    fn word(&mut self, node: &'a Node<ast::TypeSpecifier>, words: &mut Words<'a>) {
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
            ast::TypeSpecifier::Atomic(name) => {
                let ty = self.type_name(name);
                words.other = Some(self.qualify(ty, Qualifiers::ATOMIC));
            }
            ast::TypeSpecifier::Struct(node) => {
                words.defines = node.node.declarations.is_some();
                words.other = Some(self.structure(node));
            }
            ast::TypeSpecifier::Enum(node) => {
                words.defines = !node.node.enumerators.is_empty();
                words.other = Some(self.enumeration(node));
                words.enumeration = words.defines.then(|| self.defined_values(node));
            }
            ast::TypeSpecifier::TypedefName(name) => words.other = Some(self.typedef(name)),
            ast::TypeSpecifier::TypeOf(node) => words.other = Some(self.type_of(&node.node)),
            ast::TypeSpecifier::TS18661Float(float) => match float.width {
                0..=32 if float.format == ast::TS18661FloatFormat::BinaryInterchange => words.float = true,
                128 => words.quad = true,
                _ => words.double = true,
            },
        }
    }

    fn finish_words(&mut self, words: &Words<'_>) -> TypeId {
        if let Some(ty) = words.other {
            return ty;
        }
        if words.void {
            return self.void();
        }
        let scalar = words.scalar(self.program.model, self.plain_char());
        match self.kind_of(words) {
            _ if words.complex => self.complex(scalar),
            Some(kind) => self.named_scalar(scalar, kind),
            None => self.scalar_type(scalar),
        }
    }

    /// What tells the type from another one with the same scalar.
    fn kind_of(&self, words: &Words<'_>) -> Option<Kind> {
        // The number of words `long` in the type that is represented as another one.
        let longer = if self.program.model.is_64_bit() { 2 } else { 1 };
        let char_is_unsigned = self.plain_char() == ScalarType::U8;
        match words {
            Words { char: true, signed: true, .. } => Some(Kind::SignedChar),
            Words { char: true, unsigned: false, .. } if char_is_unsigned => Some(Kind::PlainChar),
            Words { quad: true, .. } => Some(Kind::Quad),
            Words { long, double: false, .. } if *long == longer => Some(Kind::Longer),
            _ => None,
        }
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
            ast::TypeOf::Expression(expression) => self.type_of_expression(expression),
            ast::TypeOf::Type(name) => self.type_name(name),
        }
    }

    /// The type of what the parser took for an expression: `typeof` of `typeof (x)` is a call for it, and of a name of a type
    /// a name.
    fn type_of_expression(&mut self, node: &'a Node<ast::Expression>) -> TypeId {
        match &node.node {
            ast::Expression::Call(call) => match (&call.node.callee.node, call.node.arguments.as_slice()) {
                (ast::Expression::Identifier(name), [argument]) if is_typeof(&name.node.name) => {
                    self.type_of_expression(argument)
                }
                _ => self.expression_type(node),
            },
            ast::Expression::Identifier(name) => match self.lookup(&name.node.name) {
                Some(Entry::Typedef(ty)) => ty,
                _ => self.expression_type(node),
            },
            _ => self.expression_type(node),
        }
    }

    pub(crate) fn type_name(&mut self, name: &'a Node<ast::TypeName>) -> TypeId {
        let (base, _) = self.qualified(&name.node.specifiers);
        match &name.node.declarator {
            Some(declarator) => self.declarator(base, &declarator.node),
            None => base,
        }
    }
}

fn is_typeof(name: &str) -> bool {
    matches!(name, "typeof" | "__typeof__" | "__typeof")
}

fn is_auto(word: &ast::TypeSpecifier) -> bool {
    matches!(word, ast::TypeSpecifier::TypedefName(name) if name.node.name == crate::AUTO_TYPE)
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
