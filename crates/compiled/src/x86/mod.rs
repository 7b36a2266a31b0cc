//! x86-64: bytes to [`Instruction`].

mod effects;
mod families;

use crate::instruction::{
    Effects, FamilyUse, Flow, Instruction, InstructionSet, Lanes, MemoryOperand, Operand, Register, RegisterClass,
    Symbols, Traits,
};
use iced_x86::{
    Decoder, DecoderOptions, FlowControl, Formatter, InstructionInfoFactory, IntelFormatter, OpAccess, OpKind,
    RflagsBits,
};

/// Decodes all instructions of `bytes`, which lie at `address`.
///
/// # Errors
/// The address of the first bytes that are no instruction.
pub fn decode(bytes: &[u8], address: u64, symbols: &dyn Symbols) -> Result<Vec<Instruction>, u64> {
    let mut decoder = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE);
    let mut formatter = IntelFormatter::new();
    formatter.options_mut().set_space_after_operand_separator(true);
    formatter.options_mut().set_branch_leading_zeros(false);
    let mut factory = InstructionInfoFactory::new();
    let mut instructions = Vec::new();
    let end = address + bytes.len() as u64;
    while decoder.can_decode() {
        let raw = decoder.decode();
        if raw.is_invalid() {
            return Err(raw.ip());
        }
        let one = One { raw: &raw, symbols, function: (address, end) };
        instructions.push(one.instruction(&mut formatter, &mut factory));
    }
    Ok(instructions)
}

/// One instruction on its way.
struct One<'a> {
    raw: &'a iced_x86::Instruction,
    symbols: &'a dyn Symbols,
    /// The addresses of the function.
    function: (u64, u64),
}

impl One<'_> {
    fn instruction(&self, formatter: &mut IntelFormatter, factory: &mut InstructionInfoFactory) -> Instruction {
        let raw = self.raw;
        let relocation = self.relocation();
        let mut text = String::new();
        formatter.format(raw, &mut text);
        let info = factory.info(raw);
        let (reads, writes) = self.registers(info);
        let mnemonic = format!("{:?}", raw.mnemonic()).to_lowercase();
        let flow = self.flow(relocation.as_ref());
        let text = named(text, raw, relocation.as_ref(), &flow);
        let mut instruction = Instruction {
            address: raw.ip(),
            length: u8::try_from(raw.len()).unwrap_or(u8::MAX),
            lanes: self.lanes(&mnemonic),
            condition: effects::condition(raw),
            operation: effects::operation(&mnemonic),
            mnemonic,
            text,
            operands: (0..raw.op_count()).map(|index| self.operand(index)).collect(),
            reads,
            writes,
            memory: self.memory(info, relocation),
            flow,
            vector_bytes: self.vector_bytes(),
            atomic: raw.has_lock_prefix()
                || (raw.mnemonic() == iced_x86::Mnemonic::Xchg && raw.op0_kind() == OpKind::Memory),
            repeated: raw.has_rep_prefix() || raw.has_repne_prefix(),
            set: InstructionSet::X86,
            family: FamilyUse::Unknown,
            effects: Effects::default(),
            traits: Traits::default(),
            updates: None,
        };
        instruction.family = families::family(&instruction);
        instruction.effects = effects::effects(&instruction);
        instruction.traits = effects::traits(&instruction);
        instruction
    }

    /// Relative to the symbol: an immediate may follow a field that is relative to the next instruction.
    fn relocation(&self) -> Option<(String, i64)> {
        let found = self.symbols.relocation(self.raw.ip(), self.raw.next_ip())?;
        let behind = if found.relative { (self.raw.next_ip() - found.at).cast_signed() } else { 0 };
        Some((found.symbol, found.addend + behind))
    }

    fn flow(&self, relocation: Option<&(String, i64)>) -> Flow {
        let raw = self.raw;
        let inside = |address: u64| (self.function.0..self.function.1).contains(&address);
        let target = raw.near_branch_target();
        let name = || relocation.map(|(name, _)| name.clone()).or_else(|| self.symbols.function_at(target));
        match raw.flow_control() {
            FlowControl::Next => Flow::Next,
            // A relocation, or a target outside, is another function: a call at the end.
            FlowControl::UnconditionalBranch if relocation.is_some() || !inside(target) => Flow::TailCall(name()),
            FlowControl::UnconditionalBranch => Flow::Jump(target),
            FlowControl::ConditionalBranch if relocation.is_some() || !inside(target) => Flow::Next,
            FlowControl::ConditionalBranch => Flow::Branch(target),
            FlowControl::IndirectBranch => Flow::IndirectJump,
            FlowControl::Call => Flow::Call(name()),
            FlowControl::IndirectCall => Flow::Call(None),
            FlowControl::Return => Flow::Return,
            FlowControl::Exception | FlowControl::Interrupt | FlowControl::XbeginXabortXend => Flow::Trap,
        }
    }

    fn operand(&self, index: u32) -> Operand {
        let raw = self.raw;
        match raw.op_kind(index) {
            OpKind::Register => {
                let given = raw.op_register(index);
                Operand::Register(register(given), u16::try_from(given.size()).unwrap_or(0))
            }
            OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64 => {
                Operand::Target(raw.near_branch_target())
            }
            kind if is_memory(kind) => Operand::Memory,
            _ => Operand::Immediate(signed(raw, index)),
        }
    }

    fn memory(&self, info: &iced_x86::InstructionInfo, relocation: Option<(String, i64)>) -> Option<MemoryOperand> {
        let raw = self.raw;
        // lea has a memory operand and does not touch memory: it is no access, and its address is an operation.
        let position = (0..raw.op_count()).find(|&index| is_memory(raw.op_kind(index)));
        let used = info.used_memory().iter();
        let (mut reads, mut writes) = (false, false);
        for access in used.map(|memory| memory.access()) {
            reads |=
                matches!(access, OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite | OpAccess::ReadCondWrite);
            writes |=
                matches!(access, OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite);
        }
        let Some(_) = position else {
            // push, pop, call and ret reach memory without an operand that says so.
            return (reads || writes).then(|| Self::implicit(info, reads, writes));
        };
        let width = u16::try_from(raw.memory_size().size()).unwrap_or(0);
        let base = raw.memory_base();
        let relative = base == iced_x86::Register::RIP;
        let known = |given: iced_x86::Register| (given != iced_x86::Register::None).then(|| register(given));
        let (symbol, displacement) = match relocation {
            Some((symbol, addend)) => (Some(symbol), addend),
            None => (None, raw.memory_displacement64().cast_signed()),
        };
        Some(MemoryOperand {
            base: if relative { None } else { known(base) },
            index: known(raw.memory_index()),
            scale: u8::try_from(raw.memory_index_scale()).unwrap_or(1),
            displacement,
            symbol,
            width,
            reads,
            writes,
        })
    }

    fn implicit(info: &iced_x86::InstructionInfo, reads: bool, writes: bool) -> MemoryOperand {
        let first = info.used_memory().first();
        let width = first.map_or(8, |memory| memory.memory_size().size());
        let base = first.map(|memory| memory.base()).filter(|&base| base != iced_x86::Register::None);
        let displacement = first.map_or(0, |memory| memory.displacement().cast_signed());
        MemoryOperand {
            base: base.map(register),
            index: None,
            scale: 1,
            displacement,
            symbol: None,
            width: u16::try_from(width).unwrap_or(8),
            reads,
            writes,
        }
    }

    fn registers(&self, info: &iced_x86::InstructionInfo) -> (Vec<Register>, Vec<Register>) {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        let of_address = [self.raw.memory_base(), self.raw.memory_index()];
        for used in info.used_registers() {
            let (given, access) = (used.register(), used.access());
            // Of the address: it has its own place. Where the same register is an operand as well, that counts.
            let only_address = of_address.contains(&given) && !self.is_operand(given) && access == OpAccess::Read;
            if only_address && self.raw.mnemonic() != iced_x86::Mnemonic::Lea {
                continue;
            }
            if matches!(access, OpAccess::Read | OpAccess::ReadWrite | OpAccess::CondRead | OpAccess::ReadCondWrite) {
                add(&mut reads, register(given));
            }
            let written =
                matches!(access, OpAccess::Write | OpAccess::ReadWrite | OpAccess::CondWrite | OpAccess::ReadCondWrite);
            if written {
                add(&mut writes, register(given));
                // What keeps a part of its destination waits for it: bytes and words, and conditional writes.
                let conditional = matches!(access, OpAccess::CondWrite | OpAccess::ReadCondWrite);
                if given.is_gpr8() || given.is_gpr16() || conditional || self.merges(given) {
                    add(&mut reads, register(given));
                }
            }
        }
        self.flags(&mut reads, &mut writes);
        (reads, writes)
    }

    fn is_operand(&self, given: iced_x86::Register) -> bool {
        (0..self.raw.op_count()).any(|index| {
            self.raw.op_kind(index) == OpKind::Register
                && self.raw.op_register(index).full_register() == given.full_register()
        })
    }

    /// Scalar instructions of SSE leave the upper part of their destination as it was, so they wait for it (Intel
    /// 248966, "Clearing registers and dependency breaking"); those that load from memory clear it.
    fn merges(&self, given: iced_x86::Register) -> bool {
        use iced_x86::Mnemonic::{
            Cvtsd2ss, Cvtsi2sd, Cvtsi2ss, Cvtss2sd, Movsd, Movss, Rcpss, Roundsd, Roundss, Rsqrtss, Sqrtsd, Sqrtss,
        };
        let from_register = self.raw.op1_kind() == OpKind::Register;
        given.is_vector_register()
            && match self.raw.mnemonic() {
                Movsd | Movss => from_register && self.raw.op0_kind() == OpKind::Register,
                Cvtsi2sd | Cvtsi2ss | Cvtss2sd | Cvtsd2ss | Sqrtsd | Sqrtss | Rcpss | Rsqrtss | Roundsd | Roundss => {
                    true
                }
                _ => false,
            }
    }

    fn flags(&self, reads: &mut Vec<Register>, writes: &mut Vec<Register>) {
        let (read, written) = (self.raw.rflags_read(), self.raw.rflags_modified());
        let rest = RflagsBits::ZF | RflagsBits::SF | RflagsBits::OF | RflagsBits::PF | RflagsBits::AF;
        let parts = [(RflagsBits::CF, Register::CARRY), (rest, Register::FLAGS)];
        for (bits, register) in parts {
            if read & bits != 0 {
                add(reads, register);
            }
            if written & bits != 0 {
                add(writes, register);
            }
        }
    }

    fn vector_bytes(&self) -> u16 {
        let sizes = (0..self.raw.op_count()).filter(|&index| self.raw.op_kind(index) == OpKind::Register);
        let sizes = sizes.map(|index| self.raw.op_register(index)).filter(|register| register.is_vector_register());
        sizes.map(|register| u16::try_from(register.size()).unwrap_or(0)).max().unwrap_or(0)
    }

    /// By the suffix that the instruction set gives its names: `pd`, `ps`, `sd`, `ss`, and letters of integers.
    fn lanes(&self, mnemonic: &str) -> Lanes {
        let name = mnemonic.strip_prefix('v').unwrap_or(mnemonic);
        let bytes = self.vector_bytes();
        let scalar = |element, float| Lanes { element, count: 1, packed: false, float };
        let packed = |element: u8, float| Lanes { element, count: bytes / u16::from(element), packed: true, float };
        // Moves tell nothing of what they move: compilers use movups for anything.
        if name.starts_with("mov") && !matches!(name, "movss" | "movsd") {
            return Lanes::default();
        }
        match name {
            _ if bytes == 0 => Lanes::default(),
            _ if name.starts_with('p') => match name.bytes().last() {
                Some(b'q') => packed(8, false),
                Some(b'd') => packed(4, false),
                Some(b'w') => packed(2, false),
                Some(b'b') => packed(1, false),
                _ => Lanes::default(),
            },
            _ if name.ends_with("pd") => packed(8, true),
            _ if name.ends_with("ps") => packed(4, true),
            _ if name.ends_with("sd") => scalar(8, true),
            _ if name.ends_with("ss") => scalar(4, true),
            _ => Lanes::default(),
        }
    }
}

fn add(list: &mut Vec<Register>, register: Register) {
    if register.class != RegisterClass::InstructionPointer && !list.contains(&register) {
        list.push(register);
    }
}

fn is_memory(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::Memory
            | OpKind::MemorySegSI
            | OpKind::MemorySegESI
            | OpKind::MemorySegRSI
            | OpKind::MemorySegDI
            | OpKind::MemorySegEDI
            | OpKind::MemorySegRDI
            | OpKind::MemoryESDI
            | OpKind::MemoryESEDI
            | OpKind::MemoryESRDI
    )
}

fn signed(raw: &iced_x86::Instruction, index: u32) -> i64 {
    match raw.op_kind(index) {
        OpKind::Immediate8 | OpKind::Immediate8_2nd => i64::from(raw.immediate8().cast_signed()),
        OpKind::Immediate16 => i64::from(raw.immediate16().cast_signed()),
        OpKind::Immediate32 => i64::from(raw.immediate32().cast_signed()),
        OpKind::Immediate8to16 => i64::from(raw.immediate8to16()),
        OpKind::Immediate8to32 => i64::from(raw.immediate8to32()),
        OpKind::Immediate8to64 => raw.immediate8to64(),
        OpKind::Immediate32to64 => raw.immediate32to64(),
        _ => raw.immediate(index).cast_signed(),
    }
}

fn register(given: iced_x86::Register) -> Register {
    let full = given.full_register();
    let number = u8::try_from(full.number()).unwrap_or(u8::MAX);
    let class = if full.is_gpr() {
        RegisterClass::Integer
    } else if full.is_vector_register() {
        RegisterClass::Vector
    } else if full.is_k() {
        RegisterClass::Mask
    } else if full.is_st() || full.is_mm() {
        return Register { class: RegisterClass::X87, number: 0 };
    } else if full.is_ip() {
        RegisterClass::InstructionPointer
    } else {
        RegisterClass::Other
    };
    Register { class, number }
}

/// The text with the symbol that a relocation names in place of a number that linking will replace.
fn named(text: String, raw: &iced_x86::Instruction, relocation: Option<&(String, i64)>, flow: &Flow) -> String {
    if let Flow::Call(Some(name)) = flow {
        return format!("call {name}");
    }
    let Some((symbol, addend)) = relocation else { return text };
    let name = if *addend == 0 { symbol.clone() } else { format!("{symbol}{addend:+}") };
    if raw.is_jmp_short_or_near() || raw.is_jcc_short_or_near() {
        let mnemonic = text.split(' ').next().unwrap_or_default();
        return format!("{mnemonic} {name}");
    }
    match (text.find('['), text.find(']')) {
        (Some(open), Some(close)) if open < close => {
            let inner = &text[open + 1..close];
            // rip-relative: the number is the place of the next instruction; else the number is 0 or the addend.
            let kept: Vec<&str> = inner.split('+').filter(|part| !part.ends_with('h') && *part != "rip").collect();
            let parts = kept.iter().copied().chain([name.as_str()]).collect::<Vec<_>>().join("+");
            format!("{}[{parts}]{}", &text[..open], &text[close + 1..])
        }
        _ => text,
    }
}
