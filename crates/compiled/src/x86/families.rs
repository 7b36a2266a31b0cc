//! Which family of instructions an instruction of x86-64 is of. Cores say what families cost.

use crate::instruction::{FamilyUse, Flow, Instruction, RegisterClass};
use FamilyUse::{Family, MemoryOnly, Move, Nothing, Unknown, Zero};

/// The family of an instruction.
pub(super) fn family(instruction: &Instruction) -> FamilyUse {
    if instruction.is_string() {
        return Unknown;
    }
    if instruction.atomic {
        return Family("atomic");
    }
    match instruction.flow {
        Flow::Branch(_) => return Family("branch"),
        Flow::Jump(_) | Flow::IndirectJump | Flow::TailCall(_) => return Family("jump"),
        // Calls and returns keep the unit of jumps for two cycles each (Zen 4: a loop with k calls of empty functions takes
        // 4k + 1 cycles, whatever stands in and around them; two jumps more in it take none).
        Flow::Call(_) | Flow::Exit(_) | Flow::Return => return Family("call"),
        Flow::Trap => return Unknown,
        Flow::Next => {}
    }
    let name = instruction.mnemonic.as_str();
    if is_zero_idiom(instruction) {
        return Zero;
    }
    if let Some(found) = general(instruction, name) {
        return found;
    }
    vector(instruction, name.strip_prefix('v').unwrap_or(name))
}

/// Compared with itself, a register is equal whatever it holds: the operation is executed, but waits for nothing (Intel 248966,
/// "dependency breaking idioms"). On a Zen 4 `vpcmpeqd` with three sums behind it on the same register takes a cycle.
pub(super) fn is_ones_idiom(instruction: &Instruction) -> bool {
    let name = instruction.mnemonic.strip_prefix('v').unwrap_or(&instruction.mnemonic);
    matches!(name, "pcmpeqb" | "pcmpeqw" | "pcmpeqd" | "pcmpeqq") && is_same_source_twice(instruction)
}

/// Same source twice, and the result is 0 whatever it holds.
fn is_zero_idiom(instruction: &Instruction) -> bool {
    let name = instruction.mnemonic.strip_prefix('v').unwrap_or(&instruction.mnemonic);
    let idiom = matches!(
        name,
        "xor" | "sub" | "pxor" | "pxord" | "pxorq" | "xorps" | "xorpd" | "psubb" | "psubw" | "psubd" | "psubq"
    );
    idiom && is_same_source_twice(instruction)
}

fn is_same_source_twice(instruction: &Instruction) -> bool {
    let registers: Vec<_> = (0..instruction.operands.len()).filter_map(|at| instruction.register(at)).collect();
    match registers[..] {
        [a, b] | [_, a, b] => a == b && registers.len() == instruction.operands.len(),
        _ => false,
    }
}

/// Instructions on registers of general purpose.
fn general(instruction: &Instruction, name: &str) -> Option<FamilyUse> {
    let between_registers = instruction.memory.is_none();
    Some(match name {
        "nop" | "endbr64" | "endbr32" | "vzeroupper" | "pause" => Nothing,
        "mov" | "movabs" if !between_registers => MemoryOnly,
        // Bytes and words keep the rest of the register: they are merged.
        "mov" | "movabs" if is_partial(instruction) => Family("int"),
        "mov" if instruction.register(1).is_some() => Move,
        "mov" | "movabs" => Family("int"),
        "movzx" | "movsx" | "movsxd" if !between_registers => MemoryOnly,
        "movzx" | "movsx" | "movsxd" | "add" | "sub" | "and" | "or" | "xor" | "cmp" | "test" | "inc" | "dec"
        | "neg" | "not" | "cdqe" | "cwde" | "cdq" | "cqo" | "cbw" | "andn" | "bextr" | "blsr" | "blsi" | "blsmsk" => {
            Family("int")
        }
        "clc" | "stc" | "cmc" | "lahf" | "sahf" => Family("int"),
        "adc" | "sbb" | "adcx" | "adox" => Family("int_carry"),
        "lea" => Family(lea(instruction)),
        "shl" | "sal" | "shr" | "sar" if instruction.register(1).is_some() => Family("shift_by_register"),
        "rol" | "ror" if instruction.register(1).is_some() => Family("shift_by_register"),
        "shl" | "sal" | "shr" | "sar" | "rol" | "ror" | "shlx" | "shrx" | "sarx" | "rorx" | "bzhi" => Family("shift"),
        "shld" | "shrd" => Family("shift_double"),
        "bt" | "bts" | "btr" | "btc" => Family("shift"),
        "imul" if instruction.operands.len() > 1 => Family("int_mul"),
        "imul" | "mul" | "mulx" => Family("int_mul_wide"),
        "div" | "idiv" => {
            let bytes = match instruction.operands.first() {
                Some(crate::instruction::Operand::Register(_, bytes)) => *bytes,
                _ => instruction.memory.as_ref().map_or(8, |memory| memory.width),
            };
            Family(if bytes > 4 { "int_div64" } else { "int_div32" })
        }
        "popcnt" => Family("population_count"),
        "lzcnt" | "tzcnt" | "bsf" | "bsr" => Family("bit_scan"),
        "crc32" => Family("int_mul"),
        "bswap" | "movbe" => Family("int"),
        "xchg" => Family("exchange"),
        "push" | "pop" => MemoryOnly,
        "leave" => Family("int"),
        "cmova" | "cmovbe" | "cmovg" | "cmovge" | "cmovl" | "cmovle" => Family("conditional_move_of_flags"),
        _ if name.starts_with("cmov") => Family("conditional_move"),
        _ if name.starts_with("set") => Family("set_condition"),
        _ if name.starts_with("prefetch") => MemoryOnly,
        _ => return None,
    })
}

fn is_partial(instruction: &Instruction) -> bool {
    matches!(instruction.operands.first(), Some(crate::instruction::Operand::Register(_, 1 | 2)))
}

/// Addresses of three parts take longer than those of two on all four cores.
fn lea(instruction: &Instruction) -> &'static str {
    let Some(memory) = &instruction.memory else { return "lea" };
    let three = memory.is_indexed() && (memory.displacement != 0 || memory.symbol.is_some());
    match (three, memory.index.is_some() && memory.scale > 1) {
        (true, _) => "lea_three",
        (false, true) => "lea_scaled",
        (false, false) => "lea",
    }
}

/// Instructions on vectors, the letter `v` of their names left out.
fn vector(instruction: &Instruction, name: &str) -> FamilyUse {
    let from_memory = instruction.memory.is_some();
    let integer = |at: usize| instruction.register(at).is_some_and(|r| r.class == RegisterClass::Integer);
    let begins = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    // Masks say which lanes are loaded and stored: the data come through an operation, for lanes are merged.
    let moves = begins(&["movups", "movupd", "movaps", "movapd", "movdq", "lddqu", "movnt"]);
    if moves && from_memory {
        return MemoryOnly;
    }
    match name {
        "movss" | "movsd" | "movd" | "movq" if from_memory => MemoryOnly,
        "movd" | "movq" if integer(0) => Family("vector_to_int"),
        "movd" | "movq" if integer(1) => Family("int_to_vector"),
        "movss" | "movsd" => Family("vector_logic"),
        "movq" => Family("vector_logic"),
        "movhps" | "movhpd" | "movlps" | "movlpd" if instruction.stores() => MemoryOnly,
        "movhlps" | "movlhps" | "movhps" | "movhpd" | "movlps" | "movlpd" => Family("shuffle"),
        "movddup" | "movshdup" | "movsldup" if from_memory => MemoryOnly,
        "movddup" | "movshdup" | "movsldup" => Family("shuffle"),
        _ if moves => Move,
        _ if begins(&["broadcast", "pbroadcast"]) && from_memory => MemoryOnly,
        _ if begins(&["pbroadcast"]) && integer(1) => Family("int_to_vector"),
        _ if begins(&["broadcast", "pbroadcast"]) => Family("broadcast"),
        _ if begins(&["gather", "pgather"]) => {
            Family(if is_of_many(instruction, name) { "gather_many" } else { "gather" })
        }
        _ if begins(&["scatter", "pscatter"]) => {
            Family(if is_of_many(instruction, name) { "scatter_many" } else { "scatter" })
        }
        _ if begins(&["maskmov", "pmaskmov"]) => Family("blend"),
        _ if begins(&["movmsk", "pmovmsk"]) => Family("vector_to_int"),
        _ => arithmetic(instruction, name),
    }
}

/// Whether a gather or scatter has two elements for each that one of 8 bytes has: 4 bytes by indices of 4 bytes. Vectors of
/// 16 bytes have no more than four of them, as many as those of 8 bytes in the 32 that its family is for.
fn is_of_many(instruction: &Instruction, name: &str) -> bool {
    (name.ends_with("dps") || name.ends_with("dd")) && instruction.vector_bytes > 16
}

fn arithmetic(instruction: &Instruction, name: &str) -> FamilyUse {
    let begins = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    let integer = |at: usize| instruction.register(at).is_some_and(|r| r.class == RegisterClass::Integer);
    let mask = |at: usize| instruction.register(at).is_some_and(|r| r.class == RegisterClass::Mask);
    let single = name.ends_with("ps") || name.ends_with("ss");
    let packed_wide = instruction.vector_bytes > 16;
    let found = match name {
        _ if begins(&["fmadd", "fmsub", "fnmadd", "fnmsub"]) => "fp_fma",
        _ if begins(&["hadd", "hsub"]) => "fp_horizontal_add",
        _ if begins(&["addsub", "addp", "adds", "subp", "subs"]) => "fp_add",
        _ if begins(&["maxp", "maxs", "minp", "mins"]) => "fp_max",
        _ if begins(&["mulp", "muls"]) => "fp_mul",
        _ if begins(&["divp", "divs"]) => match (single, packed_wide) {
            (true, false) => "fp_div_single",
            (true, true) => "fp_div_single_wide",
            (false, false) => "fp_div",
            (false, true) => "fp_div_wide",
        },
        _ if begins(&["sqrt"]) => match (single, packed_wide) {
            (true, false) => "fp_sqrt_single",
            (true, true) => "fp_sqrt_single_wide",
            (false, false) => "fp_sqrt",
            (false, true) => "fp_sqrt_wide",
        },
        _ if begins(&["rcp", "rsqrt"]) => "fp_reciprocal",
        _ if begins(&["ucomis", "comis"]) => "fp_compare_flags",
        _ if begins(&[
            "cmpp", "cmps", "cmpeq", "cmplt", "cmple", "cmpneq", "cmpnlt", "cmpnle", "cmpord", "cmpunord",
        ]) =>
        {
            if mask(0) {
                "compare_into_mask"
            } else {
                "fp_compare"
            }
        }
        _ if begins(&["round", "rndscale"]) => "fp_round",
        _ if begins(&["cvt"]) => return conversion(instruction, name),
        _ if begins(&["andp", "andnp", "orp", "xorp", "pand", "por", "pxor", "pternlog"]) => "vector_logic",
        _ if begins(&["blendv", "pblendv"]) => "blend",
        _ if begins(&["blend", "pblend"]) => "blend_constant",
        _ if begins(&["unpck", "punpck", "shufp", "pshufd", "pshuflw", "pshufhw", "palignr", "permilp"]) => "shuffle",
        _ if begins(&["packs", "packu", "pshufb", "pslldq", "psrldq"]) => "shuffle_bytes",
        _ if begins(&["perm2f128", "perm2i128", "extractf", "extracti"]) => "extract_lane",
        _ if begins(&["insertf", "inserti"]) => "insert_lane",
        _ if begins(&["perm", "expand", "compress", "align", "shuff", "shufi"]) => "shuffle_across",
        _ if begins(&["pinsr"]) => "insert",
        _ if begins(&["insertps"]) => "shuffle",
        _ if begins(&["pextr", "extractps"]) && integer(0) => "extract",
        _ if begins(&["pextr", "extractps"]) => "shuffle",
        _ if begins(&["pmovsx", "pmovzx"]) => "shuffle_across",
        _ if begins(&["pmov"]) => "shuffle_across",
        _ if begins(&["ptest", "testp"]) => "vector_test",
        _ if begins(&["psad", "pmadd", "pmul", "pdpb", "pdpw"]) => multiply(name),
        _ if begins(&["psll", "psrl", "psra", "prol", "pror"]) => "vector_shift",
        _ if begins(&["pcmp"]) => {
            if mask(0) {
                "vector_compare_into_mask"
            } else {
                "vector_compare"
            }
        }
        _ if begins(&["phadd", "phsub"]) => "fp_horizontal_add",
        _ if begins(&["padd", "psub", "pabs", "pavg", "psign", "pmax", "pmin"]) => "vector_int",
        _ if begins(&["pconflict", "pcomp", "pdep", "pext"]) => return Unknown,
        _ if begins(&["popcnt", "plzcnt", "ppopcnt"]) => "vector_int",
        _ if begins(&["kmov"]) && integer(0) => "vector_to_int",
        _ if begins(&["kmov"]) && integer(1) => "int_to_vector",
        _ if begins(&["kortest", "ktest"]) => "mask_test",
        _ if name.starts_with('k') => "mask",
        _ => return Unknown,
    };
    Family(found)
}

fn multiply(name: &str) -> &'static str {
    match name {
        "pmulld" => "vector_mul32",
        "pmullq" => "vector_mul64",
        _ => "vector_mul",
    }
}

fn conversion(instruction: &Instruction, name: &str) -> FamilyUse {
    let integer = |at: usize| instruction.register(at).is_some_and(|r| r.class == RegisterClass::Integer);
    let scalar_from_int = name.starts_with("cvtsi2") || name.starts_with("cvtusi2");
    if integer(0) {
        return Family("fp_to_int");
    }
    if scalar_from_int {
        // From memory no register of general purpose is read.
        return Family(if instruction.memory.is_some() { "fp_convert" } else { "int_to_fp" });
    }
    // Elements of other sizes are moved between lanes as well.
    let widths = ["ps2pd", "pd2ps", "dq2pd", "pd2dq", "ss2sd", "sd2ss", "ph2ps", "ps2ph"];
    let resizes = widths.iter().any(|part| name.contains(part));
    Family(if resizes { "fp_convert_size" } else { "fp_convert" })
}
