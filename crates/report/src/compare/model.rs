//! `chronos-compare/1`: programs side by side. All times are in seconds.

use crate::model::{DiagnosticData, SweepValue};
use crate::whatif::model::Efficiency;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A comparison: entries as predicted, and what follows from them.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Comparison {
    /// `chronos-compare/1`.
    pub schema: &'static str,
    /// In the order given; the first is what changes are relative to.
    pub programs: Vec<ComparedProgram>,
    /// Predictions, one for each combination of program, machine, network, swept values and number of tasks.
    pub entries: Vec<Entry>,
    /// Who is first, for each case in which several can be compared.
    pub(crate) standings: Vec<Standing>,
    /// Where another one becomes the faster of two, as the number of tasks or a swept value grows.
    pub(crate) crossovers: Vec<Crossover>,
    /// How each program scales, where there are several numbers of tasks.
    pub scaling: Vec<Scaling>,
    /// Diagnostics of all predictions, and those of the comparison itself.
    pub diagnostics: Vec<DiagnosticData>,
}

impl Comparison {
    /// The name and version of the format.
    pub const SCHEMA: &'static str = "chronos-compare/1";

    /// Every prediction is complete.
    pub fn is_complete(&self) -> bool {
        self.entries.iter().all(|entry| entry.total_s.is_some())
    }
}

/// One of the programs that are compared, with what it was given.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ComparedProgram {
    /// Name of the program in the comparison; entries and rankings refer to it.
    pub name: String,
    /// Source files of the program, as given.
    pub files: Vec<String>,
    /// Arguments of the program, its own name excluded.
    pub arguments: Vec<String>,
    /// `-D` and `--set`, as given.
    pub defines: Vec<String>,
    /// The saved report that it was taken from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
}

/// One prediction.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Entry {
    /// Name of the program, as in `programs`.
    pub program: String,
    /// Name of the machine that it is predicted for.
    pub machine: String,
    /// Name of the network between the tasks.
    pub network: String,
    /// Values of `--sweep`.
    pub sweep: Vec<SweepValue>,
    /// Number of tasks (MPI processes) that it is predicted for.
    pub tasks_count: usize,
    /// Null where the prediction is incomplete.
    pub total_s: Option<f64>,
    /// 90 % interval; null where the machine file has no residuals to derive it from.
    pub interval_s: Option<[f64; 2]>,
    /// The part of it that computing times make, where the network has a part in it: it decides what is separated, as the
    /// network is the same for all that are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub computing_interval_s: Option<[f64; 2]>,
    /// The part of it that assumed probabilities and numbers of iterations make; absent where nothing is assumed. It counts where
    /// programs are told apart, not where machines of one program are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub assumed_interval_s: Option<[f64; 2]>,
    /// What is known of the total.
    pub known_s: f64,
    /// Part of the tasks' time that is computation. This and the two shares below add up to 1; null where nothing took time.
    pub(crate) compute_share: Option<f64>,
    /// Part of the tasks' time that is spent in MPI calls without waiting.
    pub(crate) communication_share: Option<f64>,
    /// Part of the tasks' time in which they wait for others.
    pub(crate) idle_share: Option<f64>,
    /// `S(n) = T(1) / T(n)`; where there is no prediction with one task, relative to the fewest tasks there are.
    pub speedup: Option<f64>,
    /// `S(n) / n`; where the reference has more than one task, `S(n) * reference / n`.
    pub efficiency: Option<f64>,
    /// Load balance, serialisation, transfer and their products; absent where they are not known, as of saved reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub efficiencies: Option<Efficiency>,
    /// Longer than the first program in the same case, in percent; negative where it is shorter.
    pub change_percent: Option<f64>,
    /// Times of functions, of saved reports.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub functions: Vec<EntryFunction>,
}

/// What a function takes in one prediction.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EntryFunction {
    /// Name of the function.
    pub name: String,
    /// The file that it is in.
    pub file: String,
    /// Its time without callees, mean over the tasks, in seconds.
    pub exclusive_s: f64,
}

impl EntryFunction {
    /// By name and file; the folder may be another one in another report.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let base = |file: &str| file.rsplit('/').next().unwrap_or_default().to_owned();
        self.name == other.name && base(&self.file) == base(&other.file)
    }
}

/// Who is first in one case.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Standing {
    /// Null where machines are compared.
    pub machine: Option<String>,
    /// Name of the network between the tasks.
    pub network: String,
    /// Values of `--sweep`.
    pub sweep: Vec<SweepValue>,
    /// Number of tasks.
    pub tasks_count: usize,
    /// The fastest first; those whose time is known.
    pub(crate) ranking: Vec<Rank>,
    /// The intervals of the first two have nothing in common; null where there are no intervals.
    pub separated: Option<bool>,
    /// In a few words.
    pub text: String,
}

/// One place in a ranking.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Rank {
    /// Name of the program, as in `programs`.
    pub program: String,
    /// Name of the machine that it is predicted for.
    pub machine: String,
    /// Predicted total time in seconds.
    pub total_s: f64,
    /// Times as long as the first.
    pub(crate) times_first: f64,
}

/// Where another one becomes the faster of two.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Crossover {
    /// `n` (the number of tasks), or the name that is swept.
    pub(crate) axis: String,
    /// The first value at which it is faster.
    pub from: String,
    /// The last value, where it is not faster up to the last one.
    pub until: Option<String>,
    /// Name of the program, or of the machine where machines are compared, that is the faster one from there on.
    pub faster: String,
    /// Name of the other one.
    pub slower: String,
    /// The machine, or the program where machines are compared.
    pub place: String,
    /// Name of the network between the tasks.
    pub network: String,
    /// Null where the number of tasks is the axis.
    pub tasks_count: Option<usize>,
    /// The other swept values.
    pub sweep: Vec<SweepValue>,
    /// The intervals have nothing in common at any of these values; null where there are no intervals.
    pub separated: Option<bool>,
    /// In a sentence.
    pub text: String,
}

/// How one program scales on one machine.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Scaling {
    /// Name of the program, as in `programs`.
    pub program: String,
    /// Name of the machine that it is predicted for.
    pub machine: String,
    /// Name of the network between the tasks.
    pub network: String,
    /// Values of `--sweep`, which are the same for all numbers of tasks here.
    pub sweep: Vec<SweepValue>,
    /// What speedups are relative to.
    pub(crate) reference_program: String,
    /// Number of tasks of that prediction.
    pub(crate) reference_tasks: usize,
    /// Number of tasks with the shortest total time, among those predicted.
    pub best_tasks: usize,
    /// The total time with `best_tasks`.
    pub(crate) best_s: f64,
    /// The speedup with `best_tasks`.
    pub(crate) best_speedup: f64,
    /// It takes longer with more tasks than `best_tasks`.
    pub(crate) turns_down: bool,
    /// The most tasks with an efficiency of at least one half.
    pub(crate) half_efficient_tasks: Option<usize>,
    /// In a sentence.
    pub text: String,
}
