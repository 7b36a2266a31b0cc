//! Operands and arguments whose order of evaluation the C standard leaves open (C11 6.5.2.2, 6.5.16).
//!
//! They are lowered from left to right, the value of an assignment before its target, as clang has it; gcc begins with the
//! last argument and with the target. Where calls among them interfere, counts depend on the compiler:
//! `chronos_slicing::doubts::unsequenced` looks for that in what is noted here.

use super::Lowerer;
use chronos_ir::Unsequenced;
use lang_c::ast::{self, Expression};
use lang_c::span::{Node, Span};
use lang_c::visit::Visit;

#[derive(Default)]
struct Calls(bool);

impl<'ast> Visit<'ast> for Calls {
    fn visit_call_expression(&mut self, _: &'ast ast::CallExpression, _: &'ast Span) {
        self.0 = true;
    }
}

/// Whether an expression calls a function.
pub(crate) fn contains_call(node: &Node<Expression>) -> bool {
    let mut calls = Calls::default();
    calls.visit_expression(&node.node, &node.span);
    calls.0
}

impl<'a> Lowerer<'a> {
    /// Notes operands of which one calls a function.
    pub(super) fn note_unsequenced(&mut self, at: Span, parts: impl Iterator<Item = &'a Node<Expression>>) {
        let varies =
            |part: &&Node<Expression>| !matches!(part.node, Expression::Constant(_) | Expression::StringLiteral(_));
        let parts: Vec<_> = parts.filter(varies).map(|part| self.span(part.span)).collect();
        let Some(function) = self.body.function.filter(|_| parts.len() > 1 && !self.body.unevaluated) else { return };
        let span = self.span(at);
        self.program.unsequenced.push(Unsequenced { function, span, parts });
    }
}
