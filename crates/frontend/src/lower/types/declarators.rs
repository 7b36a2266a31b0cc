//! Declarators: pointers, arrays of constant and variable length, functions.

use crate::lower::codes;
use crate::lower::context::interner::Qualifiers;
use crate::lower::context::lowerer::Lowerer;
use chronos_ir::types::{ScalarType, Type, TypeId};
use chronos_ir::{BinaryOp, Operand};
use lang_c::ast;
use lang_c::span::Node;

impl<'a> Lowerer<'a> {
    /// The type that a declarator makes of its base type.
    pub(crate) fn declarator(&mut self, base: TypeId, declarator: &'a ast::Declarator) -> TypeId {
        let base = self.retyped(base, &declarator.extensions);
        self.derived_type(base, declarator, false)
    }

    /// The type of a parameter: arrays and functions are pointers, and the outermost size does not matter.
    pub(crate) fn parameter_declarator(&mut self, base: TypeId, declarator: &'a ast::Declarator) -> TypeId {
        let base = self.retyped(base, &declarator.extensions);
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
                let words = qualifiers.iter().filter_map(|q| match &q.node {
                    ast::PointerQualifier::TypeQualifier(q) => Some(Qualifiers::of(&q.node)),
                    ast::PointerQualifier::Extension(_) => None,
                });
                let all = words.fold(Qualifiers::default(), Qualifiers::with);
                self.qualify(pointer, all)
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
    pub(crate) fn adjusted(&mut self, ty: TypeId) -> TypeId {
        match *self.ty(ty) {
            Type::Array { element, .. } => {
                let element = self.qualify(element, self.own_qualifiers(ty));
                self.pointer_to(element)
            }
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
        let mark = self.free.mark();
        match self.try_constant_integer(size) {
            Some(length) if !dynamic => {
                let length = u64::try_from(length).unwrap_or(0);
                self.free_array(mark, element, length, size).unwrap_or_else(|| self.array_of(element, Some(length)))
            }
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
            Operand::Const(chronos_ir::Const::Int(1, _)) => length,
            unit => self.binary(BinaryOp::Mul, ScalarType::I64, length, unit, span),
        };
        let ty = self.program.types.types.push(Type::Array { element, length: None });
        self.body.vla_bytes.insert(ty, bytes);
        ty
    }
}
