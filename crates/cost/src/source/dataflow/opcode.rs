//! What makes a value of an iteration, as an operator without its operands.
//!
//! Operator and operands together are the expression that hash-based value numbering looks up: equal expressions get
//! one number, and are computed once (Alpern, Wegman and Zadeck, POPL 1988; Click, PLDI 1995; Muchnick 1997, section
//! 12.4). Later decisions, such as whether a loop is a reduction, are made on these types and never on text.

use crate::source::address::affine::Affine;
use crate::source::address::place::{Address, Root};
use chronos_ir::{BinaryOp, BlockId, Const, FuncId, ScalarType, StrId, UnaryOp, ValueId, VarId};
use std::sync::Arc;

/// The operator of an expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Opcode {
    /// A variable's value at the begin of the iteration.
    Entry(VarId),
    /// A value computed before the loop.
    Outer(ValueId),
    Constant(Constant),
    Operation(Operation),
    /// Not equal to any other: stores, calls, loads of what may have changed.
    Unique(u32),
}

/// A constant; of floating-point numbers the bits, so that equal ones compare equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    Int(i64),
    Float(u64, ScalarType),
    Wide(u128, ScalarType),
    Address(VarId, i64),
    Text(StrId, i64),
    Function(FuncId),
    Library(Arc<str>),
}

/// An operation that yields the same for the same operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Of operands of this type.
    Binary(BinaryOp, ScalarType),
    /// A product and a sum or difference in one instruction.
    FusedMultiply(BinaryOp, ScalarType),
    Unary(UnaryOp),
    /// From one type to another.
    Convert(ScalarType, ScalarType),
    /// A computed 32-bit index, widened to this type.
    Extend(ScalarType),
    /// One step of a division by a constant that is made of products and shifts.
    DivisionStep {
        op: BinaryOp,
        ty: ScalarType,
        divisor: i64,
        step: usize,
    },
    /// An index that one guarded block computes for itself.
    GuardedIndex(Affine, BlockId),
    Load(Address),
    AddressOf(Root, Affine),
    PointerDifference,
    /// A library function that is an instruction.
    Builtin(Arc<str>),
    Select,
    /// Minimum or maximum.
    Extreme,
}

impl Constant {
    /// Any constant but an integer of 64 bits keeps its type.
    pub fn of(constant: &Const) -> Self {
        match constant {
            Const::Int(n, _) => Self::Int(*n),
            Const::Float(number, ty) => Self::Float(number.to_bits(), *ty),
            Const::Wide(bits, ty) => Self::Wide(*bits, *ty),
            Const::Str(text, bytes) => Self::Text(*text, *bytes),
            Const::Address(object, bytes) => Self::Address(*object, *bytes),
            Const::Function(function) => Self::Function(*function),
            Const::Library(name) => Self::Library(name.clone()),
        }
    }
}

impl Opcode {
    fn binary(&self) -> Option<(BinaryOp, ScalarType)> {
        match self {
            Self::Operation(Operation::Binary(op, ty)) => Some((*op, *ty)),
            _ => None,
        }
    }

    pub(crate) fn is_operation(&self) -> bool {
        matches!(self, Self::Operation(_))
    }

    pub fn is_constant(&self) -> bool {
        matches!(self, Self::Constant(_))
    }

    /// A binary operation of this kind, of any type, that is not fused with another one.
    pub(crate) fn is_binary(&self, wanted: BinaryOp) -> bool {
        self.binary().is_some_and(|(op, _)| op == wanted)
    }

    /// A sum, by itself or fused with a product.
    pub fn is_sum(&self) -> bool {
        matches!(
            self,
            Self::Operation(Operation::Binary(BinaryOp::Add, _) | Operation::FusedMultiply(BinaryOp::Add, _))
        )
    }

    /// An operation whose operands have an order: no machine reads its first operand from memory.
    pub(crate) fn is_ordered(&self) -> bool {
        self.binary().is_some_and(|(op, _)| matches!(op, BinaryOp::Sub | BinaryOp::Div | BinaryOp::Rem))
    }

    pub fn is_comparison(&self) -> bool {
        self.binary().is_some_and(|(op, _)| op.is_comparison())
    }

    /// A comparison that a loop goes on by.
    pub(crate) fn is_loop_comparison(&self) -> bool {
        self.is_comparison() && !self.is_binary(BinaryOp::Eq)
    }

    /// Which of two floating-point numbers is less.
    pub(crate) fn orders_floats(&self) -> bool {
        let orders = |op| matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge);
        self.binary().is_some_and(|(op, ty)| orders(op) && ty.is_float())
    }

    /// It computes with numbers that vector units hold: `float` and `double`, not those of x87.
    pub(crate) fn is_of_vector_floats(&self) -> bool {
        let Self::Operation(operation) = self else { return false };
        match operation {
            Operation::Binary(_, ty) | Operation::FusedMultiply(_, ty) | Operation::Convert(_, ty) => {
                matches!(ty, ScalarType::F32 | ScalarType::F64)
            }
            _ => false,
        }
    }

    /// Nothing floating-point goes in or comes out.
    pub fn is_integer(&self) -> bool {
        let Self::Operation(operation) = self else { return false };
        let of_integer = |ty: ScalarType| !matches!(ty, ScalarType::F32 | ScalarType::F64);
        match operation {
            Operation::Binary(_, ty) | Operation::FusedMultiply(_, ty) => of_integer(*ty),
            Operation::Convert(from, to) => of_integer(*from) && of_integer(*to),
            _ => true,
        }
    }

    /// The number 0, integer or floating-point; not -0.0, whose bits are not all zero.
    pub fn is_zero(&self) -> bool {
        matches!(self, Self::Constant(Constant::Int(0) | Constant::Float(0, _)))
    }
}
