//! Arithmetic on vectors of the compiler (`vector_size`), and the functions of the compiler that intrinsics of SSE2 and AVX are
//! made of (`__builtin_ia32_*`), element by element.
//!
//! A vector is a struct of an array, so that each operation is one of the scalar operations that the evaluation knows. What
//! is not here is a call of an unknown function, whose result is unknown.

use crate::lower::context::constants;
use crate::lower::context::item::ExprResult;
use crate::lower::context::lowerer::Lowerer;
use chronos_base::span::Span;
use chronos_ir::types::{ScalarType, Type, TypeId};
use chronos_ir::{BinaryOp, OpKind, Operand, Place, UnaryOp};
use lang_c::ast::{self, Expression};
use lang_c::span::Node;

/// What a function makes of vectors.
#[derive(Clone, Copy)]
enum Function {
    /// The first operand where the comparison with the second one holds, else the second one (MAXPD, MINPD: also of NaN).
    Choice(BinaryOp),
    /// All bits or none of each element, by the predicate that the third argument names (CMPPD).
    Comparison,
    /// The sign bits as an integer (MOVMSKPD).
    Signs,
    /// Every second element of both, from this one on, by turns (UNPCKLPD, UNPCKHPD).
    Interleaved(u64),
    /// The lower or the upper half, by the second argument (VEXTRACTF128).
    Half,
    /// The lower half (a cast to a shorter vector).
    LowerHalf,
    /// Arithmetic on the first elements; the others are those of the first operand (ADDSD).
    First(BinaryOp),
}

/// The function of this name, of doubles or floats.
fn function(name: &str) -> Option<Function> {
    Some(match name {
        "ia32_maxpd" | "ia32_maxpd256" | "ia32_maxps" | "ia32_maxps256" => Function::Choice(BinaryOp::Gt),
        "ia32_minpd" | "ia32_minpd256" | "ia32_minps" | "ia32_minps256" => Function::Choice(BinaryOp::Lt),
        "ia32_cmppd" | "ia32_cmppd256" | "ia32_cmpps" | "ia32_cmpps256" => Function::Comparison,
        "ia32_movmskpd" | "ia32_movmskpd256" | "ia32_movmskps" | "ia32_movmskps256" => Function::Signs,
        "ia32_unpcklpd" | "ia32_unpcklpd256" => Function::Interleaved(0),
        "ia32_unpckhpd" | "ia32_unpckhpd256" => Function::Interleaved(1),
        "ia32_vextractf128_pd256" | "ia32_vextractf128_ps256" => Function::Half,
        "ia32_pd_pd256" | "ia32_ps_ps256" => Function::LowerHalf,
        "ia32_addsd" | "ia32_addss" => Function::First(BinaryOp::Add),
        "ia32_subsd" | "ia32_subss" => Function::First(BinaryOp::Sub),
        "ia32_mulsd" | "ia32_mulss" => Function::First(BinaryOp::Mul),
        "ia32_divsd" | "ia32_divss" => Function::First(BinaryOp::Div),
        _ => return None,
    })
}

/// The relation that a predicate of CMPPD stands for, and whether it is negated; bit 4 only says which NaN raise exceptions (Intel
/// Software Developer's Manual, volume 2A, table 3-1). `None`: those that ask for NaN alone, and the constants.
fn predicate(number: i64) -> Option<(BinaryOp, bool)> {
    Some(match number & 15 {
        0 => (BinaryOp::Eq, false),
        1 => (BinaryOp::Lt, false),
        2 => (BinaryOp::Le, false),
        4 => (BinaryOp::Eq, true),
        5 => (BinaryOp::Lt, true),
        6 => (BinaryOp::Le, true),
        9 => (BinaryOp::Ge, true),
        10 => (BinaryOp::Gt, true),
        13 => (BinaryOp::Ge, false),
        14 => (BinaryOp::Gt, false),
        _ => return None,
    })
}

/// Elements of a vector.
#[derive(Clone, Copy)]
struct Shape {
    ty: TypeId,
    element: TypeId,
    scalar: ScalarType,
    length: u64,
}

impl<'a> Lowerer<'a> {
    fn shape(&self, ty: TypeId) -> Option<Shape> {
        let Type::Struct(id) = *self.ty(ty) else { return None };
        let vector = self.vectors.iter().find(|vector| vector.structure == id)?;
        let scalar = self.scalar(vector.element)?;
        let length = vector.bytes.checked_div(self.size(vector.element))?;
        Some(Shape { ty: vector.ty, element: vector.element, scalar, length })
    }

    fn shape_of(&self, item: &ExprResult) -> Option<Shape> {
        match item {
            ExprResult::Place(place) => self.shape(place.ty),
            _ => None,
        }
    }

    /// One element as a place; a scalar stands for a vector of equal elements.
    fn lane(&mut self, item: &ExprResult, index: u64) -> ExprResult {
        match item {
            ExprResult::Place(place) => match self.elements_of(place.ty) {
                Some(path) => {
                    let array = self.follow(place.clone(), &path);
                    let index = constants::int(i64::try_from(index).unwrap_or(0), ScalarType::I64);
                    ExprResult::Place(self.element(ExprResult::Place(array), index))
                }
                None => item.clone(),
            },
            item => item.clone(),
        }
    }

    fn lane_value(&mut self, item: &ExprResult, index: u64, scalar: ScalarType, span: Span) -> Operand {
        let lane = self.lane(item, index);
        let (operand, ty) = self.load(lane, span);
        let from = self.scalar(ty).unwrap_or(scalar);
        self.convert(operand, from, scalar, span)
    }

    fn set_lane(&mut self, vector: &Place, index: u64, value: Operand, span: Span) {
        if let ExprResult::Place(place) = self.lane(&ExprResult::Place(vector.clone()), index) {
            self.emit_effect(OpKind::Write(place, value), span);
        }
    }

    /// `a op b` of vectors, or of a vector and a scalar; `None` where neither is one, and of comparisons.
    pub(crate) fn vector_arithmetic(
        &mut self,
        op: BinaryOp,
        a: &ExprResult,
        b: &ExprResult,
        span: Span,
    ) -> Option<ExprResult> {
        let shape = self.shape_of(a).or_else(|| self.shape_of(b)).filter(|_| !op.is_comparison())?;
        let other = [a, b].into_iter().filter_map(|item| self.shape_of(item)).any(|other| other.length != shape.length);
        if other {
            return None;
        }
        let result = self.temporary(shape.ty, span);
        for index in 0..shape.length {
            let left = self.lane_value(a, index, shape.scalar, span);
            let right = self.lane_value(b, index, shape.scalar, span);
            let value = self.binary(op, shape.scalar, left, right, span);
            self.set_lane(&result, index, value, span);
        }
        Some(ExprResult::Place(result))
    }

    /// `-a` of a vector.
    pub(crate) fn vector_negation(&mut self, item: &ExprResult, span: Span) -> Option<ExprResult> {
        let shape = self.shape_of(item)?;
        let result = self.temporary(shape.ty, span);
        for index in 0..shape.length {
            let value = self.lane_value(item, index, shape.scalar, span);
            let value = self.unary(UnaryOp::Neg, shape.scalar, value, span);
            self.set_lane(&result, index, value, span);
        }
        Some(ExprResult::Place(result))
    }

    /// A function of the compiler that works on vectors; `None` where it is another one.
    pub(crate) fn vector_builtin(
        &mut self,
        name: &str,
        arguments: &'a [Node<Expression>],
        node: &Node<ast::CallExpression>,
    ) -> Option<ExprResult> {
        let function = function(name)?;
        let span = self.span(node.span);
        let constant =
            |lowerer: &mut Self, index: usize| arguments.get(index).and_then(|n| lowerer.constant_integer(n));
        let number = match function {
            Function::Comparison => Some(predicate(constant(self, 2)?)?),
            _ => None,
        };
        let a = self.settled(arguments.first()?);
        let shape = self.shape_of(&a)?;
        Some(match function {
            Function::Signs => self.signs(&a, shape, span),
            Function::Half => {
                let is_lower = constant(self, 1)? & 1 == 0;
                self.half(&a, is_lower, shape, span)
            }
            Function::LowerHalf => self.half(&a, true, shape, span),
            Function::First(op) => {
                let b = self.settled(arguments.get(1)?);
                self.first(op, &a, &b, shape, span)
            }
            Function::Choice(op) => {
                let b = self.settled(arguments.get(1)?);
                self.chosen(op, &a, &b, shape, span)
            }
            Function::Comparison => {
                let b = self.settled(arguments.get(1)?);
                self.compared(number?, &a, &b, shape, span)
            }
            Function::Interleaved(from) => {
                let b = self.settled(arguments.get(1)?);
                let lanes: Vec<_> = (0..shape.length)
                    .map(|index| (if index % 2 == 0 { &a } else { &b }, index - index % 2 + from))
                    .collect();
                self.gathered(shape.ty, &lanes, shape.scalar, span)
            }
        })
    }

    /// Elements of vectors as a new one.
    fn gathered(&mut self, ty: TypeId, lanes: &[(&ExprResult, u64)], scalar: ScalarType, span: Span) -> ExprResult {
        let result = self.temporary(ty, span);
        for (to, &(from, index)) in (0..).zip(lanes) {
            let value = self.lane_value(from, index, scalar, span);
            self.set_lane(&result, to, value, span);
        }
        ExprResult::Place(result)
    }

    fn half(&mut self, vector: &ExprResult, is_lower: bool, shape: Shape, span: Span) -> ExprResult {
        let length = shape.length / 2;
        let ty = self.vector_of(shape.element, length);
        let first = if is_lower { 0 } else { length };
        let lanes: Vec<_> = (first..first + length).map(|index| (vector, index)).collect();
        self.gathered(ty, &lanes, shape.scalar, span)
    }

    fn first(&mut self, op: BinaryOp, a: &ExprResult, b: &ExprResult, shape: Shape, span: Span) -> ExprResult {
        let result = self.temporary(shape.ty, span);
        let values = [a, b].map(|item| self.lane_value(item, 0, shape.scalar, span));
        let [left, right] = values;
        let value = self.binary(op, shape.scalar, left, right, span);
        self.set_lane(&result, 0, value, span);
        for index in 1..shape.length {
            let value = self.lane_value(a, index, shape.scalar, span);
            self.set_lane(&result, index, value, span);
        }
        ExprResult::Place(result)
    }

    /// A table of both operands is indexed by the comparison, since no operation of the program chooses.
    fn chosen(&mut self, op: BinaryOp, a: &ExprResult, b: &ExprResult, shape: Shape, span: Span) -> ExprResult {
        let result = self.temporary(shape.ty, span);
        let pair = self.array_of(shape.element, Some(2));
        let pair = ExprResult::Place(self.temporary(pair, span));
        for index in 0..shape.length {
            let values = [b, a].map(|item| self.lane_value(item, index, shape.scalar, span));
            for (at, value) in (0..).zip(&values) {
                let place = self.element(pair.clone(), constants::int(at, ScalarType::I64));
                self.emit_effect(OpKind::Write(place, value.clone()), span);
            }
            let [second, first] = values;
            let holds = self.binary(op, shape.scalar, first, second, span);
            let holds = self.convert(holds, ScalarType::I32, ScalarType::I64, span);
            let place = self.element(pair.clone(), holds);
            let (value, _) = self.load(ExprResult::Place(place), span);
            self.set_lane(&result, index, value, span);
        }
        ExprResult::Place(result)
    }

    fn compared(
        &mut self,
        (op, negated): (BinaryOp, bool),
        a: &ExprResult,
        b: &ExprResult,
        shape: Shape,
        span: Span,
    ) -> ExprResult {
        let result = self.temporary(shape.ty, span);
        let bits = self.bits_of(&result, shape, span);
        let word = word_of(shape.scalar);
        for index in 0..shape.length {
            let left = self.lane_value(a, index, shape.scalar, span);
            let right = self.lane_value(b, index, shape.scalar, span);
            let mut holds = self.binary(op, shape.scalar, left, right, span);
            if negated {
                holds = self.unary(UnaryOp::LogicalNot, ScalarType::I32, holds, span);
            }
            let holds = self.convert(holds, ScalarType::I32, word, span);
            let mask = self.unary(UnaryOp::Neg, word, holds, span);
            let at = self.word_at(&bits, index);
            self.emit_effect(OpKind::Write(at, mask), span);
        }
        ExprResult::Place(result)
    }

    fn signs(&mut self, vector: &ExprResult, shape: Shape, span: Span) -> ExprResult {
        let mut signs = constants::int(0, ScalarType::I32);
        let ExprResult::Place(place) = vector else { return ExprResult::Value(signs, self.int()) };
        let bits = self.bits_of(place, shape, span);
        let word = word_of(shape.scalar);
        for index in 0..shape.length {
            let at = self.word_at(&bits, index);
            let (lane, _) = self.load(ExprResult::Place(at), span);
            let negative = self.binary(BinaryOp::Lt, word, lane, constants::int(0, word), span);
            let by = constants::int(i64::try_from(index).unwrap_or(0), ScalarType::I32);
            let bit = self.binary(BinaryOp::Shl, ScalarType::I32, negative, by, span);
            signs = self.binary(BinaryOp::Or, ScalarType::I32, signs, bit, span);
        }
        ExprResult::Value(signs, self.int())
    }

    /// A vector's elements as integers of their size.
    fn bits_of(&mut self, vector: &Place, shape: Shape, span: Span) -> ExprResult {
        let word = self.scalar_type(word_of(shape.scalar));
        let pointer = self.pointer_to(word);
        let address = self.address(vector.clone(), span);
        ExprResult::Value(address, pointer)
    }

    fn word_at(&mut self, bits: &ExprResult, index: u64) -> Place {
        self.element(bits.clone(), constants::int(i64::try_from(index).unwrap_or(0), ScalarType::I64))
    }
}

/// The integer of the size of an element.
fn word_of(scalar: ScalarType) -> ScalarType {
    if scalar == ScalarType::F32 { ScalarType::I32 } else { ScalarType::I64 }
}
