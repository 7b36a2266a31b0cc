//! Operations of straight blocks: three-address, typed, with explicit data dependences.

use super::types::{ScalarType, TypeId};
use super::{BlockId, FuncId, LabelId, StrId, TargetId, ValueId, VarId};
use chronos_base::span::Span;
use std::cmp::Ordering;
use std::sync::Arc;

/// One operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Op {
    /// The value it defines; its type stands in `Function::values`.
    pub dst: Option<ValueId>,
    /// What the operation does.
    pub kind: OpKind,
    /// The source of the operation.
    pub span: Span,
}

/// The kinds of operations.
#[derive(Clone, Debug, PartialEq)]
pub enum OpKind {
    /// `dst = place`, a scalar.
    Read(Place),
    /// `place = operand`, a scalar.
    Write(Place, Operand),
    /// `dst = &place`; also what an array decays to.
    Address(Place),
    /// `dst` is the result of an operator with one operand.
    Unary(UnaryOp, Operand),
    /// Both operands have the type given; comparisons define an `I32` 0 or 1. Pointer arithmetic is
    /// `Address` of an indexed place; pointer difference is `PointerDiff`.
    Binary(BinaryOp, ScalarType, Operand, Operand),
    /// `dst = (type of dst) operand`; the operand has the type given.
    Convert(ScalarType, Operand),
    /// `dst = (a - b) / stride`, pointers into one object.
    PointerDiff(Operand, Operand, u64),
    /// Struct or union assignment.
    Copy {
        /// The place that is assigned to.
        to: Place,
        /// The place that is read.
        from: Place,
        /// Size of the struct or union in bytes.
        bytes: u64,
    },
    /// Zero fill, before a partial initialiser of a local aggregate.
    Zero {
        /// The place that is filled.
        to: Place,
        /// Size of what is filled, in bytes.
        bytes: u64,
    },
    /// Storage for a variable-length array: `bytes` of it.
    Allocate {
        /// The variable-length array.
        variable: VarId,
        /// Its size in bytes, computed when its declaration is reached.
        bytes: Operand,
    },
    /// The call that the leaf block makes. `dst` stands in the operation.
    Call(BlockId),
    /// Ends the straight block.
    Jump(Jump),
    /// A bare copy, `dst = operand`.
    Move(Operand),
    /// Inline assembly and the like: known to be there, not understood; `dst` is unknown.
    Opaque(Arc<str>),
}

/// Where control goes; always the last operation of its block.
#[derive(Clone, Debug, PartialEq)]
pub enum Jump {
    /// Leaves this loop or switch.
    Break(TargetId),
    /// Goes on with the step of this loop.
    Continue(TargetId),
    /// Goes to the straight block that the label starts.
    Goto(LabelId),
    /// Leaves the function, with its result where it has one.
    Return(Option<Arg>),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// Arithmetic negation.
    Neg,
    /// Bitwise complement.
    Not,
    /// Logical not: an `I32` 0 or 1.
    LogicalNot,
}

/// Operators with two operands; signed or unsigned by the type that goes with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `+`; of integers, the result wraps around.
    Add,
    /// `-`.
    Sub,
    /// `*`.
    Mul,
    /// `/`; of integers, towards zero.
    Div,
    /// `%`; it has the sign of the dividend.
    Rem,
    /// `&`, bit by bit.
    And,
    /// `|`, bit by bit.
    Or,
    /// `^`, bit by bit.
    Xor,
    /// `<<`.
    Shl,
    /// `>>`; arithmetic for signed types, logical for unsigned ones.
    Shr,
    /// `==`.
    Eq,
    /// `!=`.
    Ne,
    /// `<`.
    Lt,
    /// `<=`.
    Le,
    /// `>`.
    Gt,
    /// `>=`.
    Ge,
}

impl BinaryOp {
    /// Whether a comparison holds, by the order of its operands; `None` where they have none (NaN).
    #[inline(always)]
    pub fn holds(self, order: Option<Ordering>) -> bool {
        match self {
            Self::Eq => order == Some(Ordering::Equal),
            Self::Ne => order != Some(Ordering::Equal),
            Self::Lt => order == Some(Ordering::Less),
            Self::Gt => order == Some(Ordering::Greater),
            Self::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Self::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
            _ => false,
        }
    }

    /// Whether the result is a truth value.
    pub fn is_comparison(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge)
    }
}

/// What an operation reads.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// What an operation of the same function computed.
    Value(ValueId),
    /// A constant.
    Const(Const),
}

/// A constant of the program.
#[derive(Clone, Debug, PartialEq)]
pub enum Const {
    /// Value as sign- or zero-extended from its type.
    Int(i64, ScalarType),
    /// Value as a `double`, exactly that of its type.
    Float(f64, ScalarType),
    /// Bits of a number that neither of these holds exactly.
    Wide(u128, ScalarType),
    /// Address of a string literal, plus bytes.
    Str(StrId, i64),
    /// Address of a variable, plus bytes.
    Address(VarId, i64),
    /// Address of a function of the program.
    Function(FuncId),
    /// A function of a library, used as a value.
    Library(Arc<str>),
}

/// A C object or a part of one: a base and steps into it.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Where the steps begin.
    pub base: Base,
    /// The way into the object, from the outside to the inside.
    pub steps: Vec<Step>,
    /// Type of what is reached.
    pub ty: TypeId,
    /// First bit and number of bits, where a bit-field is reached.
    pub bits: Option<(u8, u8)>,
    /// Whether it is reached through a `volatile` type.
    pub volatile: bool,
}

/// Where a place begins.
#[derive(Clone, Debug, PartialEq)]
pub enum Base {
    /// The variable itself.
    Variable(VarId),
    /// What the pointer points to.
    Pointer(Operand),
}

/// One step into an object.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// A member, by the struct's id, its position in `StructType::fields` and its byte offset.
    Field {
        /// The struct or union that has the member.
        structure: super::types::StructId,
        /// Position of the member in `StructType::fields`, from 0.
        index: u32,
        /// Offset of the member in bytes.
        offset: u64,
    },
    /// `[index]`, the index of type `I64`. `length` where the array type gives it (bounds can be checked).
    Index {
        /// The index, of type `I64`.
        index: Operand,
        /// Bytes from one element to the next.
        stride: Stride,
        /// Number of elements; `None` where the type of the array does not give it.
        length: Option<u64>,
    },
}

/// Bytes from one element to the next.
#[derive(Clone, Debug, PartialEq)]
pub enum Stride {
    /// A number of bytes that the type gives.
    Bytes(u64),
    /// Rows of variable-length arrays: bytes, type `I64`.
    Value(Operand),
}

/// A call, held by a leaf block.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Who is called.
    pub callee: Callee,
    /// The arguments, converted to the types of the parameters.
    pub args: Vec<Arg>,
    /// Where a returned struct goes.
    pub result_place: Option<Place>,
}

/// Who is called.
#[derive(Clone, Debug, PartialEq)]
pub enum Callee {
    /// Defined in the program.
    Function(FuncId),
    /// Not defined in the program: libc, libm, or unknown to us.
    Library(Arc<str>),
    /// `MPI_*`, by its C name.
    Mpi(Arc<str>),
    /// Through a pointer.
    Indirect(Operand),
}

impl Callee {
    /// A call that states an assumption about a branch or loop (`chronos.h`): for a compiler it is nothing.
    pub fn states_assumption(&self) -> bool {
        let Self::Library(name) = self else { return false };
        matches!(&**name, "PIC_proba" | "chronos_probability" | "chronos_iterations")
    }
}

/// An argument or returned value.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// A scalar, converted to the type of the parameter.
    Scalar(Operand),
    /// A struct or union by value, with its bytes.
    Object(Place, u64),
}

impl Operand {
    /// The value that it is; `None` for a constant.
    pub fn value(&self) -> Option<ValueId> {
        if let Self::Value(value) = self { Some(*value) } else { None }
    }
}

impl Place {
    /// Values that its address is made of.
    pub fn values(&self) -> impl Iterator<Item = ValueId> + '_ {
        let base = match &self.base {
            Base::Pointer(pointer) => pointer.value(),
            Base::Variable(_) => None,
        };
        let steps = self.steps.iter().flat_map(|step| match step {
            Step::Index { index, stride: Stride::Value(stride), .. } => [index.value(), stride.value()],
            Step::Index { index, .. } => [index.value(), None],
            Step::Field { .. } => [None, None],
        });
        base.into_iter().chain(steps.flatten())
    }
}

impl OpKind {
    /// Values that the operation reads; those of a call stand in its block.
    pub fn values(&self) -> impl Iterator<Item = ValueId> + '_ {
        let (places, plain): (Vec<&Place>, Vec<&Operand>) = match self {
            Self::Read(place) | Self::Address(place) | Self::Zero { to: place, .. } => (vec![place], vec![]),
            Self::Write(place, value) => (vec![place], vec![value]),
            Self::Unary(_, a) | Self::Convert(_, a) | Self::Move(a) | Self::Allocate { bytes: a, .. } => {
                (vec![], vec![a])
            }
            Self::Binary(_, _, a, b) | Self::PointerDiff(a, b, _) => (vec![], vec![a, b]),
            Self::Copy { to, from, .. } => (vec![to, from], vec![]),
            Self::Call(_) | Self::Jump(_) | Self::Opaque(_) => (vec![], vec![]),
        };
        places.into_iter().flat_map(Place::values).chain(plain.into_iter().filter_map(Operand::value))
    }
}
