//! Unary and binary operators without side effects, pointer arithmetic included.

use super::assignments::Assigned;
use crate::lower::context::constants;
use crate::lower::context::constants::{common, promoted};
use crate::lower::context::item::ExprResult;
use crate::lower::context::lowerer::Lowerer;
use crate::lower::context::syntax::contains_call;
use chronos_base::span::Span;
use chronos_ir::types::{ScalarType, Type, TypeId};
use chronos_ir::{BinaryOp, Const, OpKind, Operand, UnaryOp};
use lang_c::ast::{self, BinaryOperator as B, UnaryOperator as U};
use lang_c::span::Node;

/// The operation behind an arithmetic or comparison operator.
fn operation(operator: &B) -> Option<BinaryOp> {
    Some(match operator {
        B::Multiply | B::AssignMultiply => BinaryOp::Mul,
        B::Divide | B::AssignDivide => BinaryOp::Div,
        B::Modulo | B::AssignModulo => BinaryOp::Rem,
        B::Plus | B::AssignPlus => BinaryOp::Add,
        B::Minus | B::AssignMinus => BinaryOp::Sub,
        B::ShiftLeft | B::AssignShiftLeft => BinaryOp::Shl,
        B::ShiftRight | B::AssignShiftRight => BinaryOp::Shr,
        B::Less => BinaryOp::Lt,
        B::Greater => BinaryOp::Gt,
        B::LessOrEqual => BinaryOp::Le,
        B::GreaterOrEqual => BinaryOp::Ge,
        B::Equals => BinaryOp::Eq,
        B::NotEquals => BinaryOp::Ne,
        B::BitwiseAnd | B::AssignBitwiseAnd => BinaryOp::And,
        B::BitwiseXor | B::AssignBitwiseXor => BinaryOp::Xor,
        B::BitwiseOr | B::AssignBitwiseOr => BinaryOp::Or,
        B::Index | B::LogicalAnd | B::LogicalOr | B::Assign => return None,
    })
}

fn is_assignment(operator: &B) -> bool {
    matches!(
        operator,
        B::AssignMultiply
            | B::AssignDivide
            | B::AssignModulo
            | B::AssignPlus
            | B::AssignMinus
            | B::AssignShiftLeft
            | B::AssignShiftRight
            | B::AssignBitwiseAnd
            | B::AssignBitwiseXor
            | B::AssignBitwiseOr
    )
}

impl<'a> Lowerer<'a> {
    pub(crate) fn binary_operator(&mut self, node: &'a Node<ast::BinaryOperatorExpression>) -> ExprResult {
        let binary = &node.node;
        if let Some(assigned) = self.assigned(node) {
            return self.stored_value(assigned);
        }
        if let Some(parameter) = self.free_macro(node).or_else(|| self.free_quotient(node)) {
            return parameter;
        }
        match operation(&binary.operator.node) {
            Some(op) => {
                let span = self.span(node.span);
                if contains_call(&binary.lhs) || contains_call(&binary.rhs) {
                    self.note_unsequenced(node.span, [&*binary.lhs, &*binary.rhs].into_iter());
                }
                let a = self.settled(&binary.lhs);
                let b = self.settled(&binary.rhs);
                self.arithmetic(op, a, b, span, node.span)
            }
            None => match binary.operator.node {
                B::Index => self.subscript(binary),
                B::LogicalAnd => self.logical(node, true),
                _ => self.logical(node, false),
            },
        }
    }

    /// Makes an assignment; `None` where the operator is another one.
    pub(crate) fn assigned(&mut self, node: &'a Node<ast::BinaryOperatorExpression>) -> Option<Assigned> {
        match &node.node.operator.node {
            B::Assign => Some(self.assignment(node)),
            operator if is_assignment(operator) => {
                operation(operator).map(|operation| self.compound_assignment(operation, node))
            }
            _ => None,
        }
    }

    /// Makes an increment or decrement; `None` where the operator is another one.
    pub(crate) fn incremented(&mut self, node: &'a Node<ast::UnaryOperatorExpression>) -> Option<Assigned> {
        let (op, post) = match node.node.operator.node {
            U::PostIncrement => (BinaryOp::Add, true),
            U::PostDecrement => (BinaryOp::Sub, true),
            U::PreIncrement => (BinaryOp::Add, false),
            U::PreDecrement => (BinaryOp::Sub, false),
            _ => return None,
        };
        Some(self.increment(node, op, post))
    }

    fn subscript(&mut self, binary: &'a ast::BinaryOperatorExpression) -> ExprResult {
        let a = self.settled(&binary.lhs);
        let a = self.elements(a);
        let b = self.settled(&binary.rhs);
        // `2[a]` is `a[2]`.
        let (base, index, index_span) =
            if self.is_pointer(&a) { (a, b, binary.rhs.span) } else { (b, a, binary.lhs.span) };
        let at = self.span(index_span);
        let index = self.as_index(index, at);
        ExprResult::Place(self.element(base, index))
    }

    /// The array of a vector of the compiler.
    fn elements(&mut self, item: ExprResult) -> ExprResult {
        match item {
            ExprResult::Place(place) => match self.elements_of(place.ty) {
                Some(path) => ExprResult::Place(self.follow(place, &path)),
                None => ExprResult::Place(place),
            },
            item => item,
        }
    }

    fn as_index(&mut self, item: ExprResult, span: Span) -> Operand {
        let (operand, ty) = self.load(item, span);
        let from = self.scalar(ty).unwrap_or(ScalarType::I32);
        self.convert(operand, from, ScalarType::I64, span)
    }

    /// `a op b`, of settled operands.
    pub(crate) fn arithmetic(
        &mut self,
        op: BinaryOp,
        a: ExprResult,
        b: ExprResult,
        span: Span,
        at: lang_c::span::Span,
    ) -> ExprResult {
        if self.is_aggregate(&a) || self.is_aggregate(&b) {
            if let Some(vector) = self.vector_arithmetic(op, &a, &b, span) {
                return vector;
            }
            return self.aggregate_arithmetic(a, at);
        }
        match (self.is_pointer(&a), self.is_pointer(&b)) {
            (true, false) if matches!(op, BinaryOp::Add | BinaryOp::Sub) => {
                let index = self.as_index(b, span);
                self.offset_pointer(a, index, op == BinaryOp::Sub, span)
            }
            (false, true) if op == BinaryOp::Add => {
                let index = self.as_index(a, span);
                self.offset_pointer(b, index, false, span)
            }
            (true, true) if op == BinaryOp::Sub => self.pointer_difference(a, b, span),
            (false, false) => self.numbers(op, a, b, span),
            _ => self.pointers(op, a, b, span),
        }
    }

    fn is_aggregate(&self, item: &ExprResult) -> bool {
        matches!(item, ExprResult::Place(place) if matches!(self.ty(place.ty), Type::Struct(_)))
    }

    /// Arithmetic on structs: complex numbers, vectors, or an error of the source.
    pub(crate) fn aggregate_arithmetic(&mut self, item: ExprResult, at: lang_c::span::Span) -> ExprResult {
        let ty = self.result_type(&item);
        let name = self.aggregate_name(ty);
        self.unsupported(at, name);
        match item {
            ExprResult::Place(place) if matches!(self.ty(place.ty), Type::Struct(_)) => {
                let span = self.span(at);
                self.emit_effect(OpKind::Opaque(name.into()), span);
                ExprResult::Place(self.temporary(place.ty, span))
            }
            _ => self.opaque(name, ScalarType::F64, at),
        }
    }

    /// `pointer + index`, as the address of an element.
    pub(crate) fn offset_pointer(&mut self, item: ExprResult, index: Operand, back: bool, span: Span) -> ExprResult {
        let index = if back { self.unary(UnaryOp::Neg, ScalarType::I64, index, span) } else { index };
        let place = self.element(item, index);
        let pointer = self.pointer_to(place.ty);
        ExprResult::Pointer(place, pointer)
    }

    fn pointer_difference(&mut self, a: ExprResult, b: ExprResult, span: Span) -> ExprResult {
        let target = self.target_type(&a).unwrap_or(TypeId(0));
        let size = self.size_value(target);
        let (a, _) = self.load(a, span);
        let (b, _) = self.load(b, span);
        // ptrdiff_t.
        let word = if self.size_scalar() == ScalarType::U64 { ScalarType::I64 } else { ScalarType::I32 };
        let mut difference = |stride: u64| self.emit(OpKind::PointerDiff(a.clone(), b.clone(), stride), word, span);
        let operand = match size {
            Operand::Const(Const::Int(bytes, _)) => difference(u64::try_from(bytes).unwrap_or(1).max(1)),
            rows => {
                let bytes = difference(1);
                let rows = self.convert(rows, ScalarType::I64, word, span);
                self.binary(BinaryOp::Div, word, bytes, rows, span)
            }
        };
        ExprResult::Value(operand, self.scalar_type(word))
    }

    fn numbers(&mut self, op: BinaryOp, a: ExprResult, b: ExprResult, span: Span) -> ExprResult {
        let (a, left) = self.load(a, span);
        let (b, right) = self.load(b, span);
        let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        let deciding = if is_shift { vec![left] } else { vec![left, right] };
        let left = self.scalar(left).unwrap_or(ScalarType::I32);
        let right = self.scalar(right).unwrap_or(ScalarType::I32);
        let (operand, ty) = self.number_operation(op, (a, left), (b, right), span);
        let ty = if op.is_comparison() { self.int() } else { self.computed_type(ty, &deciding) };
        ExprResult::Value(operand, ty)
    }

    /// Converts the operands and computes; returns the result with its type.
    pub(crate) fn number_operation(
        &mut self,
        op: BinaryOp,
        a: (Operand, ScalarType),
        b: (Operand, ScalarType),
        span: Span,
    ) -> (Operand, ScalarType) {
        // A shift has the type of its left operand.
        let shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        let ty = if shift { promoted(a.1) } else { common(a.1, b.1) };
        let left = self.convert(a.0, a.1, ty, span);
        let right = self.convert(b.0, b.1, ty, span);
        let result = if op.is_comparison() { ScalarType::I32 } else { ty };
        (self.binary(op, ty, left, right, span), result)
    }

    /// Comparison of pointers, or arithmetic that C does not have.
    fn pointers(&mut self, op: BinaryOp, a: ExprResult, b: ExprResult, span: Span) -> ExprResult {
        let (a, left) = self.load(a, span);
        let (b, right) = self.load(b, span);
        let left = self.scalar(left).unwrap_or(ScalarType::Pointer);
        let right = self.scalar(right).unwrap_or(ScalarType::Pointer);
        let a = self.convert(a, left, ScalarType::Pointer, span);
        let b = self.convert(b, right, ScalarType::Pointer, span);
        let operand = self.binary(op, ScalarType::Pointer, a, b, span);
        ExprResult::Value(operand, self.int())
    }

    pub(crate) fn unary_operator(&mut self, node: &'a Node<ast::UnaryOperatorExpression>) -> ExprResult {
        let operand = &node.node.operand;
        if let Some(assigned) = self.incremented(node) {
            return self.stored_value(assigned);
        }
        match node.node.operator.node {
            U::Address => self.address_of(operand),
            U::Indirection => self.indirection(operand),
            U::Plus => self.signed(None, node),
            U::Minus => self.signed(Some(UnaryOp::Neg), node),
            U::Complement => self.signed(Some(UnaryOp::Not), node),
            _ => {
                let span = self.span(node.span);
                let (operand, ty) = self.scalar_value(operand);
                let operand = self.negated(operand, ty, span);
                ExprResult::Value(operand, self.int())
            }
        }
    }

    fn negated(&mut self, operand: Operand, ty: ScalarType, span: Span) -> Operand {
        match &operand {
            Operand::Const(constant) if constants::truth(constant).is_some() => {
                self.unary(UnaryOp::LogicalNot, ScalarType::I32, operand, span)
            }
            // Comparing with zero says the same of every type.
            _ => {
                let zero = Operand::Const(constants::zero(Some(ty)));
                self.binary(BinaryOp::Eq, ty, operand, zero, span)
            }
        }
    }

    fn address_of(&mut self, operand: &'a Node<ast::Expression>) -> ExprResult {
        match self.expression(operand) {
            ExprResult::Place(place) => {
                let pointer = self.pointer_to(place.ty);
                ExprResult::Pointer(place, pointer)
            }
            ExprResult::Function(function, ty) => ExprResult::Function(function, ty),
            other => {
                let place = self.place(other, operand.span);
                let pointer = self.pointer_to(place.ty);
                ExprResult::Pointer(place, pointer)
            }
        }
    }

    fn indirection(&mut self, operand: &'a Node<ast::Expression>) -> ExprResult {
        let item = self.settled(operand);
        if !self.is_pointer(&item) {
            self.invalid(operand.span, "`*` is applied to what is no pointer");
        }
        // `*f` of a function is the function again.
        if let ExprResult::Function(..) = item {
            return item;
        }
        ExprResult::Place(self.element(item, constants::int(0, ScalarType::I64)))
    }

    fn signed(&mut self, op: Option<UnaryOp>, node: &'a Node<ast::UnaryOperatorExpression>) -> ExprResult {
        let span = self.span(node.span);
        let item = self.settled(&node.node.operand);
        if self.is_aggregate(&item) {
            let negated = if op == Some(UnaryOp::Neg) { self.vector_negation(&item, span) } else { None };
            return negated.unwrap_or_else(|| self.aggregate_arithmetic(item, node.span));
        }
        let (operand, own) = self.load(item, span);
        let from = self.scalar(own).unwrap_or(ScalarType::I32);
        let ty = promoted(from);
        let operand = self.convert(operand, from, ty, span);
        let operand = match op {
            Some(op) => self.unary(op, ty, operand, span),
            None => operand,
        };
        ExprResult::Value(operand, self.computed_type(ty, &[own]))
    }
}
