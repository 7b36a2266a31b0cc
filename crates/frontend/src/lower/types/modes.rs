//! Attributes that make another type of one: `mode(QI)` and `vector_size(16)`.

use crate::lower::context::interner::Vector;
use crate::lower::context::layout::{Member, Rules};
use crate::lower::context::lowerer::Lowerer;
use crate::lower::context::syntax::attribute;
use chronos_ir::DataModel;
use chronos_ir::types::{ScalarType, StructId, Type, TypeId};
use lang_c::ast::{self, Expression};
use lang_c::span::Node;

impl<'a> Lowerer<'a> {
    /// The type that attributes make of a type.
    pub(crate) fn retyped(&mut self, ty: TypeId, extensions: &'a [Node<ast::Extension>]) -> TypeId {
        extensions.iter().fold(ty, |ty, extension| {
            if let Some(mode) = attribute(extension, "mode").and_then(|mode| mode.arguments.first()) {
                return self.in_mode(ty, mode);
            }
            match attribute(extension, "vector_size").and_then(|size| size.arguments.first()) {
                Some(bytes) => self.vector(ty, bytes),
                None => ty,
            }
        })
    }

    fn in_mode(&mut self, ty: TypeId, mode: &'a Node<Expression>) -> TypeId {
        let name = match &mode.node {
            Expression::Identifier(name) => name.node.name.trim_matches('_'),
            _ => "",
        };
        let unsigned = self.scalar(ty).is_some_and(|scalar| scalar.is_integer() && !scalar.is_signed());
        match scalar_of_mode(name, unsigned, self.size_scalar()) {
            Some(scalar) => self.scalar_type(scalar),
            None => {
                self.unsupported(mode.span, "a machine mode of this name");
                ty
            }
        }
    }

    fn vector(&mut self, element: TypeId, size: &'a Node<Expression>) -> TypeId {
        let bytes = self.constant_integer(size).and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(0);
        self.vector_type(element, bytes)
    }

    /// The vector of so many elements.
    pub(crate) fn vector_of(&mut self, element: TypeId, length: u64) -> TypeId {
        let bytes = self.size(element).saturating_mul(length);
        self.vector_type(element, bytes)
    }

    fn vector_type(&mut self, element: TypeId, bytes: u64) -> TypeId {
        let same = |vector: &&Vector| vector.element == element && vector.bytes == bytes;
        if let Some(vector) = self.vectors.iter().find(same) {
            return vector.ty;
        }
        let one = self.size(element);
        let array = self.array_of(element, bytes.checked_div(one));
        let (structure, ty) = self.new_struct(Some("vector"), false);
        // AAPCS64 aligns nothing to more than 16 bytes by itself.
        let most = if self.program.model == DataModel::Aarch64 { 16 } else { u64::MAX };
        let rules = Rules { align: bytes.min(most), ..Rules::default() };
        self.lay_out(structure, &[Member::plain("elements", array)], rules);
        self.vectors.push(Vector { element, bytes, structure, ty });
        ty
    }

    /// The path to the elements of a vector; `None` where the type is none.
    pub(crate) fn elements_of(&self, ty: TypeId) -> Option<[(StructId, u32); 1]> {
        let Type::Struct(id) = *self.ty(ty) else { return None };
        self.vectors.iter().any(|vector| vector.structure == id).then_some([(id, 0)])
    }

    /// What arithmetic on a struct is called.
    pub(crate) fn aggregate_name(&self, ty: TypeId) -> &'static str {
        if self.elements_of(ty).is_some() { "arithmetic on vectors" } else { "complex arithmetic" }
    }
}

/// The machine modes of GCC.
fn scalar_of_mode(name: &str, unsigned: bool, word: ScalarType) -> Option<ScalarType> {
    let integer = |signed, without| Some(if unsigned { without } else { signed });
    match name {
        "QI" | "byte" => integer(ScalarType::I8, ScalarType::U8),
        "HI" => integer(ScalarType::I16, ScalarType::U16),
        "SI" => integer(ScalarType::I32, ScalarType::U32),
        "DI" => integer(ScalarType::I64, ScalarType::U64),
        "TI" => integer(ScalarType::I128, ScalarType::U128),
        "word" | "pointer" | "unwind_word" if word == ScalarType::U32 => integer(ScalarType::I32, ScalarType::U32),
        "word" | "pointer" | "unwind_word" => integer(ScalarType::I64, ScalarType::U64),
        "SF" => Some(ScalarType::F32),
        "DF" => Some(ScalarType::F64),
        "XF" => Some(ScalarType::F80),
        "TF" => Some(ScalarType::F128),
        _ => None,
    }
}
