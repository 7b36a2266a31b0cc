//! What an instruction does with memory, and where.

use super::registers::{bytes, general_bytes, width};
use super::{general, general_or_stack};
use crate::instruction::{MemoryOperand, Register, Relocation, Sum};
use yaxpeax_arm::armv8::a64::{Instruction as Raw, Opcode, Operand as RawOperand, ShiftStyle};

/// Numbers of relocations (ELF for the Arm 64-bit Architecture, IHI 0056, section 5.7).
pub(super) mod relocations {
    /// The page of a symbol, and that of its entry in the table of addresses.
    pub(crate) const PAGES: [u32; 2] = [275, 311];
    /// The lower twelve bits of a symbol: of an addition, of accesses of 1, 2, 4, 8 and 16 bytes.
    pub(crate) const LOW_BITS: [u32; 6] = [277, 278, 284, 285, 286, 299];
    /// The lower twelve bits of a symbol's entry in the table of addresses.
    pub(crate) const TABLE_LOW_BITS: u32 = 312;
}

/// Whether the instruction only writes memory.
pub(super) fn stores(opcode: Opcode) -> bool {
    use Opcode::{
        ST1, ST2, ST3, ST4, STLLR, STLLRB, STLLRH, STLR, STLRB, STLRH, STLUR, STLURB, STLURH, STLXP, STLXR, STLXRB,
        STLXRH, STNP, STP, STR, STRB, STRH, STRW, STTR, STTRB, STTRH, STUR, STURB, STURH, STXP, STXR, STXRB, STXRH,
    };
    matches!(opcode, ST1 | ST2 | ST3 | ST4 | STLLR | STLLRB | STLLRH | STLR | STLRB | STLRH | STLUR)
        || matches!(opcode, STLURB | STLURH | STLXP | STLXR | STLXRB | STLXRH | STNP | STP | STR | STRB | STRH)
        || matches!(opcode, STRW | STTR | STTRB | STTRH | STUR | STURB | STURH | STXP | STXR | STXRB | STXRH)
}

/// Whether the instruction only reads memory into registers.
pub(super) fn loads_only(opcode: Opcode) -> bool {
    use Opcode::{
        LD1, LD1R, LD2, LD2R, LD3, LD3R, LD4, LD4R, LDAPR, LDAPRB, LDAPRH, LDAPUR, LDAR, LDARB, LDARH, LDAXP, LDAXR,
        LDAXRB, LDAXRH, LDLAR, LDLARB, LDLARH, LDNP, LDP, LDPSW, LDR, LDRB, LDRH, LDRSB, LDRSH, LDRSW, LDTR, LDTRB,
        LDTRH, LDTRSB, LDTRSH, LDTRSW, LDUR, LDURB, LDURH, LDURSB, LDURSH, LDURSW, LDXP, LDXR, LDXRB, LDXRH,
    };
    matches!(opcode, LD1 | LD1R | LD2 | LD2R | LD3 | LD3R | LD4 | LD4R | LDAPR | LDAPRB | LDAPRH | LDAPUR | LDAR)
        || matches!(opcode, LDARB | LDARH | LDAXP | LDAXR | LDAXRB | LDAXRH | LDLAR | LDLARB | LDLARH | LDNP | LDP)
        || matches!(opcode, LDPSW | LDR | LDRB | LDRH | LDRSB | LDRSH | LDRSW | LDTR | LDTRB | LDTRH | LDTRSB)
        || matches!(opcode, LDTRSH | LDTRSW | LDUR | LDURB | LDURH | LDURSB | LDURSH | LDURSW | LDXP | LDXR)
        || matches!(opcode, LDXRB | LDXRH)
}

/// The memory operand.
pub(super) fn operand(raw: &Raw, at: u64, relocation: Option<&Relocation>) -> Option<MemoryOperand> {
    let (reads, writes) = match raw.opcode {
        opcode if stores(opcode) => (false, true),
        opcode if loads_only(opcode) => (true, false),
        Opcode::PRFM | Opcode::PRFUM => (true, false),
        opcode if super::families::is_atomic(opcode) => (true, true),
        _ => return None,
    };
    let known = |base: u16| Some(general_or_stack(base));
    let (base, index, scale, displacement) = raw.operands.iter().find_map(|operand| match *operand {
        RawOperand::RegPreIndex(base, offset, _) => Some((known(base), None, 1, i64::from(offset))),
        RawOperand::RegPostIndex(base, _) | RawOperand::RegPostIndexReg(base, _) => Some((known(base), None, 1, 0)),
        RawOperand::RegRegOffset(base, index, _, shift, bits) => {
            let scale = if is_left(shift) { 1 << bits.min(4) } else { 1 };
            Some((known(base), general(index), scale, 0))
        }
        // Beside the code: constants that are not written in an instruction.
        RawOperand::PCOffset(offset) => Some((None, None, 1, at.wrapping_add_signed(offset).cast_signed())),
        _ => None,
    })?;
    let symbol = relocation.filter(|found| relocations::LOW_BITS.contains(&found.kind));
    let addend = symbol.map_or(0, |found| found.addend);
    Some(MemoryOperand {
        base,
        index,
        scale,
        displacement: displacement.wrapping_add(addend),
        symbol: symbol.map(|found| found.symbol.clone()),
        width: accessed(raw),
        reads,
        writes,
    })
}

/// Whether a register of an address is multiplied: extensions of 32 bits are no matter here, as indexes do not wrap around.
pub(super) fn is_left(shift: ShiftStyle) -> bool {
    use ShiftStyle::{LSL, SXTW, SXTX, UXTW, UXTX};
    matches!(shift, LSL | SXTW | SXTX | UXTW | UXTX)
}

/// Bytes that are read or written.
fn accessed(raw: &Raw) -> u16 {
    let name = super::mnemonic(raw.opcode);
    let of_first = || match raw.operands[0] {
        RawOperand::Register(size, _) => general_bytes(size),
        ref operand => width(operand),
    };
    match (raw.opcode, raw.operands[0]) {
        (Opcode::LDPSW, _) => 8,
        (Opcode::LDP | Opcode::LDNP | Opcode::STP | Opcode::STNP | Opcode::LDXP | Opcode::LDAXP, _) => 2 * of_first(),
        (Opcode::STXP | Opcode::STLXP, _) => 2 * width(&raw.operands[1]),
        (Opcode::STXR | Opcode::STLXR, _) => width(&raw.operands[1]),
        (
            Opcode::LD1R | Opcode::LD2R | Opcode::LD3R | Opcode::LD4R,
            RawOperand::SIMDRegisterGroup(_, _, element, n),
        ) => bytes(element) * u16::from(n),
        (_, RawOperand::SIMDRegisterGroup(size, _, _, count)) => bytes(size) * u16::from(count),
        (_, RawOperand::SIMDRegisterGroupLane(_, element, count, _)) => bytes(element) * u16::from(count),
        (Opcode::LDRSW | Opcode::LDURSW | Opcode::LDTRSW, _) => 4,
        (Opcode::PRFM | Opcode::PRFUM, _) => 8,
        _ if name.ends_with('b') => 1,
        _ if name.ends_with('h') => 2,
        _ => of_first(),
    }
}

/// The register of the address that is moved, and by what.
pub(super) fn update(raw: &Raw) -> Option<(Register, Sum)> {
    raw.operands.iter().find_map(|operand| match *operand {
        RawOperand::RegPreIndex(base, offset, true) | RawOperand::RegPostIndex(base, offset) => {
            Some((general_or_stack(base), Sum::constant(i64::from(offset))))
        }
        RawOperand::RegPostIndexReg(base, by) => {
            Some((general_or_stack(base), general(by).map_or_else(|| Sum::constant(0), Sum::register)))
        }
        _ => None,
    })
}
