//! Which family of instructions an instruction of aarch64 is of. Cores say what families cost.

use super::is_integer;
use super::memory::{loads_only, stores};
use super::registers::{class_of, general_bytes, vector_bytes};
use crate::instruction::{FamilyUse, Flow, RegisterClass};
use FamilyUse::{Family, MemoryOnly, Move, Nothing, Unknown};
use yaxpeax_arm::armv8::a64::{Instruction as Raw, Opcode, Operand as RawOperand, SIMDSizeCode, ShiftStyle, SizeCode};

/// The family of an instruction.
pub(super) fn family(raw: &Raw, flow: &Flow) -> FamilyUse {
    if is_atomic(raw.opcode) {
        return Family("atomic");
    }
    match flow {
        Flow::Branch(_) => return Family("branch"),
        Flow::Jump(_) | Flow::IndirectJump | Flow::TailCall(_) => return Family("jump"),
        Flow::Call(_) | Flow::Exit(_) | Flow::Return => return Family("call"),
        Flow::Trap => return Unknown,
        Flow::Next => {}
    }
    if loads_only(raw.opcode) || stores(raw.opcode) {
        return memory(raw);
    }
    if vector_bytes(raw) == 0 { general(raw) } else { vector(raw) }
}

/// Accesses that nobody can interrupt, and those whose order others see.
pub(super) fn is_atomic(opcode: Opcode) -> bool {
    use Opcode::{
        CAS, CASB, CASH, CASP, LDADD, LDADDB, LDADDH, LDAXP, LDAXR, LDAXRB, LDAXRH, LDCLR, LDCLRB, LDCLRH, LDEOR,
        LDEORB, LDEORH, LDSET, LDSETB, LDSETH, LDSMAX, LDSMIN, LDUMAX, LDUMIN, LDXP, LDXR, LDXRB, LDXRH, STLXP, STLXR,
        STLXRB, STLXRH, STXP, STXR, STXRB, STXRH, SWP, SWPB, SWPH,
    };
    matches!(opcode, CAS(_) | CASB(_) | CASH(_) | CASP(_) | LDADD(_) | LDADDB(_) | LDADDH(_) | LDCLR(_) | LDCLRB(_))
        || matches!(opcode, LDCLRH(_) | LDEOR(_) | LDEORB(_) | LDEORH(_) | LDSET(_) | LDSETB(_) | LDSETH(_))
        || matches!(opcode, LDSMAX(_) | LDSMIN(_) | LDUMAX(_) | LDUMIN(_) | SWP(_) | SWPB(_) | SWPH(_))
        || matches!(opcode, LDAXP | LDAXR | LDAXRB | LDAXRH | LDXP | LDXR | LDXRB | LDXRH)
        || matches!(opcode, STLXP | STLXR | STLXRB | STLXRH | STXP | STXR | STXRB | STXRH)
}

/// Loads and stores: pairs are several accesses on some cores, and vectors whose elements alternate are shuffled.
fn memory(raw: &Raw) -> FamilyUse {
    match (raw.opcode, raw.operands[0]) {
        (Opcode::LDP | Opcode::LDNP | Opcode::LDPSW, RawOperand::Register(SizeCode::W, _)) => MemoryOnly,
        (Opcode::LDP | Opcode::LDNP, RawOperand::SIMDRegister(SIMDSizeCode::Q, _)) => Family("load_pair_vector"),
        (Opcode::LDP | Opcode::LDNP | Opcode::LDPSW, _) => Family("load_pair"),
        (Opcode::LD1R, _) => Family("load_broadcast"),
        (Opcode::LD1, RawOperand::SIMDRegisterGroupLane(..)) => Family("load_broadcast"),
        (Opcode::LD1 | Opcode::ST1, RawOperand::SIMDRegisterGroup(.., 1)) => MemoryOnly,
        (Opcode::LD1, _) => Family("load_pair_vector"),
        (Opcode::LD2 | Opcode::LD2R, _) => Family("load_structures2"),
        (Opcode::LD3 | Opcode::LD3R | Opcode::LD4 | Opcode::LD4R, _) => Family("load_structures4"),
        (Opcode::ST2, _) => Family("store_structures2"),
        (Opcode::ST3 | Opcode::ST4, _) => Family("store_structures4"),
        _ => MemoryOnly,
    }
}

/// Instructions on registers of general purpose.
fn general(raw: &Raw) -> FamilyUse {
    use Opcode::{
        ADC, ADCS, ADD, ADDS, ADR, ADRP, AND, ANDS, BFM, BIC, BICS, CCMN, CCMP, CLS, CLZ, CRC32B, CRC32CB, CRC32CH,
        CRC32CW, CRC32CX, CRC32H, CRC32W, CRC32X, CSEL, CSINC, CSINV, CSNEG, EON, EOR, EXTR, HINT, LSLV, LSRV, MADD,
        MOVK, MOVN, MOVZ, MSUB, ORN, ORR, PRFM, PRFUM, RBIT, REV, REV16, REV32, RORV, SBC, SBCS, SBFM, SDIV, SMADDL,
        SMSUBL, SMULH, SUB, SUBS, UBFM, UDIV, UMADDL, UMSUBL, UMULH,
    };
    let is_wide = matches!(raw.operands[0], RawOperand::Register(SizeCode::X, _));
    Family(match raw.opcode {
        HINT | Opcode::PACIASP | Opcode::AUTIASP | Opcode::PACIBSP | Opcode::AUTIBSP => return Nothing,
        PRFM | PRFUM => return MemoryOnly,
        ORR if is_copy(raw) => return Move,
        ADD if matches!(raw.operands[2], RawOperand::Immediate(0)) && is_plain(raw) => return Move,
        ADD | SUB | ADDS | SUBS => shifted(raw, 4),
        AND | BIC | EON | EOR | ORN | ORR if shifted(raw, 0) == "int" => "int",
        AND | BIC | EON | EOR | ORN | ORR => "int_logic_shifted",
        ANDS | BICS => shifted(raw, 0),
        ADR | ADRP | CCMN | CCMP | MOVK | MOVN | MOVZ | RBIT | REV | REV16 | REV32 | CLS | CLZ | SBFM | UBFM => "int",
        ADC | ADCS | SBC | SBCS => "int_carry",
        CSEL | CSINC | CSINV | CSNEG => "conditional_move",
        LSLV | LSRV | RORV | Opcode::ASRV => "shift_by_register",
        BFM => "insert_bits",
        EXTR if raw.operands[1] == raw.operands[2] => "int",
        EXTR => "shift_double",
        MADD | MSUB | SMADDL | UMADDL | SMSUBL | UMSUBL => product(raw, is_wide),
        SMULH | UMULH => "int_mul_wide",
        SDIV | UDIV => {
            if is_wide {
                "int_div64"
            } else {
                "int_div32"
            }
        }
        CRC32B | CRC32H | CRC32W | CRC32X | CRC32CB | CRC32CH | CRC32CW | CRC32CX => "int_mul",
        _ => return Unknown,
    })
}

/// Long products are those of words.
fn product(raw: &Raw, is_wide: bool) -> &'static str {
    let alone = matches!(raw.operands[3], RawOperand::Register(_, 31));
    let of_words = !matches!(raw.opcode, Opcode::MADD | Opcode::MSUB) || !is_wide;
    match (of_words, alone) {
        (true, true) => "int_mul",
        (true, false) => "int_mul_add",
        (false, true) => "int_mul64",
        (false, false) => "int_mul_add64",
    }
}

fn is_copy(raw: &Raw) -> bool {
    let from_zero = matches!(raw.operands[1], RawOperand::Register(_, 31));
    from_zero && matches!(raw.operands[2], RawOperand::RegShift(ShiftStyle::LSL, 0, ..))
}

/// A sum whose operands may be the stack pointer.
fn is_plain(raw: &Raw) -> bool {
    matches!(raw.operands[1], RawOperand::RegisterOrSP(..))
}

/// Operands that are shifted or extended take longer, but those that are shifted to the left by at most `cheap` bits.
fn shifted(raw: &Raw, cheap: u8) -> &'static str {
    match raw.operands[2] {
        RawOperand::RegShift(ShiftStyle::LSL, 0, ..) => "int",
        RawOperand::RegShift(ShiftStyle::LSL, bits, ..) if bits <= cheap => "int_shifted_little",
        RawOperand::RegShift(..) => "int_shifted",
        _ => "int",
    }
}

/// Instructions on vectors, and on scalars that live in them.
fn vector(raw: &Raw) -> FamilyUse {
    let general = |at: usize| is_integer(&raw.operands[at]);
    let is_vector = |at: usize| class_of(&raw.operands[at]) == Some(RegisterClass::Vector);
    let name = super::mnemonic(raw.opcode);
    let begins = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    let packed = matches!(raw.operands[0], RawOperand::SIMDRegisterElements(SIMDSizeCode::Q, ..));
    if name.starts_with('f') || begins(&["scvtf", "ucvtf"]) {
        return float(raw, &name, packed);
    }
    Family(match raw.opcode {
        Opcode::ORR if raw.operands[1] == raw.operands[2] => return Move,
        Opcode::DUP if general(1) => "int_to_vector",
        Opcode::INS if general(1) => "insert",
        Opcode::UMOV | Opcode::SMOV => "vector_to_int",
        Opcode::MOVI | Opcode::MVNI => "vector_logic",
        _ if begins(&["and", "bic", "bif", "bit", "bsl", "eor", "orn", "orr", "not"]) => "vector_logic",
        _ if begins(&["dup", "ins", "ext", "zip", "uzp", "trn", "rev", "xtn", "tbl", "tbx"]) => "shuffle",
        _ if begins(&["cm"]) => "vector_compare",
        _ if begins(&["sqdml", "sqrdml", "sqdmul", "sqrdmul", "pmul"]) => multiply(raw),
        _ if begins(&["smull", "umull", "smlal", "umlal", "smlsl", "umlsl"]) => "vector_mul_long",
        _ if begins(&["mul", "mla", "mls", "sdot", "udot"]) => multiply(raw),
        _ if begins(&["addv", "saddlv", "uaddlv", "smaxv", "sminv", "umaxv", "uminv"]) => "vector_reduce",
        _ if begins(&["ssra", "usra", "srsra", "ursra", "sadalp", "uadalp", "saba", "uaba"]) => "vector_accumulate",
        _ if begins(&[
            "sqshl", "uqshl", "sqrsh", "uqrsh", "srsh", "ursh", "rshrn", "sqshr", "uqshr", "sqxt", "uqxt",
        ]) =>
        {
            "vector_accumulate"
        }
        _ if begins(&["shl", "sshl", "ushl", "sshr", "ushr", "shrn", "sli", "sri"]) => "vector_shift",
        _ if begins(&["add", "sub", "neg", "abs", "sadd", "uadd", "ssub", "usub", "shadd", "uhadd", "srhadd"])
            || begins(&["urhadd", "shsub", "uhsub", "sqadd", "uqadd", "sqsub", "uqsub", "sabd", "uabd", "smax"])
            || begins(&["smin", "umax", "umin", "cnt", "cls", "clz", "rbit", "sqabs", "sqneg", "suqadd", "usqadd"]) =>
        {
            "vector_int"
        }
        _ if !is_vector(0) => return Unknown,
        _ => return Unknown,
    })
}

fn multiply(raw: &Raw) -> &'static str {
    if vector_bytes(raw) > 8 { "vector_mul" } else { "vector_mul_half" }
}

/// Numbers of floating point: scalars, and vectors of 8 or 16 bytes (`packed`).
fn float(raw: &Raw, name: &str, packed: bool) -> FamilyUse {
    let begins = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    let general = |at: usize| is_integer(&raw.operands[at]);
    let of = |whole: &'static str, vector: &'static str| if packed { vector } else { whole };
    Family(match name {
        "fmov" if general(0) => "vector_to_int",
        "fmov" if general(1) => "int_to_vector",
        "fmov" if class_of(&raw.operands[1]).is_some() => return Move,
        "fmov" => "vector_logic",
        "fcsel" => "fp_select",
        "fabs" | "fneg" => of("fp_sign", "fp_sign_packed"),
        "fcmp" | "fcmpe" | "fccmp" | "fccmpe" => "fp_compare_flags",
        _ if begins(&["fmadd", "fmsub", "fnmadd", "fnmsub", "fmla", "fmls", "frecps", "frsqrts"]) => {
            of("fp_fma", "fp_fma_packed")
        }
        _ if begins(&["faddp", "fmaxp", "fminp", "fmaxnmp", "fminnmp", "fmaxv", "fminv", "fmaxnmv", "fminnmv"]) => {
            "fp_horizontal_add"
        }
        _ if begins(&["fadd", "fsub", "fabd"]) => of("fp_add", "fp_add_packed"),
        _ if begins(&["fmul", "fnmul"]) => of("fp_mul", "fp_mul_packed"),
        _ if begins(&["fmax", "fmin"]) => of("fp_max", "fp_max_packed"),
        _ if begins(&["fcm", "fac"]) => of("fp_compare", "fp_compare_packed"),
        _ if begins(&["fdiv"]) => root(raw, packed, ["fp_div", "fp_div_wide", "fp_div_single", "fp_div_single_wide"]),
        _ if begins(&["fsqrt"]) => {
            root(raw, packed, ["fp_sqrt", "fp_sqrt_wide", "fp_sqrt_single", "fp_sqrt_single_wide"])
        }
        _ if begins(&["frint"]) => of("fp_round", "fp_round_packed"),
        _ if begins(&["frecp", "frsqrte"]) => "fp_reciprocal",
        _ if general(0) => "fp_to_int",
        _ if general(1) => "int_to_fp",
        "fcvt" | "fcvtl" | "fcvtl2" | "fcvtn" | "fcvtn2" | "fcvtxn" | "fcvtxn2" => "fp_convert_size",
        _ if begins(&["fcvt", "scvtf", "ucvtf"]) => of("fp_convert", "fp_convert_packed"),
        _ => return Unknown,
    })
}

/// Divisions and roots: of doubles and of singles, each for scalars and for vectors of 16 bytes.
fn root(raw: &Raw, packed: bool, [double, doubles, single, singles]: [&'static str; 4]) -> &'static str {
    let is_single = match raw.operands[0] {
        RawOperand::SIMDRegister(size, _) | RawOperand::SIMDRegisterElements(_, _, size) => size != SIMDSizeCode::D,
        RawOperand::Register(size, _) => general_bytes(size) == 4,
        _ => false,
    };
    match (is_single, packed) {
        (false, false) => double,
        (false, true) => doubles,
        (true, false) => single,
        (true, true) => singles,
    }
}
