//! The C library's generators of random numbers, whose state a program reads and writes like memory.
//!
//! The state is held as variables of the program, so that slices, closed forms and the evaluation treat it like any other
//! storage: from what the generator was seeded, and how many numbers were drawn since. A loop in closed form that draws adds to
//! an integer, and no number that is not used is ever computed. What the numbers are, the interpreter knows.

use crate::VarId;
use chronos_functions::{self as functions, Generator, GeneratorUse, Knowable};

/// The C library that the predicted program is linked with.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum CLibrary {
    /// The GNU C library: its generators of random numbers are known.
    #[default]
    Glibc,
    /// Any other one (musl, that of a BSD): its random numbers are not known.
    Other,
}

/// The variables that a generator's state consists of. All of them are 0 in a generator that was never seeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GeneratorState {
    /// What it was seeded with.
    pub seed: VarId,
    /// Numbers drawn since.
    pub draws: VarId,
    /// Multiplier and addend that the program has set (`lcong48`).
    pub parameters: VarId,
}

/// The generators that a program uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Generators {
    /// Whose they are.
    pub library: CLibrary,
    /// The state of `rand` and `random`.
    pub additive: Option<GeneratorState>,
    /// The state of `drand48` and its kin.
    pub linear: Option<GeneratorState>,
}

impl Generators {
    /// The state of a generator; `None` where it is not known, or the program uses it nowhere.
    pub fn state(&self, generator: Generator) -> Option<GeneratorState> {
        match generator {
            Generator::Additive => self.additive,
            Generator::Linear => self.linear,
        }
    }

    /// The same of a library whose generators nobody knows.
    pub fn unknown(&self) -> Self {
        Self { library: CLibrary::Other, ..Self::default() }
    }

    /// Whether what comes out of a call of this library function may be known.
    pub fn knows(&self, name: &str) -> bool {
        match functions::effects(name).knowable {
            Knowable::Yes => true,
            Knowable::WithGenerator => self.library == CLibrary::Glibc,
            Knowable::Never => false,
        }
    }

    /// What a call of this library function does with the state that the program holds.
    pub fn used_by(&self, name: &str) -> Option<(GeneratorUse, GeneratorState)> {
        let used = functions::lookup(name)?.generator?;
        Some((used, self.state(used.generator())?))
    }

    /// Parts of a state that a call of this library function reads.
    pub fn reads(&self, name: &str) -> Vec<VarId> {
        match self.used_by(name) {
            Some((GeneratorUse::Draws(_), state)) => vec![state.seed, state.draws, state.parameters],
            Some((GeneratorUse::Parameters(_), state)) => vec![state.parameters],
            Some((GeneratorUse::Seeds(_), _)) | None => Vec::new(),
        }
    }

    /// Parts of a state that a call of this library function writes.
    pub fn writes(&self, name: &str) -> Vec<VarId> {
        match self.used_by(name) {
            Some((GeneratorUse::Draws(_), state)) => vec![state.draws],
            Some((GeneratorUse::Seeds(_), state)) => vec![state.seed, state.draws, state.parameters],
            Some((GeneratorUse::Parameters(_), _)) | None => Vec::new(),
        }
    }
}
