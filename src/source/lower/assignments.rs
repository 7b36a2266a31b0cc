//! Assignments, compound assignments, `++` and `--`.

use super::Lowerer;
use super::constants;
use super::expressions::Item;
use crate::program::types::{ScalarType, Type, TypeId};
use crate::program::{BinaryOp, OpKind, Operand, Place};
use crate::span::Span;
use lang_c::ast;
use lang_c::span::Node;

impl<'a> Lowerer<'a> {
    pub(super) fn assignment(&mut self, node: &'a Node<ast::BinaryOperatorExpression>) -> Item {
        let span = self.span(node.span);
        let source = self.settled(&node.node.rhs);
        // Loaded before the target is looked at, as compilers do.
        let source = match source {
            Item::Place(place) if matches!(self.ty(place.ty), Type::Struct(_)) => Item::Place(place),
            other => {
                let at = self.span(node.node.rhs.span);
                let (operand, ty) = self.load(other, at);
                Item::Value(operand, ty)
            }
        };
        let target = self.expression(&node.node.lhs);
        let target = self.place(target, node.node.lhs.span);
        self.assign(target, source, span)
    }

    /// Stores an item; the result is the value stored.
    pub(super) fn assign(&mut self, to: Place, source: Item, span: Span) -> Item {
        let ty = to.ty;
        if let Type::Struct(_) = self.ty(ty) {
            let bytes = self.size(ty);
            match source {
                Item::Place(from) => self.emit_effect(OpKind::Copy { to: to.clone(), from, bytes }, span),
                _ => self.emit_effect(OpKind::Opaque("number stored in a struct".into()), span),
            }
            return Item::Place(to);
        }
        let value = self.load(source, span);
        let operand = self.convert_to(value, ty, span);
        self.emit_effect(OpKind::Write(to.clone(), operand.clone()), span);
        match to.bits {
            // What a bit-field holds then may be less than what was given to it.
            Some(_) => Item::Place(Place { volatile: false, ..to }),
            None => Item::Value(operand, ty),
        }
    }

    pub(super) fn compound_assignment(&mut self, op: BinaryOp, node: &'a Node<ast::BinaryOperatorExpression>) -> Item {
        let span = self.span(node.span);
        let rhs = self.settled(&node.node.rhs);
        let at = self.span(node.node.rhs.span);
        let target = self.expression(&node.node.lhs);
        let target = self.place(target, node.node.lhs.span);
        if matches!(self.ty(target.ty), Type::Struct(_)) {
            return self.aggregate_arithmetic(Item::Place(target), node.span);
        }
        let rhs = if let Item::Place(place) = &rhs
            && matches!(self.ty(place.ty), Type::Struct(_))
        {
            self.aggregate_arithmetic(rhs, node.span)
        } else {
            rhs
        };
        let (rhs, rhs_type) = self.load(rhs, at);
        let lhs_at = self.span(node.node.lhs.span);
        let old = self.load(Item::Place(target.clone()), lhs_at);
        let new = self.combine(op, old, (rhs, rhs_type), span, node.span);
        self.assign(target, new, span)
    }

    fn combine(
        &mut self,
        op: BinaryOp,
        a: (Operand, TypeId),
        b: (Operand, TypeId),
        span: Span,
        at: lang_c::span::Span,
    ) -> Item {
        self.arithmetic(op, Item::Value(a.0, a.1), Item::Value(b.0, b.1), span, at)
    }

    pub(super) fn increment(&mut self, node: &'a Node<ast::UnaryOperatorExpression>, op: BinaryOp, post: bool) -> Item {
        let span = self.span(node.span);
        let item = self.expression(&node.node.operand);
        let target = self.place(item, node.node.operand.span);
        if matches!(self.ty(target.ty), Type::Struct(_)) {
            return self.aggregate_arithmetic(Item::Place(target), node.span);
        }
        let old = self.load(Item::Place(target.clone()), span);
        let one = (constants::int(1, ScalarType::I32), self.int());
        let new = self.combine(op, old.clone(), one, span, node.span);
        let stored = self.assign(target, new, span);
        if post { Item::Value(old.0, old.1) } else { stored }
    }
}
