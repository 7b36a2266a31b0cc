//! The function under construction.

use crate::lower::context::body::{Label, PendingJump};
use crate::lower::context::lowerer::Lowerer;
use chronos_base::span::Span;
use chronos_ir::raw::{RawItem, RawRegion};
use chronos_ir::types::ScalarType;
use chronos_ir::{Jump, LabelId, Op, OpKind, Operand, TargetId, ValueId};
use std::sync::Arc;

impl<'a> Lowerer<'a> {
    /// How to leave a statement that begins here.
    pub(crate) fn pending_jump(&self, jump: Jump) -> PendingJump {
        PendingJump { jump, outside: self.body.cleanups.len() }
    }

    pub(crate) fn emit(&mut self, kind: OpKind, ty: ScalarType, span: Span) -> Operand {
        let dst = self.new_value(ty);
        self.body.region.push(RawItem::Op(Op { dst: Some(dst), kind, span }));
        Operand::Value(dst)
    }

    pub(crate) fn emit_effect(&mut self, kind: OpKind, span: Span) {
        self.body.region.push(RawItem::Op(Op { dst: None, kind, span }));
    }

    pub(crate) fn new_value(&mut self, ty: ScalarType) -> ValueId {
        self.body.values.push(ty);
        chronos_base::ids::Id::new(self.body.values.len() - 1)
    }

    pub(crate) fn new_target(&mut self) -> TargetId {
        self.body.targets += 1;
        TargetId(self.body.targets - 1)
    }

    /// What `lower` emits, apart.
    pub(crate) fn region<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> (RawRegion, T) {
        let outer = std::mem::take(&mut self.body.region);
        let result = lower(self);
        (std::mem::replace(&mut self.body.region, outer), result)
    }

    /// Lowers for the type or the constant alone; nothing that is emitted stays.
    pub(crate) fn scratch<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        let values = self.body.values.len();
        let unevaluated = std::mem::replace(&mut self.body.unevaluated, true);
        let (_, result) = self.region(lower);
        self.body.unevaluated = unevaluated;
        self.body.values.truncate(values);
        result
    }

    /// Like [`Self::scratch`], for a constant expression.
    pub(crate) fn constant<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        let constant = std::mem::replace(&mut self.body.constant, true);
        let result = self.scratch(lower);
        self.body.constant = constant;
        result
    }

    pub(crate) fn named_label(&mut self, name: &'a str, used: Span) -> LabelId {
        if let Some(&id) = self.body.label_ids.get(name) {
            return id;
        }
        let id = self.new_label(name.into(), used);
        self.body.label_ids.insert(name, id);
        id
    }

    pub(crate) fn new_label(&mut self, name: Arc<str>, used: Span) -> LabelId {
        self.body.labels.push(Label { name, defined: false, used });
        chronos_base::ids::Id::new(self.body.labels.len() - 1)
    }

    /// Puts the label here. False where it stands somewhere already.
    pub(crate) fn place_label(&mut self, label: LabelId, span: Span) -> bool {
        let entry = &mut self.body.labels[label.0 as usize];
        if std::mem::replace(&mut entry.defined, true) {
            return false;
        }
        self.body.region.push(RawItem::Label(label, span));
        true
    }
}
