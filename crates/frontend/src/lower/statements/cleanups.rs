//! `__attribute__((cleanup(f)))`: at the end of a variable's scope, however control leaves it, f is called with its
//! address, the variable declared last first.

use crate::lower::context::body::{Cleanup, Scope};
use crate::lower::context::lowerer::Lowerer;
use crate::lower::context::syntax::attribute;
use chronos_base::span::Span;
use chronos_ir::raw::RawItem;
use chronos_ir::{Arg, Base, Callee, Const, OpKind, Operand, Place, VarId};
use lang_c::ast::{self, Statement};
use lang_c::span::Node;

impl<'a> Lowerer<'a> {
    pub(crate) fn enter_scope(&mut self, span: lang_c::span::Span) {
        self.scopes.push();
        self.body.open.push(Scope { outside: self.body.cleanups.len(), span });
    }

    pub(crate) fn leave_scope(&mut self) {
        if let Some(scope) = self.body.open.pop() {
            self.end_cleanups(scope.outside, scope.span);
        }
        self.scopes.pop();
    }

    /// The end of the scope of all but the first cleanups, in text that ends there.
    pub(crate) fn end_cleanups(&mut self, outside: usize, span: lang_c::span::Span) {
        let jumps = |item: &RawItem| matches!(item, RawItem::Op(op) if matches!(op.kind, OpKind::Jump(_)));
        if !self.body.region.last().is_some_and(jumps) {
            let whole = self.span(span);
            let end = Span { line_start: whole.line_end, column_start: whole.column_end, ..whole };
            self.clean_up(outside, end);
        }
        self.body.cleanups.truncate(outside);
    }

    /// Control leaves the scope of all but the first cleanups.
    pub(crate) fn clean_up(&mut self, outside: usize, span: Span) {
        let left: Vec<Cleanup> = self.body.cleanups.iter().skip(outside).rev().cloned().collect();
        for Cleanup { variable, function } in left {
            let ty = self.program.variables[variable].ty;
            let place = Place { base: Base::Variable(variable), steps: Vec::new(), ty, bits: None, volatile: false };
            let address = self.address(place, span);
            let callee = match function {
                Const::Function(id) => Callee::Function(id),
                Const::Library(name) => Callee::Library(name),
                other => Callee::Indirect(Operand::Const(other)),
            };
            let void = self.void();
            self.emit_call(callee, vec![Arg::Scalar(address)], void, span);
        }
    }

    /// Notes the cleanup of a variable whose declaration has these attributes.
    pub(crate) fn note_cleanup(&mut self, variable: VarId, extensions: impl Iterator<Item = &'a Node<ast::Extension>>) {
        let found =
            extensions.filter_map(|extension| attribute(extension, "cleanup")).find_map(|a| a.arguments.first());
        if let Some(ast::Expression::Identifier(name)) = found.map(|argument| &argument.node)
            && !self.body.unevaluated
        {
            let function = self.function_constant(&name.node.name);
            self.body.cleanups.push(Cleanup { variable, function });
        }
    }

    /// A goto leaves the scopes in which its label does not stand.
    pub(crate) fn clean_up_for_goto(&mut self, label: &str, span: Span) {
        if self.body.cleanups.is_empty() {
            return;
        }
        let at = self.body.statement.and_then(|statement| offset(statement, label));
        let is_left = |scope: &&Scope| at.is_none_or(|at| !(scope.span.start..scope.span.end).contains(&at));
        let outside = self.body.open.iter().find(is_left).map_or(self.body.cleanups.len(), |scope| scope.outside);
        self.clean_up(outside, span);
    }
}

/// Where a label stands in a statement.
fn offset(node: &Node<Statement>, name: &str) -> Option<usize> {
    match &node.node {
        Statement::Labeled(labeled) => match &labeled.node.label.node {
            ast::Label::Identifier(label) if label.node.name == name => Some(labeled.node.label.span.start),
            _ => offset(&labeled.node.statement, name),
        },
        Statement::Compound(items) => items.iter().find_map(|item| match &item.node {
            ast::BlockItem::Statement(statement) => offset(statement, name),
            _ => None,
        }),
        Statement::If(statement) => offset(&statement.node.then_statement, name)
            .or_else(|| statement.node.else_statement.as_ref().and_then(|otherwise| offset(otherwise, name))),
        Statement::Switch(statement) => offset(&statement.node.statement, name),
        Statement::While(statement) => offset(&statement.node.statement, name),
        Statement::DoWhile(statement) => offset(&statement.node.statement, name),
        Statement::For(statement) => offset(&statement.node.statement, name),
        _ => None,
    }
}
