//! Instruction classes: the members of a machine's instruction set.
//!
//! A class is neutral to the ISA; which of them cost time on a machine, and how much, is the
//! machine file's business. (ChronosMix, section 2.1: the instruction set S.)

use super::op::{BinaryOp, OpKind, UnaryOp};
use super::types::ScalarType;
use serde::{Deserialize, Serialize};

/// What executes the instructions of a class, as far as a model of the processor tells units apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Sums, logic, comparisons and jumps of integers.
    Integer,
    /// Multiplication of integers.
    IntegerProduct,
    /// Division of integers, which no vector instruction does.
    IntegerQuotient,
    /// Sums and comparisons in floating point.
    FloatSum,
    /// Multiplication in floating point.
    FloatProduct,
    /// Division and roots.
    FloatQuotient,
    /// Conversions from and to floating point.
    Convert,
    /// Reads of memory.
    Load,
    /// Writes of memory.
    Store,
}

impl Unit {
    /// All units, in the order of their declaration.
    pub const ALL: [Self; 9] = [
        Self::Integer,
        Self::IntegerProduct,
        Self::IntegerQuotient,
        Self::FloatSum,
        Self::FloatProduct,
        Self::FloatQuotient,
        Self::Convert,
        Self::Load,
        Self::Store,
    ];
}

/// Defines the classes, a row each: name in files and reports, unit, and for classes that machine files may leave out, the class
/// whose cost stands for theirs and how many times it. Every list of classes is made from these rows.
macro_rules! instruction_classes {
    ($($(#[$meta:meta])* $class:ident = $name:literal on $unit:ident $(like $other:ident * $times:literal)?,)*) => {
        /// A member of the instruction set.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
        pub enum InstructionClass {
            $($(#[$meta])* #[serde(rename = $name)] $class,)*
        }

        impl InstructionClass {
            /// All classes, in the order of their declaration.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$class),*];

            /// As it stands in machine files and reports.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$class => $name,)*
                }
            }

            /// What executes it, beside the front end.
            pub fn unit(self) -> Unit {
                match self {
                    $(Self::$class => Unit::$unit,)*
                }
            }

            /// Where a machine file has no cost for it, how many times the cost of which other class stands for it: a class that is
            /// younger than the files has such a relation. Without one, a file that leaves it out is refused.
            pub fn default_cost(self) -> Option<(Self, f64)> {
                let relation: &[(Self, f64)] = match self {
                    $(Self::$class => &[$((Self::$other, $times))?],)*
                };
                relation.first().copied()
            }
        }
    };
}

instruction_classes! {
    /// Integer add, subtract, logic, shift, compare.
    IntAdd = "int_add" on Integer,
    /// Integer multiplication.
    IntMul = "int_mul" on IntegerProduct,
    /// 32-bit and narrower quotient or remainder.
    IntDiv = "int_div" on IntegerQuotient,
    /// 64-bit quotient or remainder.
    IntDiv64 = "int_div64" on IntegerQuotient,
    /// Double (and long double) add, subtract, negate, compare.
    FpAdd = "fp_add" on FloatSum,
    /// Multiplication in double (and long double) precision.
    FpMul = "fp_mul" on FloatProduct,
    /// Division in double (and long double) precision.
    FpDiv = "fp_div" on FloatQuotient,
    /// The same in single precision.
    FpAdd32 = "fp_add32" on FloatSum,
    /// Multiplication in single precision.
    FpMul32 = "fp_mul32" on FloatProduct,
    /// Division in single precision.
    FpDiv32 = "fp_div32" on FloatQuotient,
    /// Square root.
    FpSqrt = "fp_sqrt" on FloatQuotient,
    /// Between integer and floating, or between floating widths.
    FpConvert = "fp_convert" on Convert,
    /// Between integer widths.
    IntConvert = "int_convert" on Integer,
    /// Read of memory that has an address of its own: array elements, through pointers, globals.
    Load = "load" on Load,
    /// Write of memory that has an address of its own.
    Store = "store" on Store,
    /// Read of a named scalar of the function (a register where the compiler keeps it there).
    LocalLoad = "local_load" on Load,
    /// Write of a named scalar of the function (a register where the compiler keeps it there).
    LocalStore = "local_store" on Store,
    /// One step of address arithmetic: an index times a stride.
    Address = "address" on Integer,
    /// A decision of a branch or loop.
    Branch = "branch" on Integer,
    /// Call and return of a function of the program, arguments included.
    Call = "call" on Integer,
    /// A function of a library, its own work; the machine file prices it by name.
    Library = "library" on Integer,
    /// One 8-byte word moved by a struct copy or a zero fill.
    CopyWord = "copy_word" on Store,
}

impl InstructionClass {
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
