//! What compilers do at a level, as data.

use chronos_machine::Machine;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Where a scalar that memory carries from one iteration to the next lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Accumulator {
    /// Stored and loaded again.
    Memory,
    /// In a register where no other access of the loop may touch it.
    Disjoint,
    /// In a register where no other store of the loop may touch it.
    NoOtherStore,
    /// And what walks through memory also where a check at run time finds that other stores do not.
    Checked,
}

/// Which loops are worth a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Vectorise {
    Never,
    /// Where the number of iterations is a known multiple of the lanes, and no check at run time is needed.
    Whole,
    /// Where the loop may be checked at run time, and has a remainder.
    Checked,
}

/// Copies of an iteration, or of a vector of iterations, between two branches of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnrollRules {
    /// Vectors side by side, of 128 bits and of more.
    pub vectors: [u32; 2],
    /// Only in loops over vectors of less work than this.
    pub small: u32,
    /// Where it is known that there are fewer iterations than this, vectors do not fill the lanes of a vector.
    pub(crate) tiny_trips: u32,
    /// All copies together are no larger than this.
    pub size: u32,
    /// The most copies where the number of iterations is not known.
    pub most: u32,
    /// A loop of a constant number of iterations is unrolled completely up to this size.
    pub(crate) whole_size: u32,
}

/// The rules of one compiler at one level.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompilerProfile {
    /// Compiler and level, as machine files name it.
    pub name: String,
    /// Scalars whose address is not taken live in registers; without it nothing below holds.
    pub optimises: bool,
    /// Where a scalar lives that memory carries from one iteration to the next.
    pub accumulator: Accumulator,
    /// Which loops are worth a vector.
    pub vectorise: Vectorise,
    /// A loop becomes vectors together with the one inside it.
    pub(crate) outer_vectors: bool,
    /// Loops of a few iterations are unrolled completely before those around them become vectors.
    pub(crate) unrolls_first: bool,
    /// What sums add up is computed as vectors, whose elements they add in order.
    pub(crate) orders_sums: bool,
    /// Where elements do not fill the lanes of a vector, a vector is put together from them and taken apart again.
    pub(crate) gathers_elements: bool,
    /// Loads that an element takes which an instruction gathers, into vectors of 512 bits.
    pub(crate) gathered_loads: f64,
    /// Loads of vectors of 128 bits are part of the operation that uses them: arrays are known to be aligned.
    pub(crate) folds_vectors: bool,
    /// A choice of integers without stores becomes a select.
    pub(crate) if_converts: bool,
    /// Operations in the arms up to which one variable is chosen without a branch, several only where nothing is
    /// computed; absent: any number.
    pub(crate) converted_operations: Option<usize>,
    /// So does one of floating-point numbers.
    pub(crate) selects_floats: bool,
    /// Stores of two arms to the same place become one of what is chosen.
    pub(crate) sinks_stores: bool,
    /// A short function that only chooses its result has no branch left.
    pub(crate) merges_returns: bool,
    /// Functions with at most this number of operations are inlined.
    pub(crate) inlined_operations: usize,
    /// Functions are compiled for the constants that all their callers pass.
    pub(crate) passes_constants: bool,
    /// Floating-point scalars stay in registers over calls (the calling convention has such registers).
    pub(crate) float_survives_calls: bool,
    /// Callers keep scalars in registers that a function of the unit does not use.
    pub(crate) sees_clobbers: bool,
    /// A product that is added to an accumulator is fused with the addition.
    pub fuses_sums: bool,
    /// So is one that another statement computed.
    pub(crate) fuses_statements: bool,
    /// What an iteration loads stays in a register for the next one, where no store may change it.
    pub(crate) keeps_loads: bool,
    /// An index of 32 bits that is computed under a condition only is computed and widened there; what stands in every
    /// iteration is part of an address that advances.
    pub(crate) extends_guarded_indices: bool,
    /// Loops that set or copy memory become calls of memset and memcpy.
    pub(crate) recognises_fills: bool,
    /// Loops that only add up polynomials of their counters become closed forms.
    pub(crate) closes_sums: bool,
    /// Innermost loops of a constant number of iterations up to this one are unrolled completely.
    pub(crate) unrolled_trips: u32,
    /// The rest behind whole vectors goes through vectors of half the width first.
    pub(crate) half_vectors: bool,
    /// How many copies of an iteration stand in a loop that stays one; without it, one.
    pub copies: Option<UnrollRules>,
    /// Library functions that become an instruction of a class.
    pub builtins: BTreeMap<String, chronos_ir::InstructionClass>,
    /// Per rule, what it rests on.
    #[cfg_attr(not(test), expect(dead_code, reason = "a test demands one for each rule"))]
    pub(crate) evidence: BTreeMap<String, String>,
}

const PROFILES: [&str; 8] = [
    include_str!("profiles/gcc-O0.json"),
    include_str!("profiles/gcc-O1.json"),
    include_str!("profiles/gcc-O2.json"),
    include_str!("profiles/gcc-O3.json"),
    include_str!("profiles/clang-O0.json"),
    include_str!("profiles/clang-O1.json"),
    include_str!("profiles/clang-O2.json"),
    include_str!("profiles/clang-O3.json"),
];

impl CompilerProfile {
    /// The profile that a machine file names; for others that of the same family of compilers which fits its rules.
    pub fn of(machine: &Machine) -> Self {
        let all = PROFILES.map(Self::parse);
        let rules = &machine.rules;
        let fitting = format!("{}-O{}", family(machine), level(machine));
        let called = |name: &str| all.iter().find(|profile| profile.name == name);
        let mut profile = called(&rules.profile).or_else(|| called(&fitting)).expect("all levels are there").clone();
        if !rules.vectorise {
            profile.vectorise = Vectorise::Never;
        }
        profile.fuses_sums = rules.fuses_sums.unwrap_or(profile.fuses_sums);
        profile
    }

    fn parse(text: &str) -> Self {
        serde_json::from_str(text).expect("shipped profiles are tested")
    }
}

/// Compilers that go by the same rules. What is not known to be clang is taken to be like gcc.
fn family(machine: &Machine) -> &'static str {
    let compiler = &machine.compiler;
    let says = |text: &str| text.contains("clang");
    if says(&machine.rules.profile) || says(&compiler.version) || says(&compiler.command) { "clang" } else { "gcc" }
}

/// The level whose rules are those of a machine file; of clang, which vectorises from -O2 on, the flags say it.
fn level(machine: &Machine) -> u32 {
    let rules = &machine.rules;
    let named = || machine.compiler.flags.iter().rev().find_map(|flag| flag.strip_prefix("-O"));
    match (rules.locals_in_registers, rules.scalar_replacement, rules.vectorise) {
        (false, ..) => 0,
        (true, false, _) => 1,
        (true, true, false) => 2,
        (true, true, true) if family(machine) == "clang" && !matches!(named(), Some("3" | "fast")) => 2,
        (true, true, true) => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_of_every_profile_has_its_evidence() {
        for text in PROFILES {
            let profile = CompilerProfile::parse(text);
            let rules: BTreeMap<String, serde_json::Value> = serde_json::from_str(text).expect("parsed above");
            for rule in rules.keys().filter(|key| !matches!(key.as_str(), "name" | "evidence")) {
                assert!(profile.evidence.contains_key(rule), "{}: {rule}", profile.name);
            }
        }
    }
}
