//! The part of a report that `--symbolic` asks for: times as expressions of parameters.

use schemars::JsonSchema;
use serde::Serialize;

/// Computing time as expressions; what MPI calls take is no part of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SymbolicTimes {
    /// In the order of `--symbolic`.
    pub parameters: Vec<ParameterInfo>,
    /// Python text that defines what the Python expressions use besides the parameters; absent where nothing is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub python_prelude: Option<String>,
    /// Where expressions were compared with numbers; empty where they were not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checked: Vec<CheckedValues>,
    /// Nothing is missing in any expression.
    pub complete: bool,
    /// Of the whole program; null where it communicates, or where its tasks do different things.
    pub total: Option<TimeExpression>,
    /// Of a program that communicates: its total as a formula that was fitted to replays and checked against others; absent where none
    /// holds, and where a parameter has no default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub communicating_total: Option<TotalFormula>,
    /// Computing time of tasks that do the same.
    pub tasks: Vec<TaskTimes>,
    /// What is computed between two MPI calls, in the order of the calls; empty for programs that do not communicate.
    /// Of one task they add up to its computing time.
    pub segments: Vec<SegmentTimes>,
    /// Functions that compute, the one with the most time of its own first.
    pub functions: Vec<FunctionTimes>,
    /// Blocks that compute, by number.
    pub blocks: Vec<BlockTimes>,
}

/// The total time of a program that communicates, in its parameters and the number of tasks.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TotalFormula {
    /// What it is a formula of: the parameters that were free, and the number of tasks (`P`) where `-n` has several.
    pub ranges: Vec<FormulaRange>,
    /// The number of tasks, where it is no parameter.
    pub tasks_count: Option<usize>,
    /// The total.
    pub total: FormulaText,
    /// The part of it that is computing: the mean of the tasks.
    pub computing: FormulaText,
    /// The rest: messages, collective operations, waiting, and what the last task takes longer than the mean.
    pub communication: FormulaText,
    /// Cost model of the replays that it was fitted to.
    pub cost_model: String,
    /// Number of replays that it was fitted to.
    pub fitted: usize,
    /// Its values and those of replays which it was not fitted to, within the ranges.
    pub checked: Vec<CheckedTotal>,
    /// The same at the values that the parameters have without `--symbolic`, with the least number of tasks.
    pub at_defaults: Option<CheckedTotal>,
}

/// A parameter of a formula.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FormulaRange {
    /// Its name in the formula.
    pub name: String,
    /// The least value that the formula is valid for.
    pub least: i64,
    /// The greatest one.
    pub greatest: i64,
}

/// A time in nanoseconds as people, TeX and Python write it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FormulaText {
    /// For people, with four significant digits.
    pub text: String,
    /// In mathematics mode, with four significant digits.
    pub latex: String,
    /// A Python 3 expression, with all digits; logarithms and roots need `import math`.
    pub python: String,
}

/// A formula beside a replay.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CheckedTotal {
    /// Values of the formula's parameters, in the order of `ranges`.
    pub values: Vec<i64>,
    /// By the formula, in seconds.
    pub formula_s: f64,
    /// By replay, in seconds.
    pub replayed_s: f64,
}

impl CheckedTotal {
    /// How far the formula is off, as a share of the replay.
    pub fn error(&self) -> f64 {
        self.formula_s / self.replayed_s - 1.0
    }
}

/// Mean computing time of the tasks by expressions and by a prediction with numbers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckedValues {
    /// Values of the parameters, in their order.
    pub values: Vec<i64>,
    /// By the expressions, in seconds.
    pub expression_s: f64,
    /// By the cost model that gives expressions their prices, with these values, in seconds.
    pub numbers_s: f64,
}

/// One of the names that `--symbolic` leaves free.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ParameterInfo {
    /// Name of the parameter as in the source, or of the argument; expressions use it.
    pub name: String,
    /// `constant` (a macro or an enumerator), `variable` (its initial value) or `argument`.
    pub kind: &'static str,
    /// Where it is defined; null for an argument or a macro of the command line.
    pub file: Option<String>,
    /// Line of that place, from 1; null where `file` is.
    pub line: Option<u32>,
    /// The value that it has without `--symbolic`, where there is one.
    pub default: Option<i64>,
}

/// Computing time of the tasks of one group.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TaskTimes {
    /// Ranks, ascending.
    pub tasks: Vec<u32>,
    /// Computing time of each of these tasks.
    pub compute: TimeExpression,
}

/// What tasks compute behind one of some MPI calls, up to the next one. Calls that send, receive or wait end a
/// segment; `MPI_Init` and calls that only ask (`MPI_Comm_rank`, `MPI_Wtime`) are part of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SegmentTimes {
    /// Ranks, ascending.
    pub tasks: Vec<u32>,
    /// The program may have come from its start, without such a call.
    pub from_start: bool,
    /// The call that came last before; of several, it is one of them.
    pub after: Vec<CallPlace>,
    /// Over all executions.
    pub time: TimeExpression,
    /// How often these calls (and the start) are executed; null where that is unknown.
    pub entries: Option<CountExpression>,
    /// Time of one execution, where all take equally long: `time` is `entries` times this.
    pub each: Option<TimeExpression>,
}

/// An MPI call of the source.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CallPlace {
    /// Number of the block.
    pub id: u32,
    /// `MPI_Recv`
    pub name: String,
    /// Source file of the call.
    pub file: String,
    /// Line of the call, from 1.
    pub line: u32,
    /// Column of the call, from 1.
    pub column: u32,
    /// Function that the call stands in.
    pub function: String,
    /// Calls that lead there from `main`, innermost first; empty in `main`.
    pub called_at: Vec<SourceLine>,
}

/// A line of the sources.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SourceLine {
    /// Source file of the line.
    pub file: String,
    /// Number of the line, from 1.
    pub line: u32,
}

/// A number of executions as a function of the parameters.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CountExpression {
    /// For people: `N-1 if N >= 2, else 0`.
    pub text: String,
    /// In mathematics mode (needs amsmath).
    pub latex: String,
    /// A Python 3 expression, in exact integers.
    pub python: String,
    /// The one polynomial that holds at the defaults, with its conditions; null where a parameter has no default.
    pub around_defaults: Option<String>,
    /// The same for large parameters, where a parameter has no default; else null.
    pub around_large: Option<String>,
    /// Its value where all parameters have their defaults; null where one has none.
    pub at_defaults: Option<f64>,
}

/// One function on tasks for which the expressions are the same.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FunctionTimes {
    /// Name of the function as in the source; `unit` tells static functions of one name and place apart.
    pub name: String,
    /// Source file that defines the function.
    pub file: String,
    /// Line in which its definition begins, from 1.
    pub line: u32,
    /// Where several files hold a function of this name and place (static ones of headers): the source file whose copy this is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Ranks of these tasks, ascending.
    pub tasks: Vec<u32>,
    /// With the functions that it calls; recursion counts once.
    pub inclusive: TimeExpression,
    /// Without the functions that it calls.
    pub exclusive: TimeExpression,
}

/// One block on tasks for which the expression is the same.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BlockTimes {
    /// Number of the block, which depends on the sources alone.
    pub id: u32,
    /// Name of the function that the block belongs to.
    pub function: String,
    /// Of the function, where several have its name and place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
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
    /// Ranks of these tasks, ascending.
    pub tasks: Vec<u32>,
    /// Time of the block itself on each of these tasks, over all its executions.
    pub time: TimeExpression,
}

/// A time in nanoseconds as a function of the parameters. Where none of the conditions holds, it is 0.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TimeExpression {
    /// For people, with four significant digits: `12.5 ns * N^2 + 40 ns  for N >= 1`.
    pub text: String,
    /// In mathematics mode (needs amsmath), with four significant digits.
    pub latex: String,
    /// A Python 3 expression of nanoseconds, with all digits.
    pub python: String,
    /// One text for each range of the parameters; several may hold at once only where `overlapping` is true, and
    /// add up then.
    pub pieces: Vec<String>,
    /// More than one of `pieces` may hold for the same parameters; then those that hold add up.
    pub overlapping: bool,
    /// The one polynomial that holds at the defaults, with all the conditions under which it is the whole time; null
    /// where a parameter has no default.
    pub around_defaults: Option<String>,
    /// The same for large parameters, where a parameter has no default; else null.
    pub around_large: Option<String>,
    /// Its value where all parameters have their defaults; null where one has none.
    pub at_defaults_s: Option<f64>,
    /// What it is ranked by: its value at the defaults, else for large parameters.
    #[serde(skip)]
    pub rank: f64,
    /// False where a count is unknown: the expression is what is known.
    pub complete: bool,
    /// Least certain source of the counts: `static`, `probability`, `assumed` or `unknown`.
    pub source: &'static str,
    /// Why it is not exact, where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
