//! Tables that switches read the targets of jumps from: the forms that compilers write.

use crate::instruction::{Condition, Flow, Instruction, InstructionSet, MemoryOperand, Operand, Part, Register, Trait};
use crate::object_code::CompiledUnit;

/// More entries than any switch has that a compiler makes a table of.
const MOST_ENTRIES: u64 = 4096;

/// Where a jump goes that reads its target from a table.
pub(crate) fn targets(instructions: &[Instruction], jump: usize, unit: &CompiledUnit) -> Vec<u64> {
    let entries = bound(instructions, jump).unwrap_or(MOST_ENTRIES);
    if unit.set == InstructionSet::Aarch64 {
        return distances(instructions, jump, unit, entries).unwrap_or_default();
    }
    // jmp [index*8 + table]: the table holds addresses.
    if let Some(memory) = instructions[jump].memory.as_ref().filter(|memory| memory.index.is_some()) {
        return table_of(memory, unit)
            .map_or_else(Vec::new, |table| read(instructions, unit, table, 8, entries, false));
    }
    // movsxd r, [table + index*4]; add r, table; jmp r: the table holds distances from its own begin.
    let look_back = jump.saturating_sub(LOOK_BACK)..jump;
    let load = look_back.rev().find(|&at| instructions[at].has(Trait::SignExtends) && instructions[at].loads());
    let base = load.and_then(|at| instructions[at].memory.as_ref()?.base);
    let table = base.and_then(|base| address_in(instructions, base, jump, unit));
    table.map_or_else(Vec::new, |table| read(instructions, unit, table, 4, entries, true))
}

/// How far before a jump its table is read and its index compared.
const LOOK_BACK: usize = 16;

fn read(
    instructions: &[Instruction],
    unit: &CompiledUnit,
    table: u64,
    size: u64,
    most: u64,
    relative: bool,
) -> Vec<u64> {
    let (Some(first), Some(last)) = (instructions.first(), instructions.last()) else { return Vec::new() };
    let inside = first.address..last.end();
    let entry = |number: u64| {
        let at = table + number * size;
        let word = unit.words.get(&at).filter(|word| word.relative == relative)?;
        let target = if relative { word.target.wrapping_sub(number * size) } else { word.target };
        inside.contains(&target).then_some(target)
    };
    // A table ends with the first word that is none of it.
    let mut targets: Vec<u64> = (0..most).map_while(entry).collect();
    targets.sort_unstable();
    targets.dedup();
    targets
}

fn table_of(memory: &MemoryOperand, unit: &CompiledUnit) -> Option<u64> {
    let section = unit.sections.get(memory.symbol.as_deref()?)?;
    Some(section.wrapping_add_signed(memory.displacement))
}

/// The address that `lea` puts into a register: the last before the jump, or the only one of the function.
fn address_in(instructions: &[Instruction], register: Register, jump: usize, unit: &CompiledUnit) -> Option<u64> {
    let is_address = |at: &usize| {
        let instruction = &instructions[*at];
        instruction.has(Trait::TakesAddress)
            && instruction.register(0) == Some(register)
            && instruction.memory.as_ref().is_some_and(|memory| memory.symbol.is_some())
    };
    let at = (0..jump).rev().find(is_address).or_else(|| (jump..instructions.len()).find(is_address))?;
    table_of(instructions[at].memory.as_ref()?, unit)
}

/// Entries of the table, by the comparison that leads past the jump where the index is too large.
fn bound(instructions: &[Instruction], jump: usize) -> Option<u64> {
    let at =
        (jump.saturating_sub(LOOK_BACK)..jump).rev().find(|&at| matches!(instructions[at].flow, Flow::Branch(_)))?;
    let above = instructions[at].condition == Some(Condition::Above);
    let compared = (0..at).rev().take(4).find_map(|at| instructions[at].effects.compared.as_ref())?;
    let limit = Some(compared.constant.wrapping_neg()).filter(|_| above && compared.parts.len() == 1)?;
    u64::try_from(limit).ok().map(|limit| limit + 1)
}

/// ldrb w, [table, index]; adr r, base; add r, r, w, sxtb #2; br r: the table holds distances from an address in the code, in
/// instructions, of as many bytes as they need.
fn distances(instructions: &[Instruction], jump: usize, unit: &CompiledUnit, most: u64) -> Option<Vec<u64>> {
    let before = || (jump.saturating_sub(LOOK_BACK)..jump).rev().map(|at| &instructions[at]);
    let base = before().find_map(|instruction| match instruction.operands[..] {
        [Operand::Register(..), Operand::Target(base)] if instruction.flow == Flow::Next && !instruction.loads() => {
            Some(base)
        }
        _ => None,
    })?;
    let load = before().find(|instruction| {
        let memory = instruction.memory.as_ref().filter(|_| instruction.loads());
        memory.is_some_and(|memory| memory.index.is_some() && matches!(memory.width, 1 | 2 | 4))
    })?;
    let memory = load.memory.as_ref()?;
    let table = symbol_in(instructions, memory.base?, jump, unit)?;
    let (&section, bytes) = unit.constants.range(..=table).next_back()?;
    let width = usize::from(memory.width);
    let entry = |number: usize| {
        let at = usize::try_from(table - section).ok()? + number * width;
        let word = bytes.get(at..at + width)?;
        let sign = if word.last()? & 0x80 == 0 { 0 } else { 0xff };
        let word = std::array::from_fn(|at| word.get(at).copied().unwrap_or(sign));
        let target = base.wrapping_add_signed(i64::from_le_bytes(word).wrapping_mul(4));
        (instructions.first()?.address..instructions.last()?.end()).contains(&target).then_some(target)
    };
    let mut targets: Vec<u64> = (0..usize::try_from(most).ok()?).map_while(entry).collect();
    targets.sort_unstable();
    targets.dedup();
    Some(targets)
}

/// The address of a symbol that a register holds: put there last before the jump, or at the only place of the function.
fn symbol_in(instructions: &[Instruction], register: Register, jump: usize, unit: &CompiledUnit) -> Option<u64> {
    let symbol = |at: usize| {
        let effects = &instructions[at].effects.registers;
        let (_, sum) = effects.iter().find(|(to, _)| *to == register)?;
        let name = sum.parts.iter().find_map(|(part, _)| match part {
            Part::Symbol(name) => Some(name),
            _ => None,
        })?;
        Some(unit.sections.get(name)?.wrapping_add_signed(sum.constant))
    };
    (0..jump).rev().find_map(symbol).or_else(|| (jump..instructions.len()).find_map(symbol))
}
