//! `&&`, `||` and `?:`: branches with a value.

use crate::SAME_AS_CONDITION;
use crate::lower::context::constants;
use crate::lower::context::constants::common;
use crate::lower::context::interner::Qualifiers;
use crate::lower::context::item::ExprResult;
use crate::lower::context::lowerer::Lowerer;
use chronos_base::span::Span;
use chronos_ir::raw::{RawArm, RawBranch, RawItem, RawRegion};
use chronos_ir::types::{ScalarType, Type, TypeId};
use chronos_ir::{ArmLabel, BranchKind, OpKind, Operand};
use lang_c::ast::{self, Expression};
use lang_c::span::Node;

/// An arm of `?:` under construction.
struct Choice {
    region: RawRegion,
    item: ExprResult,
    span: Span,
}

impl<'a> Lowerer<'a> {
    pub(crate) fn logical(&mut self, node: &'a Node<ast::BinaryOperatorExpression>, is_and: bool) -> ExprResult {
        let span = self.span(node.span);
        let (lhs, rhs) = (&node.node.lhs, &node.node.rhs);
        let (condition, _) = self.scalar_value(lhs);
        let int = self.int();
        if let Some(truth) = self.decided(&ExprResult::Value(condition.clone(), int)) {
            if truth != is_and {
                return ExprResult::Value(constants::int(i64::from(truth), ScalarType::I32), int);
            }
            return ExprResult::Value(self.truth_of(rhs), int);
        }
        let (region, value) = self.region(|l| l.truth_of(rhs));
        let arm = RawArm {
            labels: vec![if is_and { ArmLabel::True } else { ArmLabel::False }],
            region,
            value: Some(value),
            falls_through: false,
            span: Some(self.span(rhs.span)),
        };
        let kind = if is_and { BranchKind::And } else { BranchKind::Or };
        let result = self.new_value(ScalarType::I32);
        self.branch(RawBranch { kind, condition, arms: vec![arm], result: Some(result), target: None, span });
        ExprResult::Value(Operand::Value(result), int)
    }

    fn truth_of(&mut self, node: &'a Node<Expression>) -> Operand {
        let (operand, ty) = self.scalar_value(node);
        let span = self.span(node.span);
        self.truth(operand, ty, span)
    }

    pub(crate) fn branch(&mut self, branch: RawBranch) {
        self.body.region.push(RawItem::Branch(Box::new(branch)));
    }

    pub(crate) fn conditional(&mut self, node: &'a Node<ast::ConditionalExpression>) -> ExprResult {
        let parts = &node.node;
        let (condition, ty) = self.value(&parts.condition);
        if let Some(truth) = self.decided(&ExprResult::Value(condition.clone(), ty)) {
            let item = match &parts.then_expression.node {
                Expression::Identifier(name) if truth && name.node.name == SAME_AS_CONDITION => {
                    ExprResult::Value(condition, ty)
                }
                _ => self.expression(if truth { &parts.then_expression } else { &parts.else_expression }),
            };
            let other = if truth { &parts.else_expression } else { &parts.then_expression };
            return self.converted_choice(item, other, self.span(node.span));
        }
        let yes = match &parts.then_expression.node {
            // GNU `a ?: b`: the value of the condition, not computed again.
            Expression::Identifier(name) if name.node.name == SAME_AS_CONDITION => {
                let span = self.span(parts.condition.span);
                Choice { region: Vec::new(), item: ExprResult::Value(condition.clone(), ty), span }
            }
            _ => self.choice(&parts.then_expression),
        };
        let no = self.choice(&parts.else_expression);
        let ty = self.common_type(&yes.item, &no.item);
        let span = self.span(node.span);
        match *self.ty(ty) {
            Type::Void => self.finish_choice(condition, [yes, no], None, span),
            Type::Struct(_) => self.choose_struct(condition, [yes, no], ty, span),
            _ => self.finish_choice(condition, [yes, no], Some(ty), span),
        }
    }

    fn choice(&mut self, node: &'a Node<Expression>) -> Choice {
        let (region, item) = self.region(|l| l.settled(node));
        Choice { region, item, span: self.span(node.span) }
    }

    /// The type of the whole, by the rules of C for the two arms.
    fn common_type(&mut self, yes: &ExprResult, no: &ExprResult) -> TypeId {
        let (a, b) = (self.value_type(yes), self.value_type(no));
        match (self.ty(a).clone(), self.ty(b).clone()) {
            (Type::Scalar(s), Type::Scalar(t)) => self.computed_type(common(s, t), &[a, b]),
            (Type::Pointer(_), Type::Pointer(_)) if self.is_null(no) => self.unqualified(a),
            (Type::Pointer(_), Type::Pointer(_)) if self.is_null(yes) => self.unqualified(b),
            (Type::Pointer(s), Type::Pointer(t)) => self.common_pointer(s, t),
            (Type::Pointer(_), Type::Scalar(_)) | (Type::Struct(_), _) => a,
            (Type::Scalar(_), Type::Pointer(_)) | (_, Type::Struct(_)) => b,
            _ => self.void(),
        }
    }

    /// A pointer to what one of two pointers points to, with the qualifiers of both; to `void` if one is (ISO C, 6.5.15).
    fn common_pointer(&mut self, a: TypeId, b: TypeId) -> TypeId {
        let both = self.qualifiers(a).with(self.qualifiers(b));
        let target = if matches!(self.ty(b), Type::Void) { b } else { a };
        let target = self.qualify(target, both);
        self.pointer_to(target)
    }

    /// Whether an item is a null pointer constant.
    fn is_null(&self, item: &ExprResult) -> bool {
        let ExprResult::Value(Operand::Const(chronos_ir::Const::Int(0, _)), ty) = item else { return false };
        match self.ty(*ty) {
            Type::Pointer(target) => {
                matches!(self.ty(*target), Type::Void) && self.qualifiers(*target) == Qualifiers::default()
            }
            _ => true,
        }
    }

    /// The arm that a constant chooses has the type of both.
    fn converted_choice(&mut self, item: ExprResult, other: &'a Node<Expression>, span: Span) -> ExprResult {
        let is_name = matches!(&other.node, Expression::Identifier(name) if name.node.name == SAME_AS_CONDITION);
        let own = self.value_type(&item);
        if is_name || !matches!(self.ty(own), Type::Scalar(_) | Type::Pointer(_)) {
            return item;
        }
        let other = self.scratch(|l| l.settled(other));
        let ty = self.common_type(&item, &other);
        if !matches!(self.ty(ty), Type::Scalar(_) | Type::Pointer(_)) {
            return item;
        }
        match item {
            ExprResult::Pointer(mut place, _) => match *self.ty(ty) {
                Type::Pointer(target) => {
                    place.ty = target;
                    ExprResult::Pointer(place, ty)
                }
                _ => ExprResult::Pointer(place, ty),
            },
            ExprResult::Place(place) if matches!(self.ty(place.ty), Type::Array { .. }) => ExprResult::Place(place),
            ExprResult::Function(..) => item,
            item => {
                let value = self.load(item, span);
                ExprResult::Value(self.convert_to(value, ty, span), ty)
            }
        }
    }

    /// The type that an item has once it is loaded.
    pub(crate) fn value_type(&mut self, item: &ExprResult) -> TypeId {
        match item {
            ExprResult::Function(_, ty) => self.pointer_to(*ty),
            ExprResult::Place(place) => {
                let ty = place.ty;
                self.adjusted(ty)
            }
            _ => self.result_type(item),
        }
    }

    fn finish_choice(
        &mut self,
        condition: Operand,
        choices: [Choice; 2],
        ty: Option<TypeId>,
        span: Span,
    ) -> ExprResult {
        let arms = choices.map(|choice| {
            let Choice { region, item, span } = choice;
            let (region, value) = self.go_on(region, |l| {
                let ty = ty?;
                let value = l.load(item, span);
                Some(l.convert_to(value, ty, span))
            });
            (region, value, span)
        });
        let result = ty.and_then(|ty| self.scalar(ty)).map(|scalar| self.new_value(scalar));
        self.two_arms(condition, arms, result, span);
        match (result, ty) {
            (Some(result), Some(ty)) => ExprResult::Value(Operand::Value(result), ty),
            _ => ExprResult::Void,
        }
    }

    fn choose_struct(&mut self, condition: Operand, choices: [Choice; 2], ty: TypeId, span: Span) -> ExprResult {
        let to = self.temporary(ty, span);
        let bytes = self.size(ty);
        let arms = choices.map(|choice| {
            let (region, ()) = self.go_on(choice.region, |l| {
                if let ExprResult::Place(from) = choice.item {
                    l.emit_effect(OpKind::Copy { to: to.clone(), from, bytes }, choice.span);
                }
            });
            (region, None, choice.span)
        });
        self.two_arms(condition, arms, None, span);
        ExprResult::Place(to)
    }

    fn two_arms(
        &mut self,
        condition: Operand,
        arms: [(RawRegion, Option<Operand>, Span); 2],
        result: Option<chronos_ir::ValueId>,
        span: Span,
    ) {
        let labels = [ArmLabel::True, ArmLabel::False];
        let arms = labels.into_iter().zip(arms).map(|(label, (region, value, span))| RawArm {
            labels: vec![label],
            region,
            value,
            falls_through: false,
            span: Some(span),
        });
        let arms = arms.collect();
        self.branch(RawBranch { kind: BranchKind::Conditional, condition, arms, result, target: None, span });
    }

    /// Emits more at the end of a region that was set apart.
    fn go_on<T>(&mut self, region: RawRegion, lower: impl FnOnce(&mut Self) -> T) -> (RawRegion, T) {
        let outer = std::mem::replace(&mut self.body.region, region);
        let result = lower(self);
        (std::mem::replace(&mut self.body.region, outer), result)
    }
}
