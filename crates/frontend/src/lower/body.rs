//! The function under construction.

use super::Lowerer;
use super::cleanups::{Cleanup, Scope};
use chronos_base::span::Span;
use chronos_ir::raw::{RawItem, RawRegion};
use chronos_ir::types::{ScalarType, TypeId};
use chronos_ir::{Jump, LabelId, Op, OpKind, Operand, TargetId, ValueId, VarId};
use lang_c::ast;
use lang_c::span::Node;
use std::collections::HashMap;
use std::sync::Arc;

/// What `case` and `default` inside a `switch` lowered through gotos name: labels by their place in the source.
pub(crate) type CaseLabels = HashMap<usize, LabelId>;

#[derive(Default)]
pub struct Body<'a> {
    /// The function's own name, for `__func__`.
    pub name: &'a str,
    pub function: Option<chronos_ir::FuncId>,
    pub result: Option<TypeId>,
    pub values: Vec<ScalarType>,
    pub region: RawRegion,
    pub locals: Vec<VarId>,
    pub labels: Vec<Label>,
    pub(crate) label_ids: HashMap<&'a str, LabelId>,
    pub targets: u32,
    /// Innermost last.
    pub breaks: Vec<Way>,
    pub continues: Vec<Way>,
    /// What is called at the ends of the scopes that are open.
    pub(crate) cleanups: Vec<Cleanup>,
    pub open: Vec<Scope>,
    /// The function's own.
    pub statement: Option<&'a Node<ast::Statement>>,
    pub cases: Vec<CaseLabels>,
    /// Total bytes (I64) of variable-length array types.
    pub(crate) vla_bytes: HashMap<TypeId, Operand>,
    /// The address of the variable arguments, in a variadic function.
    pub variable_arguments: Option<VarId>,
    /// What is lowered now is never executed (operands of sizeof and the like).
    pub(crate) unevaluated: bool,
    /// A constant expression is wanted: choices with known conditions are decided.
    pub constant: bool,
    /// Also in a constant expression, parameters stay free.
    pub free: bool,
}

/// A jump out of a statement, with the number of cleanups outside of that.
#[derive(Clone)]
pub struct Way {
    pub jump: Jump,
    pub outside: usize,
}

pub struct Label {
    pub name: Arc<str>,
    pub defined: bool,
    pub used: Span,
}

impl<'a> Lowerer<'a> {
    /// How to leave a statement that begins here.
    pub(super) fn way(&self, jump: Jump) -> Way {
        Way { jump, outside: self.body.cleanups.len() }
    }

    pub(super) fn emit(&mut self, kind: OpKind, ty: ScalarType, span: Span) -> Operand {
        let dst = self.new_value(ty);
        self.body.region.push(RawItem::Op(Op { dst: Some(dst), kind, span }));
        Operand::Value(dst)
    }

    pub(super) fn emit_effect(&mut self, kind: OpKind, span: Span) {
        self.body.region.push(RawItem::Op(Op { dst: None, kind, span }));
    }

    pub(super) fn new_value(&mut self, ty: ScalarType) -> ValueId {
        self.body.values.push(ty);
        chronos_base::ids::Id::new(self.body.values.len() - 1)
    }

    pub(super) fn new_target(&mut self) -> TargetId {
        self.body.targets += 1;
        TargetId(self.body.targets - 1)
    }

    /// What `lower` emits, apart.
    pub(super) fn region<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> (RawRegion, T) {
        let outer = std::mem::take(&mut self.body.region);
        let result = lower(self);
        (std::mem::replace(&mut self.body.region, outer), result)
    }

    /// Lowers for the type or the constant alone; nothing that is emitted stays.
    pub(super) fn scratch<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        let values = self.body.values.len();
        let unevaluated = std::mem::replace(&mut self.body.unevaluated, true);
        let (_, result) = self.region(lower);
        self.body.unevaluated = unevaluated;
        self.body.values.truncate(values);
        result
    }

    /// Like [`Self::scratch`], for a constant expression.
    pub(super) fn constant<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        let constant = std::mem::replace(&mut self.body.constant, true);
        let result = self.scratch(lower);
        self.body.constant = constant;
        result
    }

    pub(super) fn named_label(&mut self, name: &'a str, used: Span) -> LabelId {
        if let Some(&id) = self.body.label_ids.get(name) {
            return id;
        }
        let id = self.new_label(name.into(), used);
        self.body.label_ids.insert(name, id);
        id
    }

    pub(super) fn new_label(&mut self, name: Arc<str>, used: Span) -> LabelId {
        self.body.labels.push(Label { name, defined: false, used });
        chronos_base::ids::Id::new(self.body.labels.len() - 1)
    }

    /// Puts the label here. False where it stands somewhere already.
    pub(super) fn place_label(&mut self, label: LabelId, span: Span) -> bool {
        let entry = &mut self.body.labels[label.0 as usize];
        if std::mem::replace(&mut entry.defined, true) {
            return false;
        }
        self.body.region.push(RawItem::Label(label, span));
        true
    }
}
