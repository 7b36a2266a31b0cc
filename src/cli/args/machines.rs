//! Flags of commands about machines and networks.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct CalibrateArgs {
    /// The C compiler with its flags, exactly as programs will be compiled.
    #[arg(long, value_name = "COMMAND", default_value = "cc -O2")]
    pub cc: String,
    /// Measure the BLAS that programs are linked with by these flags instead, and write a file for --library-costs.
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true, conflicts_with_all = ["mpirun", "name"], requires = "output")]
    pub blas: Option<String>,
    /// Measure messages and collective operations instead: the shell command that runs a program on {n} tasks.
    #[arg(long, value_name = "COMMAND", conflicts_with = "cc", requires = "output")]
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
    /// The machine or network file to write; it is replaced whole, at the end. Default: a machine file is kept where
    /// --machine native finds it.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Name of the machine or network; default: the file's name.
    #[arg(long)]
    pub name: Option<String>,
    /// A quarter of a minute instead of ten, for a first answer: rough figures.
    #[arg(long, conflicts_with_all = ["quick", "trial"])]
    pub brief: bool,
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
    #[command(after_help = "Example:\n  chronos machine diff epyc-zen5-gcc12-O0 mine.json")]
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
    #[command(
        after_help = "Example:\n  chronos machine scale mine.json fp=4 memory.bandwidth=2 clock=1.5 -o future.json"
    )]
    Scale {
        #[arg(value_name = "NAME|FILE")]
        name: String,
        /// What becomes how many times better: clock, fp, int, fp_div, memory.bandwidth, memory.latency, ...
        #[arg(value_name = "KEY=FACTOR", required = true)]
        factors: Vec<chronos_machine::scale::Factor>,
        /// The machine file to write; it is replaced whole, at the end.
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
    /// Make anew, from the samples of a calibration, what this version of chronos reads otherwise from them.
    #[command(after_help = "Example:\n  chronos machine refit mine.json -o mine.json")]
    Refit {
        #[arg(value_name = "NAME|FILE")]
        name: String,
        /// The machine file to write; it is replaced whole, at the end.
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
}

#[derive(Debug, Args)]
pub struct NetworkArgs {
    #[command(subcommand)]
    pub action: NetworkAction,
}

#[derive(Debug, Subcommand)]
pub enum NetworkAction {
    #[command(flatten)]
    File(FileAction),
    /// Make a network file of message times that were measured on an idle network, and show how far they are off.
    #[command(after_help = "Example:\n  chronos network fit pings.txt --form linear -o cluster.json")]
    Fit {
        /// Lines of a size in bytes and a time in seconds, one way; what follows # is a comment.
        #[arg(value_name = "FILE")]
        times: PathBuf,
        /// What the time is as a function of the size.
        #[arg(long, value_enum, default_value_t = FormChoice::Piecewise)]
        form: FormChoice,
        /// The network, by name or path, that it is like in everything else: collective operations, messages within a node.
        #[arg(long, value_name = "NAME|FILE", default_value = crate::machine::network::DEFAULT)]
        like: String,
        /// The network file to write; it is replaced whole, at the end.
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
}

/// A function of the size of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormChoice {
    /// A line by least squares: start-up time and bandwidth.
    Linear,
    /// Lines from each measured size to the next.
    Piecewise,
    /// The polynomial through all measured sizes.
    Lagrange,
}

#[derive(Debug, Subcommand)]
pub enum FileAction {
    /// List the shipped ones.
    #[command(after_help = "Examples:\n  chronos machine list\n  chronos network list")]
    List,
    /// Print one as JSON.
    #[command(
        after_help = "Examples:\n  chronos machine show pentium2-350 > mine.json\n  chronos network show ethernet-100 > mine.json"
    )]
    Show {
        #[arg(value_name = "NAME|FILE")]
        name: String,
    },
    /// Check that a file can be used.
    #[command(after_help = "Examples:\n  chronos machine check mine.json\n  chronos network check mine.json")]
    Check {
        #[arg(value_name = "NAME|FILE", required = true)]
        names: Vec<String>,
    },
}
