//! Loops.

use crate::lower::context::constants;
use crate::lower::context::lowerer::Lowerer;
use chronos_ir::raw::{RawExpression, RawItem, RawLoop, RawRegion};
use chronos_ir::{Jump, LoopForm, Operand, TargetId};
use lang_c::ast::{self, Expression, ForInitializer, Statement};
use lang_c::span::Node;

impl<'a> Lowerer<'a> {
    pub(crate) fn for_loop(&mut self, node: &'a Node<ast::ForStatement>) {
        self.enter_scope(node.span);
        let target = self.new_target();
        let (init, ()) = self.region(|l| l.for_initializer(&node.node.initializer));
        let condition = node.node.condition.as_ref().and_then(|c| self.loop_condition(c));
        let (step, ()) = self.region(|l| node.node.step.iter().for_each(|step| l.effect(step)));
        let body = self.loop_body(target, &node.node.statement);
        let span = self.span(node.span);
        self.push_loop(RawLoop { form: LoopForm::For, target, init, condition, body, step, span });
        self.leave_scope();
    }

    pub(crate) fn while_loop(&mut self, node: &'a Node<ast::WhileStatement>) {
        let target = self.new_target();
        let condition = self.loop_condition(&node.node.expression);
        let body = self.loop_body(target, &node.node.statement);
        let span = self.span(node.span);
        let (init, step) = (Vec::new(), Vec::new());
        self.push_loop(RawLoop { form: LoopForm::While, target, init, condition, body, step, span });
    }

    pub(crate) fn do_loop(&mut self, node: &'a Node<ast::DoWhileStatement>) {
        let target = self.new_target();
        let body = self.loop_body(target, &node.node.statement);
        let condition = self.loop_condition(&node.node.expression);
        let span = self.span(node.span);
        let (init, step) = (Vec::new(), Vec::new());
        self.push_loop(RawLoop { form: LoopForm::DoWhile, target, init, condition, body, step, span });
    }

    fn push_loop(&mut self, raw: RawLoop) {
        self.body.region.push(RawItem::Loop(Box::new(raw)));
    }

    fn for_initializer(&mut self, node: &'a Node<ForInitializer>) {
        match &node.node {
            ForInitializer::Empty => {}
            ForInitializer::Expression(expression) => self.effect(expression),
            ForInitializer::Declaration(declaration) => self.local_declaration(declaration),
            ForInitializer::StaticAssert(assertion) => self.static_assert(assertion),
        }
    }

    fn effect(&mut self, node: &'a Node<Expression>) {
        let start = self.body.region.len();
        self.discard(node);
        self.extend(start, node.span);
    }

    /// `None` where it is constantly true.
    fn loop_condition(&mut self, node: &'a Node<Expression>) -> Option<RawExpression> {
        let (region, value) = self.region(|l| {
            let value = l.value(node).0;
            l.extend(0, node.span);
            value
        });
        match &value {
            Operand::Const(constant) if region.is_empty() && constants::truth(constant) == Some(true) => None,
            _ => Some(RawExpression { region, value, span: self.span(node.span) }),
        }
    }

    fn loop_body(&mut self, target: TargetId, statement: &'a Node<Statement>) -> RawRegion {
        let (leave, next) = (self.pending_jump(Jump::Break(target)), self.pending_jump(Jump::Continue(target)));
        self.body.breaks.push(leave);
        self.body.continues.push(next);
        let (region, ()) = self.region(|l| l.scoped(statement));
        self.body.continues.pop();
        self.body.breaks.pop();
        region
    }
}
