//! Instruction classes: the members of a machine's instruction set.
//!
//! A class is neutral to the ISA; which of them cost time on a machine, and how much, is the
//! machine file's business. (ChronosMix, section 2.1: the instruction set S.)

use super::op::{BinaryOp, OpKind, UnaryOp};
use super::types::ScalarType;
use serde::{Deserialize, Serialize};

/// A member of the instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InstructionClass {
    /// Integer add, subtract, logic, shift, compare.
    IntAdd,
    /// Integer multiplication.
    IntMul,
    /// 32-bit and narrower quotient or remainder.
    IntDiv,
    /// 64-bit quotient or remainder.
    IntDiv64,
    /// Double (and long double) add, subtract, negate, compare.
    FpAdd,
    /// Multiplication in double (and long double) precision.
    FpMul,
    /// Division in double (and long double) precision.
    FpDiv,
    /// The same in single precision.
    FpAdd32,
    /// Multiplication in single precision.
    FpMul32,
    /// Division in single precision.
    FpDiv32,
    /// Square root.
    FpSqrt,
    /// Between integer and floating, or between floating widths.
    FpConvert,
    /// Between integer widths.
    IntConvert,
    /// Read of memory that has an address of its own: array elements, through pointers, globals.
    Load,
    /// Write of memory that has an address of its own.
    Store,
    /// Read of a named scalar of the function (a register where the compiler keeps it there).
    LocalLoad,
    /// Write of a named scalar of the function (a register where the compiler keeps it there).
    LocalStore,
    /// One step of address arithmetic: an index times a stride.
    Address,
    /// A decision of a branch or loop.
    Branch,
    /// Call and return of a function of the program, arguments included.
    Call,
    /// A function of a library, its own work; the machine file prices it by name.
    Library,
    /// One 8-byte word moved by a struct copy or a zero fill.
    CopyWord,
}

impl InstructionClass {
    /// All classes, in the order of their declaration.
    pub const ALL: [Self; 22] = [
        Self::IntAdd,
        Self::IntMul,
        Self::IntDiv,
        Self::IntDiv64,
        Self::FpAdd,
        Self::FpMul,
        Self::FpDiv,
        Self::FpAdd32,
        Self::FpMul32,
        Self::FpDiv32,
        Self::FpSqrt,
        Self::FpConvert,
        Self::IntConvert,
        Self::Load,
        Self::Store,
        Self::LocalLoad,
        Self::LocalStore,
        Self::Address,
        Self::Branch,
        Self::Call,
        Self::Library,
        Self::CopyWord,
    ];

    /// As it stands in machine files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::IntAdd => "int_add",
            Self::IntMul => "int_mul",
            Self::IntDiv => "int_div",
            Self::IntDiv64 => "int_div64",
            Self::FpAdd => "fp_add",
            Self::FpMul => "fp_mul",
            Self::FpDiv => "fp_div",
            Self::FpAdd32 => "fp_add32",
            Self::FpMul32 => "fp_mul32",
            Self::FpDiv32 => "fp_div32",
            Self::FpSqrt => "fp_sqrt",
            Self::FpConvert => "fp_convert",
            Self::IntConvert => "int_convert",
            Self::Load => "load",
            Self::Store => "store",
            Self::LocalLoad => "local_load",
            Self::LocalStore => "local_store",
            Self::Address => "address",
            Self::Branch => "branch",
            Self::Call => "call",
            Self::Library => "library",
            Self::CopyWord => "copy_word",
        }
    }

    /// The class of the arithmetic of an operation; memory accesses, calls and jumps are not arithmetic.
    pub fn of_arithmetic(kind: &OpKind, result: ScalarType) -> Option<Self> {
        match kind {
            OpKind::Unary(UnaryOp::Neg, _) if result.is_float() => Some(Self::float(BinaryOp::Add, result)),
            OpKind::Unary(..) | OpKind::PointerDiff(..) => Some(Self::IntAdd),
            OpKind::Binary(op, operands, ..) if operands.is_float() => Some(Self::float(*op, *operands)),
            OpKind::Binary(op, operands, ..) => Some(Self::integer(*op, *operands)),
            OpKind::Convert(from, _) => Self::conversion(*from, result),
            _ => None,
        }
    }

    fn float(op: BinaryOp, ty: ScalarType) -> Self {
        match (op, ty == ScalarType::F32) {
            (BinaryOp::Mul, false) => Self::FpMul,
            (BinaryOp::Div, false) => Self::FpDiv,
            (_, false) => Self::FpAdd,
            (BinaryOp::Mul, true) => Self::FpMul32,
            (BinaryOp::Div, true) => Self::FpDiv32,
            (_, true) => Self::FpAdd32,
        }
    }

    fn integer(op: BinaryOp, ty: ScalarType) -> Self {
        match op {
            BinaryOp::Mul => Self::IntMul,
            BinaryOp::Div | BinaryOp::Rem if super::types::ScalarType::size(ty, super::types::DataModel::Lp64) >= 8 => {
                Self::IntDiv64
            }
            BinaryOp::Div | BinaryOp::Rem => Self::IntDiv,
            _ => Self::IntAdd,
        }
    }

    fn conversion(from: ScalarType, to: ScalarType) -> Option<Self> {
        match (from.is_float(), to.is_float()) {
            (false, false) if from == to => None,
            (false, false) => Some(Self::IntConvert),
            _ if from == to => None,
            _ => Some(Self::FpConvert),
        }
    }
}
