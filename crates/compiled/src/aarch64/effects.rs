//! What instructions make of integers, and what else their names tell. Sums of 32 bits count as those of 64: that indexes do not
//! wrap around is what compilers rely on as well.

use super::memory::{is_left, relocations, stores, update};
use super::registers::{general_bytes, is_float, shifted, width};
use super::{general, general_or_stack, is_integer};
use crate::instruction::{
    Condition, Effects, Instruction, Operand, Part, Reduction, Register, RegisterClass, Relocation, Sum, Trait, Traits,
};
use yaxpeax_arm::armv8::a64::{Instruction as Raw, Opcode, Operand as RawOperand, SizeCode};

/// Constants that are put together by several instructions, 16 bits each.
#[derive(Default)]
pub(super) struct Constants {
    /// The register that was written last with a constant, and the constant.
    last: Option<(Register, i64)>,
}

impl Constants {
    /// Completes what `movk` makes of the constant before it.
    pub(super) fn follow(&mut self, instruction: &mut Instruction) {
        let Some(register) = instruction.register(0) else {
            self.last = None;
            return;
        };
        if instruction.mnemonic == "movk" {
            let before = self.last.filter(|(known, _)| *known == register);
            let sum = before.zip(instruction.effects.registers.first().map(|(_, part)| part.constant));
            instruction.effects.registers =
                sum.into_iter().map(|((_, before), part)| (register, Sum::constant(before | part))).collect();
        }
        let constant = instruction.effects.registers.first().filter(|(_, sum)| sum.parts.is_empty());
        self.last = constant.map(|(register, sum)| (*register, sum.constant));
    }
}

/// Sums that the instruction computes.
pub(super) fn effects(raw: &Raw, instruction: &Instruction, relocation: Option<&Relocation>) -> Effects {
    let mut registers = Vec::new();
    let to = instruction.register(0).filter(|register| register.class == RegisterClass::Integer);
    let is_store = stores(raw.opcode);
    let value = match relocation {
        Some(relocation) => relocated(raw, relocation),
        None => result(raw, instruction),
    };
    registers.extend(to.zip(value).filter(|_| !is_store));
    registers.extend(update(raw).map(|(base, by)| (base, Sum::register(base).plus(by))));
    let stored = if is_store && raw.operands[1..].iter().any(super::registers::is_memory) { source(raw) } else { None };
    Effects { registers, stored, compared: compared(raw) }
}

/// The value of an operand; `None` where it is no integer, or shifted to the right.
fn operand(raw: &RawOperand) -> Option<Sum> {
    let of = |number: u16| general(number).map_or_else(|| Sum::constant(0), Sum::register);
    Some(match *raw {
        RawOperand::Register(_, number) => of(number),
        RawOperand::RegisterOrSP(_, number) => Sum::register(general_or_stack(number)),
        RawOperand::Immediate(value) => Sum::constant(i64::from(value)),
        RawOperand::Imm64(value) => Sum::constant(value.cast_signed()),
        RawOperand::ImmShift(value, shift) => Sum::constant(shifted(value, shift)),
        RawOperand::RegShift(shift, bits, _, number) if is_left(shift) && bits < 32 => of(number).times(1 << bits),
        _ => return None,
    })
}

/// What is stored: whole registers alone.
fn source(raw: &Raw) -> Option<Sum> {
    let single = matches!(raw.opcode, Opcode::STR | Opcode::STUR);
    if single && is_integer(&raw.operands[0]) { operand(&raw.operands[0]) } else { None }
}

/// The value of the destination.
fn result(raw: &Raw, instruction: &Instruction) -> Option<Sum> {
    let of = |at: usize| operand(&raw.operands[at]);
    if !is_integer(&raw.operands[0]) {
        return None;
    }
    match raw.opcode {
        Opcode::ADD | Opcode::ADDS => Some(of(1)?.plus(of(2)?)),
        Opcode::SUB | Opcode::SUBS => Some(of(1)?.plus(of(2)?.times(-1))),
        Opcode::ORR if matches!(raw.operands[1], RawOperand::Register(_, 31)) => of(2),
        Opcode::MOVZ | Opcode::MOVK => of(1),
        Opcode::MOVN => of(1).map(|sum| Sum::constant(!sum.constant)),
        Opcode::UBFM | Opcode::SBFM => field(raw),
        Opcode::LDR | Opcode::LDUR | Opcode::LDRSW | Opcode::LDURSW => {
            instruction.memory.as_ref().filter(|memory| memory.base.is_some()).map(|_| Sum::part(Part::Loaded))
        }
        _ => None,
    }
}

/// Fields of 32 bits and more that are moved to the left: shifts, and extensions of words.
fn field(raw: &Raw) -> Option<Sum> {
    let (RawOperand::Register(size, _), RawOperand::Immediate(rotated), RawOperand::Immediate(last)) =
        (raw.operands[0], raw.operands[2], raw.operands[3])
    else {
        return None;
    };
    let bits = 8 * u32::from(general_bytes(size));
    let shift = if rotated > last { bits.checked_sub(rotated)? } else { 0 };
    let is_shift = last + 1 + shift == bits;
    let keeps = (rotated == 0 || rotated > last) && (last >= 31 || is_shift) && shift < 32;
    if keeps { Some(operand(&raw.operands[1])?.times(1 << shift)) } else { None }
}

/// The address of a symbol is made of its page and the bits below: the page counts as 0, what is added as all of it.
fn relocated(raw: &Raw, relocation: &Relocation) -> Option<Sum> {
    let symbol = || {
        let symbol = Sum::part(Part::Symbol(relocation.symbol.clone()));
        symbol.plus(Sum::constant(relocation.addend))
    };
    match raw.opcode {
        Opcode::ADRP if relocations::PAGES.contains(&relocation.kind) => Some(Sum::constant(0)),
        Opcode::ADD if relocations::LOW_BITS.contains(&relocation.kind) => {
            Some(operand(&raw.operands[1])?.plus(symbol()))
        }
        Opcode::LDR if relocation.kind == relocations::TABLE_LOW_BITS => Some(symbol()),
        _ => None,
    }
}

/// What the instruction compares: by flags, or for its own jump.
fn compared(raw: &Raw) -> Option<Sum> {
    let of = |at: usize| operand(&raw.operands[at]);
    match raw.opcode {
        Opcode::SUBS => Some(of(1)?.plus(of(2)?.times(-1))),
        Opcode::ADDS => Some(of(1)?.plus(of(2)?)),
        Opcode::ANDS => match (raw.operands[1], raw.operands[2]) {
            (RawOperand::Register(_, a), RawOperand::RegShift(_, 0, _, b)) if a == b => of(1),
            _ => None,
        },
        Opcode::CBZ | Opcode::CBNZ => of(0),
        _ => None,
    }
}

/// What a conditional jump asks.
pub(super) fn condition(opcode: Opcode) -> Option<Condition> {
    Some(match opcode {
        Opcode::CBZ | Opcode::Bcc(0) | Opcode::BCcc(0) => Condition::Equal,
        Opcode::CBNZ | Opcode::Bcc(1) | Opcode::BCcc(1) => Condition::NotEqual,
        Opcode::Bcc(2 | 10) | Opcode::BCcc(2 | 10) => Condition::GreaterOrEqual,
        Opcode::Bcc(3 | 11) | Opcode::BCcc(3 | 11) => Condition::Less,
        Opcode::Bcc(8) | Opcode::BCcc(8) => Condition::Above,
        Opcode::Bcc(9 | 13) | Opcode::BCcc(9 | 13) => Condition::LessOrEqual,
        Opcode::Bcc(12) | Opcode::BCcc(12) => Condition::Greater,
        Opcode::TBZ | Opcode::TBNZ | Opcode::Bcc(_) | Opcode::BCcc(_) => Condition::Other,
        _ => return None,
    })
}

/// The associative operation that the instruction makes.
pub(super) fn operation(raw: &Raw) -> Option<Reduction> {
    use Opcode::{
        ADD, ADDS, AND, ANDS, EOR, FADD, FMADD, FMAX, FMAXNM, FMIN, FMINNM, FMLA, FMLS, FMSUB, FMUL, FSUB, MADD, MLA,
        MLS, MSUB, MUL, ORR, SADALP, SADDW, SADDW2, SMADDL, SMAX, SMIN, SMLAL, SMLAL2, SUB, SUBS, UADALP, UADDW,
        UADDW2, UMADDL, UMAX, UMIN, UMLAL, UMLAL2,
    };
    let product_alone = || matches!(raw.operands[3], RawOperand::Register(_, 31));
    match raw.opcode {
        MADD if product_alone() => Some(Reduction::Product),
        ADD | ADDS | SUB | SUBS | FADD | FSUB | FMADD | FMSUB | FMLA | FMLS | MADD | MSUB | MLA | MLS => {
            Some(Reduction::Sum)
        }
        SADALP | UADALP | SADDW | SADDW2 | UADDW | UADDW2 | SMADDL | UMADDL | SMLAL | SMLAL2 | UMLAL | UMLAL2 => {
            Some(Reduction::Sum)
        }
        FMUL | MUL => Some(Reduction::Product),
        FMAX | FMAXNM | SMAX | UMAX => Some(Reduction::Maximum),
        FMIN | FMINNM | SMIN | UMIN => Some(Reduction::Minimum),
        AND | ANDS => Some(Reduction::And),
        ORR => Some(Reduction::Or),
        EOR => Some(Reduction::ExclusiveOr),
        _ => None,
    }
}

/// What the name tells beside sums.
pub(super) fn traits(raw: &Raw, instruction: &Instruction) -> Traits {
    let name = instruction.mnemonic.as_str();
    let begins = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    let sums = ["fadd", "fsub", "fmadd", "fmsub", "fnmadd", "fnmsub", "fmla", "fmls", "add", "sub"];
    let moving = [
        "zip", "uzp", "trn", "ext", "rev64", "tbl", "tbx", "ins", "dup", "umov", "smov", "xtn", "sshll", "ushll",
        "shrn", "fcvt", "saddl", "uaddl", "saddw", "uaddw", "smull", "umull", "smlal", "umlal", "ld2", "ld3", "ld4",
        "st2", "st3", "st4", "addp", "faddp",
    ];
    let vector = instruction.vector_bytes > 0;
    Traits::default()
        .with(Trait::Adds, begins(&sums) && (is_float(raw.opcode) || vector))
        .with(Trait::MovesLanes, vector && begins(&moving))
        .with(Trait::SquareRoot, raw.opcode == Opcode::FSQRT && !instruction.lanes.packed)
        .with(Trait::TakesAddress, takes_address(raw, instruction))
        .with(Trait::SignExtends, begins(&["ldrs", "ldurs", "ldpsw"]))
        .with(Trait::Copies, matches!(raw.opcode, Opcode::LDR | Opcode::LDUR) && !vector)
}

/// A sum of the stack pointer or the frame pointer that goes to another register.
fn takes_address(raw: &Raw, instruction: &Instruction) -> bool {
    let is_stack =
        |operand: Option<&Operand>| matches!(operand, Some(Operand::Register(register, 8)) if register.is_stack());
    let is_sum = matches!(raw.opcode, Opcode::ADD | Opcode::SUB | Opcode::ORR);
    let is_whole =
        matches!(raw.operands[0], RawOperand::Register(SizeCode::X, _) | RawOperand::RegisterOrSP(SizeCode::X, _));
    let reads_stack = instruction.reads.iter().any(|register| register.is_stack());
    is_sum && is_whole && width(&raw.operands[0]) == 8 && reads_stack && !is_stack(instruction.operands.first())
}
