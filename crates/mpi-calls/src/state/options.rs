//! What the calls depend on besides the program.

use chronos_activity::TaskId;
use chronos_base::ids::Id;
use chronos_ir::DataModel;
use chronos_mpi::libraries::MpiLibrary;

/// What the calls depend on besides the program.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Sizes of C types; of tasks of several data models the widest, in whose form messages hold data.
    pub model: DataModel,
    /// The data model of each task; empty: that of all.
    pub models: Vec<DataModel>,
    /// The node that each task runs on; empty: each on its own. Tells processor names and what
    /// `MPI_Comm_split_type` makes of shared memory.
    pub nodes: Vec<u32>,
    /// How many of the tasks, the last ones, others spawn.
    pub spawned: usize,
    /// Whose numbers of constants the program writes.
    pub library: MpiLibrary,
    /// The program's own name, by which it may start itself.
    pub program: String,
    /// Further programs that may be started, by names in which all but letters and digits is `_`.
    pub others: Vec<String>,
    /// Whether the use of MPI is checked (`checks`).
    pub correctness: bool,
    /// Whether the program has ready sends.
    pub ready_sends: bool,
    /// Only tasks that stand for others make calls, so that a communicator is made as soon as one of them asks for it.
    pub by_representatives: bool,
}

impl Options {
    /// Tasks have several data models.
    pub(crate) fn is_mixed(&self) -> bool {
        self.models.iter().any(|&model| model != self.model)
    }

    /// The data model of a task's machine.
    pub(crate) fn model_of(&self, task: TaskId) -> DataModel {
        self.models.get(task.index()).copied().unwrap_or(self.model)
    }
}
