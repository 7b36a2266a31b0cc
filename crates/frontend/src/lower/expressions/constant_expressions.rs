//! Constant expressions, which are folded where the standard asks for them.

use crate::lower::codes;
use crate::lower::context::constants::{constant_offset, truth, zero};
use crate::lower::context::item::ExprResult;
use crate::lower::context::lowerer::Lowerer;
use chronos_ir::types::ScalarType;
use chronos_ir::{Base, Const, Operand, Place};
use lang_c::ast::Expression;
use lang_c::span::Node;

impl<'a> Lowerer<'a> {
    /// The value of an integer constant expression; reported where it has none.
    pub(crate) fn constant_integer(&mut self, node: &'a Node<Expression>) -> Option<i64> {
        let (before, mark) = (self.diagnostics.len(), self.free.mark());
        let value = self.fold_integer(node);
        self.note_fixed(mark, node.span, "constant");
        if value.is_none() && self.diagnostics.len() == before {
            let help = "use a constant expression here";
            self.error(&codes::NOT_CONSTANT, node.span, "the expression is not an integer constant".to_owned(), help);
        }
        value
    }

    /// The same without a report.
    pub(crate) fn try_constant_integer(&mut self, node: &'a Node<Expression>) -> Option<i64> {
        let before = self.diagnostics.len();
        let value = self.fold_integer(node);
        if value.is_none() {
            self.diagnostics.truncate(before);
        }
        value
    }

    fn fold_integer(&mut self, node: &'a Node<Expression>) -> Option<i64> {
        match self.constant(|l| l.value(node).0) {
            Operand::Const(Const::Int(value, _)) => Some(value),
            _ => None,
        }
    }

    /// What a place holds at the start, where its variable has a static initialiser; used in constant expressions.
    pub(crate) fn initial_value(&self, place: &Place) -> Option<Const> {
        let (Base::Variable(id), None) = (&place.base, place.bits) else { return None };
        let init = self.program.variables[*id].init.as_ref()?;
        if !self.linkage.initialised.contains(id) {
            return None;
        }
        let offset = u64::try_from(constant_offset(place)?).ok()?;
        let scalar = self.scalar(place.ty)?;
        let found = init.iter().find(|(at, _)| *at == offset).map(|(_, value)| value.clone());
        Some(found.unwrap_or_else(|| zero(Some(scalar))))
    }

    /// A static initialiser's value, converted to `ty`; reported where it is not constant.
    pub(crate) fn static_value(&mut self, node: &'a Node<Expression>, ty: ScalarType) -> Option<Const> {
        let span = self.span(node.span);
        let before = self.diagnostics.len();
        let operand = self.constant(|l| {
            let (operand, from) = l.value(node);
            let from = l.scalar(from).unwrap_or(ScalarType::I32);
            l.convert(operand, from, ty, span)
        });
        match operand {
            Operand::Const(constant) => {
                self.mark_constant(&constant);
                Some(constant)
            }
            Operand::Value(_) => {
                if self.diagnostics.len() == before {
                    let help = "static initialisers must be constant expressions";
                    self.error(&codes::NOT_CONSTANT, node.span, "initialiser is not constant".to_owned(), help);
                }
                None
            }
        }
    }

    /// What a static initialiser points to may be reached by address.
    fn mark_constant(&mut self, constant: &Const) {
        match constant {
            Const::Address(variable, _) => self.program.variables[*variable].address_taken = true,
            Const::Function(function) => self.program.functions[*function].address_taken = true,
            _ => {}
        }
    }

    /// The constant that an item is, in a constant expression.
    pub(crate) fn decided(&self, item: &ExprResult) -> Option<bool> {
        match item {
            ExprResult::Value(Operand::Const(constant), _) if self.body.constant => truth(constant),
            _ => None,
        }
    }
}
