//! Flags of the compiler that change what a source means, beside those that the preprocessor heeds itself.
//!
//! What decides about types and layout is honoured ([`Dialect`]). What frees the compiler from IEEE 754 in the order of the
//! source, and what is not modelled, goes with the program ([`Departure`]), where counts that depend on it become a doubt.
//! Targets and processors are known here by the names of their flags alone.

use chronos_ir::{Departure, DepartureKind};

/// Types and layout as the flags of a unit ask for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dialect {
    /// `-funsigned-char`, `-fsigned-char`: the last one counts, none is the architecture's own choice.
    pub unsigned_char: Option<bool>,
    /// `-fshort-enums`: an enumeration has the smallest type that holds its values.
    pub short_enums: bool,
    /// `-fpack-struct`: members lie without gaps.
    pub packed: bool,
    /// `-fpack-struct=N`: the greatest alignment of members, as `#pragma pack(N)` has it.
    pub pack: Option<u64>,
}

impl Dialect {
    /// What these flags say; later ones take earlier ones back.
    pub fn of(flags: &[String]) -> Self {
        let mut dialect = Self::default();
        flags.iter().for_each(|flag| dialect.heed(flag));
        dialect
    }

    fn heed(&mut self, flag: &str) {
        match flag {
            "-funsigned-char" | "-fno-signed-char" => self.unsigned_char = Some(true),
            "-fsigned-char" | "-fno-unsigned-char" => self.unsigned_char = Some(false),
            "-fshort-enums" => self.short_enums = true,
            "-fno-short-enums" => self.short_enums = false,
            "-fpack-struct" => self.packed = true,
            "-fno-pack-struct" => self.packed = false,
            _ => {
                let most = flag.strip_prefix("-fpack-struct=").and_then(|text| text.parse().ok());
                self.pack = most.or(self.pack);
            }
        }
    }
}

/// Whether the flags turn the directives of OpenMP on; the last one counts.
pub fn has_openmp(flags: &[String]) -> bool {
    let turned = |flag: &String| match flag.as_str() {
        "-fopenmp" | "-qopenmp" | "-openmp" | "-xopenmp" => Some(true),
        "-fno-openmp" | "-qno-openmp" => Some(false),
        flag => flag.starts_with("-fopenmp=").then_some(true),
    };
    flags.iter().rev().find_map(turned).unwrap_or(false)
}

/// Flags that change values, calls or layout in ways that are not modelled: beginnings of words.
const NOT_MODELLED: &[&str] = &[
    "-ftrapv",
    "-mlong-double-",
    "-mx32",
    "-m16",
    "-malign-double",
    "-mms-bitfields",
    "-fshort-wchar",
    "-fexec-charset",
    "-fwide-exec-charset",
    "-finstrument-functions",
    "-fnon-call-exceptions",
];
/// Flags that let the compiler compute floating-point expressions in another order, or with other operations.
const REORDERING: &[&str] = &[
    "-Ofast",
    "-ffast-math",
    "-funsafe-math-optimizations",
    "-fassociative-math",
    "-freciprocal-math",
    "-ffinite-math-only",
    "-fno-signed-zeros",
    "-fsingle-precision-constant",
    "-mfpmath=387",
    "-mfpmath=both",
    "-mdaz-ftz",
    "-ffp-model=fast",
];
/// Processors of x86 with fused multiplication and addition, by the beginning of `-march`'s argument.
const FUSING: &[&str] = &[
    "native",
    "x86-64-v3",
    "x86-64-v4",
    "haswell",
    "broadwell",
    "skylake",
    "cannonlake",
    "icelake",
    "cascadelake",
    "cooperlake",
    "tigerlake",
    "sapphirerapids",
    "alderlake",
    "rocketlake",
    "raptorlake",
    "core-avx2",
    "bdver",
    "znver",
    "armv8",
    "armv9",
];

/// What the flags of a unit let its code do otherwise than the source says; each kind once.
pub fn departures(flags: &[String]) -> Vec<Departure> {
    let found = |kind, flag: &str| Departure { unit: chronos_base::span::FileId(0), kind, flag: flag.into() };
    let mut all = Vec::new();
    if let Some(flag) = last(flags, NOT_MODELLED, "-fno-") {
        all.push(found(DepartureKind::NotModelled, flag));
    }
    if may_assume_no_overflow(flags) {
        all.push(found(DepartureKind::SignedOverflow, ""));
    }
    if let Some(flag) = last(flags, REORDERING, "-fno-fast-math") {
        all.push(found(DepartureKind::Reordered, flag));
    } else if let Some(flag) = contraction(flags) {
        all.push(found(DepartureKind::Contracted, flag));
    }
    all
}

/// GCC and clang may, at any level of optimisation (`x + 1 > x` is folded at `-O0` too), unless signed integers are asked to
/// wrap around (GCC manual, `-fwrapv`, `-fno-strict-overflow`).
fn may_assume_no_overflow(flags: &[String]) -> bool {
    let last = flags.iter().rev().find_map(|flag| match flag.as_str() {
        "-fwrapv" | "-fno-strict-overflow" => Some(true),
        "-fno-wrapv" | "-fstrict-overflow" => Some(false),
        _ => None,
    });
    last != Some(true)
}

/// The last flag that begins so, unless a later one of `taken_back` with the same name follows.
fn last<'a>(flags: &'a [String], known: &[&str], taken_back: &str) -> Option<&'a str> {
    let at = flags.iter().rposition(|flag| known.iter().any(|known| flag.starts_with(known)))?;
    let flag = flags[at].as_str();
    let name = flag.trim_start_matches("-f");
    let opposite = |later: &String| later == taken_back || *later == format!("-fno-{name}") || is_opposite(flag, later);
    (!flags[at + 1..].iter().any(opposite)).then_some(flag)
}

/// `-fsigned-zeros` behind `-fno-signed-zeros`.
fn is_opposite(flag: &str, later: &str) -> bool {
    flag.strip_prefix("-fno-").is_some_and(|name| later.strip_prefix("-f") == Some(name))
}

/// The flag that makes GCC and clang fuse multiplications with additions. GCC does it by default when it optimises,
/// unless a standard without extensions is asked for (GCC manual, `-ffp-contract`).
fn contraction(flags: &[String]) -> Option<&str> {
    let setting = flags.iter().rev().find_map(|flag| flag.strip_prefix("-ffp-contract="));
    let optimised = flags.iter().rev().find(|flag| flag.starts_with("-O")).is_some_and(|flag| flag != "-O0");
    let iso = flags.iter().rev().find_map(|flag| flag.strip_prefix("-std=")).is_some_and(|std| std.starts_with('c'));
    if setting == Some("off") || !optimised || iso && setting.is_none() {
        return None;
    }
    let fuses = |flag: &&String| {
        let target = flag.strip_prefix("-march=").or_else(|| flag.strip_prefix("-mcpu="));
        *flag == "-mfma" || target.is_some_and(|target| FUSING.iter().any(|known| target.starts_with(known)))
    };
    let last_no_fma = flags.iter().rposition(|flag| flag == "-mno-fma");
    let at = flags.iter().rposition(|flag| fuses(&flag))?;
    (last_no_fma < Some(at)).then(|| flags[at].as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn check(text: &str, expected: &[(DepartureKind, &str)]) {
        let found = departures(&words(text));
        let asked_for = found.iter().filter(|departure| departure.kind != DepartureKind::SignedOverflow);
        let found: Vec<_> = asked_for.map(|departure| (departure.kind, &*departure.flag)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn the_last_flag_decides() {
        assert_eq!(Dialect::of(&words("-O2 -fsigned-char -funsigned-char")).unsigned_char, Some(true));
        assert_eq!(Dialect::of(&words("-fshort-enums -fno-short-enums -fpack-struct=2 -Wall")).pack, Some(2));
        assert_eq!(Dialect::of(&words("-fpack-struct")), Dialect { packed: true, ..Dialect::default() });
    }

    #[test]
    fn signed_integers_wrap_around_where_a_flag_says_so() {
        let check = |text: &str, is_undefined: bool| {
            let found = departures(&words(text));
            let found = found.iter().any(|departure| departure.kind == DepartureKind::SignedOverflow);
            assert_eq!(found, is_undefined, "{text}");
        };
        check("", true);
        check("-O2 -fwrapv", false);
        check("-fwrapv -fno-wrapv", true);
        check("-O3 -fno-strict-overflow", false);
        check("-fwrapv-pointer", true);
    }

    #[test]
    fn fused_operations_need_optimisation_and_a_processor() {
        use DepartureKind::{Contracted, NotModelled, Reordered};
        check("-O2 -march=native", &[(Contracted, "-march=native")]);
        check("-O0 -march=native", &[]);
        check("-march=native", &[]);
        check("-O3 -mfma -ffp-contract=off", &[]);
        check("-O3 -mfma -mno-fma", &[]);
        check("-std=c11 -O2 -march=haswell", &[]);
        check("-std=gnu11 -O2 -march=haswell", &[(Contracted, "-march=haswell")]);
        check("-std=c11 -O2 -march=haswell -ffp-contract=fast", &[(Contracted, "-march=haswell")]);
        check("-O2 -march=native -ffast-math", &[(Reordered, "-ffast-math")]);
        check("-O2 -ffast-math -fno-fast-math", &[]);
        check("-fno-signed-zeros -fsigned-zeros -ftrapv", &[(NotModelled, "-ftrapv")]);
        check("-ftrapv -fno-trapv -fwrapv", &[]);
        check("-O2 -march=x86-64", &[]);
    }
}
