//! Sizes of arrays whose length is left free: laid out with the length that the source gives, but
//! `sizeof` is an expression of the parameters.

use crate::lower::context::affine::Affine;
use crate::lower::context::constants;
use crate::lower::context::item::ExprResult;
use crate::lower::context::lowerer::Lowerer;
use chronos_base::span::Span;
use chronos_ir::types::{ScalarType, Type, TypeId};
use chronos_ir::{BinaryOp, Const, OpKind, Operand};
use lang_c::ast::{BinaryOperator, BinaryOperatorExpression, Expression};
use lang_c::span::Node;

impl<'a> Lowerer<'a> {
    /// An array type of its own, where the length took a parameter's default since `mark`.
    pub(crate) fn free_array(
        &mut self,
        mark: usize,
        element: TypeId,
        length: u64,
        size: &'a Node<Expression>,
    ) -> Option<TypeId> {
        let position = self.free.taken_since(mark)?;
        let value = self.affine_value(size, ScalarType::I64);
        let ty = self.program.types.types.push(Type::Array { element, length: Some(length) });
        self.free.lengths.insert(ty, (position, value));
        Some(ty)
    }

    /// The size of a type that depends on parameters; `None` where it does not, or where its own value must
    /// do, which is noted.
    pub(crate) fn free_size(&mut self, ty: TypeId, at: lang_c::span::Span) -> Option<ExprResult> {
        if self.free.lengths.is_empty() {
            return None;
        }
        let position = self.default_length(ty)?;
        let span = self.span(at);
        if self.body.constant && !self.body.free {
            self.free.take(position);
            return None;
        }
        let Some(bytes) = self.free_bytes(ty, span) else {
            self.fix(position, at, "size of an array");
            return None;
        };
        let scalar = self.size_scalar();
        let operand = self.convert(bytes, ScalarType::I64, scalar, span);
        Some(ExprResult::Value(operand, self.scalar_type(scalar)))
    }

    /// `sizeof a / sizeof a[0]`: the length itself, as a quotient of products would be no sum of parameters.
    pub(crate) fn free_quotient(&mut self, node: &'a Node<BinaryOperatorExpression>) -> Option<ExprResult> {
        let is_quotient = matches!(node.node.operator.node, BinaryOperator::Divide);
        if !is_quotient || self.free.lengths.is_empty() || self.body.constant && !self.body.free {
            return None;
        }
        let (array, part) = (self.measured(&node.node.lhs)?, self.measured(&node.node.rhs)?);
        let Type::Array { element, .. } = *self.ty(array) else { return None };
        let value = self.free.lengths.get(&array).filter(|_| element == part).and_then(|(_, value)| value.clone())?;
        let span = self.span(node.span);
        let length = self.affine_operand(&value, span)?;
        let scalar = self.size_scalar();
        let operand = self.convert(length, ScalarType::I64, scalar, span);
        Some(ExprResult::Value(operand, self.scalar_type(scalar)))
    }

    /// The type whose size an expression is.
    fn measured(&mut self, node: &'a Node<Expression>) -> Option<TypeId> {
        match &node.node {
            Expression::SizeOfTy(size) => Some(self.type_name(&size.node.0)),
            Expression::SizeOfVal(size) => Some(self.expression_type(&size.node.0)),
            _ => None,
        }
    }

    /// The parameter that a type's size depends on.
    fn default_length(&self, ty: TypeId) -> Option<usize> {
        match self.ty(ty) {
            _ if self.free.lengths.contains_key(&ty) => self.free.lengths.get(&ty).map(|(position, _)| *position),
            Type::Array { element, .. } => self.default_length(*element),
            Type::Struct(id) => {
                let fields = self.program.types.structs[*id].fields.as_deref().unwrap_or_default();
                fields.iter().find_map(|field| self.default_length(field.ty))
            }
            _ => None,
        }
    }

    /// The bytes of an array, of type I64; `None` where they are no product of sums of parameters.
    fn free_bytes(&mut self, ty: TypeId, span: Span) -> Option<Operand> {
        let (element, length) = match *self.ty(ty) {
            Type::Array { element, length } => (element, length?),
            _ if self.default_length(ty).is_none() => return Some(constants::int(self.size(ty), ScalarType::I64)),
            _ => return None,
        };
        let length = match self.free.lengths.get(&ty).cloned() {
            Some((_, value)) => self.affine_operand(&value?, span)?,
            None => constants::int(length, ScalarType::I64),
        };
        let unit = self.free_bytes(element, span)?;
        Some(if is_one(&unit) { length } else { self.binary(BinaryOp::Mul, ScalarType::I64, length, unit, span) })
    }

    /// A sum of constants of the source; `None` where a variable that the program may change is among them.
    fn affine_operand(&mut self, value: &Affine, span: Span) -> Option<Operand> {
        let constant = i64::try_from(value.constant).ok()?;
        let mut sum = (constant != 0).then(|| constants::int(constant, ScalarType::I64));
        for &(position, factor) in &value.terms {
            let found = self.free.found[position].filter(|found| found.is_constant)?;
            let place = self.variable_place(found.variable);
            let read = self.emit(OpKind::Read(place), found.ty, span);
            let wide = self.convert(read, found.ty, ScalarType::I64, span);
            let factor = constants::int(i64::try_from(factor).ok()?, ScalarType::I64);
            let term =
                if is_one(&factor) { wide } else { self.binary(BinaryOp::Mul, ScalarType::I64, factor, wide, span) };
            sum = Some(match sum {
                Some(sum) => self.binary(BinaryOp::Add, ScalarType::I64, sum, term, span),
                None => term,
            });
        }
        sum
    }
}

fn is_one(operand: &Operand) -> bool {
    matches!(operand, Operand::Const(Const::Int(1, _)))
}
