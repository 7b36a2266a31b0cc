//! What is compiled: a loop as flat code over slots, in which control goes by numbers of operations.
//!
//! The interpreter makes it from its own code, so that this room knows nothing of functions, contexts or blocks. It must not
//! know how code of a processor is made.

use chronos_ir::{BinaryOp, ScalarType, UnaryOp};
use chronos_values::ObjectId;

/// A scalar that the code works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u32);

/// An operation, by its place in the code.
pub type OpIndex = u32;

/// Where a slot stands while the interpreter runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Home {
    /// Register of the frame that the loop is in.
    Register(u32),
    /// Register of a call within the loop: its frame exists only once the code is left in it.
    Inner(u32),
    /// Register of the task.
    Global(u32),
}

/// What is known of a slot before the code runs.
#[derive(Clone, Copy, Debug)]
pub struct SlotInfo {
    /// Where it stands.
    pub home: Home,
    /// The program names it: what stands in its home is always what was written last. Of others that holds only where the
    /// code is left.
    pub variable: bool,
}

/// Kinds of values that the code computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `Value::Int`
    Int,
    /// `Value::Float`
    Real,
    /// `Value::Pointer`
    Address,
}

/// An operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// What a slot holds.
    Slot(Slot),
    /// An integer.
    Int(i64),
    /// A floating number.
    Real(f64),
    /// An object and a byte offset in it.
    Address(ObjectId, i64),
}

/// What an address begins with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The address from which the others are counted.
    pub base: Source,
    /// Bytes behind it.
    pub offset: i64,
    /// The first of its steps in [`Body::steps`], and how many there are.
    pub steps: (u32, u32),
    /// What stands there; `None` for what is no scalar.
    pub ty: Option<ScalarType>,
    /// Bytes of the scalar.
    pub bytes: u64,
}

/// An index with its stride in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The index.
    pub index: Source,
    /// How far apart neighbours are.
    pub stride: Source,
}

/// An execution counter: which table of counters, and which of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The frame's own is 0, those of calls within the loop follow.
    pub site: u32,
    /// Its number in the table.
    pub number: u32,
}

/// An arm of a branch: what counts it, and where it begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arm {
    /// Counts how often it is taken.
    pub counter: Counter,
    /// Its first operation.
    pub target: OpIndex,
    /// Number of the arm, which is noted where [`Branch::outcome`] asks for it.
    pub number: u32,
}

/// What all branches have.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// Counts how often it is evaluated.
    pub counter: Counter,
    /// Where control goes on when no arm is taken.
    pub otherwise: OpIndex,
    /// What the slot of the result gets where no arm is taken.
    pub result: Option<(Slot, i64)>,
    /// The arm that was taken last is noted under this number.
    pub outcome: Option<u32>,
}

/// A library function of `math.h`.
#[derive(Clone, Copy, Debug)]
pub enum Function {
    /// Of one number.
    One(fn(f64) -> f64),
    /// Of two.
    Two(fn(f64, f64) -> f64),
    /// The square root, which processors have.
    Sqrt,
    /// The absolute value, which processors have.
    Fabs,
}

/// An operation. Each is done as a whole or not at all: where its result is not determined, or an operand is not of the
/// kind that it takes, the code is left in front of it.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names of the fields are those of the operands")]
pub enum Op {
    /// Counts an execution.
    Count(Counter),
    /// Copies a scalar.
    Copy { to: Slot, from: Source },
    /// The slot holds no value any more: `Body::nothing` does.
    Forget { slot: Slot },
    /// A binary operation in a type. `noted` is the number under which an overflow is noted.
    Binary { op: BinaryOp, ty: ScalarType, to: Slot, a: Source, b: Source, noted: u32 },
    /// A unary operation in a type.
    Unary { op: UnaryOp, ty: ScalarType, to: Slot, a: Source },
    /// A conversion.
    Convert { from: ScalarType, to_ty: ScalarType, to: Slot, a: Source },
    /// The difference of two addresses, divided by a stride.
    Difference { to: Slot, a: Source, b: Source, stride: i64 },
    /// The address of a place.
    Address { to: Slot, place: u32 },
    /// Reads a scalar.
    Load { to: Slot, place: u32 },
    /// Writes one.
    Store { place: u32, from: Source },
    /// A call of a library function, its result in a type.
    Call { function: Function, counter: Counter, ty: ScalarType, to: Option<Slot>, a: Source, b: Source },
    /// A number that the host draws from its source `source`, in a type; where it has none, the code is left.
    Draw { source: u32, counter: Counter, ty: ScalarType, to: Option<Slot> },
    /// Goes elsewhere.
    Jump(OpIndex),
    /// The condition of a loop: goes on where it holds.
    Test { condition: Source, exit: OpIndex },
    /// A branch upon a truth value.
    Choose { condition: Source, yes: Option<Arm>, no: Option<Arm>, branch: Branch },
    /// A branch upon a number: inclusive ranges with their arms.
    Switch { condition: Source, cases: Vec<(i64, i64, Arm)>, default: Option<Arm>, branch: Branch },
    /// Enters a loop of [`Body::loops`], where the interpreter agrees.
    Enter { inner: u32 },
    /// Begins an iteration.
    Iterate { inner: u32 },
    /// A call of a function whose code follows: its table of counters is made known.
    Begin { site: u32, counter: Counter },
    /// The interpreter goes on here. What it does is told only as far as it decides which slots are read later: what it reads and
    /// writes, and where it may go.
    Leave { reads: Vec<Source>, to: Option<Slot>, next: Vec<OpIndex> },
}

impl Op {
    /// The interpreter goes on here, and never comes back into the code.
    pub const END: Self = Self::Leave { reads: Vec::new(), to: None, next: Vec::new() };
}

/// A loop of the code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoopInfo {
    /// Counts iterations; entries are the next.
    pub counter: Counter,
    /// What an iteration takes of the fuel.
    pub cost: u64,
    /// Branches that are evaluated in an iteration at most; of loops in it, in one of theirs.
    pub branches: u64,
    /// The loop around it.
    pub parent: Option<u32>,
}

/// A loop that is to be compiled. Execution begins with its first operation.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// All slots.
    pub slots: Vec<SlotInfo>,
    /// All operations.
    pub ops: Vec<Op>,
    /// What addresses are made of.
    pub places: Vec<Place>,
    /// Indices of places.
    pub steps: Vec<Step>,
    /// Its loops; the first is the one that is compiled.
    pub loops: Vec<LoopInfo>,
    /// Tables of counters.
    pub sites: u32,
    /// Operations whose overflow is noted.
    pub noted: u32,
    /// Branches whose arms are noted.
    pub outcomes: u32,
    /// Registers of calls within the loop.
    pub inner: u32,
}
