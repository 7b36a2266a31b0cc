//! Conversions: loads, decay, promotions, the usual arithmetic conversions, truth values.

use crate::lower::context::constants;
use crate::lower::context::constants::constant_address;
use crate::lower::context::item::ExprResult;
use crate::lower::context::lowerer::Lowerer;
use chronos_base::span::Span;
use chronos_ir::raw::RawItem;
use chronos_ir::types::{ScalarType, Type, TypeId};
use chronos_ir::{Base, BinaryOp, BranchKind, Const, OpKind, Operand, Place, UnaryOp};
use lang_c::ast::Expression;
use lang_c::span::Node;

impl<'a> Lowerer<'a> {
    /// The value of an expression: loaded, arrays and functions decayed to pointers.
    pub(crate) fn value(&mut self, node: &'a Node<Expression>) -> (Operand, TypeId) {
        let item = self.expression(node);
        let span = self.span(node.span);
        self.load(item, span)
    }

    /// The value with its scalar type.
    pub(crate) fn scalar_value(&mut self, node: &'a Node<Expression>) -> (Operand, ScalarType) {
        let (operand, ty) = self.value(node);
        (operand, self.scalar(ty).unwrap_or(ScalarType::I32))
    }

    /// Evaluated up to the load of what is an array, a struct or a pending address; scalars are loaded.
    pub(crate) fn settled(&mut self, node: &'a Node<Expression>) -> ExprResult {
        let item = self.expression(node);
        match &item {
            ExprResult::Place(place) if self.scalar(place.ty).is_some() => {
                let span = self.span(node.span);
                let (operand, ty) = self.load(item, span);
                ExprResult::Value(operand, ty)
            }
            _ => item,
        }
    }

    pub(crate) fn load(&mut self, item: ExprResult, span: Span) -> (Operand, TypeId) {
        match item {
            ExprResult::Value(operand, ty) => (operand, ty),
            ExprResult::Pointer(place, ty) => (self.address(place, span), ty),
            ExprResult::Function(function, ty) => {
                if let (Const::Function(id), false) = (&function, self.body.unevaluated) {
                    self.program.functions[*id].address_taken = true;
                }
                (Operand::Const(function), self.pointer_to(ty))
            }
            ExprResult::Void => (constants::int(0, ScalarType::I32), self.int()),
            ExprResult::Place(place) => self.load_place(place, span),
        }
    }

    fn load_place(&mut self, place: Place, span: Span) -> (Operand, TypeId) {
        let ty = place.ty;
        match *self.ty(ty) {
            Type::Array { element, .. } => {
                let element = self.qualify(element, self.own_qualifiers(ty));
                let pointer = self.pointer_to(element);
                (self.address(place, span), pointer)
            }
            Type::Function { .. } => {
                let pointer = self.pointer_to(ty);
                (self.address(place, span), pointer)
            }
            Type::Scalar(_) | Type::Pointer(_) => self.read(place, span),
            Type::Void => (constants::int(0, ScalarType::I32), self.int()),
            Type::Struct(_) => {
                let int = self.int();
                (self.emit(OpKind::Opaque("struct used as a number".into()), ScalarType::I32, span), int)
            }
        }
    }

    fn read(&mut self, place: Place, span: Span) -> (Operand, TypeId) {
        let (ty, bits) = (place.ty, place.bits);
        if self.body.constant
            && let Some(constant) = self.initial_value(&place)
            && !(self.starts_free(&place) && self.body.free)
        {
            return (Operand::Const(constant), ty);
        }
        let scalar = self.scalar(ty).unwrap_or(ScalarType::I32);
        let operand = self.emit(OpKind::Read(place), scalar, span);
        // A bit-field narrower than int promotes to int whatever its declared type.
        match bits {
            Some((_, width)) if width < 32 && scalar != ScalarType::I32 && scalar.is_integer() => {
                let int = self.int();
                (self.convert(operand, scalar, ScalarType::I32, span), int)
            }
            _ => (operand, ty),
        }
    }

    /// The address of a place; its variable may be aliased from now on.
    pub(crate) fn address(&mut self, place: Place, span: Span) -> Operand {
        if let (Base::Variable(id), false) = (&place.base, self.body.unevaluated) {
            self.program.variables[*id].address_taken = true;
        }
        let is_constant = self.body.constant || matches!(place.base, Base::Pointer(Operand::Const(_)));
        if let (true, Some(constant)) = (is_constant, constant_address(&place)) {
            return Operand::Const(constant);
        }
        match place {
            Place { base: Base::Pointer(operand), steps, .. } if steps.is_empty() => operand,
            place => self.emit(OpKind::Address(place), ScalarType::Pointer, span),
        }
    }

    pub(crate) fn convert(&mut self, operand: Operand, from: ScalarType, to: ScalarType, span: Span) -> Operand {
        if from == to {
            return operand;
        }
        match &operand {
            Operand::Const(constant) => {
                if let Some(converted) = constants::convert(constant, to) {
                    return Operand::Const(converted);
                }
                let word = to == ScalarType::I64 || to == ScalarType::U64;
                // The address of an object as a number stays an address: offsets and casts back go on.
                if self.body.constant && (to == ScalarType::Pointer || word) {
                    return operand;
                }
                self.emit(OpKind::Convert(from, operand), to, span)
            }
            Operand::Value(_) => self.emit(OpKind::Convert(from, operand), to, span),
        }
    }

    /// Converts to a type; structs and void are left as they are.
    pub(crate) fn convert_to(&mut self, value: (Operand, TypeId), to: TypeId, span: Span) -> Operand {
        match (self.scalar(value.1), self.scalar(to)) {
            (Some(from), Some(to)) => self.convert(value.0, from, to, span),
            _ => value.0,
        }
    }

    /// The value as an array index.
    pub(crate) fn index_value(&mut self, node: &'a Node<Expression>) -> Operand {
        let (operand, ty) = self.scalar_value(node);
        let span = self.span(node.span);
        self.convert(operand, ty, ScalarType::I64, span)
    }

    pub(crate) fn binary(&mut self, op: BinaryOp, ty: ScalarType, a: Operand, b: Operand, span: Span) -> Operand {
        if let (Operand::Const(a), Operand::Const(b)) = (&a, &b)
            && let Some(constant) = constants::fold_binary(op, ty, a, b)
        {
            return Operand::Const(constant);
        }
        let result = if op.is_comparison() { ScalarType::I32 } else { ty };
        self.emit(OpKind::Binary(op, ty, a, b), result, span)
    }

    pub(crate) fn unary(&mut self, op: UnaryOp, ty: ScalarType, operand: Operand, span: Span) -> Operand {
        if let Operand::Const(constant) = &operand
            && let Some(constant) = constants::fold_unary(op, constant)
        {
            return Operand::Const(constant);
        }
        self.emit(OpKind::Unary(op, operand), ty, span)
    }

    /// 0 or 1, of type I32.
    pub(crate) fn truth(&mut self, operand: Operand, ty: ScalarType, span: Span) -> Operand {
        match &operand {
            Operand::Const(constant) => {
                if let Some(truth) = constants::truth(constant) {
                    return constants::int(i64::from(truth), ScalarType::I32);
                }
            }
            Operand::Value(_) if self.is_truth(&operand) => return operand,
            Operand::Value(_) => {}
        }
        self.binary(BinaryOp::Ne, ty, operand, Operand::Const(constants::zero(Some(ty))), span)
    }

    /// What was just computed is 0 or 1 already.
    fn is_truth(&self, operand: &Operand) -> bool {
        let Operand::Value(value) = operand else { return false };
        match self.body.region.last() {
            Some(RawItem::Op(op)) if op.dst == Some(*value) => match &op.kind {
                OpKind::Binary(op, ..) => op.is_comparison(),
                OpKind::Unary(op, _) => *op == UnaryOp::LogicalNot,
                _ => false,
            },
            Some(RawItem::Branch(branch)) if branch.result == Some(*value) => {
                matches!(branch.kind, BranchKind::And | BranchKind::Or)
            }
            _ => false,
        }
    }
}
