//! aarch64: words to [`Instruction`].
//!
//! A word that is no known instruction becomes an instruction without figures: data may lie between instructions, and extensions
//! are newer than any decoder.

mod effects;
mod families;
mod memory;
mod registers;

use crate::instruction::{
    Effects, FamilyUse, Flow, Instruction, InstructionSet, Lanes, Register, RegisterClass, Relocation, Symbols, Traits,
};
use registers::{Used, class_of, lanes, operand, vector_bytes};
use yaxpeax_arch::{Decoder as _, U8Reader};
use yaxpeax_arm::armv8::a64::{InstDecoder, Instruction as Raw, Opcode, Operand as RawOperand};

/// Bytes of an instruction.
const WORD: usize = 4;

/// Decodes all instructions of `bytes`, which lie at `address`.
pub(crate) fn decode(bytes: &[u8], address: u64, symbols: &dyn Symbols) -> Vec<Instruction> {
    let decoder = InstDecoder::default();
    let function = (address, address + bytes.len() as u64);
    let mut constants = effects::Constants::default();
    let mut instructions = Vec::new();
    for (word, at) in bytes.chunks_exact(WORD).zip((address..).step_by(WORD)) {
        let relocation = symbols.relocation(at, at + WORD as u64);
        let mut instruction = match decoder.decode(&mut U8Reader::new(word)) {
            Ok(raw) => One { raw: &raw, at, relocation: relocation.as_ref(), symbols, function }.instruction(),
            Err(_) => unknown(word, at),
        };
        constants.follow(&mut instruction);
        instructions.push(instruction);
    }
    instructions
}

fn unknown(word: &[u8], at: u64) -> Instruction {
    let number = word.iter().rev().fold(0_u32, |all, byte| all << 8 | u32::from(*byte));
    Instruction { text: format!(".inst {number:#010x}"), mnemonic: ".inst".to_owned(), ..plain(at) }
}

fn plain(at: u64) -> Instruction {
    Instruction {
        address: at,
        length: WORD as u8,
        mnemonic: String::new(),
        text: String::new(),
        operands: Vec::new(),
        reads: Vec::new(),
        writes: Vec::new(),
        memory: None,
        flow: Flow::Next,
        vector_bytes: 0,
        lanes: Lanes::default(),
        atomic: false,
        repeated: false,
        set: InstructionSet::Aarch64,
        family: FamilyUse::Unknown,
        effects: Effects::default(),
        condition: None,
        operation: None,
        traits: Traits::default(),
        updates: None,
    }
}

/// One instruction on its way.
struct One<'a> {
    raw: &'a Raw,
    at: u64,
    relocation: Option<&'a Relocation>,
    symbols: &'a dyn Symbols,
    /// The addresses of the function.
    function: (u64, u64),
}

impl One<'_> {
    fn instruction(&self) -> Instruction {
        let raw = self.raw;
        let memory = memory::operand(raw, self.at, self.relocation);
        let Used { mut reads, mut writes } = registers::used(raw);
        let updates = memory::update(raw).map(|(base, _)| base);
        writes.extend(updates.filter(|base| !writes.contains(base)));
        let flow = self.flow();
        if matches!(flow, Flow::Return) {
            reads.clear();
        }
        let mut instruction = Instruction {
            mnemonic: mnemonic(raw.opcode),
            text: self.text(&flow),
            operands: raw.operands.iter().filter_map(|of| operand(of, self.at)).collect(),
            reads,
            writes,
            memory,
            flow,
            vector_bytes: vector_bytes(raw),
            lanes: lanes(raw),
            atomic: families::is_atomic(raw.opcode),
            condition: effects::condition(raw.opcode),
            operation: effects::operation(raw),
            updates,
            ..plain(self.at)
        };
        instruction.family = families::family(raw, &instruction.flow);
        instruction.effects = effects::effects(raw, &instruction, self.relocation);
        instruction.traits = effects::traits(raw, &instruction);
        instruction
    }

    fn target(&self) -> u64 {
        let offset = self.raw.operands.iter().find_map(|operand| match operand {
            RawOperand::PCOffset(offset) => Some(*offset),
            _ => None,
        });
        self.at.wrapping_add_signed(offset.unwrap_or(0))
    }

    fn flow(&self) -> Flow {
        let target = self.target();
        let inside = self.relocation.is_none() && (self.function.0..self.function.1).contains(&target);
        let name = || self.relocation.map(|found| found.symbol.clone()).or_else(|| self.symbols.function_at(target));
        match self.raw.opcode {
            Opcode::B if inside => Flow::Jump(target),
            // A relocation, or a target outside, is another function: a call at the end.
            Opcode::B => Flow::TailCall(name()),
            Opcode::Bcc(_) | Opcode::BCcc(_) | Opcode::CBZ | Opcode::CBNZ | Opcode::TBZ | Opcode::TBNZ if inside => {
                Flow::Branch(target)
            }
            Opcode::BL => Flow::Call(name()),
            Opcode::BLR | Opcode::BLRAA | Opcode::BLRAAZ | Opcode::BLRAB | Opcode::BLRABZ => Flow::Call(None),
            Opcode::BR | Opcode::BRAA | Opcode::BRAAZ | Opcode::BRAB | Opcode::BRABZ => Flow::IndirectJump,
            Opcode::RET | Opcode::RETAA | Opcode::RETAB | Opcode::ERET => Flow::Return,
            Opcode::BRK | Opcode::HLT | Opcode::UDF => Flow::Trap,
            _ => Flow::Next,
        }
    }

    /// With addresses in place of distances, and with the symbol that a relocation names.
    fn text(&self, flow: &Flow) -> String {
        let text = self.raw.to_string();
        match (flow, self.relocation) {
            (Flow::Call(Some(name)) | Flow::TailCall(Some(name)), _) => {
                format!("{} {name}", mnemonic(self.raw.opcode))
            }
            (_, Some(relocation)) => {
                let addend = if relocation.addend == 0 { String::new() } else { format!("{:+}", relocation.addend) };
                format!("{text} <{}{addend}>", relocation.symbol)
            }
            (_, None) => match text.find("$+").or_else(|| text.find("$-")) {
                Some(begin) => format!("{}{:#x}", &text[..begin], self.target()),
                None => text,
            },
        }
    }
}

/// Names of instructions without their aliases: `subs` of `cmp`, `csinc` of `cset`.
fn mnemonic(opcode: Opcode) -> String {
    const CONDITIONS: [&str; 16] =
        ["eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al", "nv"];
    if let Opcode::Bcc(condition) | Opcode::BCcc(condition) = opcode {
        return format!("b.{}", CONDITIONS[usize::from(condition & 15)]);
    }
    let name = format!("{opcode:?}").to_lowercase();
    name.split('(').next().unwrap_or_default().to_owned()
}

/// A register of general purpose; `None` where 31 is the zero register.
fn general(number: u16) -> Option<Register> {
    (number < 31).then(|| Register::of_aarch64(number as u8))
}

/// A register of general purpose where 31 is the stack pointer.
fn general_or_stack(number: u16) -> Register {
    Register::of_aarch64((number & 31) as u8)
}

fn is_integer(operand: &RawOperand) -> bool {
    class_of(operand) == Some(RegisterClass::Integer)
}

#[cfg(test)]
mod tests;
