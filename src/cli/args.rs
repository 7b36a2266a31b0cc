//! The flags, defined once: parser, help, completions and man page come from here.

use super::timeline::TraceOut;
use super::values::{InputFile, Limit, NamedProgram, Placed, Setting, Sweep, TaskCounts};
use crate::machine::scale::Factor;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Predicts how long a C/MPI program takes, per task, function and block, without running it.
#[derive(Debug, Parser)]
#[command(name = "chronos", version, max_term_width = 110, after_help = EXIT_CODES)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
    /// When to colour output (NO_COLOR is honoured).
    #[arg(long, global = true, value_enum, default_value_t = Colour::Auto)]
    pub color: Colour,
    /// Print no warnings and notes.
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Say what was evaluated, and how long that took.
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Columns for tables and text; default: those of the terminal, no limit where output goes elsewhere.
    #[arg(long, global = true, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(20..))]
    pub width: Option<u16>,
    /// How diagnostics are written to standard error: for people, a line each, or a line of JSON each.
    #[arg(long, global = true, value_enum, default_value_t = MessageFormat::Human)]
    pub message_format: MessageFormat,
}

const EXIT_CODES: &str = "Exit codes: 0 done; 1 the prediction is incomplete or the program is wrong (deadlock, truncation, \
collective mismatch), or --fail-over was exceeded; 2 usage, unreadable or unparsable input.";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    /// With the lines of the source.
    Human,
    /// FILE:LINE:COLUMN: severity[CODE]: message.
    Short,
    /// An object per line, as in the field `diagnostics` of reports.
    Json,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Look through a program: what is covered, what is exact, what to type next.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArgs),
    /// Predict the time of a program on one or more machines.
    #[command(after_help = PREDICT_EXAMPLES)]
    Predict(PredictArgs),
    /// Compare programs, or two saved reports: which is best where.
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(CompareArgs),
    /// Count how often every block and line of a program is executed.
    #[command(after_help = COUNT_EXAMPLES)]
    Count(CountArgs),
    /// Make a page for the browser from a saved report.
    #[command(after_help = REPORT_EXAMPLES)]
    Report(ReportArgs),
    /// Compile and run a program here, and compare its times with the predicted ones.
    #[command(after_help = VALIDATE_EXAMPLES)]
    Validate(ValidateArgs),
    /// Replay a schedule of another tool (GOAL) on a network.
    #[command(after_help = REPLAY_EXAMPLES)]
    Replay(ReplayArgs),
    /// Write the sources with trace points, to be compiled and run anywhere.
    #[command(after_help = INSTRUMENT_EXAMPLES)]
    Instrument(InstrumentArgs),
    /// Run a program once and keep what statics cannot know: instrument, compile, run, collect.
    #[command(after_help = TRACE_EXAMPLES)]
    Trace(TraceArgs),
    /// Measure this workstation and write a machine file, or a network with its MPI library and write a network file.
    #[command(after_help = CALIBRATE_EXAMPLES)]
    Calibrate(CalibrateArgs),
    /// List, show, check, compare or scale machine files.
    #[command(after_help = MACHINE_EXAMPLES)]
    Machine(MachineArgs),
    /// List, show or check network files.
    #[command(after_help = NETWORK_EXAMPLES)]
    Network(FileArgs),
    /// Print an intermediate form of a program.
    #[command(after_help = "Example:\n  chronos dump pi.c --phase program")]
    Dump(DumpArgs),
    /// Say more about a diagnostic code.
    #[command(after_help = "Example:\n  chronos explain C0306")]
    Explain(ExplainArgs),
    /// Print chronos.h, for assumptions in the source.
    #[command(after_help = "Example:\n  chronos header > chronos.h")]
    Header,
    /// Print a completion script for a shell.
    #[command(
        after_help = "Example:\n  chronos completions bash > ~/.local/share/bash-completion/completions/chronos\n  chronos completions zsh > ~/.zfunc/_chronos\n  chronos completions fish > ~/.config/fish/completions/chronos.fish"
    )]
    Completions {
        /// The shell that will read it.
        shell: clap_complete::Shell,
    },
    /// Print the man page, of chronos or of one of its commands.
    #[command(
        name = "man",
        after_help = "Examples:\n  chronos man | man -l -\n  chronos man predict > chronos-predict.1\n  chronos man -o ~/.local/share/man/man1"
    )]
    Manual(ManualArgs),
}

const PREDICT_EXAMPLES: &str = "Examples:
  chronos predict pi.c -n 4 --machine pentium2-350
  chronos predict solver.c grid.c -Iinclude -n 16 --machine here.json --network ethernet-1000 -- 1000 50
  chronos predict pi.c -n 2,4,8 --machine a.json --machine b.json --format json -o report.json
  chronos predict lu.c --machine a.json -n 1..64x2 --sweep N=500,1000,2000 --resume cells
  chronos predict pi.c -n 4 --machine a.json --machine b.json --html report.html
  chronos predict sort.c -n 4 --prob sort.c:31=0.25 --iterations sort.c:40=12
  chronos predict lu.c --machine here.json --symbolic N
  chronos predict build/compile_commands.json src -n 4 --machine here.json";

const COMPARE_EXAMPLES: &str = "Examples:
  chronos compare ring.c tree.c --machine a.json --machine b.json -n 2,4,8,16
  chronos compare ring.c tree.c --machine a.json -n 1..64x2 --html compare.html
  chronos compare --program old=solver.c,grid.c --program new=solver2.c,grid.c --machine a.json --sweep N=100..1600x2
  chronos compare old.json new.json --fail-over 5%    (reports that predict --format json wrote; for CI)";

const REPORT_EXAMPLES: &str = "Examples:
  chronos predict pi.c -n 4 --machine pentium2-350 --format json -o report.json
  chronos report report.json -o report.html";

const CHECK_EXAMPLES: &str = "Examples:
  chronos check pi.c -n 4
  chronos check solver.c grid.c -Iinclude -n 16 -- 1000 50";

const COUNT_EXAMPLES: &str = "Examples:
  chronos count solver.c grid.c -n 4 -- 1000 50
  chronos count solver.c -n 4 --function relax
  chronos count solver.c -n 2,4,8 --sweep N=100,200 --format csv -o counts.csv
  chronos count sort.c --prob sort.c:31=0.25 --format json -o counts.json
  chronos count sort.c --write-assumptions sort.json    (fill in sort.json, then)
  chronos count sort.c --assume sort.json
  chronos count sort.c -n 2 --strict > /dev/null && echo every count is exact";

const VALIDATE_EXAMPLES: &str = "Examples:
  chronos validate solver.c grid.c -Iinclude --machine here.json -- 1000 50
  chronos validate lu.c --cc \"gcc -O2\" -DN=500
  chronos validate cg.c --machine here.json -n 2 --mpicc mpicc --mpirun \"mpirun -np {n}\"
  chronos validate lu.c --machine here.json --format json -o validation.json";
const INSTRUMENT_EXAMPLES: &str = "Examples:
  chronos instrument sort.c -o traced    (then, in traced:)
  cc -O2 *.c -o sort && CHRONOS_TRACE=../sort.trace ./sort
  chronos instrument solver.c -n 4 -o traced    (then, in traced:)
  mpicc -O2 -DCHRONOS_WITH_MPI *.c -lm && CHRONOS_TRACE=../solver.trace mpirun -np 4 ./a.out";

const TRACE_EXAMPLES: &str = "Examples:
  chronos trace sort.c -o sort.trace -- 100000
  chronos trace solver.c -n 4 --mpicc \"mpicc -O2\" -o solver.trace
  chronos predict solver.c -n 4 --trace solver.trace --machine here.json";

const CALIBRATE_EXAMPLES: &str = "Examples:
  chronos calibrate --cc \"gcc -O2\" -o here.json
  chronos calibrate --mpirun \"mpirun -np {n}\" --mpicc mpicc -o network.json
  chronos calibrate --mpirun \"srun -N {n} -n {n}\" --tasks 2,4,8 -o cluster.json";

const REPLAY_EXAMPLES: &str = "Examples:
  chronos replay allreduce.goal --network ethernet-1000
  chronos replay allreduce.goal --network loggops:L=2500,o=1500,g=1000,G=6,O=0,S=65535
  chronos replay stencil.goal --network ethernet-1000 --tasks-per-node 4 --trace-out chrome=stencil.json";

const MACHINE_EXAMPLES: &str = "Examples:
  chronos machine list
  chronos machine show pentium2-350 > mine.json
  chronos machine check mine.json
  chronos machine diff epyc-zen5-gcc12-O0 mine.json
  chronos machine scale mine.json fp=4 memory.bandwidth=2 clock=1.5 -o future.json
  chronos machine refit mine.json -o mine.json";

const NETWORK_EXAMPLES: &str = "Examples:
  chronos network list
  chronos network show ethernet-100 > mine.json
  chronos network check mine.json";

/// What every command that reads a program takes.
#[derive(Clone, Debug, Args)]
pub struct FrontEndArgs {
    /// C source files of the program, all linked together; with a compile_commands.json, files or folders of it.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Take files and their flags from a build's compile_commands.json (it can be a FILE as well).
    #[arg(long, value_name = "FILE")]
    pub compile_commands: Option<PathBuf>,
    /// Define a macro, as for the C compiler.
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub defines: Vec<String>,
    /// Search a folder for headers, as for the C compiler.
    #[arg(short = 'I', value_name = "DIR")]
    pub includes: Vec<PathBuf>,
    /// The C compiler with its flags, for preprocessing; default: cc, or what compile_commands.json says.
    #[arg(long, value_name = "COMMAND")]
    pub cc: Option<String>,
    /// Override a macro or constant that the source itself defines.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<Setting>,
    /// Leave macros, integer constants or program arguments (argv1, argv2, ...) free: results become expressions of them.
    #[arg(long, value_name = "NAME[,NAME...]", value_delimiter = ',', value_parser = super::values::identifier)]
    pub symbolic: Vec<String>,
    /// Probability that a branch's condition is true (of a switch: that its first case is taken).
    #[arg(long = "prob", value_name = "FILE:LINE[:COL]=P")]
    pub probabilities: Vec<Placed>,
    /// Mean iterations of a loop per entry.
    #[arg(long, value_name = "FILE:LINE[:COL]=N")]
    pub iterations: Vec<Placed>,
    /// File of probabilities and iterations, as `chronos count --write-assumptions` writes it; --prob and --iterations win.
    #[arg(long, value_name = "FILE")]
    pub assume: Vec<PathBuf>,
    /// File of what functions of external libraries (BLAS, ...) cost, by expressions of their arguments.
    #[arg(long, value_name = "FILE")]
    pub library_costs: Vec<PathBuf>,
    /// File that the program reads as its standard input.
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,
    /// File that the program may open: under the name given, or NAME=FILE.
    #[arg(long = "input-file", value_name = "[NAME=]FILE")]
    pub input_files: Vec<InputFile>,
    /// Operations of data-dependent parts that are interpreted, per task, before you are asked.
    #[arg(long, value_name = "N", default_value_t = 100_000_000)]
    pub budget: u64,
    /// Arguments of the program, behind `--`.
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<String>,
    /// Files of the other programs of a comparison: places in them are not meant for this one.
    #[arg(skip)]
    pub elsewhere: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CostModelChoice {
    /// Every operation adds what its class costs.
    InstructionSum,
    /// Recurrences, throughput, vectors and memory of each loop, as the compiler leaves it.
    Source,
}

#[derive(Debug, Args)]
pub struct PredictArgs {
    #[command(flatten)]
    pub front_end: FrontEndArgs,
    /// Number of tasks; several as 2,4,8, 1..1024x2 (each twice the one before) or 4..20+4.
    #[arg(short = 'n', value_name = "P", default_value = "1", allow_negative_numbers = true)]
    pub tasks: TaskCounts,
    #[command(flatten)]
    pub sweep: SweepArgs,
    /// A machine, by the name of a shipped one or the path of a file; one prediction for each. A:3,B:1 is one cluster of both.
    #[arg(long = "machine", value_name = "NAME|FILE", required_unless_present = "platforms")]
    pub machines: Vec<String>,
    /// A platform file: nodes of several kinds, their network and placement; one prediction for each.
    #[arg(long = "platform", value_name = "FILE", conflicts_with = "symbolic")]
    pub platforms: Vec<String>,
    /// Predict with a part of machine or network so many times better: clock=2, memory.bandwidth=4, network.latency=10; can be repeated.
    #[arg(long = "scale", value_name = "KEY=FACTOR")]
    pub factors: Vec<Factor>,
    /// Say how much longer it takes where latency, bandwidth or overhead of the network are 1 % worse.
    #[arg(long, conflicts_with = "symbolic")]
    pub sensitivity: bool,
    /// Take what is not statically exact from a trace (chronos trace -o DIR).
    #[arg(long, value_name = "DIR", conflicts_with = "symbolic")]
    pub trace: Option<PathBuf>,
    /// How counts become time: the sum of all instructions, or loop by loop as the compiler leaves them; default: source
    /// where the machine file has what it asks for (pipeline and times of memory), else instruction-sum.
    #[arg(long, value_enum)]
    pub cost_model: Option<CostModelChoice>,
    /// Take computing times from FILE.0, FILE.1, ... (numbers of 8 bytes: seconds between MPI calls), to judge the network alone.
    #[arg(long, value_name = "FILE", hide = true)]
    pub recorded: Option<PathBuf>,
    /// Recorded computing times are made so many times as long.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, requires = "recorded", hide = true)]
    pub recorded_slower: f64,
    /// Let collective operations use the algorithms that this MPI library picks: openmpi-4.1, mpich-4.0.
    #[arg(long, value_name = "LIBRARY")]
    pub mpi_library: Option<String>,
    /// The network between nodes, by name or path.
    #[arg(long, value_name = "NAME|FILE", default_value = "ethernet-100")]
    pub network: String,
    /// Tasks per node; tasks of one node talk through its shared memory.
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub tasks_per_node: u32,
    /// Replay every iteration, those too that repeat with the same timing; the result is the same and takes longer.
    #[arg(long)]
    pub no_jump_ahead: bool,
    /// Write for another tool: the timeline as chrome=FILE (Perfetto) or paraver=FILE, what is executed as goal=FILE or ti=FILE (SimGrid); can be repeated.
    #[arg(long = "trace-out", value_name = "KIND=FILE", conflicts_with = "symbolic")]
    pub traces: Vec<TraceOut>,
    /// A table for people, or all that is known for programs.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Write to a file instead of standard output; it is replaced whole, at the end.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Also write a page for the browser: one file that needs no network.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Spans of the timeline, messages and pairs of tasks that a report in JSON holds at most.
    #[arg(long, value_name = "N", default_value_t = crate::predict::replayed::REPORT_ROOM)]
    pub timeline: usize,
    /// Rows of each table, small ones included; default: the 10 most important.
    #[arg(long, value_name = "ROWS")]
    pub top: Option<usize>,
    /// Show what bounds each loop of a function, and what would help (cost model source).
    #[arg(long, value_name = "FUNCTION")]
    pub explain: Option<String>,
    /// Exit with 1 when a prediction takes longer than this.
    #[arg(long, value_name = "SECONDS", value_parser = super::values::seconds, allow_negative_numbers = true)]
    pub fail_over: Option<f64>,
}

/// Many predictions at once.
#[derive(Clone, Debug, Args)]
pub struct SweepArgs {
    /// Predict with each of these values of a macro, a constant or an argument (argv1): N=100,200,400 or N=100..1600x2;
    /// with several sweeps, every combination.
    #[arg(long = "sweep", value_name = "NAME=LIST")]
    pub sweeps: Vec<Sweep>,
    /// Keep each finished prediction in this folder, and take from it what was predicted before from the same sources, options
    /// and machines: an interrupted command goes on where it was.
    #[arg(long, value_name = "DIR", conflicts_with = "symbolic")]
    pub resume: Option<PathBuf>,
    /// Predictions made at the same time; default: as many as there are processors.
    #[arg(short, long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub jobs: Option<u32>,
}

#[derive(Debug, Args)]
pub struct CompareArgs {
    #[command(flatten)]
    pub front_end: FrontEndArgs,
    /// A program of several files, with its name; FILEs are programs of one file each. Can be repeated.
    #[arg(long = "program", value_name = "NAME=FILE[,FILE...]")]
    pub programs: Vec<NamedProgram>,
    /// Number of tasks; several as 2,4,8, 1..1024x2 (each twice the one before) or 4..20+4.
    #[arg(short = 'n', value_name = "P", default_value = "1", allow_negative_numbers = true)]
    pub tasks: TaskCounts,
    #[command(flatten)]
    pub sweep: SweepArgs,
    /// A machine, by the name of a shipped one or the path of a file. A:3,B:1 is one cluster of both. Can be repeated.
    #[arg(long = "machine", value_name = "NAME|FILE")]
    pub machines: Vec<String>,
    /// A platform file: nodes of several kinds, their network and placement. Can be repeated.
    #[arg(long = "platform", value_name = "FILE")]
    pub platforms: Vec<String>,
    /// Predict with a part of machine or network so many times better: clock=2, memory.bandwidth=4, network.latency=10; can be repeated.
    #[arg(long = "scale", value_name = "KEY=FACTOR")]
    pub factors: Vec<Factor>,
    /// How counts become time; as for predict.
    #[arg(long, value_enum)]
    pub cost_model: Option<CostModelChoice>,
    /// The network between nodes, by name or path.
    #[arg(long, value_name = "NAME|FILE", default_value = "ethernet-100")]
    pub network: String,
    /// Tasks per node; tasks of one node talk through its shared memory.
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub tasks_per_node: u32,
    /// The program whose time with one task speedups are relative to; default: each its own.
    #[arg(long, value_name = "NAME")]
    pub baseline: Option<String>,
    /// A table for people, or all that is known for programs.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Write to a file instead of standard output; it is replaced whole, at the end.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write a page with plots of time and speedup as well: one file that needs no network.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Exit with 1 when a program takes longer than the first one by more than N%, or longer than so many seconds.
    #[arg(long, value_name = "N%|SECONDS", allow_negative_numbers = true)]
    pub fail_over: Option<Limit>,
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
    #[arg(long, value_name = "RATE", default_value_t = crate::exchange::ti::FLOP_RATE, value_parser = super::values::rate)]
    pub flop_rate: f64,
    /// A platform file: where tasks are placed, how nodes are wired, and the network if the file names one.
    #[arg(long, value_name = "FILE", conflicts_with = "tasks_per_node")]
    pub platform: Option<String>,
    /// The network, by name, path or the parameters of a model; `loggops:...` replays as LogGOPSim does.
    #[arg(long, value_name = "NAME|FILE|MODEL", default_value = "ethernet-100")]
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
    /// A table for people, or all that is known for programs.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Write to a file instead of standard output; it is replaced whole, at the end.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Rows of each table, small ones included; default: the 10 most important.
    #[arg(long, value_name = "ROWS")]
    pub top: Option<usize>,
    /// Exit with 1 when the replay takes longer than this.
    #[arg(long, value_name = "SECONDS", value_parser = super::values::seconds, allow_negative_numbers = true)]
    pub fail_over: Option<f64>,
}

#[derive(Debug, Args)]
pub struct InstrumentArgs {
    #[command(flatten)]
    pub front_end: FrontEndArgs,
    /// Number of tasks that the program will be run with: what is statically exact for it is not traced.
    #[arg(short = 'n', value_name = "P", default_value = "1", value_parser = super::values::task_count, allow_negative_numbers = true)]
    pub tasks: usize,
    /// Trace every block, also those whose counts are statically exact.
    #[arg(long)]
    pub all: bool,
    /// Which MPI the sources will be compiled with; the bundled one is written beside them.
    #[arg(long, value_enum, default_value_t = MpiChoice::Installed)]
    pub mpi: MpiChoice,
    /// The folder to write to.
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
}

/// An MPI that programs are traced with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MpiChoice {
    /// The one of this machine: --mpicc compiles, --mpirun starts.
    Installed,
    /// The one that chronos brings along: tasks are processes of this machine.
    Bundled,
}

#[derive(Debug, Args)]
pub struct TraceArgs {
    #[command(flatten)]
    pub front_end: FrontEndArgs,
    /// Number of tasks.
    #[arg(short = 'n', value_name = "P", default_value = "1", value_parser = super::values::task_count, allow_negative_numbers = true)]
    pub tasks: usize,
    /// Trace every block, also those whose counts are statically exact.
    #[arg(long)]
    pub all: bool,
    /// Keep the order of all executions, not only counts between MPI calls.
    #[arg(long)]
    pub order: bool,
    /// Which MPI the tasks run on; without it an installed one, or the bundled one where there is none.
    #[arg(long, value_enum)]
    pub mpi: Option<MpiChoice>,
    /// The compiler of an installed MPI, with its flags (default: mpicc -O2); other programs are compiled with --cc.
    #[arg(long, value_name = "COMMAND")]
    pub mpicc: Option<String>,
    /// How the installed MPI starts programs; {n} is the number of tasks (default: mpirun --oversubscribe -np {n}).
    #[arg(long, value_name = "COMMAND")]
    pub mpirun: Option<String>,
    /// Flags for linking, such as libraries.
    #[arg(long, value_name = "FLAGS", default_value = "-lm", allow_hyphen_values = true)]
    pub link: String,
    /// The folder for the trace; a trace in it is replaced.
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub front_end: FrontEndArgs,
    /// Number of tasks.
    #[arg(short = 'n', value_name = "P", default_value = "1", value_parser = super::values::task_count, allow_negative_numbers = true)]
    pub tasks: usize,
}

#[derive(Debug, Args)]
pub struct CountArgs {
    #[command(flatten)]
    pub front_end: FrontEndArgs,
    /// Number of tasks; several as 2,4,8, 1..1024x2 (each twice the one before) or 4..20+4.
    #[arg(short = 'n', value_name = "P", default_value = "1", allow_negative_numbers = true)]
    pub tasks: TaskCounts,
    /// Count with each of these values of a macro, a constant or an argument (argv1): N=100,200,400 or N=100..1600x2;
    /// with several sweeps, every combination.
    #[arg(long = "sweep", value_name = "NAME=LIST")]
    pub sweeps: Vec<Sweep>,
    /// Counts made at the same time; default: as many as there are processors.
    #[arg(short, long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub jobs: Option<u32>,
    /// The annotated source for people, all that is known for programs, or a row for each line.
    #[arg(long, value_enum, default_value_t = CountFormat::Table)]
    pub format: CountFormat,
    /// Take what is not statically exact from a trace (chronos trace -o DIR).
    #[arg(long, value_name = "DIR")]
    pub trace: Option<PathBuf>,
    /// Show this function alone (table and CSV).
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// Write a file that lists every branch and loop that is not exactly known, to be filled in for --assume.
    #[arg(long, value_name = "FILE")]
    pub write_assumptions: Option<PathBuf>,
    /// Exit with 1 when the count of any block is not exact.
    #[arg(long)]
    pub strict: bool,
    /// Write to a file instead of standard output; it is replaced whole, at the end.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CountFormat {
    Table,
    Json,
    Csv,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Table,
    Json,
    Csv,
}

#[derive(Debug, Args)]
pub struct CalibrateArgs {
    /// The C compiler with its flags, exactly as programs will be compiled.
    #[arg(long, value_name = "COMMAND", default_value = "cc -O2")]
    pub cc: String,
    /// Measure messages and collective operations instead: the shell command that runs a program on {n} tasks.
    #[arg(long, value_name = "COMMAND", conflicts_with = "cc")]
    pub mpirun: Option<String>,
    /// The C compiler of the MPI library.
    #[arg(long, value_name = "COMMAND", default_value = "mpicc", requires = "mpirun")]
    pub mpicc: String,
    /// Numbers of tasks to measure collective operations with; messages are measured between two tasks.
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "2", requires = "mpirun",
          value_parser = clap::value_parser!(u32).range(2..))]
    pub tasks: Vec<u32>,
    /// Size in bytes of the largest message.
    #[arg(long, value_name = "BYTES", default_value = "1048576", requires = "mpirun",
          value_parser = clap::value_parser!(u64).range(8..=1 << 28))]
    pub largest: u64,
    /// Whose rules choose the algorithms of collective operations; default: those of the library that runs.
    #[arg(long, value_name = "LIBRARY", requires = "mpirun")]
    pub mpi_library: Option<String>,
    /// The network of which what is not measured (within a node or between nodes) is taken.
    #[arg(long, value_name = "NAME|FILE", default_value = "shared-memory", requires = "mpirun")]
    pub rest: String,
    /// The machine or network file to write; it is replaced whole, at the end.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Name of the machine or network; default: the file's name.
    #[arg(long)]
    pub name: Option<String>,
    /// Two minutes at most instead of ten.
    #[arg(long)]
    pub quick: bool,
    /// A few seconds, to see that everything works: the figures mean little.
    #[arg(long, conflicts_with = "quick")]
    pub trial: bool,
    /// Write the file even where the timings are too noisy to rely on.
    #[arg(long)]
    pub allow_noise: bool,
}

#[derive(Debug, Args)]
pub struct MachineArgs {
    #[command(subcommand)]
    pub action: MachineAction,
}

#[derive(Debug, Subcommand)]
pub enum MachineAction {
    #[command(flatten)]
    File(FileAction),
    /// Compare the figures of two machines, in nanoseconds.
    Diff {
        #[arg(value_name = "NAME|FILE")]
        left: String,
        #[arg(value_name = "NAME|FILE")]
        right: String,
        /// Also show figures that agree.
        #[arg(long)]
        all: bool,
    },
    /// Write a machine with some parts several times better.
    Scale {
        #[arg(value_name = "NAME|FILE")]
        name: String,
        /// What becomes how many times better: clock, fp, int, fp_div, memory.bandwidth, memory.latency, ...
        #[arg(value_name = "KEY=FACTOR", required = true)]
        factors: Vec<crate::machine::scale::Factor>,
        /// The machine file to write; it is replaced whole, at the end.
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
    /// Make anew, from the samples of a calibration, what this version of chronos reads otherwise from them.
    Refit {
        #[arg(value_name = "NAME|FILE")]
        name: String,
        /// The machine file to write; it is replaced whole, at the end.
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
}

#[derive(Debug, Args)]
pub struct FileArgs {
    #[command(subcommand)]
    pub action: FileAction,
}

#[derive(Debug, Subcommand)]
pub enum FileAction {
    /// List the shipped ones.
    List,
    /// Print one as JSON.
    Show {
        #[arg(value_name = "NAME|FILE")]
        name: String,
    },
    /// Check that a file can be used.
    Check {
        #[arg(value_name = "NAME|FILE", required = true)]
        names: Vec<String>,
    },
}

#[derive(Debug, Args)]
pub struct DumpArgs {
    #[command(flatten)]
    pub front_end: FrontEndArgs,
    /// Which form.
    #[arg(long, value_enum, default_value_t = Phase::Program)]
    pub phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Phase {
    /// Functions as trees of numbered blocks.
    Program,
    /// What the verifier has to say of that tree: nothing, or an error of chronos.
    Verify,
}

#[derive(Debug, Args)]
pub struct ManualArgs {
    /// For instance predict.
    pub command: Option<String>,
    /// Write all pages into a folder instead: chronos.1, chronos-predict.1, ...
    #[arg(short, long, value_name = "DIR", conflicts_with = "command")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// For instance C0101; all codes are listed without one.
    pub code: Option<String>,
}

#[derive(Debug, Args)]
pub struct ValidateArgs {
    #[command(flatten)]
    pub front_end: FrontEndArgs,
    /// The machine to predict for, by name or path; default: the shipped one of this processor and the flags of --cc.
    #[arg(long, value_name = "NAME|FILE")]
    pub machine: Option<String>,
    /// Number of tasks.
    #[arg(short = 'n', value_name = "P", default_value = "1", value_parser = super::values::task_count, allow_negative_numbers = true)]
    pub tasks: usize,
    /// How counts become time; as for predict.
    #[arg(long, value_enum)]
    pub cost_model: Option<CostModelChoice>,
    /// The network to predict for, by name or path; all tasks run on this node.
    #[arg(long, value_name = "NAME|FILE", default_value = "ethernet-100")]
    pub network: String,
    /// The compiler command of MPI programs; it takes the flags of --cc or of the machine file.
    #[arg(long, value_name = "COMMAND", default_value = "mpicc")]
    pub mpicc: String,
    /// How MPI programs are started; {n} is the number of tasks.
    #[arg(long, value_name = "COMMAND", default_value = "mpirun -np {n}")]
    pub mpirun: String,
    /// Behind the object files when linking, such as -lblas.
    #[arg(long, value_name = "FLAGS", default_value = "", allow_hyphen_values = true)]
    pub link: String,
    /// How often to run the program; the shortest times count.
    #[arg(long, value_name = "COUNT", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: u32,
    /// Functions whose call is predicted to be shorter are timed as part of their callers.
    #[arg(long, value_name = "SECONDS", value_parser = super::values::seconds, default_value = "1e-6")]
    pub least_call: f64,
    /// Stop a run that takes longer.
    #[arg(long, value_name = "SECONDS", value_parser = super::values::seconds, default_value = "600")]
    pub timeout: f64,
    /// Compare with the predictions as they are, not with those for the clock that a chain of additions shows here (where
    /// the machine file is of this processor and the program sequential).
    #[arg(long)]
    pub no_clock: bool,
    /// A table for people, or all that is known for programs.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Write to a file instead of standard output; it is replaced whole, at the end.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Functions listed in the table.
    #[arg(long, value_name = "ROWS", default_value_t = 20)]
    pub top: usize,
}
