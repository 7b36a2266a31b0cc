//! What to measure of a network.

use crate::plan::Effort;
use chronos_base::units::Bytes;

/// What to measure.
#[derive(Clone, Debug)]
pub struct Options {
    /// Shell command that runs a program on `{n}` tasks.
    pub mpirun: String,
    /// The C compiler of the MPI library, with flags.
    pub mpicc: String,
    /// Numbers of tasks for collective operations; messages are measured with the first.
    pub tasks: Vec<u32>,
    /// Largest message; of operations with a block for each member, largest sum of blocks.
    pub largest: Bytes,
    /// Name of the network.
    pub name: Option<String>,
    /// Rules for collective operations; `None`: those of the library that runs, where they are known.
    pub library: Option<String>,
    /// Where what was not measured (within a node or between nodes) is taken from.
    pub rest: String,
    /// How long to measure.
    pub effort: Effort,
    /// Make a network file however noisy the timings are.
    pub allow_noise: bool,
}

impl Effort {
    /// Time for the repetitions of one point, in seconds.
    pub(crate) fn seconds_of_point(self) -> f64 {
        match self {
            Self::Trial => 0.002,
            Self::Brief => 0.01,
            Self::Quick => 0.03,
            Self::Full => 0.2,
        }
    }
}
