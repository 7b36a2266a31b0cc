//! What the user says about a program that evaluation cannot know.

use crate::work::Work;
use chronos_base::hash::FxHashMap;
use chronos_base::span::Span;
use chronos_ir::BlockId;
use chronos_mpi::libraries::MpiLibrary;
use std::collections::BTreeMap;

/// What the user says about things that cannot be known statically.
#[derive(Clone, Debug)]
pub struct Assumptions {
    /// Probability that the condition of a branch is true; of a `switch`, that its first case is taken, where the
    /// other labels share the rest (`--prob`). What is known exactly wins, then this, then what the source says.
    pub probability: FxHashMap<BlockId, f64>,
    /// Mean iterations per entry of a loop (`--iterations`).
    pub iterations: FxHashMap<BlockId, f64>,
    /// Operations of data-dependent slices that are interpreted per task before the user is asked (`--budget`).
    pub budget: u64,
    /// Whose numbers of MPI constants the program writes (`--mpi-library`).
    pub mpi_library: MpiLibrary,
    /// Each task is followed by itself, also where many do the same but for their partners (`--separate-ranks`).
    pub separate_ranks: bool,
    /// Memory that was never written holds zeros, as pages do that a process touches first; the place where a value decided
    /// that is read before it is written. `None`: such values are unknown.
    pub unwritten_is_zero: Option<Span>,
    /// Generators of random numbers whose seed is unknown are taken to have one seed; the place where such a seed is set. `None`:
    /// their numbers are unknown.
    pub seed_taken: Option<Span>,
    /// Seeds that are taken differ from task to task, as the program adds the rank to them.
    pub seeds_by_rank: bool,
    /// The work of a call of external library functions, by C name (`--library-costs`).
    pub library_work: BTreeMap<String, Work>,
}

impl Default for Assumptions {
    fn default() -> Self {
        Self {
            probability: FxHashMap::default(),
            iterations: FxHashMap::default(),
            budget: 100_000_000,
            mpi_library: MpiLibrary::default(),
            separate_ranks: false,
            unwritten_is_zero: None,
            seed_taken: None,
            seeds_by_rank: false,
            library_work: BTreeMap::new(),
        }
    }
}
