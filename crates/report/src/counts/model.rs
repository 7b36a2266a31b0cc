//! `chronos-count/1`, and `/2` with ranges of ranks: how often every block and line is executed, by groups of tasks.

use crate::classes::{FEW, Ranks};
use crate::model::{DiagnosticData, JsonCount, ProgramInfo, SweepValue, source_name};
use chronos_activity::{Count, CountSource};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// Counts of one program with one number of tasks.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CountReport {
    /// `chronos-count/1` where groups list their tasks, `chronos-count/2` where they have ranges of ranks.
    pub schema: &'static str,
    /// The program that was counted: its files, arguments and settings.
    pub program: ProgramInfo,
    /// Number of tasks (MPI processes) that it was counted with.
    pub tasks_count: usize,
    /// Values of `--sweep` that it was made with; empty where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub sweep: Vec<SweepValue>,
    /// Names of what was left free (`--symbolic`); expressions are functions of these.
    pub parameters: Vec<String>,
    /// All blocks of the program, those never executed included, by number.
    pub blocks: Vec<BlockCounts>,
    /// Functions of the program with their lines.
    pub functions: Vec<FunctionPlace>,
    /// Lines of the source that hold code.
    pub lines: Vec<LineCounts>,
    /// How many blocks are counted exactly, and how many are not.
    pub summary: Summary,
    /// What makes counts inexact, each with the blocks that it makes so.
    pub inexact: Vec<Cause>,
    /// Notes, warnings and errors of the evaluation.
    pub diagnostics: Vec<DiagnosticData>,
}

impl CountReport {
    /// The name and version of the format.
    pub const SCHEMA: &'static str = "chronos-count/1";

    /// The same with ranges of ranks.
    pub const SCHEMA_OF_RANGES: &'static str = "chronos-count/2";

    /// The same report with ranges of ranks in place of lists, where tasks are many.
    #[must_use]
    pub fn in_ranges(mut self) -> Self {
        if self.tasks_count <= FEW {
            return self;
        }
        self.schema = Self::SCHEMA_OF_RANGES;
        for group in self.blocks.iter_mut().flat_map(|block| &mut block.counts) {
            group.ranks = Some(Ranks::new(&std::mem::take(&mut group.tasks)));
        }
        for group in self.lines.iter_mut().flat_map(|line| &mut line.counts) {
            group.ranks = Some(Ranks::new(&std::mem::take(&mut group.tasks)));
        }
        self
    }

    /// As it is written to files: in lines, or in one where tasks are many.
    pub fn json(&self) -> String {
        if self.schema == Self::SCHEMA { crate::json(self) } else { crate::json_in_one_line(self) }
    }

    /// Whether a line belongs to the one function to show; `None`: all are shown.
    pub fn shows(&self, line: &LineCounts, function: Option<&str>) -> bool {
        let holds = |f: &FunctionPlace| f.file == line.file && (f.line_start..=f.line_end).contains(&line.line);
        function.is_none_or(|name| self.functions.iter().any(|f| f.name == name && holds(f)))
    }
}

/// Counts of one program with several numbers of tasks or values of what is swept.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CountSweep {
    /// `chronos-count-sweep/1`, or `/2` where cases are `chronos-count/2`.
    pub schema: &'static str,
    /// By values of the sweeps, the last one the fastest, then by number of tasks.
    pub cases: Vec<CountReport>,
}

impl CountSweep {
    /// The name and version of the format.
    pub const SCHEMA: &'static str = "chronos-count-sweep/1";

    /// The same with ranges of ranks.
    pub const SCHEMA_OF_RANGES: &'static str = "chronos-count-sweep/2";

    /// The same with ranges of ranks in place of lists, in cases of many tasks.
    #[must_use]
    pub fn in_ranges(self) -> Self {
        let cases: Vec<CountReport> = self.cases.into_iter().map(CountReport::in_ranges).collect();
        let changed = cases.iter().any(|case| case.schema == CountReport::SCHEMA_OF_RANGES);
        Self { schema: if changed { Self::SCHEMA_OF_RANGES } else { self.schema }, cases }
    }
}

/// A block of the program, its place in the source and how often each task executes it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BlockCounts {
    /// Number of the block, which depends on the sources alone; other parts of the report refer to it.
    pub id: u32,
    /// Name of the function that the block belongs to.
    pub function: String,
    /// `straight`, `call`, `mpi`, `loop` or `branch`.
    pub kind: &'static str,
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
    /// One for each group of tasks that count alike; every task is in exactly one.
    pub counts: Vec<TaskCounts>,
}

/// Counts of a block on each task of a group.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TaskCounts {
    /// Ranks, ascending; absent where there are `ranks`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub tasks: Vec<u32>,
    /// The same as ranges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranks: Option<Ranks>,
    /// How often each of the tasks executes the block; of a loop: how many iterations it makes.
    #[serde(flatten)]
    pub amount: Amount,
    /// `static`, `probability`, `assumed`, `trace`, `timing` or `unknown`.
    #[serde(serialize_with = "source")]
    #[schemars(with = "String")]
    pub source: CountSource,
    /// Why the count is not exact; null where it is.
    pub reason: Option<String>,
    /// Of a loop: times reached.
    #[serde(serialize_with = "optional_count", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<JsonCount>")]
    pub entries: Option<Count>,
    /// Where parameters are free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries_expression: Option<String>,
    /// Of a branch: times each arm was taken.
    #[serde(serialize_with = "optional_counts", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<JsonCount>>")]
    pub taken: Option<Vec<Count>>,
    /// Where parameters are free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken_expressions: Option<Vec<Option<String>>>,
}

/// How often: a number, an expression of the parameters, or unknown.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Amount {
    /// Null where it is unknown or an expression.
    #[serde(serialize_with = "count")]
    #[schemars(with = "JsonCount")]
    pub count: Count,
    /// The count for people as an expression of `parameters`; null where it is a number or unknown.
    pub expression: Option<String>,
    /// The expressions for people of which it is the largest; one where that is known.
    #[serde(skip)]
    pub shown: Vec<String>,
    /// The expression for LaTeX.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latex: Option<String>,
    /// The expression for Python, in exact integers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub python: Option<String>,
    /// Of an unknown count: so many executions are certain, as the evaluation got so far.
    #[serde(serialize_with = "optional_count", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<JsonCount>")]
    pub at_least: Option<Count>,
}

/// Where a function stands.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FunctionPlace {
    /// Name of the function as in the source.
    pub name: String,
    /// Source file that defines the function.
    pub file: String,
    /// First line of its definition, from 1.
    pub line_start: u32,
    /// Last line of its definition, from 1.
    pub line_end: u32,
}

/// A line counts as often as the block on it that is executed most, as gcov has it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LineCounts {
    /// Source file of the line.
    pub file: String,
    /// Number of the line, from 1.
    pub line: u32,
    /// One count for each group of tasks that count alike; every task is in exactly one.
    pub counts: Vec<LineTaskCounts>,
}

impl LineCounts {
    /// All tasks together; the source is the worst of theirs.
    pub fn total(&self) -> LineTaskCounts {
        let of = |group: &LineTaskCounts| group.amount.count.times(Count::exact(group.tasks.len() as u128));
        let count = self.counts.iter().map(of).fold(Count::ZERO, |sum, count| sum + count);
        let source = self.counts.iter().map(|group| group.source).max().unwrap_or(CountSource::Static);
        let amount = Amount { count, expression: None, shown: Vec::new(), latex: None, python: None, at_least: None };
        LineTaskCounts { tasks: Vec::new(), ranks: None, amount, source }
    }
}

/// Count of a line on each task of a group.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LineTaskCounts {
    /// Ranks, ascending; absent where there are `ranks`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub tasks: Vec<u32>,
    /// The same as ranges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranks: Option<Ranks>,
    /// How often each of the tasks executes the line.
    #[serde(flatten)]
    pub amount: Amount,
    /// As of a block.
    #[serde(serialize_with = "source")]
    #[schemars(with = "String")]
    pub source: CountSource,
}

/// Numbers of blocks; a block counts as the worst of its tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Summary {
    /// Blocks whose counts follow from the source and its input, or were read from a trace.
    pub exact: usize,
    /// Blocks whose counts depend on a probability or number of iterations that the user gave.
    pub probability: usize,
    /// Blocks whose counts depend on a heuristic or on another assumption.
    pub assumed: usize,
    /// Blocks whose counts depend on the order in which messages arrive.
    pub timing: usize,
    /// Blocks of which a count is not known.
    pub unknown: usize,
}

impl Summary {
    /// Counts a block whose worst count is of this source.
    pub fn add(&mut self, worst: CountSource) {
        match worst {
            CountSource::Static | CountSource::Trace => self.exact += 1,
            CountSource::Probability => self.probability += 1,
            CountSource::Assumed => self.assumed += 1,
            CountSource::Timing => self.timing += 1,
            CountSource::Unknown => self.unknown += 1,
        }
    }

    /// The number of blocks whose counts are not exact.
    pub fn inexact(&self) -> usize {
        self.probability + self.assumed + self.timing + self.unknown
    }
}

/// Why some counts are not exact, and the shortest remedy.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Cause {
    /// The branch or loop that decides, or the place where the evaluation ended; null where it is not known.
    pub block: Option<u32>,
    /// Source file of that place; null where it is not known.
    pub file: Option<String>,
    /// Line of that place, from 1; null where it is not known.
    pub line: Option<u32>,
    /// What the counts are because of it.
    #[serde(serialize_with = "source")]
    #[schemars(with = "String")]
    pub source: CountSource,
    /// Why the counts are not exact, in words.
    pub reason: String,
    /// The way that the unknown value came; the last is where it began.
    pub origins: Vec<Origin>,
    /// What the user may do to make the counts exact; null where nothing is known to help.
    pub remedy: Option<String>,
    /// Blocks whose counts are not exact because of it.
    pub blocks: Vec<u32>,
}

/// One step of the way by which an unknown value came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Origin {
    /// Source file of the step.
    pub file: String,
    /// Line of the step, from 1.
    pub line: u32,
    /// What happens to the value there, in words.
    pub text: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn source<S: Serializer>(source: &CountSource, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(source_name(*source))
}

fn count<S: Serializer>(count: &Count, serializer: S) -> Result<S::Ok, S::Error> {
    JsonCount(*count).serialize(serializer)
}

#[expect(clippy::ref_option, reason = "serde asks for a reference to the field")]
fn optional_count<S: Serializer>(count: &Option<Count>, serializer: S) -> Result<S::Ok, S::Error> {
    count.map(JsonCount).serialize(serializer)
}

#[expect(clippy::ref_option, reason = "serde asks for a reference to the field")]
fn optional_counts<S: Serializer>(counts: &Option<Vec<Count>>, serializer: S) -> Result<S::Ok, S::Error> {
    counts.as_deref().map(|c| c.iter().copied().map(JsonCount).collect::<Vec<_>>()).serialize(serializer)
}
