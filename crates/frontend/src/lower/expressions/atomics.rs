//! Atomic operations that the compiler knows (`__sync_*`, `__atomic_*`): what they do to memory. A task has one
//! thread, so that they are done at once is no matter.

use crate::lower::context::constants;
use crate::lower::context::item::ExprResult;
use crate::lower::context::lowerer::Lowerer;
use chronos_base::span::Span;
use chronos_ir::types::{ScalarType, TypeId};
use chronos_ir::{BinaryOp, OpKind, Operand, Place, UnaryOp};
use lang_c::ast;
use lang_c::span::Node;

/// What a name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Fence,
    Load,
    /// The result is what was there before, or nothing.
    Store,
    Exchange,
    Clear,
    Update {
        op: Option<BinaryOp>,
        /// The result is the new value.
        new: bool,
    },
    CompareAndSwap {
        /// The result says whether it was done.
        told: bool,
    },
}

fn kind(name: &str) -> Option<Kind> {
    let plain = name.strip_prefix("__sync_").or_else(|| name.strip_prefix("__atomic_"))?;
    Some(match plain {
        "synchronize" | "thread_fence" | "signal_fence" => Kind::Fence,
        "load_n" => Kind::Load,
        "store_n" => Kind::Store,
        "lock_test_and_set" | "exchange_n" => Kind::Exchange,
        "lock_release" | "clear" => Kind::Clear,
        "bool_compare_and_swap" => Kind::CompareAndSwap { told: true },
        "val_compare_and_swap" => Kind::CompareAndSwap { told: false },
        _ => {
            let after = plain.strip_suffix("_and_fetch").or_else(|| plain.strip_suffix("_fetch"));
            let before = plain.strip_prefix("fetch_and_").or_else(|| plain.strip_prefix("fetch_"));
            Kind::Update { op: operation(after.or(before)?)?, new: after.is_some() }
        }
    })
}

/// `None` inside for nand.
fn operation(name: &str) -> Option<Option<BinaryOp>> {
    Some(match name {
        "add" => Some(BinaryOp::Add),
        "sub" => Some(BinaryOp::Sub),
        "or" => Some(BinaryOp::Or),
        "and" => Some(BinaryOp::And),
        "xor" => Some(BinaryOp::Xor),
        "nand" => None,
        _ => return None,
    })
}

/// The object that an atomic operation is about.
struct Target {
    place: Place,
    ty: TypeId,
    scalar: ScalarType,
}

impl<'a> Lowerer<'a> {
    /// `None` where it is no atomic operation, or one of something other than a number or pointer.
    pub(crate) fn atomic(&mut self, name: &str, node: &'a Node<ast::CallExpression>) -> Option<ExprResult> {
        let kind = kind(name)?;
        let arguments = &node.node.arguments;
        let span = self.span(node.span);
        if kind == Kind::Fence {
            return Some(ExprResult::Void);
        }
        let (first, rest) = arguments.split_first()?;
        let wanted = match kind {
            Kind::CompareAndSwap { .. } => 2,
            Kind::Load | Kind::Clear | Kind::Fence => 0,
            _ => 1,
        };
        let operands = rest.get(..wanted)?;
        let pointer = self.settled(first);
        let ty = self.target_type(&pointer)?;
        let scalar = self.scalar(ty)?;
        let pointer = self.evaluated(pointer, span);
        let place = self.element(pointer, constants::int(0, ScalarType::I64));
        let values: Vec<Operand> = operands.iter().map(|operand| self.operand_as(operand, ty)).collect();
        let target = Target { place, ty, scalar };
        Some(self.atomic_effect(kind, &target, &values, span))
    }

    /// A pointer, loaded once.
    fn evaluated(&mut self, pointer: ExprResult, span: Span) -> ExprResult {
        let (operand, ty) = self.load(pointer, span);
        ExprResult::Value(operand, ty)
    }

    fn operand_as(&mut self, node: &'a Node<ast::Expression>, ty: TypeId) -> Operand {
        let span = self.span(node.span);
        let item = self.settled(node);
        let value = self.load(item, span);
        self.convert_to(value, ty, span)
    }

    fn atomic_effect(&mut self, kind: Kind, target: &Target, values: &[Operand], span: Span) -> ExprResult {
        let Target { place, ty, scalar } = target;
        let write = |this: &mut Self, value: Operand| this.emit_effect(OpKind::Write(place.clone(), value), span);
        let zero = constants::zero(Some(*scalar));
        let value = || values.first().cloned().unwrap_or_else(|| Operand::Const(zero.clone()));
        if matches!(kind, Kind::Store | Kind::Clear | Kind::Fence) {
            write(self, value());
            return ExprResult::Void;
        }
        // What another thread or task writes is seen: a loop of loads alone may end.
        let volatile = place.volatile || matches!(kind, Kind::Load);
        let old = self.emit(OpKind::Read(Place { volatile, ..place.clone() }), *scalar, span);
        match kind {
            Kind::Exchange => write(self, value()),
            Kind::Update { op, new } => {
                let updated = self.binary(op.unwrap_or(BinaryOp::And), *scalar, old.clone(), value(), span);
                let updated = match op {
                    Some(_) => updated,
                    None => self.emit(OpKind::Unary(UnaryOp::Not, updated), *scalar, span),
                };
                write(self, updated.clone());
                return ExprResult::Value(if new { updated } else { old }, *ty);
            }
            Kind::CompareAndSwap { told } => return self.compare_and_swap(told, target, &old, values, span),
            _ => {}
        }
        ExprResult::Value(old, *ty)
    }

    /// Without a branch, as the instruction is: old + (old == expected) * (new - old).
    fn compare_and_swap(
        &mut self,
        told: bool,
        target: &Target,
        old: &Operand,
        values: &[Operand],
        span: Span,
    ) -> ExprResult {
        let [expected, new] = values else { return ExprResult::Value(old.clone(), target.ty) };
        let scalar = target.scalar;
        let equal = self.binary(BinaryOp::Eq, scalar, old.clone(), expected.clone(), span);
        let result = if scalar.is_integer() {
            let factor = self.convert(equal.clone(), ScalarType::I32, scalar, span);
            let difference = self.binary(BinaryOp::Sub, scalar, new.clone(), old.clone(), span);
            let change = self.binary(BinaryOp::Mul, scalar, factor, difference, span);
            self.binary(BinaryOp::Add, scalar, old.clone(), change, span)
        } else {
            self.emit(OpKind::Opaque("atomic exchange of pointers".into()), scalar, span)
        };
        self.emit_effect(OpKind::Write(target.place.clone(), result), span);
        if told { ExprResult::Value(equal, self.int()) } else { ExprResult::Value(old.clone(), target.ty) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_understood() {
        assert_eq!(kind("__sync_fetch_and_add"), Some(Kind::Update { op: Some(BinaryOp::Add), new: false }));
        assert_eq!(kind("__atomic_xor_fetch"), Some(Kind::Update { op: Some(BinaryOp::Xor), new: true }));
        assert_eq!(kind("__sync_nand_and_fetch"), Some(Kind::Update { op: None, new: true }));
        assert_eq!(kind("__atomic_load_n"), Some(Kind::Load));
        assert_eq!(kind("__atomic_frobnicate"), None);
        assert_eq!(kind("fetch_add"), None);
    }
}
