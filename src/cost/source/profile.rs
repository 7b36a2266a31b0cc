//! What compilers do at a level, as data.

use crate::machine::Machine;
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

/// The rules of one compiler at one level.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    pub name: String,
    /// Scalars whose address is not taken live in registers; without it nothing below holds.
    pub optimises: bool,
    pub accumulator: Accumulator,
    pub vectorise: Vectorise,
    /// Where elements do not stand side by side, a vector is put together from them and taken apart again.
    pub gathers_elements: bool,
    /// A choice of integers without stores becomes a select.
    pub if_converts: bool,
    /// Functions with at most this number of operations are inlined.
    pub inlined_operations: usize,
    /// Functions are compiled for the constants that all their callers pass.
    pub passes_constants: bool,
    /// Floating-point scalars stay in registers over calls (the calling convention has such registers).
    pub float_survives_calls: bool,
    /// Callers keep scalars in registers that a function of the unit does not use.
    pub sees_clobbers: bool,
    /// A product that is added to an accumulator is fused with the addition.
    pub fuses_sums: bool,
    /// Loops that set or copy memory become calls of memset and memcpy.
    pub recognises_fills: bool,
    /// Innermost loops of a constant number of iterations up to this one are unrolled completely.
    pub unrolled_trips: u32,
    /// Library functions that become an instruction of a class.
    pub builtins: BTreeMap<String, crate::program::InstructionClass>,
    /// Per rule, what it rests on.
    #[serde(rename = "evidence")]
    pub _evidence: BTreeMap<String, String>,
}

const PROFILES: [&str; 4] = [
    include_str!("profiles/gcc-O0.json"),
    include_str!("profiles/gcc-O1.json"),
    include_str!("profiles/gcc-O2.json"),
    include_str!("profiles/gcc-O3.json"),
];

impl Profile {
    /// The profile that a machine file names; for others the one that fits its rules.
    pub fn of(machine: &Machine) -> Self {
        let all = PROFILES.map(Self::parse);
        let rules = &machine.rules;
        let named = all.iter().find(|profile| profile.name == rules.profile);
        let fitting = match (rules.locals_in_registers, rules.scalar_replacement, rules.vectorise) {
            (false, ..) => "gcc-O0",
            (true, false, _) => "gcc-O1",
            (true, true, false) => "gcc-O2",
            (true, true, true) => "gcc-O3",
        };
        let mut profile = named.or_else(|| all.iter().find(|p| p.name == fitting)).expect("all four are there").clone();
        if !rules.vectorise {
            profile.vectorise = Vectorise::Never;
        }
        profile
    }

    fn parse(text: &str) -> Self {
        serde_json::from_str(text).expect("shipped profiles are tested")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_of_every_profile_has_its_evidence() {
        for text in PROFILES {
            let profile = Profile::parse(text);
            let rules: BTreeMap<String, serde_json::Value> = serde_json::from_str(text).expect("parsed above");
            for rule in rules.keys().filter(|key| !matches!(key.as_str(), "name" | "evidence")) {
                assert!(profile._evidence.contains_key(rule), "{}: {rule}", profile.name);
            }
        }
    }
}
