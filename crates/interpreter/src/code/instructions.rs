//! The flat code that functions are compiled to: what the interpreter executes.

use chronos_base::span::Span;
use chronos_ir::{BinaryOp, BlockId, CounterId, FuncId, ScalarType, UnaryOp, ValueId, VarId};
use chronos_values::{ObjectId, Value};
use std::sync::Arc;

/// Where an operand stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Src {
    /// A register of the current frame.
    Reg(u32),
    /// A register of the task.
    Global(u32),
    /// In the table of constants.
    Const(u32),
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Home {
    Register(u32),
    Global(u32),
    /// An object that lives as long as the task.
    Object(ObjectId),
    /// A frame register that holds the address of the object.
    FrameObject(u32),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PlaceBase {
    Object(ObjectId),
    Src(Src),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlaceStep {
    pub index: Src,
    pub stride: StepStride,
    pub length: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum StepStride {
    Bytes(i64),
    Src(Src),
}

/// An address computation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CompiledPlace {
    pub base: PlaceBase,
    /// The value that is the base, where it is one.
    pub pointer: Option<ValueId>,
    /// Sum of the field offsets.
    pub offset: i64,
    pub steps: Box<[PlaceStep]>,
    /// What is loaded there; `None` for aggregates.
    pub ty: Option<ScalarType>,
    pub bits: Option<(u8, u8)>,
    /// For messages.
    pub name: Arc<str>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Instr {
    /// Counts a straight block; the counter is relative to the function's first.
    Count(u32),
    Move(u32, Src),
    SetLocal(u32, Src),
    SetGlobal(u32, Src),
    Load(u32, u32),
    Store(u32, Src),
    Address(u32, u32),
    Unary(UnaryOp, ScalarType, u32, Src),
    Binary(BinaryOp, ScalarType, u32, Src, Src),
    Convert {
        from: ScalarType,
        to: ScalarType,
        dst: u32,
        src: Src,
    },
    PointerDiff {
        dst: u32,
        a: Src,
        b: Src,
        stride: u32,
    },
    Copy {
        to: u32,
        from: u32,
        bytes: u64,
    },
    Zero {
        to: u32,
        bytes: u64,
    },
    /// Frame register, block that allocates, bytes.
    Allocate(u32, VarId, Src),
    Call(u32),
    /// The value is unknown for a construct that is not followed: name by index.
    Opaque(Option<u32>, u32),
    Jump(u32),
    /// A jump that leaves or re-enters blocks: `loops` and `branches` are those around the target.
    Goto {
        target: u32,
        loops: u32,
        branches: u32,
    },
    /// As `Goto`, to a label; `loops` is an index into `FunctionCode::around`.
    GotoLabel {
        target: u32,
        loops: u32,
        branches: u32,
    },
    Choose(u32),
    /// The end of arm `arm` of a branch.
    ArmEnd(u32, u32),
    LoopEnter(u32),
    /// Go on where the operand is nonzero.
    LoopTest(u32, Src),
    /// Begin of an iteration.
    LoopIterate(u32),
    /// Before the step: `continue` goes here.
    LoopStep(u32),
    LoopLeave(u32),
    Return(Option<Src>),
    /// Returns a struct from a place.
    ReturnObject(u32, u64),
}

#[derive(Clone, Debug)]
pub(crate) struct LoopCode {
    pub block: BlockId,
    /// Relative: iterations; entries is the next.
    pub counter: u32,
    pub reaches_mpi: bool,
    /// Looks at memory that other tasks may write.
    pub(crate) glances: bool,
    /// Calls MPI, not only to read the clock.
    pub communicates: bool,
    /// Where the loop's own code begins (its initialisation).
    pub start: u32,
    pub body: u32,
    /// `continue` goes here.
    pub step: u32,
    /// `LoopLeave`.
    pub exit: u32,
    /// Where a test that fails goes on; the same as `exit`.
    pub test: u32,
    pub fold: Option<FoldShape>,
    /// Of a loop with MPI calls whose condition asks for more than such a comparison.
    pub(crate) bound: Option<FoldShape>,
    /// Other variables that every iteration moves by a constant.
    pub advances: Box<[Advance]>,
    /// Nothing in it can end it.
    pub endless: bool,
    /// Somebody says how often it runs.
    pub(crate) spoken_of: bool,
    /// Register variables that the loop's own function writes in it.
    pub writes: Box<[u32]>,
    pub span: Span,
    /// It is made of jumps back to a label, at `body`.
    pub(crate) jump: bool,
}

impl LoopCode {
    /// What an iteration takes of the budget.
    pub fn cost(&self) -> u64 {
        u64::from(self.exit - self.start)
    }

    /// The comparison of a counter that ends it at last, whatever else may end it before.
    pub(crate) fn counted(&self) -> Option<&FoldShape> {
        self.fold.as_ref().or(self.bound.as_ref())
    }

    /// Nothing but its condition tells how often it iterates, and nobody watches it.
    pub(crate) fn is_simple(&self) -> bool {
        !self.reaches_mpi && !self.spoken_of && !self.glances
    }

    /// The steps of the task tell where its iterations begin.
    pub(crate) fn is_told(&self) -> bool {
        self.reaches_mpi && !self.jump
    }
}

/// A counting loop.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FoldShape {
    pub counter: Src,
    /// Of the counter.
    pub own: ScalarType,
    /// Of the comparison.
    pub ty: ScalarType,
    pub step: i64,
    /// `counter op bound`.
    pub op: BinaryOp,
    pub bound: Src,
    /// Where the body reads the counter only as `(counter + addend) % divisor`.
    pub moduli: Box<[Modulus]>,
    /// Where the body compares it.
    pub comparisons: Box<[Comparison]>,
    /// Where the body reads it otherwise.
    pub elsewhere: Box<[CounterRead]>,
}

/// A variable to which a loop only adds constants of one sign, beside what it writes in blocks of its own.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Advance {
    pub variable: VarId,
    pub ty: ScalarType,
    /// What every iteration adds, where it is the same for all.
    pub steady: Option<i64>,
    /// Executions of the blocks that write something else to it.
    pub(crate) resets: Box<[CounterId]>,
    /// As for the counter of a loop.
    pub moduli: Box<[Modulus]>,
    pub comparisons: Box<[Comparison]>,
    pub elsewhere: Box<[CounterRead]>,
}

/// `variable + addend op bound`: its result is the same until the variable comes to the bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Executions of its block.
    pub executions: CounterId,
    pub op: BinaryOp,
    /// Of the operands.
    pub ty: ScalarType,
    /// What variable and sum are converted to on the way, all of which have to hold them.
    pub types: Box<[ScalarType]>,
    pub addend: i64,
    pub bound: Bound,
}

/// What a variable is compared with.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    Constant(Value),
    Variable(Home, ScalarType),
    /// From the first type to the second.
    Convert(ScalarType, ScalarType, Box<Bound>),
    Binary(BinaryOp, ScalarType, Box<Bound>, Box<Bound>),
}

/// A place in the body of a loop that reads the counter of the loop.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CounterRead {
    /// Executions of its block.
    pub executions: CounterId,
    /// The variables in registers that are all that the value goes to; `None` where it goes anywhere else.
    pub(crate) only_to: Option<Box<[VarId]>>,
}

/// `(variable + addend) % divisor`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Modulus {
    pub divisor: Src,
    pub addend: i64,
    pub ty: ScalarType,
    /// What the remainder is compared with, where it is used for nothing else.
    pub comparisons: Option<Box<[Comparison]>>,
}

#[derive(Clone, Debug)]
pub(crate) struct BranchCode {
    pub block: BlockId,
    /// Relative: evaluations; taken of the arms follow.
    pub counter: u32,
    pub condition: Src,
    pub arms: Vec<ArmCode>,
    pub(crate) selector: Selector,
    /// Where control goes on when no arm is taken.
    pub otherwise: u32,
    /// Register of the result, with its value where no arm is taken.
    pub result: Option<(u32, i64)>,
    pub span: Span,
    /// Where a following instruction after all arms stands.
    pub end: u32,
    pub depth: u32,
    /// Somebody says how likely its ways are.
    pub(crate) spoken_of: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct ArmCode {
    pub target: u32,
    pub escapes: Escapes,
    /// It holds a loop, and leaves by its end alone: a summary of it is worth asking for.
    pub summarised: bool,
}

/// How control may leave an arm other than by its end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Escapes {
    pub returns: bool,
    /// `break` of a loop around the branch, or a `goto` out of it.
    pub leaves_loop: bool,
    /// `continue` of a loop around the branch.
    pub continues: bool,
    /// Calls MPI, not only to read the clock.
    pub communicates: bool,
}

impl Escapes {
    /// Control comes out at the end of the arm, and nowhere else.
    pub fn stays(self) -> bool {
        !(self.returns || self.leaves_loop || self.continues || self.communicates)
    }
}

impl BranchCode {
    /// Control may pass by all arms.
    pub(crate) fn can_skip(&self) -> bool {
        match self.selector {
            Selector::Truth { yes, no } => yes.is_none() || no.is_none(),
            Selector::Switch { default, .. } => default.is_none(),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Selector {
    /// Arms for true and false.
    Truth { yes: Option<u32>, no: Option<u32> },
    /// Inclusive ranges with their arms, and the default arm.
    Switch { cases: Vec<(i64, i64, u32)>, default: Option<u32> },
}

#[derive(Clone, Debug)]
pub(crate) struct CallCode {
    pub block: BlockId,
    /// Relative counter of the call block.
    pub counter: u32,
    pub target: CallTarget,
    pub args: Vec<CallArg>,
    pub dst: Option<(u32, ScalarType)>,
    pub result_place: Option<u32>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum CallTarget {
    Function(FuncId),
    /// Index into `Code::library`.
    Library(u32),
    Mpi(Arc<str>),
    Indirect(Src),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum CallArg {
    Scalar(Src),
    Object(u32),
}

/// How a parameter is passed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ScalarKind {
    Scalar(ScalarType),
    Object(u64),
}
