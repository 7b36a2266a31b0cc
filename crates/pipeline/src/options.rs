//! What is predicted, where and how: plain data, passed on whole.
//!
//! A command line is one way to make these options, a file another: they are read and written by serde. The key of a
//! kept result is made of them (see `cache_key`), so a field that is added here needs nothing else to count.

use super::executed::Execution;
use super::object_code::CompilerUse;
use super::values::{InputFile, LocatedValue, Setting, SpawnedProgram, Sweep};
use chronos_frontend::Trust;
use chronos_ir::CLibrary;
use chronos_ir::openmp::RuntimeSchedule;
use chronos_machine::scale::Factor;
use chronos_mpi::libraries::MpiLibrary;
use chronos_predict::ModelOptions;
use chronos_trace::sharing::Sharing;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::str::FromStr;

/// Predictions of every program, on every system, with every number of tasks and every combination of swept values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PredictOptions {
    /// At least one.
    pub programs: Vec<ProgramOptions>,
    /// Where the programs are predicted.
    pub systems: SystemOptions,
    /// Numbers of tasks.
    pub tasks: Vec<usize>,
    /// They were asked for: a record of another number of tasks is refused.
    pub names_tasks: bool,
    /// Values that are given one after the other; of several sweeps, every combination.
    pub sweeps: Vec<Sweep>,
    /// How times are predicted.
    pub model: ModelOptions,
    /// Where no cost model is named, take object code of the machine's compiler if that is at hand.
    pub asks_compilers: bool,
    /// A run that tells what is not statically exact.
    pub trace: Option<TraceOptions>,
    /// A recorded run, in place of programs.
    pub recorded: Option<RecordedOptions>,
    /// A recorded run that calibrates the prediction of its program.
    pub calibration: Option<CalibrationOptions>,
    /// The program runs meanwhile, in virtual time.
    #[serde(skip)]
    pub execution: Option<Execution>,
    /// Say how much longer the program takes where a part of the network is 1 % worse.
    pub sensitivity: bool,
    /// Say which part of the tasks' time is spent computing, and why not more: another replay, without the time of messages.
    pub efficiency: bool,
    /// Count calls and bytes of each call site (`PointResult::communication`).
    pub communication: bool,
    /// Spans, messages and pairs of tasks that the timeline of each prediction holds at most; 0: no timeline.
    pub timeline_spans: usize,
    /// Where tasks are many, the timeline is of the first ones, not of one of each class.
    pub per_task: bool,
    /// What changes no prediction.
    #[serde(skip)]
    pub run: RunOptions,
}

/// A program and what is said about it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProgramOptions {
    /// How it is told from other programs; may be empty where there is one.
    pub name: String,
    /// The executable that a build made of it; reports name the program after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executable: Option<String>,
    /// C source files that are linked together; with a compilation database, files or folders of it.
    pub files: Vec<PathBuf>,
    /// The `compile_commands.json` that files and their flags are taken from; it may be one of `files` as well.
    pub compile_commands: Option<PathBuf>,
    /// Whose word the commands of a compilation database are: it decides what may be run here, not what a program
    /// means.
    #[serde(skip)]
    pub trust: Trust,
    /// Macros, as `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Folders that are searched for headers.
    pub includes: Vec<PathBuf>,
    /// The C compiler with its flags, for preprocessing; `None`: `cc`, or what the compilation database says.
    pub cc: Option<String>,
    /// The C library that the program is linked with; `None`: what the machine file says, else glibc.
    pub c_library: Option<CLibrary>,
    /// Whose numbers of MPI constants the program writes in place of names.
    #[serde(default)]
    pub mpi_library: MpiLibrary,
    /// Threads of each task in parallel regions of OpenMP, which is turned on by it; `None`: as the compiler's flags say.
    pub threads: Option<u32>,
    /// Schedule of loops that leave it to the runtime of OpenMP (`OMP_SCHEDULE`).
    pub omp_schedule: Option<RuntimeSchedule>,
    /// Sources of programs that `MPI_Comm_spawn` starts.
    pub spawn: Vec<SpawnedProgram>,
    /// Other values of macros and constants that the source defines.
    pub settings: Vec<Setting>,
    /// Macros, constants and arguments that are left free: results are expressions of them.
    pub symbolic: Vec<String>,
    /// Probabilities that the conditions of branches are true.
    pub probabilities: Vec<LocatedValue>,
    /// Mean iterations of loops per entry.
    pub iterations: Vec<LocatedValue>,
    /// Files of probabilities and iterations; `probabilities` and `iterations` win.
    pub assumption_files: Vec<PathBuf>,
    /// Files of what functions of external libraries cost.
    pub library_cost_files: Vec<PathBuf>,
    /// The file that the program reads as its standard input.
    pub stdin: Option<PathBuf>,
    /// Files that the program may open.
    pub input_files: Vec<InputFile>,
    /// Other files that the program opens are read, too, where they lie below the working folder.
    #[serde(default)]
    pub files_at_hand: bool,
    /// Operations of data-dependent parts that are interpreted per task, before the user is asked; `None`: the default,
    /// or `TRACED_BUDGET` where a trace tells the rest.
    pub budget: Option<u64>,
    /// Each task is followed by itself, also where many do the same.
    #[serde(default)]
    pub separate_ranks: bool,
    /// Arguments of the program, its own name excluded.
    pub arguments: Vec<String>,
    /// Files of the other programs of a comparison: locations in them are not meant for this program.
    pub other_programs_files: Vec<PathBuf>,
}

/// The systems that programs are predicted on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SystemOptions {
    /// Machines by the names of shipped ones or the paths of files; `A:3,B:1` is a cluster of both.
    pub machines: Vec<String>,
    /// Platform files.
    pub platforms: Vec<String>,
    /// Parts of machine and network that are so many times better.
    pub factors: Vec<Factor>,
    /// The network between nodes, by name or path, where a platform brings none of its own.
    pub network: String,
    /// The MPI library whose decision rules choose the algorithms of collectives; `None`: that of the network file.
    pub mpi_library: Option<String>,
}

/// A run's folder of counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceOptions {
    /// The folder that the run left.
    pub folder: PathBuf,
    /// What stays the same where the run had another number of tasks; `None`: such a run is refused.
    pub sharing: Option<Sharing>,
}

/// A recorded run, and how it is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedOptions {
    /// The folder that the run left.
    pub folder: PathBuf,
    /// The share of the processors that the system takes from the tasks.
    pub os_share: OsShare,
    /// How much longer computing takes than where it was recorded.
    pub machine_ratio: MachineRatio,
    /// Receives of any source or tag are matched anew, not as in the run.
    pub matched_anew: bool,
    /// Say how long the longest path is, with messages of the idle network.
    pub longest_path: bool,
}

/// A short run that was recorded, by which predictions of the same program are calibrated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CalibrationOptions {
    /// The folder that the run left.
    pub folder: PathBuf,
    /// The machine that it ran on, by name or path; `None`: the first one that is predicted.
    pub machine: Option<String>,
}

/// The share of a processor that the operating system and its services take.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum OsShare {
    /// So much, from 0 to below 1.
    Given(f64),
    /// What the run shows.
    OfRun,
}

/// How much longer computing takes on a machine than on that of the record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum MachineRatio {
    /// So many times.
    Factor(f64),
    /// As predicted for the machine of the record and another one, by name or path: stretch by stretch.
    Machines {
        /// That of the record.
        from: String,
        /// That of the prediction.
        to: String,
    },
}

impl FromStr for MachineRatio {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.parse().ok().filter(|factor: &f64| factor.is_finite() && *factor >= 0.0);
        match (number, text.split_once(':')) {
            (Some(factor), _) => Ok(Self::Factor(factor)),
            (None, Some((from, to))) if !from.is_empty() && !to.is_empty() => {
                Ok(Self::Machines { from: from.to_owned(), to: to.to_owned() })
            }
            _ => Err(format!("`{text}` is no factor such as 1.5, and no two machines FROM:TO")),
        }
    }
}

impl FromStr for OsShare {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let share = text.parse().ok().filter(|share| (0.0..1.0).contains(share));
        match share {
            _ if text == "run" => Ok(Self::OfRun),
            Some(share) => Ok(Self::Given(share)),
            None => Err(format!("`{text}` is no share from 0 to below 1, such as 0.02, and not `run`")),
        }
    }
}

/// How the work is done here; nothing of it changes a prediction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunOptions {
    /// Predictions made at the same time; `None`: as many as there are processors.
    pub jobs: Option<u32>,
    /// The folder that keeps finished predictions, and gives those that it has.
    pub resume: Option<PathBuf>,
    /// The folder that keeps what compilers made of programs; `None`: nothing is kept.
    pub objects: Option<PathBuf>,
    /// Which part of the predictions is made; the others are left to other processes.
    pub shard: Option<Shard>,
    /// Hand over the replay of each prediction as well, for the formats of other tools.
    pub keep_replay: bool,
    /// A function that will be asked about, so it must be there.
    pub explain: Option<String>,
}

/// One of several equal parts of all predictions, as jobs of a batch system take them. Predictions that one evaluation
/// serves stay together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 0.
    pub index: usize,
    /// How many parts there are.
    pub of: usize,
}

impl FromStr for Shard {
    type Err = String;

    /// `I/N`, with I from 1 to N.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no part I/N of N, such as 1/4, 2/4, 3/4 or 4/4");
        let (index, of) = text.split_once('/').ok_or_else(wrong)?;
        let (index, of): (usize, usize) = (index.parse().map_err(|_| wrong())?, of.parse().map_err(|_| wrong())?);
        if (1..=of).contains(&index) { Ok(Self { index: index - 1, of }) } else { Err(wrong()) }
    }
}

/// The network where nobody names one.
const DEFAULT_NETWORK: &str = "ethernet-100";

/// Operations that are interpreted where nobody says otherwise.
pub const DEFAULT_BUDGET: u64 = 100_000_000;
/// The same where a run tells what is not followed: about a second on all tasks of a small job.
pub const TRACED_BUDGET: u64 = 1_000_000;

impl PredictOptions {
    /// When programs are priced from object code.
    pub(super) fn compiler_use(&self) -> CompilerUse {
        CompilerUse::of(self.model.cost_model, self.asks_compilers)
    }
}

impl Default for PredictOptions {
    fn default() -> Self {
        Self {
            programs: Vec::new(),
            systems: SystemOptions::default(),
            tasks: vec![1],
            names_tasks: false,
            sweeps: Vec::new(),
            model: ModelOptions::default(),
            asks_compilers: false,
            trace: None,
            recorded: None,
            calibration: None,
            execution: None,
            sensitivity: false,
            efficiency: false,
            communication: false,
            timeline_spans: 0,
            per_task: false,
            run: RunOptions::default(),
        }
    }
}

impl Default for SystemOptions {
    fn default() -> Self {
        let network = DEFAULT_NETWORK.to_owned();
        Self { machines: Vec::new(), platforms: Vec::new(), factors: Vec::new(), network, mpi_library: None }
    }
}
