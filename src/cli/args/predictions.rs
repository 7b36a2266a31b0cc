//! Flags of commands that say how long or how often.

use super::trace_out::TraceOut;
use super::{CalibrationUse, FrontEndArgs, OutputArgs, PointArgs, RecordUse, SystemArgs, TraceUse, WorkArgs};
use crate::cli::values::{Limit, NamedProgram};
use chronos_machine::scale::Factor;
use chronos_pipeline::Shard;
use clap::{Arg, Args};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub front_end: FrontEndArgs,
    /// Number of tasks.
    #[arg(short = 'n', value_name = "P", default_value = "1", value_parser = chronos_pipeline::task_count, allow_negative_numbers = true)]
    pub tasks: usize,
    /// Check the use of MPI: buffers of open requests, requests never completed, buffers that are too short or overlap, calls that
    /// only work because messages are small, and more.
    #[arg(long, conflicts_with = "symbolic")]
    pub mpi: bool,
    /// Write files for input that was not given into this folder: what the program reads, with placeholders (8, 1.0, word).
    ///
    /// The program is followed with them. Put your own values into the files, and give them with --stdin and --input-file.
    #[arg(long, value_name = "FOLDER")]
    pub make_input: Option<PathBuf>,
    #[command(flatten)]
    pub nodes: NodeArgs,
}

/// Which tasks share memory, for commands that ask for no machines.
#[derive(Debug, Args)]
pub struct NodeArgs {
    /// Tasks per node: those of one node share memory windows (MPI_COMM_TYPE_SHARED).
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub tasks_per_node: u32,
}

#[derive(Debug, Args)]
pub struct PredictArgs {
    #[command(flatten)]
    pub points: PointArgs,
    #[command(flatten)]
    pub systems: SystemArgs,
    #[command(flatten)]
    pub front_end: FrontEndArgs,
    #[command(flatten)]
    pub trace: TraceUse,
    #[command(flatten)]
    pub work: WorkArgs,
    /// Make only part I of N of the predictions, and keep them in the folder of --resume.
    ///
    /// For the jobs of a batch system. The same command without --shard then takes all from there.
    #[arg(long, value_name = "I/N", requires = "resume", hide_short_help = true, help_heading = "Work")]
    pub shard: Option<Shard>,
    /// Print a script for Slurm, in place of predicting: N jobs that share the predictions, each with its --shard.
    #[arg(
        long,
        value_name = "N",
        requires = "resume",
        conflicts_with = "shard",
        value_parser = clap::value_parser!(u32).range(1..),
        hide_short_help = true,
        help_heading = "Work"
    )]
    pub slurm: Option<u32>,
    /// Say which part of the tasks' time is spent computing, and why not more.
    ///
    /// Load balance, serialisation, transfer (POP); with several numbers of tasks also how computation scales. JSON has it always.
    #[arg(long, conflicts_with = "symbolic", help_heading = "Output")]
    pub efficiency: bool,
    /// Say how much longer it takes where latency, bandwidth or overhead of the network are 1 % worse.
    #[arg(long, conflicts_with = "symbolic", hide_short_help = true, help_heading = "Output")]
    pub sensitivity: bool,
    #[command(flatten)]
    pub record: RecordUse,
    #[command(flatten)]
    pub calibration: CalibrationUse,
    /// Replay every iteration, those too that repeat with the same timing; the result is the same and takes longer.
    #[arg(long, hide_short_help = true, help_heading = "Output")]
    pub no_jump_ahead: bool,
    /// Write for another tool: the timeline as chrome=FILE (Perfetto) or paraver=FILE, what is executed as goal=FILE or ti=FILE (SimGrid); can be repeated.
    #[arg(
        long = "trace-out",
        value_name = "KIND=FILE",
        conflicts_with = "symbolic",
        hide_short_help = true,
        help_heading = "Output"
    )]
    pub traces: Vec<TraceOut>,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Also write a page for the browser, one file.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub html: Option<PathBuf>,
    /// Also write the times of call paths by numbers of tasks and swept values, as measurements for Extra-P (JSON lines).
    #[arg(long, value_name = "FILE", conflicts_with = "symbolic", hide_short_help = true, help_heading = "Output")]
    pub extra_p: Option<PathBuf>,
    /// Also write the call paths by tasks as a profile in the format of Cube 4 (.cubex), which Cube, Scalasca and Extra-P read.
    #[arg(long, value_name = "FILE", conflicts_with = "symbolic", hide_short_help = true, help_heading = "Output")]
    pub cube: Option<PathBuf>,
    /// Spans of the timeline, messages and pairs of tasks that a report in JSON holds at most.
    #[arg(long, value_name = "N", default_value_t = chronos_predict::replayed::REPORT_ROOM, hide_short_help = true, help_heading = "Output")]
    pub timeline: usize,
    /// Rows of each table; default: the 10 most important.
    #[arg(long, value_name = "ROWS", help_heading = "Output")]
    pub top: Option<usize>,
    /// A row for each task, however many they are, where there would be one for each class of tasks.
    #[arg(long, hide_short_help = true, help_heading = "Output")]
    pub per_task: bool,
    /// Show what bounds each loop of a function.
    ///
    /// And what would help (cost model source).
    #[arg(long, value_name = "FUNCTION", help_heading = "Output")]
    pub explain: Option<String>,
    /// Exit with 1 when a prediction takes longer than this.
    #[arg(long, value_name = "SECONDS", value_parser = crate::cli::values::seconds, allow_negative_numbers = true, hide_short_help = true, help_heading = "Output")]
    pub fail_over: Option<f64>,
}

#[derive(Debug, Args)]
pub struct CompareArgs {
    #[command(flatten)]
    pub front_end: FrontEndArgs,
    /// A program of several files, with its name; FILEs are programs of one file each. Can be repeated.
    #[arg(long = "program", value_name = "NAME=FILE[,FILE...]")]
    pub programs: Vec<NamedProgram>,
    #[command(flatten)]
    pub points: PointArgs,
    #[command(flatten)]
    pub work: WorkArgs,
    #[command(flatten)]
    pub systems: SystemArgs,
    /// Say which part of the tasks' time is spent computing, and why not more; as for predict.
    #[arg(long)]
    pub efficiency: bool,
    /// The program whose time with one task speedups are relative to; default: each its own.
    #[arg(long, value_name = "NAME")]
    pub baseline: Option<String>,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Write a page with plots of time and speedup as well: one file that needs no network.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Exit with 1 when a program takes longer than the first one by more than N%, or longer than so many seconds.
    #[arg(long, value_name = "N%|SECONDS", allow_negative_numbers = true)]
    pub fail_over: Option<Limit>,
}

impl CompareArgs {
    /// All files are saved reports; a compilation database stands beside C files.
    pub fn is_of_reports(&self) -> bool {
        let files = &self.front_end.files;
        !files.is_empty() && self.programs.is_empty() && files.iter().all(|file| is_json(file))
    }

    /// At least one program is to be predicted.
    pub fn has_programs(&self) -> bool {
        let named = !self.front_end.files.is_empty() || !self.programs.is_empty();
        named && !self.is_of_reports()
    }
}

/// A report, or a compilation database.
pub fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

#[derive(Debug, Args)]
pub struct CountArgs {
    #[command(flatten)]
    pub front_end: FrontEndArgs,
    #[command(flatten)]
    pub points: PointArgs,
    #[command(flatten)]
    pub nodes: NodeArgs,
    /// Counts made at the same time; default: as many as there are processors.
    #[arg(short, long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub jobs: Option<u32>,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub trace: TraceUse,
    /// Show this function alone (table and CSV).
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// Write a file that lists every branch and loop that is not exactly known, to be filled in for --assume.
    #[arg(long, value_name = "FILE")]
    pub write_assumptions: Option<PathBuf>,
    /// List the tasks of each group one by one in JSON, however many they are, where there would be ranges.
    #[arg(long)]
    pub per_task: bool,
    /// Exit with 1 when the count of any block is not exact.
    #[arg(long)]
    pub strict: bool,
}

/// Counts are shown at the lines that they belong to.
pub fn format_of_counts(format: Arg) -> Arg {
    format.help("The annotated source for people, all that is known for programs, or a row for each line")
}

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// A report, as `chronos predict --format json` writes it.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Write to a file instead of standard output; it is replaced whole, at the end.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// A GOAL schedule (text), a time-independent trace of SimGrid, or the list of its files.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Operations per second that computation in a time-independent trace stands for.
    #[arg(long, value_name = "RATE", default_value_t = chronos_tool_formats::ti::FLOP_RATE, value_parser = crate::cli::values::rate)]
    pub flop_rate: f64,
    /// A platform file: where tasks are placed, how nodes are wired, and the network if the file names one.
    #[arg(long, value_name = "FILE", conflicts_with = "tasks_per_node")]
    pub platform: Option<String>,
    /// The network, by name, path or the parameters of a model; `loggops:...` replays as LogGOPSim does.
    #[arg(long, value_name = "NAME|FILE|MODEL", default_value = crate::machine::network::DEFAULT)]
    pub network: String,
    /// Tasks per node; tasks of one node talk through its shared memory.
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub tasks_per_node: u32,
    /// Replay with a part of the network so many times better: network.bandwidth, network.latency, network.overhead.
    #[arg(long = "scale", value_name = "KEY=FACTOR")]
    pub factors: Vec<Factor>,
    /// Write for another tool: the timeline as chrome=FILE (Perfetto) or paraver=FILE, what is executed as goal=FILE or ti=FILE (SimGrid); can be repeated.
    #[arg(long = "trace-out", value_name = "KIND=FILE")]
    pub traces: Vec<TraceOut>,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Rows of each table, small ones included; default: the 10 most important.
    #[arg(long, value_name = "ROWS")]
    pub top: Option<usize>,
    /// A row for each task, however many they are, where there would be one for each class of tasks.
    #[arg(long)]
    pub per_task: bool,
    /// Exit with 1 when the replay takes longer than this.
    #[arg(long, value_name = "SECONDS", value_parser = crate::cli::values::seconds, allow_negative_numbers = true)]
    pub fail_over: Option<f64>,
}
