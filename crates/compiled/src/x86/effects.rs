//! What instructions of x86-64 make of integers, and what else their names tell.

use crate::instruction::{
    Condition, Effects, Flow, Instruction, Operand, Part, Reduction, Register, RegisterClass, Sum, Trait, Traits,
};
use iced_x86::ConditionCode;

/// Sums that the instruction computes.
pub(super) fn effects(instruction: &Instruction) -> Effects {
    let mut registers: Vec<(Register, Sum)> = Vec::new();
    // What a called function pushes it also pops, its return address included.
    let stack = match (instruction.mnemonic.as_str(), &instruction.flow) {
        (_, Flow::Call(_)) => Some(0),
        ("push", _) => Some(-pushed(instruction)),
        ("pop", _) => Some(pushed(instruction)),
        _ => None,
    };
    registers.extend(stack.map(|bytes| (Register::STACK, Sum::register(Register::STACK).plus(Sum::constant(bytes)))));
    // It extends rax in place; sums of 32 bits count as those of 64.
    if instruction.mnemonic == "cdqe" {
        registers.push((Register::integer(0), Sum::register(Register::integer(0))));
    }
    registers.extend(instruction.register(0).zip(result(instruction)));
    Effects { registers, stored: stored(instruction), compared: compared(instruction) }
}

fn pushed(instruction: &Instruction) -> i64 {
    instruction.memory.as_ref().map_or(8, |memory| i64::from(memory.width.max(2)))
}

/// The value of the first operand, where the instruction computes a sum into a register.
fn result(instruction: &Instruction) -> Option<Sum> {
    let Some(Operand::Register(to, 4..)) = instruction.operands.first() else { return None };
    let to = Some(*to).filter(|register| register.class == RegisterClass::Integer)?;
    let own = || Sum::register(to);
    let other = || operand(instruction, 1);
    match instruction.mnemonic.as_str() {
        "mov" | "movsxd" => other(),
        "lea" => instruction.memory.as_ref().map(|_| Sum::part(Part::Address)),
        "add" => Some(own().plus(other()?)),
        "sub" | "xor" if instruction.register(1) == Some(to) => Some(Sum::constant(0)),
        "sub" => Some(own().plus(other()?.times(-1))),
        "inc" => Some(own().plus(Sum::constant(1))),
        "dec" => Some(own().plus(Sum::constant(-1))),
        "neg" => Some(own().times(-1)),
        "shl" | "sal" => {
            let bits = instruction.immediate(1).filter(|bits| (0..32).contains(bits))?;
            Some(own().times(1 << bits))
        }
        "imul" if instruction.operands.len() == 3 => Some(other()?.times(instruction.immediate(2)?)),
        _ => None,
    }
}

/// What is stored, where it is a sum.
fn stored(instruction: &Instruction) -> Option<Sum> {
    instruction.memory.as_ref().filter(|memory| memory.writes)?;
    let before = || Sum::part(Part::Loaded);
    match instruction.mnemonic.as_str() {
        "mov" => operand(instruction, 1),
        "add" => Some(before().plus(operand(instruction, 1)?)),
        "sub" => Some(before().plus(operand(instruction, 1)?.times(-1))),
        "inc" => Some(before().plus(Sum::constant(1))),
        "dec" => Some(before().plus(Sum::constant(-1))),
        _ => None,
    }
}

fn operand(instruction: &Instruction, index: usize) -> Option<Sum> {
    if let Some(register) = instruction.register(index) {
        return (register.class == RegisterClass::Integer).then(|| Sum::register(register));
    }
    if let Some(value) = instruction.immediate(index) {
        return Some(Sum::constant(value));
    }
    instruction.memory.as_ref().filter(|memory| memory.reads && memory.width >= 4)?;
    Some(Sum::part(Part::Loaded))
}

/// What flags tell of: whole registers of 32 or 64 bits.
fn compared(instruction: &Instruction) -> Option<Sum> {
    let Some(Operand::Register(first, 4..)) = instruction.operands.first() else { return None };
    let second = || match instruction.operands.get(1)? {
        Operand::Register(register, _) => Some(Sum::register(*register)),
        Operand::Immediate(value) => Some(Sum::constant(*value)),
        Operand::Memory | Operand::Target(_) => None,
    };
    match instruction.mnemonic.as_str() {
        "cmp" => Some(Sum::register(*first).plus(second()?.times(-1))),
        "test" if instruction.register(1) == Some(*first) => Some(Sum::register(*first)),
        "add" | "sub" | "inc" | "dec" => result(instruction),
        _ => None,
    }
}

/// What a conditional jump asks.
pub(super) fn condition(raw: &iced_x86::Instruction) -> Option<Condition> {
    if !raw.is_jcc_short_or_near() {
        return raw.is_jcx_short().then_some(Condition::Other);
    }
    Some(match raw.condition_code() {
        ConditionCode::e => Condition::Equal,
        ConditionCode::ne => Condition::NotEqual,
        ConditionCode::b | ConditionCode::l => Condition::Less,
        ConditionCode::be | ConditionCode::le => Condition::LessOrEqual,
        ConditionCode::a => Condition::Above,
        ConditionCode::g => Condition::Greater,
        ConditionCode::ae | ConditionCode::ge => Condition::GreaterOrEqual,
        _ => Condition::Other,
    })
}

/// The associative operation that the instruction makes.
pub(super) fn operation(mnemonic: &str) -> Option<Reduction> {
    let name = mnemonic.strip_prefix('v').unwrap_or(mnemonic);
    let begins = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    if begins(&["add", "padd", "fmadd", "fnmadd", "sub", "psub", "inc"]) {
        return Some(Reduction::Sum);
    }
    if begins(&["mul", "pmull", "imul"]) {
        return Some(Reduction::Product);
    }
    if begins(&["max", "pmax"]) {
        return Some(Reduction::Maximum);
    }
    if begins(&["min", "pmin"]) {
        return Some(Reduction::Minimum);
    }
    match name {
        "and" | "pand" | "pandd" | "pandq" => Some(Reduction::And),
        "or" | "por" | "pord" | "porq" => Some(Reduction::Or),
        "xor" | "pxor" | "pxord" | "pxorq" => Some(Reduction::ExclusiveOr),
        _ => None,
    }
}

/// What the name tells beside sums.
pub(super) fn traits(instruction: &Instruction) -> Traits {
    let full = instruction.mnemonic.as_str();
    let name = full.strip_prefix('v').unwrap_or(full);
    let begins = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    let moves_lanes = [
        "unpck", "punpck", "perm", "shuf", "pshuf", "cvt", "pmov", "insert", "extract", "gather", "pgather", "align",
        "palign",
    ];
    let tests = ["kortestb", "kortestw", "kortestd", "kortestq", "ptest", "vptest", "vtestps"];
    Traits::default()
        .with(Trait::Adds, begins(&["add", "sub", "fmadd", "fmsub", "fnmadd", "fnmsub"]))
        .with(Trait::MovesLanes, begins(&moves_lanes))
        .with(Trait::SquareRoot, begins(&["sqrts"]))
        .with(Trait::TestsMask, tests.contains(&full))
        .with(Trait::OfStack, matches!(full, "push" | "pop"))
        .with(Trait::TakesAddress, full == "lea")
        .with(Trait::Aligned, is_aligned(full))
        .with(Trait::SignExtends, matches!(full, "movsx" | "movsxd"))
        .with(Trait::Copies, matches!(full, "mov" | "pop"))
        .with(Trait::WaitsForNothing, super::families::is_ones_idiom(instruction))
        .with(Trait::FusesComparison, matches!(full, "cmp" | "test"))
        .with(Trait::FusesArithmetic, matches!(full, "add" | "sub" | "inc" | "dec" | "and"))
        .with(Trait::FusesLogic, matches!(full, "or" | "xor"))
        .with(Trait::AddsSmallConstant, adds_small_constant(instruction))
}

/// Whether the instruction faults at addresses that are no multiple of its width (Intel SDM, volume 1, section 4.1.1):
/// moves that say so, and arithmetic of the encodings before AVX.
fn is_aligned(name: &str) -> bool {
    let plain = name.strip_prefix('v').unwrap_or(name);
    if plain.starts_with("mov") {
        return ["movaps", "movapd", "movdqa", "movntps", "movntpd", "movntdq"]
            .iter()
            .any(|begin| plain.starts_with(begin));
    }
    !name.starts_with('v')
}

/// `add $1`, `inc`, `sub $1`, `lea 8(%rax)` on 64 bits.
fn adds_small_constant(instruction: &Instruction) -> bool {
    let small = |value: i64| i8::try_from(value).is_ok();
    let whole = matches!(instruction.operands.first(), Some(Operand::Register(_, 8)));
    let adds = match (instruction.mnemonic.as_str(), &instruction.memory) {
        ("add" | "sub", None) => instruction.immediate(1).is_some_and(small),
        ("inc" | "dec", None) => true,
        ("lea", Some(place)) => {
            place.base.is_some() && place.index.is_none() && place.symbol.is_none() && small(place.displacement)
        }
        _ => false,
    };
    whole && adds
}
