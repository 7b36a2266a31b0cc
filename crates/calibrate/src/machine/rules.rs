//! What a compiler does with its flags, from what it says of itself by its predefined macros and from what it emits:
//! its command may have any name.

use crate::build::Macros;
use crate::emitted::Emitted;
use chronos_machine::Rules;

/// What compilers of the families gcc and clang do at a level, the last `-O` that counts.
pub fn rules(flags: &[String], macros: &Macros, emitted: Emitted) -> Rules {
    let level = flags.iter().rev().find_map(|flag| flag.strip_prefix("-O")).unwrap_or("0");
    let rank = match level {
        "0" => 0,
        "" | "1" | "g" => 1,
        "2" | "s" | "z" => 2,
        _ => 3,
    };
    // clang says that it is gcc 4.2 as well.
    let family = if macros.defined("__clang__") { "clang" } else { "gcc" };
    // clang vectorises from -O2 on, gcc since its version 12.
    let vectorise = rank >= 3 || (rank == 2 && (family == "clang" || macros.number("__GNUC__") >= 12));
    let widest_bits = vectorise.then(|| macros.vector_bits()).flatten();
    let vector_bits = emitted.vector_bits.filter(|_| vectorise).or(widest_bits);
    // gcc does with -fexpensive-optimizations, from -O2 on.
    let contract_fma = (rank >= 2 || rank >= 1 && family == "clang") && macros.has_fma();
    Rules {
        profile: format!("{family}-O{level}"),
        locals_in_registers: rank >= 1,
        index_arithmetic_folded: rank >= 1,
        strength_reduction: rank >= 1,
        scalar_replacement: rank >= 2,
        vectorise,
        vector_bits,
        widest_bits: widest_bits.filter(|_| widest_bits != vector_bits),
        contract_fma,
        fuses_sums: emitted.fuses_sums.filter(|_| contract_fma),
        folds_loads: rank >= 1 && (macros.defined("__x86_64__") || macros.defined("__i386__")),
        counts_instructions: rank == 0 && family == "gcc" && macros.defined("__x86_64__"),
        reassociate: macros.defined("__FAST_MATH__") || macros.defined("__ASSOCIATIVE_MATH__"),
    }
}
