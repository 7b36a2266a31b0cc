//! Assignments, compound assignments, `++` and `--`.

use crate::lower::context::constants;
use crate::lower::context::constants::promoted;
use crate::lower::context::item::ExprResult;
use crate::lower::context::lowerer::Lowerer;
use crate::lower::context::syntax::contains_call;
use chronos_base::span::Span;
use chronos_ir::types::{ScalarType, Type, TypeId};
use chronos_ir::{BinaryOp, OpKind, Operand, Place};
use lang_c::ast;
use lang_c::span::Node;

/// An assignment that was made, with the value as it was computed.
pub struct Assigned {
    item: ExprResult,
    /// First bit and number of bits, where a bit-field holds only these of it.
    bits: Option<(u8, u8)>,
    span: Span,
}

impl<'a> Lowerer<'a> {
    pub(crate) fn assignment(&mut self, node: &'a Node<ast::BinaryOperatorExpression>) -> Assigned {
        let span = self.span(node.span);
        self.note_target(node);
        let source = self.settled(&node.node.rhs);
        // Loaded before the target is looked at, as compilers do.
        let source = match source {
            ExprResult::Place(place) if matches!(self.ty(place.ty), Type::Struct(_)) => ExprResult::Place(place),
            other => {
                let at = self.span(node.node.rhs.span);
                let (operand, ty) = self.load(other, at);
                ExprResult::Value(operand, ty)
            }
        };
        let target = self.expression(&node.node.lhs);
        let target = self.place(target, node.node.lhs.span);
        let bits = target.bits;
        Assigned { item: self.assign(target, source, span), bits, span }
    }

    /// Compilers differ in whether they find the target of an assignment before they make the calls of its value.
    fn note_target(&mut self, node: &'a Node<ast::BinaryOperatorExpression>) {
        let is_name = matches!(node.node.lhs.node, ast::Expression::Identifier(_));
        if !is_name && contains_call(&node.node.rhs) {
            self.note_unsequenced(node.span, [&*node.node.lhs, &*node.node.rhs].into_iter());
        }
    }

    /// The value of an assignment: what its object holds now.
    pub(crate) fn stored_value(&mut self, assigned: Assigned) -> ExprResult {
        let Assigned { item, bits, span } = assigned;
        let (Some((_, width)), ExprResult::Value(operand, ty)) = (bits, &item) else { return item };
        let Some(from) = self.scalar(*ty).filter(|from| from.is_integer()) else { return item };
        let size = u8::try_from(from.size(self.program.model) * 8).unwrap_or(64);
        if from == ScalarType::Bool || width >= size {
            return item;
        }
        let wide = promoted(from);
        let excess = if wide == from { size - width } else { 32 - width };
        let mut value = self.convert(operand.clone(), from, wide, span);
        if from.is_signed() {
            for op in [BinaryOp::Shl, BinaryOp::Shr] {
                value = self.binary(op, wide, value, constants::int(excess, wide), span);
            }
        } else {
            let mask = constants::int((1u64 << width) - 1, wide);
            value = self.binary(BinaryOp::And, wide, value, mask, span);
        }
        // A bit-field narrower than int promotes to int whatever its declared type.
        let result = if width < 32 { ScalarType::I32 } else { wide };
        let value = self.convert(value, wide, result, span);
        ExprResult::Value(value, self.scalar_type(result))
    }

    /// Stores an item; the result is the value stored.
    pub(crate) fn assign(&mut self, to: Place, source: ExprResult, span: Span) -> ExprResult {
        let ty = to.ty;
        self.note_task_write(&to, span);
        if let Type::Struct(_) = self.ty(ty) {
            let bytes = self.size(ty);
            match source {
                ExprResult::Place(from) => self.emit_effect(OpKind::Copy { to: to.clone(), from, bytes }, span),
                _ => self.emit_effect(OpKind::Opaque("number stored in a struct".into()), span),
            }
            return ExprResult::Place(to);
        }
        let value = self.load(source, span);
        let operand = self.convert_to(value, ty, span);
        self.emit_effect(OpKind::Write(to, operand.clone()), span);
        ExprResult::Value(operand, ty)
    }

    pub(crate) fn compound_assignment(
        &mut self,
        op: BinaryOp,
        node: &'a Node<ast::BinaryOperatorExpression>,
    ) -> Assigned {
        let span = self.span(node.span);
        self.note_target(node);
        let rhs = self.settled(&node.node.rhs);
        let at = self.span(node.node.rhs.span);
        let target = self.expression(&node.node.lhs);
        let target = self.place(target, node.node.lhs.span);
        if matches!(self.ty(target.ty), Type::Struct(_)) {
            let item = match self.vector_arithmetic(op, &ExprResult::Place(target.clone()), &rhs, span) {
                Some(vector) => self.assign(target, vector, span),
                None => self.aggregate_arithmetic(ExprResult::Place(target), node.span),
            };
            return Assigned { item, bits: None, span };
        }
        let rhs = if let ExprResult::Place(place) = &rhs
            && matches!(self.ty(place.ty), Type::Struct(_))
        {
            self.aggregate_arithmetic(rhs, node.span)
        } else {
            rhs
        };
        let (rhs, rhs_type) = self.load(rhs, at);
        let lhs_at = self.span(node.node.lhs.span);
        let old = self.load(ExprResult::Place(target.clone()), lhs_at);
        let new = self.combine(op, old, (rhs, rhs_type), span, node.span);
        let bits = target.bits;
        Assigned { item: self.assign(target, new, span), bits, span }
    }

    fn combine(
        &mut self,
        op: BinaryOp,
        a: (Operand, TypeId),
        b: (Operand, TypeId),
        span: Span,
        at: lang_c::span::Span,
    ) -> ExprResult {
        self.arithmetic(op, ExprResult::Value(a.0, a.1), ExprResult::Value(b.0, b.1), span, at)
    }

    pub(crate) fn increment(
        &mut self,
        node: &'a Node<ast::UnaryOperatorExpression>,
        op: BinaryOp,
        post: bool,
    ) -> Assigned {
        let span = self.span(node.span);
        let item = self.expression(&node.node.operand);
        let target = self.place(item, node.node.operand.span);
        if matches!(self.ty(target.ty), Type::Struct(_)) {
            let item = self.aggregate_arithmetic(ExprResult::Place(target), node.span);
            return Assigned { item, bits: None, span };
        }
        let old = self.load(ExprResult::Place(target.clone()), span);
        let one = (constants::int(1, ScalarType::I32), self.int());
        let new = self.combine(op, old.clone(), one, span, node.span);
        let bits = target.bits;
        let item = self.assign(target, new, span);
        if post {
            return Assigned { item: ExprResult::Value(old.0, old.1), bits: None, span };
        }
        Assigned { item, bits, span }
    }
}
