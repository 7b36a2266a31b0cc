//! `chronos-whatif/1`. All times are in seconds, shares are parts of 1.

use super::words;
pub use crate::efficiency::Efficiency;
use crate::model::{DiagnosticData, Platform, SweepValue, Word};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The studies of all numbers of tasks and systems.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WhatIfReport {
    /// `chronos-whatif/1`.
    pub schema: &'static str,
    /// One for each number of tasks, sweep value and system.
    pub studies: Vec<WhatIf>,
    /// What was found while reading, evaluating and replaying the program.
    pub diagnostics: Vec<DiagnosticData>,
}

impl WhatIfReport {
    /// The name and version of the format.
    pub const SCHEMA: &'static str = "chronos-whatif/1";

    /// A report without diagnostics.
    pub fn new(studies: Vec<WhatIf>) -> Self {
        Self { schema: Self::SCHEMA, studies, diagnostics: Vec::new() }
    }
}

/// One program with one number of tasks on one system.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WhatIf {
    /// Files of the program.
    pub program: Vec<String>,
    /// The prediction without a change, which all changes are compared with.
    pub base: Base,
    /// One for each change, in the order in which they were given.
    pub rows: Vec<ChangeRow>,
    /// Null where it was not asked for; the one that saves the most at 20 % first.
    pub rank: Option<Vec<Ranked>>,
    /// Null where it was not asked for.
    pub efficiency: Option<Efficiency>,
    /// Null where it was not asked for.
    pub tolerance: Option<Vec<Tolerance>>,
    /// Null where it was not asked for, and where tasks do more than can be looked at.
    pub waiting: Option<Waiting>,
}

/// What changes are compared with.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Base {
    /// Machine, network and nodes of the prediction.
    pub platform: Platform,
    /// The number of tasks of `MPI_COMM_WORLD`.
    pub tasks: usize,
    /// Values of `--sweep`; empty where there are none.
    pub sweep: Vec<SweepValue>,
    /// Time from the start of the job to the end of its last task.
    pub total_s: f64,
    /// The order of arrival decides what the program does, and its tasks are followed again under each change: with
    /// `--re-evaluate`, or where the matching of a run cannot be kept.
    pub re_evaluated: bool,
    /// The order of arrival decides what the program does, and messages match under each change as they did without it.
    pub recorded_matching: bool,
}

/// What one change brings.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChangeRow {
    /// As given.
    pub change: String,
    /// Where the order of arrival decides what the program does: `recorded` where messages match as they did without the
    /// change, `followed again` where the program is evaluated anew.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "words::read_optional")]
    pub matching: Option<Word>,
    /// Null where a task does not end under the change.
    pub total_s: Option<f64>,
    /// New time over old time (the load balancing factor of a placement, the networking factor of a network).
    pub factor: Option<f64>,
    /// Old time less new time; negative where the change makes the job slower. Null where `total_s` is.
    pub saved_s: Option<f64>,
    /// 90 % interval of what is saved: the price of each loop is wrong by the same factor before and after the change. Null
    /// where the machine file has no residuals, on platforms, and of balanced computing.
    pub saved_interval_s: Option<[f64; 2]>,
    /// The time saved, in percent of the old time. Null where `total_s` is.
    pub saved_percent: Option<f64>,
    /// For comparison: the old time without what is zeroed on the critical path, as if the path could not move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_path_share_s: Option<f64>,
    /// Of `move`: the value of the algorithm of Eom and Hollingsworth, figure 8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub figure_8_s: Option<f64>,
    /// Where the critical path runs under the change: functions by task, those with the most time first.
    pub path: Vec<PathShare>,
    /// Of placements: the nodes that have tasks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub placement: Vec<NodeLoad>,
    /// What is to be said of the change.
    pub notes: Vec<String>,
}

/// Time of a function on the critical path.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PathShare {
    /// A function, or the MPI function that was called.
    pub function: String,
    /// The task (rank in `MPI_COMM_WORLD`) that executes it.
    pub rank: usize,
    /// Its time on the critical path.
    pub time_s: f64,
    /// Of the total.
    pub share: f64,
}

/// A node and the tasks on it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NodeLoad {
    /// The number of the node.
    pub node: u32,
    /// Ranks of the tasks that are placed on it, ascending.
    pub tasks: Vec<usize>,
    /// Of one processor, the part of the total in which it computes for these tasks.
    pub busy_share: f64,
    /// Time in which its tasks could compute and had no processor, in seconds, summed over them.
    pub ready_s: f64,
}

/// What would be saved if something took less time.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Ranked {
    /// `function`, `loop`, `task`, `mpi_call`, `link`, or `topology_link` where the platform has a topology.
    #[serde(deserialize_with = "words::read")]
    pub kind: Word,
    /// The name of a function or MPI function, of the function that a loop is in, or which task or pair of nodes.
    pub name: String,
    /// Null of tasks and links.
    pub file: Option<String>,
    /// The line on which it begins. Null of tasks and links.
    pub line: Option<u32>,
    /// Its time on the critical path: what the total falls by at first, for each part by which it takes less time.
    pub path_s: f64,
    /// The same, as a part of the total.
    pub path_share: f64,
    /// By the percent that it takes less time: the part of the total that is saved. Of calls, the messages that they send and
    /// all of collective operations take less time, at both ends and on their way; of links, all messages from one task to the
    /// other. Of topology links, what goes over them does, as if they were that much wider. Null of calls that send nothing.
    pub y: Option<BTreeMap<u32, f64>>,
    /// The total where it takes no time.
    pub zero_s: Option<f64>,
    /// Percent beyond which less than a tenth of what was saved at first is saved; null where there is no such point.
    pub knee_percent: Option<f64>,
}

/// How much worse a part may become.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Tolerance {
    /// `network.latency`, `network.bandwidth`, `network.overhead` or `compute`.
    #[serde(deserialize_with = "words::read")]
    pub part: Word,
    /// Growth of the total for the growth of the part's time, both relative: 1 where the total is all due to it.
    pub sensitivity: f64,
    /// By the percent that the total may grow: the factor that the part's time may grow by; null where there is no limit below
    /// `most_factor`.
    pub factors: BTreeMap<u32, Option<f64>>,
    /// Up to where was looked.
    pub most_factor: f64,
    /// Of the latency of an empty message between nodes: what it may grow to, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_s: Option<BTreeMap<u32, Option<f64>>>,
    /// Factors at which the path of the total changes, up to the one for 5 %.
    pub breakpoints: Vec<f64>,
}

/// Why tasks wait.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Waiting {
    /// Time in which tasks are idle, summed over the tasks; what causes have directly and passed on adds up to it.
    pub idle_s: f64,
    /// Those that cause the most idle time first.
    pub causes: Vec<Cause>,
}

/// Something that makes other tasks wait.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Cause {
    /// `function`: computing by the late task; `mpi_call`: its time in MPI calls, idle time left out; `message`: the message by
    /// which both tasks met last came late to it; `ready`: it could compute and had no processor; `duration`: computing that no
    /// function is known of; `no_task`: what was waited for is no task (locks of windows, answers of memory, files).
    #[serde(deserialize_with = "words::read")]
    pub kind: Word,
    /// The function or MPI function; null of messages and durations.
    pub name: Option<String>,
    /// Where the function is called; null of `main`, messages and durations.
    pub file: Option<String>,
    /// The line of the call.
    pub line: Option<u32>,
    /// Idle time of tasks that waited for one that was late because of it, in seconds, summed over the tasks.
    pub direct_s: f64,
    /// Idle time of tasks that waited for one that had itself waited because of it.
    pub passed_on_s: f64,
    /// Both together, as a part of all idle time.
    pub share: f64,
    /// The tasks that were late because of it, those that cause the most idle time first; 64 at most.
    pub tasks: Vec<LateTask>,
    /// How many more tasks were; absent where these are all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub more_tasks: Option<usize>,
}

/// What one task has of a cause.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LateTask {
    /// Its rank in `MPI_COMM_WORLD`.
    pub rank: usize,
    /// Idle time of others that it causes directly, in seconds.
    pub direct_s: f64,
    /// Idle time that those whom it let wait pass on.
    pub passed_on_s: f64,
}
