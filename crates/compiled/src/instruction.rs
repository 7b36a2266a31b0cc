//! Instructions, the same for every instruction set: what the other modules read.

pub use crate::semantics::{Condition, Effects, FamilyUse, InstructionSet, Part, Reduction, Sum, Trait, Traits};
use std::fmt;

/// The kinds of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RegisterClass {
    /// General purpose.
    Integer,
    /// Vectors, and scalars of floating point that live in them.
    Vector,
    /// Masks of vector lanes.
    Mask,
    /// The stack of x87, as one register: its instructions form one chain.
    X87,
    /// The carry flag. Processors rename it apart from the others, for `inc` and `dec` leave it alone.
    Carry,
    /// All other arithmetic flags.
    Flags,
    /// The address of the next instruction.
    InstructionPointer,
    /// Segment and control registers.
    Other,
}

/// A register in full: its parts are the same register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Register {
    /// What kind of register it is.
    pub class: RegisterClass,
    /// Its number in the instruction set. Those of general purpose of aarch64 begin at 64, so that a register is of one set.
    pub number: u8,
}

impl Register {
    /// The carry flag.
    pub(crate) const CARRY: Self = Self { class: RegisterClass::Carry, number: 0 };
    /// The other arithmetic flags.
    pub const FLAGS: Self = Self { class: RegisterClass::Flags, number: 0 };
    /// The stack pointer of x86-64.
    pub(crate) const STACK: Self = Self::integer(4);
    /// The register of x86-64 that functions without -fomit-frame-pointer address their locals by.
    pub const FRAME: Self = Self::integer(5);
    /// The stack pointer of aarch64.
    pub(crate) const STACK_OF_AARCH64: Self = Self::of_aarch64(31);
    /// The frame pointer of aarch64.
    pub(crate) const FRAME_OF_AARCH64: Self = Self::of_aarch64(29);

    /// A register of general purpose of x86-64.
    pub const fn integer(number: u8) -> Self {
        Self { class: RegisterClass::Integer, number }
    }

    /// `x0` to `x30` of aarch64, and `sp` as 31.
    pub const fn of_aarch64(number: u8) -> Self {
        Self { class: RegisterClass::Integer, number: AARCH64 + number }
    }

    /// A vector register.
    pub const fn vector(number: u8) -> Self {
        Self { class: RegisterClass::Vector, number }
    }

    /// Whether it is the stack pointer.
    pub(crate) fn is_stack_pointer(self) -> bool {
        self == Self::STACK || self == Self::STACK_OF_AARCH64
    }

    /// Whether locals are addressed by it.
    pub(crate) fn is_stack(self) -> bool {
        self.is_stack_pointer() || self == Self::FRAME || self == Self::FRAME_OF_AARCH64
    }
}

/// The first of the numbers that aarch64's registers of general purpose have.
const AARCH64: u8 = 64;

const NAMES: [&str; 16] =
    ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"];

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.class {
            RegisterClass::Integer if *self == Self::STACK_OF_AARCH64 => f.write_str("sp"),
            RegisterClass::Integer if self.number >= AARCH64 => write!(f, "x{}", self.number - AARCH64),
            RegisterClass::Integer => match NAMES.get(usize::from(self.number)) {
                Some(name) => f.write_str(name),
                None => write!(f, "r{}", self.number),
            },
            RegisterClass::Vector => write!(f, "v{}", self.number),
            RegisterClass::Mask => write!(f, "k{}", self.number),
            RegisterClass::X87 => f.write_str("x87"),
            RegisterClass::Carry => f.write_str("carry"),
            RegisterClass::Flags => f.write_str("flags"),
            RegisterClass::InstructionPointer => f.write_str("rip"),
            RegisterClass::Other => write!(f, "special{}", self.number),
        }
    }
}

/// What an instruction does with memory, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryOperand {
    /// The register that holds an address.
    pub base: Option<Register>,
    /// The register that is multiplied by `scale`.
    pub index: Option<Register>,
    /// 1, 2, 4 or 8.
    pub scale: u8,
    /// Bytes added to base and index.
    pub displacement: i64,
    /// What a relocation adds: the symbol's name.
    pub symbol: Option<String>,
    /// Bytes that are read or written; 0 where that depends on registers.
    pub width: u16,
    /// Whether it is read.
    pub reads: bool,
    /// Whether it is written.
    pub writes: bool,
}

impl MemoryOperand {
    /// Whether the address needs an addition of two registers.
    pub(crate) fn is_indexed(&self) -> bool {
        self.index.is_some() && self.base.is_some()
    }
}

/// An operand as the instruction has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A register, with the bytes of it that are meant.
    Register(Register, u16),
    /// A constant.
    Immediate(i64),
    /// The memory operand of the instruction.
    Memory,
    /// An address that control goes to.
    Target(u64),
}

/// Where control goes after an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flow {
    /// To the next instruction.
    Next,
    /// To this address.
    Jump(u64),
    /// To this address or to the next instruction.
    Branch(u64),
    /// To an address in a register or in memory.
    IndirectJump,
    /// To a function and back; its name where a symbol or relocation tells it.
    Call(Option<String>),
    /// To a function that does not come back.
    Exit(String),
    /// To another function in place of call and return; its name where a symbol or relocation tells it.
    TailCall(Option<String>),
    /// To the caller.
    Return,
    /// Nowhere.
    Trap,
}

/// What the elements of an arithmetic instruction are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Lanes {
    /// Bytes of one element; 0 where the instruction does not tell.
    pub element: u8,
    /// Elements that it works on; 0 where the instruction does not tell.
    pub count: u16,
    /// Whether it is an instruction on several elements.
    pub packed: bool,
    /// Whether elements are of floating point.
    pub float: bool,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Where it lies; addresses are of the object laid out with every section in a place of its own.
    pub address: u64,
    /// Bytes of its encoding.
    pub length: u8,
    /// Its name without operands, in lower case.
    pub mnemonic: String,
    /// The whole instruction, for people.
    pub text: String,
    /// Operands, the destination first.
    pub operands: Vec<Operand>,
    /// Registers it reads, flags included, those of its address excluded.
    pub reads: Vec<Register>,
    /// Registers it writes, flags included.
    pub writes: Vec<Register>,
    /// Its memory operand.
    pub memory: Option<MemoryOperand>,
    /// Where control goes afterwards.
    pub flow: Flow,
    /// Bytes of its widest vector register; 0 where it has none.
    pub(crate) vector_bytes: u16,
    /// What its elements are.
    pub lanes: Lanes,
    /// Performed as one access that nobody can interrupt (`lock`).
    pub atomic: bool,
    /// Repeated as often as a register says (`rep`).
    pub repeated: bool,
    /// The instruction set that it is of.
    pub set: InstructionSet,
    /// How a core executes it.
    pub family: FamilyUse,
    /// What it makes of integers.
    pub effects: Effects,
    /// What a conditional jump asks.
    pub condition: Option<Condition>,
    /// The associative operation that it makes.
    pub operation: Option<Reduction>,
    /// What else its name tells.
    pub traits: Traits,
    /// The register of its address that it also moves.
    pub updates: Option<Register>,
}

/// What a relocation puts into an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Where its field is.
    pub at: u64,
    /// The symbol.
    pub symbol: String,
    /// What is added to it.
    pub addend: i64,
    /// The field is relative to its own place (x86-64).
    pub relative: bool,
    /// Its number in the ELF of the instruction set.
    pub kind: u32,
}

/// What relocations and symbols say of addresses in code.
pub trait Symbols {
    /// The relocation of a field between two addresses.
    fn relocation(&self, from: u64, to: u64) -> Option<Relocation>;
    /// The function that begins at an address.
    fn function_at(&self, address: u64) -> Option<String>;
}

impl Instruction {
    /// The address behind it.
    pub fn end(&self) -> u64 {
        self.address + u64::from(self.length)
    }

    /// Registers that its address is made of.
    pub(crate) fn address_registers(&self) -> impl Iterator<Item = Register> + '_ {
        self.memory.iter().flat_map(|memory| [memory.base, memory.index]).flatten()
    }

    /// Whether it reads memory.
    pub fn loads(&self) -> bool {
        self.memory.as_ref().is_some_and(|memory| memory.reads)
    }

    /// Whether it works on a block of memory. The prefix of a return is for decoders of old.
    pub(crate) fn is_string(&self) -> bool {
        self.repeated && !matches!(self.flow, Flow::Return)
    }

    /// Whether its name tells that of it.
    pub fn has(&self, what: Trait) -> bool {
        self.traits.has(what)
    }

    /// Whether it writes memory.
    pub fn stores(&self) -> bool {
        self.memory.as_ref().is_some_and(|memory| memory.writes)
    }

    /// Whether control may go elsewhere than to the next instruction of the function.
    pub fn ends_block(&self) -> bool {
        !matches!(self.flow, Flow::Next | Flow::Call(_))
    }

    /// The register of the `index`th operand.
    pub fn register(&self, index: usize) -> Option<Register> {
        match self.operands.get(index) {
            Some(Operand::Register(register, _)) => Some(*register),
            _ => None,
        }
    }

    /// The constant of the `index`th operand.
    pub fn immediate(&self, index: usize) -> Option<i64> {
        match self.operands.get(index) {
            Some(Operand::Immediate(value)) => Some(*value),
            _ => None,
        }
    }
}
