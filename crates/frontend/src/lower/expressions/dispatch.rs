//! Expressions: one arm for each kind, names, sizes, selections.

use crate::lower::codes;
use crate::lower::context::item::{ExprResult, not_declared};
use crate::lower::context::lowerer::Lowerer;
use crate::lower::context::scopes::Entry;
use crate::lower::context::{constants, layout};
use chronos_base::span::Span;
use chronos_ir::types::{ScalarType, Type, TypeId};
use chronos_ir::{Const, OpKind, Operand, Place, Storage, VarId, Variable};
use lang_c::ast::{self, Expression};
use lang_c::span::Node;

impl<'a> Lowerer<'a> {
    pub(crate) fn expression(&mut self, node: &'a Node<Expression>) -> ExprResult {
        match &node.node {
            Expression::Identifier(name) => self.identifier(name),
            Expression::Constant(literal) => self.literal(literal),
            Expression::StringLiteral(literal) => self.string(literal),
            Expression::GenericSelection(selection) => self.generic(&selection.node, node.span),
            Expression::Member(member) => self.member_expression(&member.node),
            Expression::Call(call) => self.call(call),
            Expression::CompoundLiteral(literal) => self.compound_literal(literal),
            Expression::SizeOfTy(size) => {
                let ty = self.type_name(&size.node.0);
                self.size_item(ty, node.span)
            }
            Expression::SizeOfVal(size) => {
                let ty = self.expression_type(&size.node.0);
                // The operand is evaluated where its size is not constant.
                if self.body.vla_bytes.contains_key(&ty) {
                    self.discard(&size.node.0);
                }
                self.size_item(ty, node.span)
            }
            Expression::AlignOf(name) => {
                let ty = self.type_name(&name.node.0);
                self.size_constant(layout::align_of(&self.program.types, ty, self.program.model))
            }
            Expression::UnaryOperator(unary) => self.unary_operator(unary),
            Expression::Cast(cast) => self.cast(cast),
            Expression::BinaryOperator(binary) => self.binary_operator(binary),
            Expression::Conditional(conditional) => self.conditional(conditional),
            Expression::Comma(parts) => self.comma(parts),
            Expression::OffsetOf(offset) => self.offset_of(offset),
            Expression::VaArg(argument) => self.va_arg(argument),
            Expression::Statement(statement) => self.statement_expression(statement),
        }
    }

    /// The type of an expression that is not evaluated.
    pub(crate) fn expression_type(&mut self, node: &'a Node<Expression>) -> TypeId {
        let item = self.scratch(|l| l.expression(node));
        self.result_type(&item)
    }

    pub(crate) fn result_type(&mut self, item: &ExprResult) -> TypeId {
        match item {
            ExprResult::Place(place) => place.ty,
            ExprResult::Pointer(_, ty) | ExprResult::Value(_, ty) | ExprResult::Function(_, ty) => *ty,
            ExprResult::Void => self.void(),
        }
    }

    /// The entry of a name; a declaration that was put off is looked at now.
    pub(crate) fn lookup(&mut self, name: &str) -> Option<Entry<'a>> {
        match self.scopes.get(name)? {
            Entry::Pending(declaration, shift) => {
                self.resolve_pending(declaration, shift);
                match self.scopes.get(name)? {
                    Entry::Pending(..) => None,
                    entry => Some(entry),
                }
            }
            entry => Some(entry),
        }
    }

    fn identifier(&mut self, node: &'a Node<ast::Identifier>) -> ExprResult {
        let name = node.node.name.as_str();
        match self.lookup(name) {
            Some(Entry::Variable(id)) => {
                self.share_with_threads(id);
                ExprResult::Place(self.variable_place(id))
            }
            Some(Entry::Function(ty)) => ExprResult::Function(self.function_constant(name), ty),
            Some(Entry::Enumerator(value, scalar)) => match self.free_enumerator(name, node.span) {
                Some(parameter) => parameter,
                None => ExprResult::Value(Operand::Const(Const::Int(value, scalar)), self.scalar_type(scalar)),
            },
            _ if matches!(name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") => self.function_name(node.span),
            _ => self.undeclared(node),
        }
    }

    fn undeclared(&mut self, node: &'a Node<ast::Identifier>) -> ExprResult {
        let message = not_declared(&node.node.name);
        self.error(&codes::UNDECLARED, node.span, message, "declare it, or include the header that does");
        self.opaque(&format!("undeclared {}", node.node.name), ScalarType::I32, node.span)
    }

    /// An operation that is known to be there but not understood.
    pub(crate) fn opaque(&mut self, what: &str, ty: ScalarType, span: lang_c::span::Span) -> ExprResult {
        let at = self.span(span);
        let operand = self.emit(OpKind::Opaque(what.into()), ty, at);
        ExprResult::Value(operand, self.scalar_type(ty))
    }

    /// The type that selects among the associations of `_Generic`: that of the value, without qualifiers. A bit-field has a
    /// type of its own in GCC, which is none of those that can be named.
    fn selecting_type(&mut self, node: &'a Node<Expression>) -> Option<TypeId> {
        let span = self.span(node.span);
        let value = self.scratch(|l| match l.expression(node) {
            ExprResult::Place(place) if l.is_narrowed(&place) => None,
            item => Some(l.load(item, span).1),
        });
        value.map(|ty| self.unqualified(ty))
    }

    /// A bit-field that has not all bits of its type.
    fn is_narrowed(&self, place: &Place) -> bool {
        let all = self.size(place.ty) * 8;
        place.bits.is_some_and(|(_, width)| u64::from(width) != all)
    }

    fn generic(&mut self, selection: &'a ast::GenericSelection, span: lang_c::span::Span) -> ExprResult {
        let wanted = self.selecting_type(&selection.expression);
        let mut default = None;
        for association in &selection.associations {
            match &association.node {
                ast::GenericAssociation::Default(expression) => default = Some(&**expression),
                ast::GenericAssociation::Type(association) => {
                    let ty = self.type_name(&association.node.type_name);
                    if wanted.is_some_and(|wanted| self.compatible(ty, wanted)) {
                        return self.expression(&association.node.expression);
                    }
                }
            }
        }
        match default {
            Some(expression) => self.expression(expression),
            None => {
                self.invalid(span, "no association of _Generic fits the type");
                self.opaque("_Generic", ScalarType::I32, span)
            }
        }
    }

    fn member_expression(&mut self, member: &'a ast::MemberExpression) -> ExprResult {
        let structure = match member.operator.node {
            ast::MemberOperator::Direct => {
                let item = self.expression(&member.expression);
                self.place(item, member.expression.span)
            }
            ast::MemberOperator::Indirect => {
                let item = self.settled(&member.expression);
                self.element(item, constants::int(0, ScalarType::I64))
            }
        };
        ExprResult::Place(self.member(structure, &member.identifier))
    }

    pub(crate) fn size_constant(&mut self, size: u64) -> ExprResult {
        let scalar = self.size_scalar();
        ExprResult::Value(constants::int(size, scalar), self.scalar_type(scalar))
    }

    fn size_item(&mut self, ty: TypeId, span: lang_c::span::Span) -> ExprResult {
        if let Some(bytes) = self.body.vla_bytes.get(&ty).cloned() {
            let (at, scalar) = (self.span(span), self.size_scalar());
            let operand = self.convert(bytes, ScalarType::I64, scalar, at);
            return ExprResult::Value(operand, self.scalar_type(scalar));
        }
        if let Some(bytes) = self.free_size(ty, span) {
            return bytes;
        }
        if self.is_incomplete(ty) {
            let help = "include the header that defines the type, or complete it before this place";
            self.error(&codes::INCOMPLETE_TYPE, span, "sizeof an incomplete type".to_owned(), help);
        }
        self.size_constant(self.size(ty))
    }

    pub(crate) fn is_incomplete(&self, ty: TypeId) -> bool {
        match self.ty(ty) {
            Type::Struct(id) => self.program.types.structs[*id].fields.is_none(),
            Type::Array { length: None, .. } => !self.body.vla_bytes.contains_key(&ty),
            Type::Array { element, .. } => self.is_incomplete(*element),
            _ => false,
        }
    }

    fn cast(&mut self, node: &'a Node<ast::CastExpression>) -> ExprResult {
        let ty = self.type_name(&node.node.type_name);
        let span = self.span(node.span);
        let item = self.settled(&node.node.expression);
        match *self.ty(ty) {
            Type::Void => return ExprResult::Void,
            // A cast of a struct to its own type (GNU allows it to a union).
            Type::Struct(_) | Type::Array { .. } | Type::Function { .. } => return item,
            Type::Pointer(target) => {
                if let ExprResult::Pointer(mut place, _) = item {
                    place.ty = target;
                    return ExprResult::Pointer(place, ty);
                }
            }
            Type::Scalar(_) => {}
        }
        let value = self.load(item, span);
        ExprResult::Value(self.convert_to(value, ty, span), ty)
    }

    fn comma(&mut self, parts: &'a [Node<Expression>]) -> ExprResult {
        let Some((last, before)) = parts.split_last() else { return ExprResult::Void };
        for part in before {
            self.discard(part);
        }
        match self.settled(last) {
            ExprResult::Place(place) if self.scalar(place.ty).is_some() => {
                let span = self.span(last.span);
                let (operand, ty) = self.load(ExprResult::Place(place), span);
                ExprResult::Value(operand, ty)
            }
            // An array is a pointer to its first element here.
            ExprResult::Place(place) if matches!(self.ty(place.ty), Type::Array { .. }) => {
                let span = self.span(last.span);
                self.offset_pointer(ExprResult::Place(place), constants::int(0, ScalarType::I64), false, span)
            }
            item => item,
        }
    }

    /// An expression for its effects alone.
    pub(crate) fn discard(&mut self, node: &'a Node<Expression>) {
        let assigned = match &node.node {
            Expression::BinaryOperator(binary) => self.assigned(binary),
            Expression::UnaryOperator(unary) => self.incremented(unary),
            _ => None,
        };
        if assigned.is_some() {
            return;
        }
        let item = self.expression(node);
        // A volatile object is read even so.
        if let ExprResult::Place(place) = item
            && place.volatile
            && self.scalar(place.ty).is_some()
        {
            let span = self.span(node.span);
            self.load(ExprResult::Place(place), span);
        }
    }

    fn offset_of(&mut self, node: &'a Node<ast::OffsetOfExpression>) -> ExprResult {
        let ty = self.type_name(&node.node.type_name);
        let null = Operand::Const(Const::Int(0, ScalarType::Pointer));
        let pointer = self.pointer_to(ty);
        let base = self.pointee(null, pointer);
        let designator = &node.node.designator.node;
        let mut place = self.member(base, &designator.base);
        for step in &designator.members {
            place = match &step.node {
                ast::OffsetMember::Member(name) => self.member(place, name),
                ast::OffsetMember::IndirectMember(name) => {
                    let inner = self.element(ExprResult::Place(place), constants::int(0, ScalarType::I64));
                    self.member(inner, name)
                }
                ast::OffsetMember::Index(index) => {
                    let index = self.index_value(index);
                    self.element(ExprResult::Place(place), index)
                }
            };
        }
        match constants::constant_offset(&place) {
            Some(offset) => self.size_constant(u64::try_from(offset).unwrap_or(0)),
            None => {
                let span = self.span(node.span);
                let address = self.address(place, span);
                let scalar = self.size_scalar();
                ExprResult::Value(self.convert(address, ScalarType::Pointer, scalar, span), self.scalar_type(scalar))
            }
        }
    }

    /// A local without a name.
    pub(crate) fn temporary(&mut self, ty: TypeId, span: Span) -> Place {
        let id = self.new_local("(temporary)", ty, span);
        self.variable_place(id)
    }

    pub(crate) fn new_local(&mut self, name: &str, ty: TypeId, span: Span) -> VarId {
        let id = self.program.variables.push(Variable {
            name: name.into(),
            ty,
            storage: Storage::Local,
            function: self.body.function,
            span,
            address_taken: !matches!(self.ty(ty), Type::Scalar(_) | Type::Pointer(_)),
            init: None,
            undefined: false,
        });
        self.body.locals.push(id);
        id
    }
}
