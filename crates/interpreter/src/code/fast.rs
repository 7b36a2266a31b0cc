//! The second form of code, for the common case: known numbers in registers, scalars in arrays, conditions that are known.

use chronos_ir::ScalarType;
use chronos_values::{ObjectId, Value};

/// Result and operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Three {
    pub to: u16,
    pub a: u16,
    pub b: u16,
}

/// A comparison of integers that are ordered as 64 bits are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Order {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    Unequal,
}

/// The type that a shift is done in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Width {
    Word,
    UnsignedWord,
    Long,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum HotOp {
    /// The general loop does it.
    Leave,
    /// The instruction itself is executed, where its result is determined.
    Plain,
    Count(u32),
    Move(u16, u16),
    /// To a variable.
    Set(u16, u16),
    AddWord(Three),
    SubWord(Three),
    MulWord(Three),
    RemWord(Three),
    /// Of unsigned integers of 32 bits.
    AddUnsigned(Three),
    SubUnsigned(Three),
    MulUnsigned(Three),
    /// Of signed integers, which 32 bits hold where the operands are of 32.
    DivSigned(Three),
    RemSigned(Three),
    DivUnsigned(Three),
    RemUnsigned(Three),
    AddLong(Three),
    SubLong(Three),
    MulLong(Three),
    And(Three),
    Or(Three),
    Xor(Three),
    /// To the left, of so many bits.
    Shift(Three, Width),
    /// To the right: the sign goes along, or zeros.
    ShiftSigned(Three, Width),
    ShiftUnsigned(Three, Width),
    /// A sum, and its copy into a variable.
    AddWordSet(Three, u16),
    AddLongSet(Three, u16),
    AddReal(Three),
    SubReal(Three),
    MulReal(Three),
    DivReal(Three),
    AddRealSet(Three, u16),
    /// An integer, of any type but the widest unsigned one, to `double`.
    RealOfInteger(u16, u16),
    /// A `double` to an integer of 32 bits.
    WordOfReal(u16, u16),
    /// An integer to one that has all of its bits.
    Widen(u16, u16),
    /// An integer to one of another type.
    Wrap(ScalarType, u16, u16),
    Compare(Order, Three),
    Load(u16, u32),
    Store(u32, u16),
    Jump(u32),
    /// Goes on where the register is nonzero, else to the end of the loop.
    Test(u16, u32),
    /// A comparison and its test.
    TestLess(Three, u32),
    TestLessEqual(Three, u32),
    TestOther(Order, Three, u32),
    Choose(u32),
    /// A comparison and a branch upon it.
    ChooseCompared(Order, Three, u32),
    ArmEnd(u32),
    /// A jump within as many loops.
    Goto(u32, u32),
    Enter(u32),
    Iterate(u32),
    Step,
    Exit(u32),
}

/// The address of a scalar.
#[derive(Clone, Debug)]
pub(crate) struct HotPlace {
    pub base: HotBase,
    pub offset: i64,
    /// Index registers with their strides.
    pub steps: Box<[(u16, HotStride)]>,
    /// What is loaded there; `None` for aggregates and bit-fields.
    pub ty: Option<ScalarType>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum HotStride {
    Bytes(i64),
    Register(u16),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum HotBase {
    Object(ObjectId),
    Register(u16),
    Global(u32),
}

/// A branch that goes by the truth of a number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HotBranch {
    /// Relative: evaluations; the arms follow.
    pub counter: u32,
    pub condition: u16,
    /// The counter and the first instruction of the arm that is taken, if one is.
    pub yes: Option<(u32, u32)>,
    pub no: Option<(u32, u32)>,
    /// Where control goes on when no arm is taken.
    pub otherwise: u32,
    /// Of an `&&` or `||`: register of the result, with its value where no arm is taken.
    pub result: Option<(u16, i64)>,
    /// Index of the block.
    pub block: usize,
}

/// What a function is compiled to, besides its instructions.
#[derive(Clone, Debug, Default)]
pub(crate) struct HotCode {
    pub ops: Box<[HotOp]>,
    /// By number of the place; `None` where it is none of the common ones.
    pub places: Box<[Option<HotPlace>]>,
    pub branches: Box<[Option<HotBranch>]>,
    /// What stands in the registers behind those of the function.
    pub constants: Box<[Value]>,
}
