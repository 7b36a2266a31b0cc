//! `chronos-report/1`, and `/2` with a row for each class of tasks: everything a rendering needs. All times are in seconds.

use super::classes::TaskClass;
use super::efficiency::Efficiency;
use super::replayed::Replayed;
use super::symbolic::SymbolicTimes;
pub use super::words::Word;
use super::words::read_word;
use chronos_activity::{Count, CountSource, CountValue};
use chronos_machine::CodeKind;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A report: one prediction per machine or platform and number of tasks.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Report {
    /// `chronos-report/1` where every task has a row, `chronos-report/2` where rows of `tasks` stand for classes of them.
    pub schema: &'static str,
    /// The program that was predicted: its files, arguments and settings.
    pub program: ProgramInfo,
    /// Predictions, one for each combination of machine, network, swept values and number of tasks.
    pub predictions: Vec<Prediction>,
    /// Text of the user's files, by name.
    pub sources: BTreeMap<String, String>,
    /// Notes, warnings and errors of all predictions.
    pub diagnostics: Vec<DiagnosticData>,
}

impl Report {
    /// The name and version of the format.
    pub const SCHEMA: &'static str = "chronos-report/1";

    /// The same where predictions have a row for each class of tasks.
    pub const SCHEMA_OF_CLASSES: &'static str = "chronos-report/2";

    /// Whether a format of this name can be read.
    pub fn is_schema(name: &str) -> bool {
        name == Self::SCHEMA || name == Self::SCHEMA_OF_CLASSES
    }

    /// As it is written to files: in lines, or in one where tasks are many, since spaces before lines are most of such a
    /// report.
    pub fn json(&self) -> String {
        if self.schema == Self::SCHEMA { crate::json(self) } else { crate::json_in_one_line(self) }
    }

    /// Every prediction is complete.
    pub fn is_complete(&self) -> bool {
        self.predictions.iter().all(Prediction::is_complete)
    }
}

/// The program of a report, with what it was given.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProgramInfo {
    /// The executable that a build made of the files; absent where the files were named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub executable: Option<String>,
    /// Source files of the program, as given.
    pub files: Vec<String>,
    /// Arguments of the program, its own name excluded.
    pub arguments: Vec<String>,
    /// `-D` and `--set`, as given.
    pub defines: Vec<String>,
}

/// So many files are named in the heading of a program.
const FILES_SHOWN: usize = 3;

impl ProgramInfo {
    /// The program in a heading: its executable, or its first files.
    pub fn title(&self) -> String {
        let number = self.files.len();
        match (&self.executable, number.checked_sub(FILES_SHOWN)) {
            (Some(name), _) if number == 1 => format!("{name} (1 file)"),
            (Some(name), _) => format!("{name} ({number} files)"),
            (None, None | Some(0)) => self.files.join(" "),
            (None, Some(more)) => format!("{} and {more} more files", self.files[..FILES_SHOWN].join(" ")),
        }
    }
}

/// The prediction of one program on one platform with one number of tasks. All times are in seconds.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Prediction {
    /// The machine and the network that it is predicted for.
    pub platform: Platform,
    /// Number of tasks (MPI processes).
    pub tasks_count: usize,
    /// Values of `--sweep` that it was made with; empty where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub sweep: Vec<SweepValue>,
    /// When the last task ends; null where the prediction is incomplete.
    pub total_s: Option<f64>,
    /// 90 % interval of the total: computing times, assumed probabilities and numbers of iterations, and the figures of the
    /// network where its file says how uncertain they are; null where the machine file has no residuals to derive it from.
    pub interval_s: Option<[f64; 2]>,
    /// The part of it that computing times and assumptions make, where the network has a part in it: what tells programs on the
    /// same network apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub computing_interval_s: Option<[f64; 2]>,
    /// The part of it that assumed probabilities and numbers of iterations make; absent where nothing is assumed. Predictions of one
    /// program on several machines have it in common.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub assumed_interval_s: Option<[f64; 2]>,
    /// What the interval takes as exact though it may be off, in words; empty where there is no interval.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub interval_without: Vec<String>,
    /// What is known of the total.
    pub known_s: f64,
    /// Name of the cost model that gave segments their times.
    pub cost_model: String,
    /// Times of each task, by rank; in `chronos-report/2` of each class of tasks, by the least rank.
    pub tasks: Vec<Task>,
    /// Times of each function.
    pub functions: Vec<Function>,
    /// Times of each block.
    pub blocks: Vec<Block>,
    /// Functions by the way they were called, and the MPI calls in them, parents first; with very many, those that take the
    /// most time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub call_tree: Vec<CallNode>,
    /// MPI calls of the source, each with its number and its time.
    pub calls: Vec<MpiCall>,
    /// Differences of clock readings (`MPI_Wtime`) that the program computes; empty where it computes none.
    pub wtime: Vec<Wtime>,
    /// From the begin to the end of the program; empty where it was not asked for.
    pub critical_path: Vec<PathElement>,
    /// Of how many stretches those of `critical_path` are every so many; absent where they are all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub critical_path_of: Option<usize>,
    /// What the prediction rests on and nobody gave, each with its remedy; empty where it rests on nothing such.
    pub assumptions: Vec<Assumption>,
    /// The run that it is a prediction of; absent where it is of a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<RecordedRun>,
    /// What would change if parts of the network were worse; empty where it was not asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub sensitivity: Vec<Sensitivity>,
    /// Load balance, serialisation, transfer and their products; absent where they were not asked for or are not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub efficiency: Option<Efficiency>,
    /// What bounds each loop that was entered; empty where the cost model knows no bounds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub loops: Vec<LoopBound>,
    /// What one processor of the machine does at most, for the roofline of the loops; absent where its file does not tell, or
    /// machines differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub roofline: Option<Roofline>,
    /// How much of the computing time comes from object code; absent where the cost model is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object_code: Option<ObjectCodeCoverage>,
    /// What happened when; absent where it was not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replayed: Option<Box<Replayed>>,
    /// With `--symbolic`: computing times as expressions, in place of everything else.
    #[serde(skip_serializing_if = "Option::is_none", skip_deserializing)]
    pub symbolic: Option<SymbolicTimes>,
}

impl Prediction {
    /// A prediction of which nothing is known yet: no times, and empty sections.
    pub fn unknown(platform: Platform, tasks_count: usize, cost_model: &str) -> Self {
        Self {
            platform,
            tasks_count,
            sweep: Vec::new(),
            total_s: None,
            interval_s: None,
            computing_interval_s: None,
            assumed_interval_s: None,
            interval_without: Vec::new(),
            known_s: 0.0,
            cost_model: cost_model.to_owned(),
            tasks: Vec::new(),
            functions: Vec::new(),
            blocks: Vec::new(),
            call_tree: Vec::new(),
            calls: Vec::new(),
            wtime: Vec::new(),
            critical_path: Vec::new(),
            critical_path_of: None,
            assumptions: Vec::new(),
            recorded: None,
            sensitivity: Vec::new(),
            efficiency: None,
            loops: Vec::new(),
            roofline: None,
            object_code: None,
            replayed: None,
            symbolic: None,
        }
    }

    /// Nothing that was asked for is missing.
    pub fn is_complete(&self) -> bool {
        match &self.symbolic {
            Some(symbolic) => symbolic.complete,
            None => self.total_s.is_some(),
        }
    }
}

/// A recorded run.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RecordedRun {
    /// Time that passed from the begin of the program to its end, without `MPI_Init` and `MPI_Finalize`.
    pub wall_s: f64,
    /// Processor time between MPI calls, of all tasks.
    pub processor_s: f64,
    /// The share of the processors that the system took.
    pub os_share: f64,
    /// Computing takes so many times that processor time in the prediction.
    pub factor: f64,
    /// Receives of any source or tag are matched anew, not as in the run.
    pub matched_anew: bool,
    /// The longest path of computation and messages, where each message takes what the idle network takes; null where it was
    /// not asked for or is not known.
    pub longest_path_s: Option<f64>,
}

/// How much of the computing time comes from object code (cost model `compiled`).
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ObjectCodeCoverage {
    /// Of the time of loops and functions, calls of libraries and of MPI excluded, from 0 to 1.
    pub share: f64,
    /// Loops and bodies of functions that are priced from the source, those that take the most time first; at most 20.
    pub from_source: Vec<PricedFromSource>,
    /// Loops and bodies of functions whose time by the source differs by more than 20 %, the greatest differences first; at
    /// most 20.
    #[serde(default)]
    pub differences: Vec<PricedOtherwise>,
}

/// A loop or the body of a function that object code and source give different times.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PricedOtherwise {
    /// The function that it belongs to.
    pub function: String,
    /// Its source file.
    pub file: String,
    /// Its first line, from 1.
    pub line: u32,
    /// The time that the object code gives it, in seconds.
    pub object_code_s: f64,
    /// The time that the source gives it, in seconds.
    pub source_s: f64,
}

/// A loop or the body of a function whose object code tells no time.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PricedFromSource {
    /// The function that it belongs to.
    pub function: String,
    /// Its source file.
    pub file: String,
    /// Its first line, from 1.
    pub line: u32,
    /// The time that the source gives it, in seconds.
    pub time_s: f64,
    /// Why its object code gives none.
    pub reason: String,
}

/// A value that `--sweep` gave.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct SweepValue {
    /// A macro, a constant or an argument (`argv1`).
    pub name: String,
    /// As given.
    pub value: String,
}

/// How the total depends on a part of the network.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Sensitivity {
    /// As `--scale` names it.
    pub part: String,
    /// Growth of the total, in percent, where the part is 1 % worse.
    pub percent: f64,
    /// The same in seconds.
    pub seconds: f64,
    /// Of the latency: milliseconds that the total grows for each microsecond more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ms_per_us: Option<f64>,
}

/// The machine and the network of a prediction, by name.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Platform {
    /// Name of the machine, or of the platform where its nodes differ.
    pub machine: String,
    /// Name of the network between the tasks.
    pub network: String,
}

/// The parts add up to `total_s`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Task {
    /// Rank of the task in `MPI_COMM_WORLD`, from 0; of a class: the least one.
    pub rank: usize,
    /// The tasks that the row stands for; absent where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<TaskClass>,
    /// Name of the machine that the task runs on.
    pub machine: String,
    /// Time from the begin of the program to the end of the task, in seconds.
    pub total_s: f64,
    /// Time of computation, and of MPI calls that move no message, in seconds.
    pub compute_s: f64,
    /// Time in sends, waits for sends and one-sided accesses, idle time excluded, in seconds.
    pub send_s: f64,
    /// Time in receives, waits for receives and probes, idle time excluded, in seconds.
    pub recv_s: f64,
    /// Time in collective operations, idle time excluded, in seconds.
    pub collective_s: f64,
    /// Until the awaited partner arrived.
    pub idle_s: f64,
    /// Time in which the task could compute, and other tasks or programs of its node had the processor, in seconds. Absent
    /// where it never waits for a processor.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ready_s: f64,
    /// Of the idle time: waiting for a message that had not been sent.
    pub late_sender_s: f64,
    /// Of the idle time: waiting for a receive that had not been posted.
    pub late_receiver_s: f64,
    /// Of the idle time: waiting for members that had not come to a collective operation.
    pub late_member_s: f64,
}

impl Task {
    /// All times: the total and its parts, then the causes of idle time.
    pub(crate) const TIMES: [fn(&Self) -> f64; 10] = [
        |t| t.total_s,
        |t| t.compute_s,
        |t| t.send_s,
        |t| t.recv_s,
        |t| t.collective_s,
        |t| t.idle_s,
        |t| t.ready_s,
        |t| t.late_sender_s,
        |t| t.late_receiver_s,
        |t| t.late_member_s,
    ];

    /// How many tasks the row stands for.
    pub fn count(&self) -> usize {
        self.class.as_ref().map_or(1, |class| class.count)
    }

    /// A time of all tasks together.
    pub fn sum(tasks: &[Self], part: impl Fn(&Self) -> f64) -> f64 {
        tasks.iter().map(|task| part(task) * task.count() as f64).sum()
    }

    /// Means of all times over the tasks; of no task in particular.
    pub fn mean(tasks: &[Self]) -> Self {
        let number = tasks.iter().map(Self::count).sum::<usize>().max(1) as f64;
        let first = |part: fn(&Self) -> f64| tasks.first().map(part);
        // Rounding would make another number of equal ones.
        let equal = |part: fn(&Self) -> f64| first(part).filter(|&time| tasks.iter().all(|task| part(task) == time));
        let over = |part: fn(&Self) -> f64| equal(part).unwrap_or_else(|| Self::sum(tasks, part) / number);
        Self {
            rank: 0,
            class: None,
            machine: String::new(),
            total_s: over(|t| t.total_s),
            compute_s: over(|t| t.compute_s),
            send_s: over(|t| t.send_s),
            recv_s: over(|t| t.recv_s),
            collective_s: over(|t| t.collective_s),
            idle_s: over(|t| t.idle_s),
            ready_s: over(|t| t.ready_s),
            late_sender_s: over(|t| t.late_sender_s),
            late_receiver_s: over(|t| t.late_receiver_s),
            late_member_s: over(|t| t.late_member_s),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(seconds: &f64) -> bool {
    *seconds == 0.0
}

/// Means over the tasks. Inclusive times hold callees, MPI and idle time; recursion counts once.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Function {
    /// Name of the function as in the source; `unit` tells static functions of one name and place apart.
    pub name: String,
    /// Source file that defines the function.
    pub file: String,
    /// Line in which its definition begins, from 1.
    pub line: u32,
    /// Where several files hold a function of this name and place (static ones of headers): the source file whose copy this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// How often it was called, summed over the tasks; null where that is not known.
    #[serde(serialize_with = "count_or_null", deserialize_with = "read_count")]
    #[schemars(with = "JsonCount")]
    pub calls: Count,
    /// Time in the function and in what it calls, in seconds.
    pub inclusive_s: f64,
    /// 90 % interval of `inclusive_s`; null where the machine file has no residuals to derive it from.
    pub interval_s: Option<[f64; 2]>,
    /// Time of the function's own computation, callees and MPI calls excluded, in seconds.
    pub exclusive_s: f64,
    /// The same for each task by itself.
    pub per_task: PerTaskFunction,
}

impl Function {
    /// Its name, with what tells it from others of the same name and place.
    pub fn title(&self) -> String {
        titled(&self.name, self.unit.as_deref())
    }
}

/// A function's name, with the source file whose copy it is.
pub(crate) fn titled(name: &str, unit: Option<&str>) -> String {
    unit.map_or_else(|| name.to_owned(), |unit| format!("{name} in {unit}"))
}

/// What a function takes on each task: one element per rank; in `chronos-report/2` a mean per class, in the order of `tasks`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PerTaskFunction {
    /// How often each task called it, null where that is not known; empty for a function without code.
    #[serde(serialize_with = "counts_or_null", deserialize_with = "read_counts")]
    #[schemars(with = "Vec<JsonCount>")]
    pub calls: Vec<Count>,
    /// Time of each task in the function and in what it calls, in seconds.
    pub inclusive_s: Vec<f64>,
    /// Time of each task in the function's own computation, in seconds.
    pub exclusive_s: Vec<f64>,
}

/// Sums over the tasks.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Block {
    /// Number of the block, which depends on the sources alone; other parts of the report refer to it.
    pub id: u32,
    /// Name of the function that the block belongs to.
    pub function: String,
    /// Of the function, where several have its name and place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// `straight`, `call`, `mpi`, `loop` or `branch`.
    #[serde(deserialize_with = "read_word")]
    pub kind: Word,
    /// Source file of the block.
    pub file: String,
    /// First line of the block, from 1.
    pub line_start: u32,
    /// Column in which the block begins, from 1.
    pub column_start: u32,
    /// Last line of the block, from 1.
    pub line_end: u32,
    /// Column in which the block ends, from 1.
    pub column_end: u32,
    /// Of a call: the function called, where it is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callee: Option<String>,
    /// The loop or branch of the same function around it.
    pub parent: Option<u32>,
    /// How often the block was executed; of a loop: how many iterations it made. Null where that is not known.
    #[serde(serialize_with = "count_or_null", deserialize_with = "read_count")]
    #[schemars(with = "JsonCount")]
    pub count: Count,
    /// `static`, `probability`, `assumed`, `trace`, `timing` or `unknown`.
    #[serde(deserialize_with = "read_word")]
    pub source: Word,
    /// Of a loop: times reached.
    #[serde(
        default,
        serialize_with = "optional_count",
        deserialize_with = "read_optional_count",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<JsonCount>")]
    pub entries: Option<Count>,
    /// Of a branch: times each arm was taken.
    #[serde(
        default,
        serialize_with = "optional_counts",
        deserialize_with = "read_optional_counts",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<Vec<JsonCount>>")]
    pub taken: Option<Vec<Count>>,
    /// Time of the block itself, blocks inside it and callees excluded, in seconds.
    pub time_s: f64,
    /// With the blocks inside it and the functions that they call.
    pub inclusive_s: f64,
    /// 90 % interval of `inclusive_s`; null where the machine file has no residuals to derive it from.
    pub interval_s: Option<[f64; 2]>,
    /// Instruction classes; they add up to `time_s`.
    pub classes: BTreeMap<String, f64>,
    /// Up to 64 tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_task: Option<PerTaskBlock>,
}

/// A function as it was called on one path from `main`, or an MPI call there. Times are means over the tasks.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CallNode {
    /// Position of the caller in the list; null for `main`.
    pub parent: Option<u32>,
    /// Name of the function or of the MPI call.
    pub name: String,
    /// `function` or `mpi`.
    #[serde(deserialize_with = "read_word")]
    pub kind: Word,
    /// The block that calls; null for `main`.
    pub block: Option<u32>,
    /// By all tasks.
    #[serde(serialize_with = "count_or_null", deserialize_with = "read_count")]
    #[schemars(with = "JsonCount")]
    pub calls: Count,
    /// Time in the call, callees, MPI calls and idle time included, in seconds.
    pub inclusive_s: f64,
    /// Its computation; callees and MPI calls excluded.
    pub exclusive_s: f64,
    /// Of an MPI call: until the awaited partner arrived.
    pub idle_s: f64,
    /// The same on each task, by rank, for profiles; empty where it was not kept. Saved reports have the means alone.
    #[serde(skip)]
    pub of_tasks: Vec<NodeOfTask>,
}

/// What a call path takes on one task.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeOfTask {
    /// How often the task made the call.
    pub calls: Count,
    /// Time of the function's own computation, or of the MPI call, in seconds.
    pub own_s: f64,
    /// Of an MPI call: until the awaited partner arrived, in seconds.
    pub idle_s: f64,
}

/// What a block takes on each task, one element per rank.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PerTaskBlock {
    /// How often each task executed it; null where that is not known.
    #[serde(serialize_with = "counts_or_null", deserialize_with = "read_counts")]
    #[schemars(with = "Vec<JsonCount>")]
    pub counts: Vec<Count>,
    /// Time of each task in the block itself, in seconds.
    pub time_s: Vec<f64>,
}

/// The time of a loop without the loops inside it, summed over tasks and contexts: in each, the greater of `chain_s` and
/// `throughput_s + memory_s`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LoopBound {
    /// Number of the loop's block, as in `blocks`.
    pub block: u32,
    /// Name of the function that the loop belongs to.
    pub function: String,
    /// Source file of the loop.
    pub file: String,
    /// First line of the loop, from 1.
    pub line_start: u32,
    /// Last line of the loop, from 1.
    pub line_end: u32,
    /// Loops around it in its function.
    pub depth: u32,
    /// How often the loop was reached.
    pub entries: f64,
    /// Number of iterations of all entries together.
    pub iterations: f64,
    /// Time of the loop without the loops inside it, in seconds.
    pub time_s: f64,
    /// What each iteration waits for the one before (the bound by recurrences; Rau 1994: RecMII), in seconds.
    pub chain_s: f64,
    /// What the busiest resource of the processor takes (the bound by resources; Rau 1994: ResMII), in seconds.
    pub throughput_s: f64,
    /// What moving lines between the levels of memory adds, in seconds.
    pub memory_s: f64,
    /// Operations on floating numbers of all iterations, as the source has them, loops inside and callees excluded.
    #[serde(default)]
    pub floating_operations: f64,
    /// Bytes that the source reads and writes in memory in all iterations, likewise.
    #[serde(default)]
    pub bytes: f64,
    /// What wins where most time is spent: `latency`, `throughput of ...`, a level of memory, `operations`.
    pub bound: String,
    /// What its error is like: kernels of the calibration suite with the same kind say most of its interval.
    #[serde(default = "mixed")]
    pub kind: CodeKind,
    /// Iterations side by side in a vector there; 1 for scalar code.
    pub lanes: u32,
    /// In a sentence, with the remedy.
    pub why: String,
}

/// What one processor does in a second at most (the cache-aware roofline model; Ilic, Pratas, Sousa 2014).
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Roofline {
    /// Operations on floating numbers, with the widest vectors of the compiler's flags that the machine file was measured with.
    pub floating_operations_per_s: f64,
    /// Bandwidth of each level of memory, nearest first.
    pub levels: Vec<RooflineLevel>,
}

/// A level of memory in a roofline.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RooflineLevel {
    /// `L1`, `L2`, `L3`, `memory`.
    pub name: String,
    /// Bytes that one processor reads from it in a second.
    pub bytes_per_s: f64,
}

/// Of reports that do not say.
fn mixed() -> CodeKind {
    CodeKind::Mixed
}

/// An MPI call of the source, summed over tasks and contexts.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MpiCall {
    /// Number of the call's block, as in `blocks`.
    pub block: u32,
    /// Name of the MPI function that is called.
    pub function: String,
    /// Source file of the call.
    pub file: String,
    /// Line of the call, from 1.
    pub line: u32,
    /// How often it was executed; null where that is not known.
    #[serde(serialize_with = "count_or_null", deserialize_with = "read_count")]
    #[schemars(with = "JsonCount")]
    pub calls: Count,
    /// Time in the call, idle time included, in seconds.
    pub time_s: f64,
    /// The part of `time_s` in which a task waits for a partner that has not arrived, in seconds.
    pub idle_s: f64,
}

/// Differences of clock readings that a task would print.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Wtime {
    /// Rank of the task in `MPI_COMM_WORLD`, from 0; of a class: the least one.
    pub rank: usize,
    /// The tasks that find these differences; absent where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<TaskClass>,
    /// Place in the source of the earlier clock reading, as `file:line`; empty where it is not known.
    pub from: String,
    /// Place in the source of the later clock reading, as `file:line`; empty where it is not known.
    pub to: String,
    /// How often the difference was taken.
    pub times: u64,
    /// Sum of the differences, in seconds.
    pub total_s: f64,
    /// Least difference, in seconds.
    pub min_s: f64,
    /// Greatest difference, in seconds.
    pub max_s: f64,
}

/// A stretch of the critical path.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PathElement {
    /// Rank of the task that the stretch lies on, from 0.
    pub rank: usize,
    /// Begin of the stretch, in seconds from the begin of the program.
    pub begin_s: f64,
    /// End of the stretch, in seconds from the begin of the program.
    pub end_s: f64,
    /// Time of the message that ended the wait at the begin.
    pub message_s: f64,
    /// The call that the stretch begins behind.
    pub what: Arc<str>,
}

/// Something that nobody gave and the prediction rests on.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Assumption {
    /// Source file of the place that the assumption is about.
    pub file: String,
    /// Line of that place, from 1.
    pub line: u32,
    /// What is assumed, in words.
    pub text: String,
    /// What the user may give so that nothing need be assumed, in words.
    pub remedy: String,
    /// Between which numbers of iterations, or probabilities of the first way, nine of ten cases like it lie; absent where
    /// nothing tells, or nothing else is possible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub range: Option<[f64; 2]>,
    /// The total in nine of ten of these cases, where nothing else is off; absent with `range`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(default)]
    pub total_s: Option<[f64; 2]>,
}

/// A note, warning or error.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DiagnosticData {
    /// Code of the kind of diagnostic, such as `C0101`; docs/codes.md explains each.
    pub code: String,
    /// `note`, `warning` or `error`.
    #[serde(deserialize_with = "read_word")]
    pub severity: Word,
    /// What is wrong or worth knowing, in words.
    pub message: String,
    /// Places in the sources that it is about; empty where it is about none.
    pub labels: Vec<LabelData>,
    /// What the user may do about it; null where nothing is known to help.
    pub help: Option<String>,
}

/// A place in a source, and what is to be said of it. Lines and columns are from 1.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LabelData {
    /// Source file of the place.
    pub file: String,
    /// Line in which the place begins.
    pub line: u32,
    /// Column in which the place begins.
    pub column: u32,
    /// Line in which the place ends.
    pub end_line: u32,
    /// Column in which the place ends.
    pub end_column: u32,
    /// What is to be said of the place; may be empty.
    pub text: String,
}

/// As the format names it.
pub fn source_name(source: CountSource) -> &'static str {
    match source {
        CountSource::Static => "static",
        CountSource::Trace => "trace",
        CountSource::Probability => "probability",
        CountSource::Assumed => "assumed",
        CountSource::Timing => "timing",
        CountSource::Unknown => "unknown",
    }
}

/// A count in JSON: integer up to 2^53, decimal string beyond, number with fraction, null when unknown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JsonCount(pub Count);

impl Serialize for JsonCount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.value {
            CountValue::Exact(n) if n <= 1 << 53 => serializer.serialize_u64(n as u64),
            CountValue::Exact(n) => serializer.collect_str(&n),
            CountValue::Expected(x) => serializer.serialize_f64(x),
            CountValue::Unknown => serializer.serialize_none(),
        }
    }
}

impl JsonSchema for JsonCount {
    fn schema_name() -> Cow<'static, str> {
        "Count".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Integer up to 2^53, decimal string beyond, number with fraction (expected value), null when unknown.",
            "oneOf": [{"type": "number", "minimum": 0}, {"type": "string", "pattern": "^[0-9]+$"}, {"type": "null"}]
        })
    }
}

fn count_or_null<S: Serializer>(count: &Count, serializer: S) -> Result<S::Ok, S::Error> {
    JsonCount(*count).serialize(serializer)
}

fn counts_or_null<S: Serializer>(counts: &[Count], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(counts.iter().copied().map(JsonCount))
}

#[expect(clippy::ref_option, reason = "serde asks for a reference to the field")]
fn optional_count<S: Serializer>(count: &Option<Count>, serializer: S) -> Result<S::Ok, S::Error> {
    count.map(JsonCount).serialize(serializer)
}

#[expect(clippy::ref_option, reason = "serde asks for a reference to the field")]
fn optional_counts<S: Serializer>(counts: &Option<Vec<Count>>, serializer: S) -> Result<S::Ok, S::Error> {
    counts.as_deref().map(|c| c.iter().copied().map(JsonCount).collect::<Vec<_>>()).serialize(serializer)
}

impl<'de> Deserialize<'de> for JsonCount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde_json::Value;
        let wrong = |value: &Value| serde::de::Error::custom(format!("{value} is no count"));
        let value = Value::deserialize(deserializer)?;
        let count = match &value {
            Value::Null => Count::UNKNOWN,
            Value::String(digits) => Count::exact(digits.parse().map_err(|_| wrong(&value))?),
            Value::Number(number) => match (number.as_u64(), number.as_f64()) {
                (Some(n), _) => Count::exact(n.into()),
                (None, Some(x)) if x >= 0.0 => Count::expected(x, CountSource::Assumed),
                _ => return Err(wrong(&value)),
            },
            _ => return Err(wrong(&value)),
        };
        Ok(Self(count))
    }
}

fn read_count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Count, D::Error> {
    JsonCount::deserialize(deserializer).map(|count| count.0)
}

fn read_counts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Count>, D::Error> {
    let counts = Vec::<JsonCount>::deserialize(deserializer)?;
    Ok(counts.into_iter().map(|count| count.0).collect())
}

fn read_optional_count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Count>, D::Error> {
    read_count(deserializer).map(Some)
}

fn read_optional_counts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<Count>>, D::Error> {
    read_counts(deserializer).map(Some)
}
