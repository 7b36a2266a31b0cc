//! Flags of commands that run a program.

use super::{CostModelArgs, FrontEndArgs, OutputArgs, PredictArgs, PreprocessorArgs};
use crate::cli::codes::NO_RECORD;
use chronos_base::diag::Diagnostic;
use chronos_pipeline::{CalibrationOptions, MachineRatio, OsShare, RecordedOptions};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Where nobody says what a program is linked with.
pub const DEFAULT_LINK: &str = "-lm";

#[derive(Debug, Args)]
pub struct ValidateArgs {
    #[command(flatten)]
    pub front_end: FrontEndArgs,
    /// The machine to predict for, by name or path; default: the shipped one of this processor and the flags of --cc.
    #[arg(long, value_name = "NAME|FILE")]
    pub machine: Option<String>,
    /// Number of tasks.
    #[arg(short = 'n', value_name = "P", default_value = "1", value_parser = chronos_pipeline::task_count, allow_negative_numbers = true)]
    pub tasks: usize,
    #[command(flatten)]
    pub cost_model: CostModelArgs,
    /// The network to predict for, by name or path; all tasks run on this node.
    #[arg(long, value_name = "NAME|FILE", default_value = crate::machine::network::DEFAULT)]
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
    #[arg(long, value_name = "SECONDS", value_parser = crate::cli::values::seconds, default_value = "1e-6")]
    pub least_call: f64,
    /// Stop a run that takes longer.
    #[arg(long, value_name = "SECONDS", value_parser = crate::cli::values::seconds, default_value = "600")]
    pub timeout: f64,
    /// Compare with the predictions as they are, not with those for the clock that a chain of additions shows here (where
    /// the machine file is of this processor and the program sequential).
    #[arg(long)]
    pub no_clock: bool,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Functions listed in the table.
    #[arg(long, value_name = "ROWS", default_value_t = 20)]
    pub top: usize,
}

#[derive(Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub predict: PredictArgs,
    /// What the time of computation is.
    #[arg(long, value_enum, default_value_t = TimeChoice::Cpu)]
    pub time: TimeChoice,
    /// Computing takes so many times as long on the target as on this processor.
    #[arg(long, value_name = "FACTOR", value_parser = crate::cli::values::seconds, default_value = "1")]
    pub slower: f64,
    /// Flags for linking, such as libraries.
    #[arg(long, value_name = "FLAGS", default_value = DEFAULT_LINK, allow_hyphen_values = true)]
    pub link: String,
}

/// Where the time of computation comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TimeChoice {
    /// Processor time that the task takes here, times --slower.
    Cpu,
    /// The prediction for --machine, of how often each block was executed.
    Predicted,
}

#[derive(Clone, Debug, Args)]
pub struct RecordArgs {
    /// C source files of the program, which are linked together.
    #[arg(value_name = "FILE", required_unless_present = "exe", conflicts_with = "exe")]
    pub files: Vec<PathBuf>,
    /// An executable that is linked with the installed MPI, in place of sources.
    #[arg(long, value_name = "PROGRAM")]
    pub exe: Option<PathBuf>,
    /// Number of tasks.
    #[arg(short = 'n', value_name = "P", default_value = "1", value_parser = chronos_pipeline::task_count, allow_negative_numbers = true)]
    pub tasks: usize,
    /// Which MPI the tasks run on; without it an installed one, or the bundled one where there is none.
    #[arg(long, value_enum)]
    pub mpi: Option<MpiChoice>,
    #[command(flatten)]
    pub preprocessor: PreprocessorArgs,
    /// The C compiler with its flags [default: mpicc -O2 with an installed MPI, else cc -O2].
    #[arg(long, value_name = "COMMAND")]
    pub cc: Option<String>,
    /// How the installed MPI starts programs; {n} is the number of tasks (default: mpirun --oversubscribe -np {n}).
    #[arg(long, value_name = "COMMAND")]
    pub mpirun: Option<String>,
    /// Flags for linking, such as libraries.
    #[arg(long, value_name = "FLAGS", default_value = DEFAULT_LINK, allow_hyphen_values = true)]
    pub link: String,
    /// File that the program reads as its standard input.
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,
    /// The folder for the record; a record in it is replaced.
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Arguments of the program, behind `--`.
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<String>,
}

/// A recorded run in place of a program.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Recorded run")]
pub struct RecordUse {
    /// Predict the run in this folder (chronos record -o DIR), not a program.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["compile_commands", "build", "symbolic", "sweeps", "trace", "settings", "arguments", "machines"])]
    pub recorded: Option<PathBuf>,
    /// Say how long the longest path is, where messages take what the idle network takes and wait for nothing else.
    #[arg(long, value_enum)]
    pub model: Option<RunModel>,
    /// Share of the processors that the system takes from the tasks, such as 0.02; `run` takes it from the run.
    #[arg(long, value_name = "SHARE", hide_short_help = true, allow_negative_numbers = true)]
    pub os_share: Option<OsShare>,
    /// How many times as long computing takes as where it was recorded, as a factor or for two machines by name or path.
    ///
    /// With FROM:TO, the program (FILE...) is predicted on both machines as it was recorded, and the processor time between two MPI calls is
    /// multiplied by the ratio of both predictions: what is wrong with them cancels.
    #[arg(long, value_name = "FACTOR|FROM:TO", hide_short_help = true, allow_negative_numbers = true)]
    pub machine_ratio: Option<MachineRatio>,
    /// Match receives of any source or tag anew, not as in the run.
    #[arg(long, hide_short_help = true)]
    pub re_match: bool,
}

impl RecordUse {
    /// An option that says how a record is read, where none is given. The command line's own check passes it: what it would
    /// require is in conflict with the program that is there.
    pub fn without_record(&self) -> Result<(), Diagnostic> {
        let given = [
            ("--model", self.model.is_some()),
            ("--os-share", self.os_share.is_some()),
            ("--machine-ratio", self.machine_ratio.is_some()),
            ("--re-match", self.re_match),
        ];
        let unused = given.into_iter().find(|(_, given)| *given && self.recorded.is_none());
        unused.map_or(Ok(()), |(name, _)| {
            let help = "predict a recorded run: chronos record FILE... -n P -o DIR, then --recorded DIR";
            Err(Diagnostic::error(&NO_RECORD, format!("{name} is for recorded runs, and --recorded names none"))
                .help(help))
        })
    }

    /// Whether a record alone is predicted: it takes the place of a program, unless machines are compared by one.
    fn is_alone(&self) -> bool {
        self.recorded.is_some() && !matches!(self.machine_ratio, Some(MachineRatio::Machines { .. }))
    }

    /// What says how a program is evaluated, where none is.
    pub fn without_assumptions(&self, program: &FrontEndArgs) -> Result<(), Diagnostic> {
        let given = [
            ("--prob", !program.probabilities.is_empty()),
            ("--iterations", !program.iterations.is_empty()),
            ("--assume", !program.assume.is_empty()),
            ("--library-costs", !program.library_costs.is_empty()),
            ("--input-file", !program.input_files.is_empty()),
            ("--stdin", program.stdin.is_some()),
            ("--spawn", !program.spawn.is_empty()),
            ("--threads", program.threads.is_some()),
            ("--omp-schedule", program.omp_schedule.is_some()),
            ("-D", !program.preprocessor.defines.is_empty()),
        ];
        let unused = given.into_iter().find(|(_, given)| *given && self.is_alone());
        unused.map_or(Ok(()), |(name, _)| {
            let message = format!("{name} is for a program that is evaluated, and a recorded run is what it was");
            let help = "record the program as it is to be, or predict it without --recorded (--calibrated-by takes a record as well)";
            Err(Diagnostic::error(&NO_RECORD, message).help(help))
        })
    }

    /// Sources beside a record that nobody asks for.
    pub fn without_files(&self, files: &[PathBuf]) -> Result<(), Diagnostic> {
        match files.first().filter(|_| self.is_alone()) {
            None => Ok(()),
            Some(file) => {
                let message = format!("--recorded takes the place of a program, and {} is one", file.display());
                Err(Diagnostic::error(&NO_RECORD, message).help(
                    "leave one of both out, or compare two machines by the program: --machine-ratio FROM:TO; to calibrate a program by a record: \
                     --calibrated-by",
                ))
            }
        }
    }

    /// As options of a prediction.
    pub fn options(&self) -> Option<RecordedOptions> {
        let folder = self.recorded.clone()?;
        let longest_path = self.model == Some(RunModel::Paper);
        Some(RecordedOptions {
            folder,
            os_share: self.os_share.unwrap_or(OsShare::Given(0.0)),
            machine_ratio: self.machine_ratio.clone().unwrap_or(MachineRatio::Factor(1.0)),
            matched_anew: self.re_match,
            longest_path,
        })
    }
}

/// A short recorded run of the program that is predicted.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Recorded run")]
pub struct CalibrationUse {
    /// Calibrate computing times by a short run (chronos record -o DIR).
    ///
    /// The run may have other arguments, other macros (-D) and another number of tasks. Its measured / predicted times, by function and loop,
    /// multiply the predicted ones.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["recorded", "trace", "symbolic"])]
    pub calibrated_by: Option<PathBuf>,
    /// The machine that the short run ran on; without it the first --machine.
    #[arg(long, value_name = "NAME|FILE", requires = "calibrated_by", hide_short_help = true)]
    pub calibrated_on: Option<String>,
}

impl CalibrationUse {
    /// As options of a prediction.
    pub fn options(&self) -> Option<CalibrationOptions> {
        let folder = self.calibrated_by.clone()?;
        Some(CalibrationOptions { folder, machine: self.calibrated_on.clone() })
    }
}

/// What is said of a recorded run beside its replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RunModel {
    /// The longest path with the times of the idle network (Drozdowski 2001).
    Paper,
    /// Nothing: the replay alone.
    Replay,
}

/// A program that gets trace points.
#[derive(Clone, Debug, Args)]
pub struct TracedProgramArgs {
    #[command(flatten)]
    pub front_end: FrontEndArgs,
    /// Number of tasks that the program is run with: what is statically exact for it is not traced.
    #[arg(short = 'n', value_name = "P", default_value = "1", value_parser = chronos_pipeline::task_count, allow_negative_numbers = true)]
    pub tasks: usize,
    /// Trace every block, also those whose counts are statically exact.
    #[arg(long)]
    pub all: bool,
}

#[derive(Debug, Args)]
pub struct InstrumentArgs {
    #[command(flatten)]
    pub program: TracedProgramArgs,
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
    pub program: TracedProgramArgs,
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
    #[arg(long, value_name = "FLAGS", default_value = DEFAULT_LINK, allow_hyphen_values = true)]
    pub link: String,
    /// The folder for the trace; a trace in it is replaced.
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
}
