//! What instructions mean to those who look at loops, whatever the instruction set: decoders fill it in, so that nobody else
//! knows names of instructions.

use super::instruction::Register;

/// An instruction set that is decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
pub enum InstructionSet {
    /// x86-64.
    #[default]
    #[serde(rename = "x86-64")]
    X86,
    /// The 64-bit instruction set of Arm.
    #[serde(rename = "aarch64")]
    Aarch64,
}

/// Registers that a called function of x86-64 may change (System V ABI for x86-64, section 3.2.1).
static SAVED_BY_CALLERS_OF_X86: [Register; 9] = {
    let of = Register::integer;
    [of(0), of(1), of(2), of(6), of(7), of(8), of(9), of(10), of(11)]
};

/// rdi, rsi, rdx, rcx, r8, r9 (System V ABI for x86-64, section 3.2.3).
static ARGUMENTS_OF_X86: [Register; 6] = {
    let of = Register::integer;
    [of(7), of(6), of(2), of(1), of(8), of(9)]
};

/// x0 to x18 and x30 (Procedure Call Standard for the Arm 64-bit Architecture, IHI 0055, section 6.1.1); the first eight hold
/// arguments.
static SAVED_BY_CALLERS_OF_AARCH64: [Register; 20] = {
    let mut all = [Register::of_aarch64(30); 20];
    let mut at = 0;
    while at < 19 {
        all[at] = Register::of_aarch64(at as u8);
        at += 1;
    }
    all
};

impl InstructionSet {
    /// Its name, as core descriptions and machine files have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::X86 => "x86-64",
            Self::Aarch64 => "aarch64",
        }
    }

    /// Registers of general purpose that a called function may change.
    pub(crate) fn saved_by_callers(self) -> &'static [Register] {
        match self {
            Self::X86 => &SAVED_BY_CALLERS_OF_X86,
            Self::Aarch64 => &SAVED_BY_CALLERS_OF_AARCH64,
        }
    }

    /// Registers that the first integers among the arguments of a function are in.
    pub fn arguments(self) -> &'static [Register] {
        match self {
            Self::X86 => &ARGUMENTS_OF_X86,
            Self::Aarch64 => &SAVED_BY_CALLERS_OF_AARCH64[..8],
        }
    }
}

/// How an instruction is executed, apart from its memory operand. Cores say what families cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FamilyUse {
    /// Operations of this family.
    Family(&'static str),
    /// No operation beside the load or store: a plain move from or to memory.
    MemoryOnly,
    /// Renaming does it, or an operation: a copy of a register.
    Move,
    /// Renaming does it, and nothing is waited for: the result is always 0 (AMD 57647 and 58455, "zeroing idioms"; Intel
    /// 248966, "dependency breaking idioms").
    Zero,
    /// No operation, but a slot: `nop`.
    Nothing,
    /// No figures exist.
    Unknown,
}

/// An associative operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reduction {
    /// An addition or subtraction.
    Sum,
    /// A multiplication.
    Product,
    /// The lesser value.
    Minimum,
    /// The greater value.
    Maximum,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    ExclusiveOr,
}

/// When a conditional jump is taken, of two values or their difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// They are equal.
    Equal,
    /// They are not.
    NotEqual,
    /// The first is less, with or without sign.
    Less,
    /// It is not greater.
    LessOrEqual,
    /// It is greater.
    Greater,
    /// It is greater, as numbers without sign: what asks for an index that is too large.
    Above,
    /// It is not less.
    GreaterOrEqual,
    /// Something else: sign, overflow, single bits.
    Other,
}

/// What a sum is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// What a register held before.
    Register(Register),
    /// The address of the memory operand.
    Address,
    /// What the memory operand held before.
    Loaded,
    /// The address of a symbol.
    Symbol(String),
}

/// A sum of parts with factors, and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Parts with their factors.
    pub parts: Vec<(Part, i64)>,
    /// What is added.
    pub constant: i64,
}

impl Sum {
    /// A number.
    pub(crate) fn constant(constant: i64) -> Self {
        Self { parts: Vec::new(), constant }
    }

    /// A part alone.
    pub(crate) fn part(part: Part) -> Self {
        Self { parts: vec![(part, 1)], constant: 0 }
    }

    /// A register alone.
    pub(crate) fn register(register: Register) -> Self {
        Self::part(Part::Register(register))
    }

    /// The sum of both.
    #[must_use]
    pub(crate) fn plus(mut self, other: Self) -> Self {
        self.parts.extend(other.parts);
        self.constant = self.constant.wrapping_add(other.constant);
        self
    }

    /// The product with a number.
    #[must_use]
    pub(crate) fn times(mut self, factor: i64) -> Self {
        self.parts.iter_mut().for_each(|(_, own)| *own = own.wrapping_mul(factor));
        self.constant = self.constant.wrapping_mul(factor);
        self
    }
}

/// What an instruction makes of integers, where that is a sum. Of what is not told nothing is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// New values of registers.
    pub registers: Vec<(Register, Sum)>,
    /// What is stored.
    pub stored: Option<Sum>,
    /// What it compares with 0, for a jump that asks: a difference where two values are compared.
    pub compared: Option<Sum>,
}

/// What names of instructions tell beside sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trait {
    /// It adds or subtracts, perhaps a product.
    Adds,
    /// Elements of a vector change their lanes or their size.
    MovesLanes,
    /// It computes a square root of a scalar.
    SquareRoot,
    /// It asks whether any lane has a condition.
    TestsMask,
    /// It puts a register on the stack or takes it from there, and moves the stack pointer by that.
    OfStack,
    /// The address that it computes may become known elsewhere.
    TakesAddress,
    /// Its memory operand is a multiple of its width, or it faults.
    Aligned,
    /// It loads an integer and extends its sign.
    SignExtends,
    /// It only copies what it loads.
    Copies,
    /// Its result depends on none of the registers that it reads.
    WaitsForNothing,
    /// It compares, and fuses with a jump behind it where a core does that.
    FusesComparison,
    /// It adds, subtracts or masks, and fuses with a jump behind it where a core does that.
    FusesArithmetic,
    /// It combines bits, and fuses with a jump behind it where a core does that.
    FusesLogic,
    /// It adds a small constant to a whole register, which some cores do while renaming.
    AddsSmallConstant,
}

/// A set of traits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traits(u32);

impl Traits {
    /// With one more.
    #[must_use]
    pub(crate) fn with(self, what: Trait, holds: bool) -> Self {
        Self(self.0 | u32::from(holds) << what as u32)
    }

    /// Whether it is among them.
    pub fn has(self, what: Trait) -> bool {
        self.0 >> what as u32 & 1 == 1
    }
}
