//! Flags of all commands that read a program.

use chronos_cost::ModelName;
use chronos_frontend::Trust;
use chronos_ir::CLibrary;
use chronos_ir::openmp::RuntimeSchedule;
use chronos_mpi::libraries::MpiLibrary;
use chronos_pipeline::{InputFile, LocatedValue, ProgramOptions, Setting, SpawnedProgram, TraceOptions, identifier};
use chronos_trace::sharing::Sharing;
use clap::builder::Resettable;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Flags of the preprocessor.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Program")]
pub struct PreprocessorArgs {
    /// Define a macro, as for the C compiler.
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub defines: Vec<String>,
    /// Search a folder for headers, as for the C compiler.
    #[arg(short = 'I', value_name = "DIR")]
    pub includes: Vec<PathBuf>,
}

/// What every command that reads a program takes.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Program")]
pub struct FrontEndArgs {
    /// C source files of the program, or a compile_commands.json.
    ///
    /// The files are linked together; with a compile_commands.json, files or folders of it.
    #[arg(value_name = "FILE", help_heading = Resettable::Reset)]
    pub files: Vec<PathBuf>,
    /// Take files and their flags from a build's compile_commands.json (it can be a FILE as well).
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub compile_commands: Option<PathBuf>,
    /// Build the program with this command of the shell, and take the files and flags that it compiles.
    ///
    /// Compilers that it calls by name (cc, gcc, clang, mpicc, ...) are seen; all must be built anew (make clean all). Where no MPI is
    /// installed, mpicc is the C compiler with the bundled MPI.
    #[arg(long, value_name = "COMMAND", conflicts_with = "compile_commands")]
    pub build: Option<String>,
    /// Which of the programs that --build links.
    #[arg(long, value_name = "NAME", requires = "build", hide_short_help = true)]
    pub exe: Option<String>,
    /// Run the commands of compile_commands.json as they stand: any program, with any flags. Else only known compilers with known flags.
    #[arg(long, hide_short_help = true)]
    pub trust: bool,
    #[command(flatten)]
    pub preprocessor: PreprocessorArgs,
    /// The C compiler with its flags [default: cc].
    ///
    /// It preprocesses the sources, and its flags choose the machine file; default: cc, or what compile_commands.json says.
    #[arg(long, value_name = "COMMAND")]
    pub cc: Option<String>,
    /// The C library that the program is linked with [default: as the machine file says, else glibc].
    ///
    /// Random numbers of glibc (rand, random, drand48, ...) are known where their seed is; those of others are not.
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub c_library: Option<CLibraryChoice>,
    /// The MPI whose numbers the program writes where it gives a rank as -1 or -2 [default: open-mpi].
    ///
    /// -1 as the source of a receive is MPI_ANY_SOURCE in Open MPI, and MPI_PROC_NULL in MPICH. Names need no option.
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub mpi_constants: Option<MpiLibraryChoice>,
    /// Threads of each task in parallel regions of OpenMP [default: 1].
    ///
    /// As OMP_NUM_THREADS of a run; the directives hold as with -fopenmp. Default: 1 where the compiler's flags have -fopenmp,
    /// else the directives are ignored.
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
    /// Schedule of OpenMP loops with schedule(runtime), as OMP_SCHEDULE of a run [default: dynamic].
    #[arg(long, value_name = "KIND[,CHUNK]", hide_short_help = true)]
    pub omp_schedule: Option<RuntimeSchedule>,
    /// The source of a program that MPI_Comm_spawn starts by this name; the program itself needs none.
    #[arg(long, value_name = "NAME=FILE", hide_short_help = true)]
    pub spawn: Vec<SpawnedProgram>,
    /// Override a macro or constant of the source.
    ///
    /// One that the source itself defines; -D defines others.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<Setting>,
    /// Leave macros, constants or arguments (argv1, ...) free.
    ///
    /// Macros, integer constants or program arguments (argv1, argv2, ...): results become expressions of them.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = identifier)]
    pub symbolic: Vec<String>,
    /// Probability that a branch's condition is true.
    ///
    /// Of a switch: that its first case is taken.
    #[arg(long = "prob", value_name = "FILE:LINE[:COL]=P")]
    pub probabilities: Vec<LocatedValue>,
    /// Mean iterations of a loop per entry.
    #[arg(long, value_name = "FILE:LINE[:COL]=N")]
    pub iterations: Vec<LocatedValue>,
    /// File of probabilities and iterations, as `chronos count --write-assumptions` writes it; --prob and --iterations win.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub assume: Vec<PathBuf>,
    /// File of what functions of external libraries (BLAS, ...) cost, by expressions of their arguments.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub library_costs: Vec<PathBuf>,
    /// File that the program reads as its standard input.
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,
    /// File that the program may open.
    ///
    /// Under the name given, or as NAME=FILE.
    #[arg(long = "input-file", value_name = "[NAME=]FILE")]
    pub input_files: Vec<InputFile>,
    /// Read no file but those of --input-file, also where the program opens one that lies here.
    #[arg(long, hide_short_help = true)]
    pub only_given_files: bool,
    /// Operations of data-dependent parts that are interpreted, per task, before you are asked.
    ///
    /// Default: 100000000; 1000000 where a trace tells the rest.
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub budget: Option<u64>,
    /// Follow each task by itself, also where many do the same but for their partners; the result is the same and takes longer.
    #[arg(long, hide_short_help = true)]
    pub separate_ranks: bool,
    /// Arguments of the program, behind `--`.
    #[arg(last = true, value_name = "ARGS", help_heading = Resettable::Reset)]
    pub arguments: Vec<String>,
}

impl FrontEndArgs {
    /// The program that the flags describe.
    pub fn program(&self) -> ProgramOptions {
        let flags = self.clone();
        ProgramOptions {
            name: String::new(),
            executable: flags.exe,
            trust: trust(self.trust),
            files: flags.files,
            compile_commands: flags.compile_commands,
            defines: flags.preprocessor.defines,
            includes: flags.preprocessor.includes,
            cc: flags.cc,
            c_library: flags.c_library.map(CLibrary::from),
            mpi_library: flags.mpi_constants.map(MpiLibrary::from).unwrap_or_default(),
            threads: flags.threads,
            omp_schedule: flags.omp_schedule,
            spawn: flags.spawn,
            settings: flags.settings,
            symbolic: flags.symbolic,
            probabilities: flags.probabilities,
            iterations: flags.iterations,
            assumption_files: flags.assume,
            library_cost_files: flags.library_costs,
            stdin: flags.stdin,
            input_files: flags.input_files,
            files_at_hand: !flags.only_given_files,
            budget: flags.budget,
            separate_ranks: flags.separate_ranks,
            arguments: flags.arguments,
            other_programs_files: Vec::new(),
        }
    }
}

/// Whose word commands are that stand in files.
pub fn trust(full: bool) -> Trust {
    if full {
        return Trust::Full;
    }
    Trust::checked(std::env::var_os("PATH").iter().flat_map(std::env::split_paths))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CLibraryChoice {
    /// The GNU C library.
    Glibc,
    /// musl: its random numbers count as unknown.
    Musl,
    /// Any other one: random numbers are unknown.
    Other,
}

impl From<CLibraryChoice> for CLibrary {
    fn from(choice: CLibraryChoice) -> Self {
        match choice {
            CLibraryChoice::Glibc => Self::Glibc,
            CLibraryChoice::Musl | CLibraryChoice::Other => Self::Other,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MpiLibraryChoice {
    /// Open MPI.
    OpenMpi,
    /// MPICH, Intel MPI, MVAPICH or Cray MPICH.
    Mpich,
}

impl From<MpiLibraryChoice> for MpiLibrary {
    fn from(choice: MpiLibraryChoice) -> Self {
        match choice {
            MpiLibraryChoice::OpenMpi => Self::OpenMpi,
            MpiLibraryChoice::Mpich => Self::Mpich,
        }
    }
}

/// How counts become time.
#[derive(Clone, Copy, Debug, Args)]
pub struct CostModelArgs {
    /// How counts become time: from the instructions that the compiler makes, from the source, or as the sum of all operations.
    ///
    /// Default: compiled where the compiler that the machine file is of is at hand, else source where the file has what it
    /// asks for (pipeline and times of memory), else instruction-sum. Where none is named, the variable CHRONOS_COST_MODEL names the
    /// best one that is taken.
    #[arg(long, value_enum, value_name = "MODEL", hide_short_help = true)]
    pub cost_model: Option<CostModelChoice>,
    /// The best that is taken where none is named, of the environment.
    #[arg(long, value_enum, env = "CHRONOS_COST_MODEL", hide = true)]
    best_cost_model: Option<CostModelChoice>,
}

impl CostModelArgs {
    /// The model that is named; `None`: the best one.
    pub fn name(self) -> Option<ModelName> {
        let best = self.best_cost_model.filter(|best| *best == CostModelChoice::InstructionSum);
        self.cost_model.or(best).map(Into::into)
    }

    /// Whether compilers are asked where no model is named.
    pub fn asks_compilers(self) -> bool {
        self.best_cost_model.is_none_or(|best| best == CostModelChoice::Compiled)
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
#[command(next_help_heading = "Program")]
pub struct TraceUse {
    /// Take what is not exact from a run (chronos trace -o DIR).
    ///
    /// Counts that are statically exact stay.
    #[arg(long, value_name = "DIR", conflicts_with = "symbolic")]
    pub trace: Option<PathBuf>,
    /// Let a trace of another number of tasks stand for this one, with its counts as assumptions.
    #[arg(long, value_enum, value_name = "WHAT", requires = "trace", hide_short_help = true)]
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Table,
    Json,
    Csv,
}
