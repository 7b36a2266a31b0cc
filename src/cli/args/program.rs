//! Flags of all commands that read a program.

use chronos_cost::ModelName;
use chronos_frontend::Trust;
use chronos_pipeline::{
    InputFile, LocatedValue, ProgramOptions, Setting, SpawnedProgram, Sweep, TraceOptions, identifier,
};
use chronos_trace::sharing::Sharing;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What every command that reads a program takes.
#[derive(Clone, Debug, Args)]
pub struct FrontEndArgs {
    /// C source files of the program, all linked together; with a compile_commands.json, files or folders of it.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Take files and their flags from a build's compile_commands.json (it can be a FILE as well).
    #[arg(long, value_name = "FILE")]
    pub compile_commands: Option<PathBuf>,
    /// Run the commands of compile_commands.json as they stand: any program, with any flags. Else only known compilers with known flags.
    #[arg(long)]
    pub trust: bool,
    /// Define a macro, as for the C compiler.
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub defines: Vec<String>,
    /// Search a folder for headers, as for the C compiler.
    #[arg(short = 'I', value_name = "DIR")]
    pub includes: Vec<PathBuf>,
    /// The C compiler with its flags, for preprocessing; default: cc, or what compile_commands.json says.
    #[arg(long, value_name = "COMMAND")]
    pub cc: Option<String>,
    /// The source of a program that MPI_Comm_spawn starts by this name; the program itself needs none.
    #[arg(long, value_name = "NAME=FILE")]
    pub spawn: Vec<SpawnedProgram>,
    /// Override a macro or constant that the source itself defines.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<Setting>,
    /// Leave macros, integer constants or program arguments (argv1, argv2, ...) free: results become expressions of them.
    #[arg(long, value_name = "NAME[,NAME...]", value_delimiter = ',', value_parser = identifier)]
    pub symbolic: Vec<String>,
    /// Probability that a branch's condition is true (of a switch: that its first case is taken).
    #[arg(long = "prob", value_name = "FILE:LINE[:COL]=P")]
    pub probabilities: Vec<LocatedValue>,
    /// Mean iterations of a loop per entry.
    #[arg(long, value_name = "FILE:LINE[:COL]=N")]
    pub iterations: Vec<LocatedValue>,
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
    #[arg(long, value_name = "N", default_value_t = chronos_pipeline::DEFAULT_BUDGET)]
    pub budget: u64,
    /// Arguments of the program, behind `--`.
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<String>,
}

impl FrontEndArgs {
    /// The program that the flags describe.
    pub fn program(&self) -> ProgramOptions {
        let flags = self.clone();
        ProgramOptions {
            name: String::new(),
            trust: self.trust(),
            files: flags.files,
            compile_commands: flags.compile_commands,
            defines: flags.defines,
            includes: flags.includes,
            cc: flags.cc,
            spawn: flags.spawn,
            settings: flags.settings,
            symbolic: flags.symbolic,
            probabilities: flags.probabilities,
            iterations: flags.iterations,
            assumption_files: flags.assume,
            library_cost_files: flags.library_costs,
            stdin: flags.stdin,
            input_files: flags.input_files,
            budget: flags.budget,
            arguments: flags.arguments,
            other_programs_files: Vec::new(),
        }
    }

    /// Whose word commands are that stand in files.
    fn trust(&self) -> Trust {
        if self.trust {
            return Trust::Full;
        }
        Trust::checked(std::env::var_os("PATH").iter().flat_map(std::env::split_paths))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CostModelChoice {
    /// Every operation adds what its class costs.
    InstructionSum,
    /// Recurrences, throughput, vectors and memory of each loop, as the compiler leaves it.
    Source,
    /// The instructions that the machine file's compiler (or --cc) makes, simulated on the processor's core; `source` where
    /// they cannot be matched.
    Compiled,
}

impl From<CostModelChoice> for ModelName {
    fn from(choice: CostModelChoice) -> Self {
        match choice {
            CostModelChoice::InstructionSum => Self::InstructionSum,
            CostModelChoice::Source => Self::Source,
            CostModelChoice::Compiled => Self::Compiled,
        }
    }
}

/// What was counted in a run.
#[derive(Clone, Debug, Args)]
pub struct TraceUse {
    /// Take what is not statically exact from a trace (chronos trace -o DIR).
    #[arg(long, value_name = "DIR", conflicts_with = "symbolic")]
    pub trace: Option<PathBuf>,
    /// Let a trace of another number of tasks stand for this one, with its counts as assumptions.
    #[arg(long, value_enum, value_name = "WHAT", requires = "trace")]
    pub share_trace: Option<SharingChoice>,
}

impl TraceUse {
    /// Where the trace is, and what stays the same of one of another number of tasks.
    pub fn options(&self) -> Option<TraceOptions> {
        let sharing = self.share_trace.map(|choice| match choice {
            SharingChoice::Total => Sharing::Total,
            SharingChoice::PerTask => Sharing::PerTask,
        });
        self.trace.clone().map(|folder| TraceOptions { folder, sharing })
    }
}

/// What stays the same of a trace of another number of tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SharingChoice {
    /// The sum of each count over all tasks, divided evenly.
    Total,
    /// The mean of each count over the tasks.
    PerTask,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Table,
    Json,
    Csv,
}
