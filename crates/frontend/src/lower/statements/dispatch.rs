//! Statements.

use crate::lower::codes;
use crate::lower::context::body::PendingJump;
use crate::lower::context::item::ExprResult;
use crate::lower::context::lowerer::Lowerer;
use chronos_ir::raw::{RawArm, RawBranch, RawItem};
use chronos_ir::types::Type;
use chronos_ir::{Arg, ArmLabel, BranchKind, Jump, OpKind};
use lang_c::ast::{self, Statement};
use lang_c::span::Node;

impl<'a> Lowerer<'a> {
    pub(crate) fn statement(&mut self, node: &'a Node<Statement>) {
        match &node.node {
            Statement::Labeled(labeled) => self.labeled(labeled),
            Statement::Compound(items) => {
                self.enter_scope(node.span);
                self.block_items(items);
                self.leave_scope();
            }
            Statement::Expression(Some(expression)) => {
                let start = self.body.region.len();
                self.discard(expression);
                self.extend(start, node.span);
            }
            Statement::Expression(None) => {}
            Statement::If(statement) => self.if_statement(statement),
            Statement::Switch(statement) => self.switch(statement),
            Statement::While(statement) => self.while_loop(statement),
            Statement::DoWhile(statement) => self.do_loop(statement),
            Statement::For(statement) => self.for_loop(statement),
            Statement::Goto(label) => {
                let span = self.span(node.span);
                self.clean_up_for_goto(&label.node.name, span);
                let label = self.named_label(&label.node.name, span);
                self.jump(Jump::Goto(label), node.span);
            }
            Statement::Continue => self.leave(self.body.continues.last().cloned(), node.span, "continue"),
            Statement::Break => self.leave(self.body.breaks.last().cloned(), node.span, "break"),
            Statement::Return(value) => self.return_statement(value.as_deref(), node.span),
            Statement::Asm(assembly) => self.assembly(assembly),
        }
    }

    pub(crate) fn block_items(&mut self, items: &'a [Node<ast::BlockItem>]) {
        items.iter().for_each(|item| self.block_item(&item.node));
    }

    pub(crate) fn block_item(&mut self, item: &'a ast::BlockItem) {
        match item {
            ast::BlockItem::Declaration(declaration) => self.local_declaration(declaration),
            ast::BlockItem::StaticAssert(assertion) => self.static_assert(assertion),
            ast::BlockItem::Statement(statement) => self.statement(statement),
        }
    }

    /// Lets the block that holds a statement cover all of it, where it lies in one block.
    pub(crate) fn extend(&mut self, start: usize, span: lang_c::span::Span) {
        let new = self.body.region.get(start..).unwrap_or_default();
        let is_simple = new.iter().all(|item| matches!(item, RawItem::Op(_) | RawItem::Call(_)));
        if is_simple && !new.is_empty() {
            let span = self.span(span);
            self.body.region.push(RawItem::Extend(span));
        }
    }

    pub(crate) fn jump(&mut self, jump: Jump, span: lang_c::span::Span) {
        let span = self.span(span);
        self.emit_effect(OpKind::Jump(jump), span);
    }

    fn leave(&mut self, way: Option<PendingJump>, span: lang_c::span::Span, what: &str) {
        match way {
            Some(way) => {
                let at = self.span(span);
                self.clean_up(way.outside, at);
                self.jump(way.jump, span);
            }
            None => self.invalid(span, &format!("`{what}` stands outside of what it could leave")),
        }
    }

    fn labeled(&mut self, node: &'a Node<ast::LabeledStatement>) {
        let label = &node.node.label;
        let span = self.span(label.span);
        let id = match &label.node {
            ast::Label::Identifier(name) => Some(self.named_label(&name.node.name, span)),
            _ => self.body.cases.last().and_then(|cases| cases.get(&label.span.start)).copied(),
        };
        match id {
            Some(id) if self.place_label(id, span) => {}
            Some(_) => self.invalid(label.span, "the label is defined more than once"),
            None => self.invalid(label.span, "`case` stands outside of a switch"),
        }
        self.statement(&node.node.statement);
    }

    fn if_statement(&mut self, node: &'a Node<ast::IfStatement>) {
        let start = self.body.region.len();
        let (condition, _) = self.value(&node.node.condition);
        self.extend(start, node.node.condition.span);
        let mut arms = vec![self.arm(ArmLabel::True, &node.node.then_statement)];
        if let Some(otherwise) = &node.node.else_statement {
            arms.push(self.arm(ArmLabel::False, otherwise));
        }
        let span = self.span(node.span);
        self.branch(RawBranch { kind: BranchKind::If, condition, arms, result: None, target: None, span });
    }

    fn arm(&mut self, label: ArmLabel, statement: &'a Node<Statement>) -> RawArm {
        let (region, ()) = self.region(|l| l.scoped(statement));
        RawArm { labels: vec![label], region, value: None, falls_through: false, span: None }
    }

    /// A statement that is a scope of its own (C99: bodies of loops and branches).
    pub(crate) fn scoped(&mut self, statement: &'a Node<Statement>) {
        self.enter_scope(statement.span);
        self.statement(statement);
        self.leave_scope();
    }

    fn return_statement(&mut self, value: Option<&'a Node<ast::Expression>>, at: lang_c::span::Span) {
        let span = self.span(at);
        let result = self.body.result.unwrap_or(chronos_ir::types::TypeId(0));
        let arg = match value {
            None => None,
            Some(value) if matches!(self.ty(result), Type::Void) => {
                self.discard(value);
                None
            }
            Some(value) => {
                let item = self.settled(value);
                let place = self.span(value.span);
                Some(self.returned(item, result, place))
            }
        };
        self.clean_up(0, span);
        self.emit_effect(OpKind::Jump(Jump::Return(arg)), span);
    }

    fn returned(&mut self, item: ExprResult, result: chronos_ir::types::TypeId, span: chronos_base::span::Span) -> Arg {
        match item {
            ExprResult::Place(place) if matches!(self.ty(place.ty), Type::Struct(_)) => {
                let bytes = self.size(place.ty);
                Arg::Object(place, bytes)
            }
            item => {
                let value = self.load(item, span);
                Arg::Scalar(self.convert_to(value, result, span))
            }
        }
    }

    /// The value of the last expression of a GNU statement expression.
    pub(crate) fn statement_expression(&mut self, node: &'a Node<Statement>) -> ExprResult {
        let Statement::Compound(items) = &node.node else {
            self.statement(node);
            return ExprResult::Void;
        };
        self.enter_scope(node.span);
        let outside = self.body.cleanups.len();
        let mut item = self.last_value(items);
        if self.body.cleanups.len() > outside && !matches!(item, ExprResult::Void) {
            let (operand, ty) = self.load(item, self.span(node.span));
            item = ExprResult::Value(operand, ty);
        }
        self.leave_scope();
        item
    }

    fn last_value(&mut self, items: &'a [Node<ast::BlockItem>]) -> ExprResult {
        if let Some((last, before)) = items.split_last()
            && let ast::BlockItem::Statement(statement) = &last.node
            && let Statement::Expression(Some(expression)) = &statement.node
        {
            self.block_items(before);
            return self.settled(expression);
        }
        self.block_items(items);
        ExprResult::Void
    }

    pub(crate) fn static_assert(&mut self, node: &'a Node<ast::StaticAssert>) {
        if self.constant_integer(&node.node.expression) == Some(0) {
            let message = format!("static assertion failed: {}", node.node.message.node.join(""));
            let help = "choose the data model that the program is written for";
            self.error(&codes::STATIC_ASSERTION, node.span, message, help);
        }
    }

    /// Inline assembly: its outputs become unknown.
    fn assembly(&mut self, node: &'a Node<ast::AsmStatement>) {
        let span = self.span(node.span);
        let ast::AsmStatement::GnuExtended(assembly) = &node.node else {
            self.emit_effect(OpKind::Opaque("inline assembly".into()), span);
            return;
        };
        for input in &assembly.inputs {
            self.discard(&input.node.variable_name);
        }
        if assembly.outputs.is_empty() {
            self.emit_effect(OpKind::Opaque("inline assembly".into()), span);
        }
        for output in &assembly.outputs {
            let item = self.expression(&output.node.variable_name);
            let place = self.place(item, output.span);
            if let Some(scalar) = self.scalar(place.ty) {
                let value = self.emit(OpKind::Opaque("inline assembly".into()), scalar, span);
                self.emit_effect(OpKind::Write(place, value), span);
            } else {
                self.emit_effect(OpKind::Opaque("inline assembly".into()), span);
            }
        }
    }
}
