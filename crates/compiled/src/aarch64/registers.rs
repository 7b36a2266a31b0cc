//! Which registers an instruction reads and writes, and how wide they are.

use super::{general, general_or_stack};
use crate::instruction::{Lanes, Operand, Register, RegisterClass};
use yaxpeax_arm::armv8::a64::{Instruction as Raw, Opcode, Operand as RawOperand, SIMDSizeCode, SizeCode};

/// Registers that are read, those of the address left out, and written.
pub(super) struct Used {
    pub reads: Vec<Register>,
    pub writes: Vec<Register>,
}

/// Bytes of a register or of an element.
pub(super) fn bytes(size: SIMDSizeCode) -> u16 {
    match size {
        SIMDSizeCode::B => 1,
        SIMDSizeCode::H => 2,
        SIMDSizeCode::S => 4,
        SIMDSizeCode::D => 8,
        SIMDSizeCode::Q => 16,
    }
}

pub(super) fn general_bytes(size: SizeCode) -> u16 {
    match size {
        SizeCode::W => 4,
        SizeCode::X => 8,
    }
}

/// Registers that an operand names.
fn registers(operand: &RawOperand) -> Vec<Register> {
    let vector = |number: u16| Register::vector((number & 31) as u8);
    match *operand {
        RawOperand::Register(_, number) | RawOperand::RegShift(_, _, _, number) => {
            general(number).into_iter().collect()
        }
        RawOperand::RegisterOrSP(_, number) => vec![general_or_stack(number)],
        RawOperand::RegisterPair(_, number) => [number, number + 1].into_iter().filter_map(general).collect(),
        RawOperand::SIMDRegister(_, number)
        | RawOperand::SIMDRegisterElements(_, number, _)
        | RawOperand::SIMDRegisterElementsLane(_, number, ..)
        | RawOperand::SIMDRegisterElementsMultipleLane(_, number, ..) => vec![vector(number)],
        RawOperand::SIMDRegisterGroup(_, first, _, count) | RawOperand::SIMDRegisterGroupLane(first, _, count, _) => {
            (first..first + u16::from(count)).map(vector).collect()
        }
        _ => Vec::new(),
    }
}

/// The kind of registers that an operand names.
pub(super) fn class_of(operand: &RawOperand) -> Option<RegisterClass> {
    match operand {
        // The zero register is one as well.
        RawOperand::Register(..) | RawOperand::RegShift(..) => Some(RegisterClass::Integer),
        operand => registers(operand).first().map(|register| register.class),
    }
}

/// The operand as others read it; the zero register is a constant.
pub(super) fn operand(raw: &RawOperand, at: u64) -> Option<Operand> {
    Some(match *raw {
        RawOperand::Nothing => return None,
        RawOperand::Immediate(value) => Operand::Immediate(i64::from(value)),
        RawOperand::Imm16(value) => Operand::Immediate(i64::from(value)),
        RawOperand::Imm64(value) => Operand::Immediate(value.cast_signed()),
        RawOperand::ImmShift(value, shift) => Operand::Immediate(shifted(value, shift)),
        RawOperand::PCOffset(offset) => Operand::Target(at.wrapping_add_signed(offset)),
        RawOperand::RegPreIndex(..)
        | RawOperand::RegPostIndex(..)
        | RawOperand::RegPostIndexReg(..)
        | RawOperand::RegRegOffset(..) => Operand::Memory,
        _ => match registers(raw).first() {
            Some(register) => Operand::Register(*register, width(raw)),
            None => Operand::Immediate(0),
        },
    })
}

/// A constant shifted to the left.
pub(super) fn shifted(value: u16, shift: u8) -> i64 {
    u64::from(value).checked_shl(u32::from(shift)).unwrap_or(0).cast_signed()
}

/// Bytes of an operand's register.
pub(super) fn width(operand: &RawOperand) -> u16 {
    match *operand {
        RawOperand::Register(size, _) | RawOperand::RegisterOrSP(size, _) | RawOperand::RegShift(_, _, size, _) => {
            general_bytes(size)
        }
        RawOperand::RegisterPair(size, _) => 2 * general_bytes(size),
        RawOperand::SIMDRegister(size, _)
        | RawOperand::SIMDRegisterElements(size, ..)
        | RawOperand::SIMDRegisterElementsMultipleLane(size, ..)
        | RawOperand::SIMDRegisterGroup(size, ..) => bytes(size),
        RawOperand::SIMDRegisterElementsLane(_, _, size, _) | RawOperand::SIMDRegisterGroupLane(_, size, ..) => {
            bytes(size)
        }
        _ => 0,
    }
}

/// What an instruction reads and writes, flags included.
pub(super) fn used(raw: &Raw) -> Used {
    let mut used = Used { reads: Vec::new(), writes: Vec::new() };
    let first_memory = raw.operands.iter().position(is_memory).unwrap_or(raw.operands.len());
    for (at, operand) in raw.operands.iter().enumerate() {
        let (reads, writes) = access(raw, at, first_memory);
        for register in registers(operand) {
            add(reads, &mut used.reads, register);
            add(writes, &mut used.writes, register);
        }
        if let RawOperand::RegPostIndexReg(_, number) = *operand {
            used.reads.extend(general(number));
        }
    }
    add(reads_flags(raw.opcode), &mut used.reads, Register::FLAGS);
    add(writes_flags(raw.opcode), &mut used.writes, Register::FLAGS);
    used
}

fn add(holds: bool, list: &mut Vec<Register>, register: Register) {
    if holds && !list.contains(&register) {
        list.push(register);
    }
}

pub(super) fn is_memory(operand: &RawOperand) -> bool {
    matches!(
        operand,
        RawOperand::RegPreIndex(..)
            | RawOperand::RegPostIndex(..)
            | RawOperand::RegPostIndexReg(..)
            | RawOperand::RegRegOffset(..)
    )
}

/// Whether the register operand at a position is read, and written.
fn access(raw: &Raw, at: usize, first_memory: usize) -> (bool, bool) {
    let opcode = raw.opcode;
    if super::memory::stores(opcode) {
        let is_status = matches!(
            opcode,
            Opcode::STXR | Opcode::STXRB | Opcode::STXRH | Opcode::STXP | Opcode::STLXR | Opcode::STLXP
        );
        return (!(is_status && at == 0), is_status && at == 0);
    }
    if super::families::is_atomic(opcode) && !super::memory::loads_only(opcode) {
        // Operands of the operation before the register that gets the old value; that one of CAS is both.
        return (true, at + 1 == first_memory || at == 0);
    }
    if super::memory::loads_only(opcode) {
        let is_lane = matches!(raw.operands[0], RawOperand::SIMDRegisterGroupLane(..));
        return (is_lane, at < first_memory);
    }
    if writes_nothing(opcode) {
        return (true, false);
    }
    let lane = matches!(raw.operands[0], RawOperand::SIMDRegisterElementsLane(..));
    match at {
        0 => (lane || merges(opcode), true),
        _ => (true, false),
    }
}

fn writes_nothing(opcode: Opcode) -> bool {
    use Opcode::{
        B, BL, BLR, BR, BRK, Bcc, CBNZ, CBZ, CCMN, CCMP, FCCMP, FCCMPE, FCMP, FCMPE, HINT, MSR, PRFM, PRFUM, RET, SVC,
        TBNZ, TBZ,
    };
    matches!(
        opcode,
        B | BL
            | BLR
            | BR
            | BRK
            | Bcc(_)
            | CBNZ
            | CBZ
            | CCMN
            | CCMP
            | FCCMP
            | FCCMPE
            | FCMP
            | FCMPE
            | HINT
            | MSR
            | PRFM
            | PRFUM
            | RET
            | SVC
            | TBNZ
            | TBZ
    )
}

/// Whether the result consists of the destination's old value as well: sums of products, insertions, selections by bits, and the
/// forms that write an upper half.
fn merges(opcode: Opcode) -> bool {
    let name = super::mnemonic(opcode);
    let begins = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    let accumulates = begins(&[
        "fmla", "fmls", "mla", "mls", "smlal", "smlsl", "umlal", "umlsl", "sqdmla", "sqdmls", "sqrdmla", "sqrdmls",
        "saba", "uaba", "sadalp", "uadalp", "ssra", "usra", "srsra", "ursra", "sdot", "udot", "fcmla", "suqadd",
        "usqadd",
    ]);
    let upper_half = begins(&[
        "xtn2", "sqxtn2", "uqxtn2", "sqxtun2", "shrn2", "rshrn2", "sqshrn2", "uqshrn2", "fcvtn2", "fcvtxn2", "addhn2",
        "subhn2", "raddhn2", "rsubhn2",
    ]);
    let partly = matches!(name.as_str(), "bfm" | "movk" | "ins" | "bsl" | "bit" | "bif" | "sli" | "sri" | "tbx");
    accumulates || upper_half || partly || begins(&["sha", "aes", "sm3", "sm4"])
}

fn writes_flags(opcode: Opcode) -> bool {
    use Opcode::{ADCS, ADDS, ANDS, BICS, CCMN, CCMP, FCCMP, FCCMPE, FCMP, FCMPE, SBCS, SUBS};
    matches!(opcode, ADCS | ADDS | ANDS | BICS | CCMN | CCMP | FCCMP | FCCMPE | FCMP | FCMPE | SBCS | SUBS)
}

fn reads_flags(opcode: Opcode) -> bool {
    use Opcode::{ADC, ADCS, BCcc, Bcc, CCMN, CCMP, CSEL, CSINC, CSINV, CSNEG, FCCMP, FCCMPE, FCSEL, SBC, SBCS};
    matches!(
        opcode,
        ADC | ADCS
            | BCcc(_)
            | Bcc(_)
            | CCMN
            | CCMP
            | CSEL
            | CSINC
            | CSINV
            | CSNEG
            | FCCMP
            | FCCMPE
            | FCSEL
            | SBC
            | SBCS
    )
}

/// Bytes of the widest vector register.
pub(super) fn vector_bytes(raw: &Raw) -> u16 {
    let vectors = raw.operands.iter().filter(|operand| class_of(operand) == Some(RegisterClass::Vector));
    let whole = |operand: &RawOperand| match operand {
        RawOperand::SIMDRegisterElementsLane(..) | RawOperand::SIMDRegisterGroupLane(..) => 16,
        operand => width(operand),
    };
    vectors.map(whole).max().unwrap_or(0)
}

/// What the elements of arithmetic are. Copies and operations on bits tell nothing of what they move, but scalars that are
/// loaded and stored.
pub(super) fn lanes(raw: &Raw) -> Lanes {
    use Opcode::{AND, BIC, BIF, BIT, BSL, DUP, EOR, EXT, FMOV, INS, MOVI, MVNI, NOT, ORN, ORR, SMOV, TBL, TBX, UMOV};
    let scalar = |size: SIMDSizeCode, float| Lanes { element: bytes(size) as u8, count: 1, packed: false, float };
    let float = is_float(raw.opcode);
    match (raw.opcode, raw.operands[0]) {
        (
            AND | BIC | BIF | BIT | BSL | DUP | EOR | EXT | INS | MOVI | MVNI | NOT | ORN | ORR | SMOV | TBL | TBX
            | UMOV,
            _,
        ) => Lanes::default(),
        (FMOV, RawOperand::SIMDRegister(size, _)) => scalar(size, true),
        (_, RawOperand::SIMDRegister(SIMDSizeCode::Q, _)) => Lanes::default(),
        (_, RawOperand::SIMDRegister(size, _)) => scalar(size, float || raw.operands.iter().any(is_memory)),
        (_, RawOperand::SIMDRegisterElements(size, _, element)) => {
            let count = bytes(size) / bytes(element);
            Lanes { element: bytes(element) as u8, count, packed: true, float }
        }
        _ => Lanes::default(),
    }
}

/// Whether an instruction works on numbers of floating point.
pub(super) fn is_float(opcode: Opcode) -> bool {
    let name = super::mnemonic(opcode);
    name.starts_with('f') || matches!(opcode, Opcode::SCVTF | Opcode::UCVTF)
}
