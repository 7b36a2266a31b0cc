//! Groups of flags that several commands share.

use super::{CostModelArgs, Format};
use crate::cli::folders;
use chronos_machine::scale::Factor;
use chronos_pipeline::{PredictOptions, ProgramOptions, RunOptions, Sweep, SystemOptions, TaskCounts};
use chronos_predict::ModelOptions;
use clap::Args;
use std::path::{Path, PathBuf};

/// What is predicted or counted of a program: each number of tasks with each combination of swept values.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Tasks and values")]
pub struct PointArgs {
    /// Number of tasks; several as 2,4,8 or 1..64x2.
    ///
    /// 1..1024x2 is each twice the one before, 4..20+4 each four more. Without -n it is one task; of a recorded run, as
    /// many as it had.
    #[arg(short = 'n', value_name = "P", allow_negative_numbers = true)]
    pub tasks: Option<TaskCounts>,
    /// Take each of these values of a macro or argument: N=100,200.
    ///
    /// Of a macro, a constant or an argument (argv1), one after the other: N=100,200,400 or N=100..1600x2; with several
    /// sweeps, every combination.
    #[arg(long = "sweep", value_name = "NAME=LIST")]
    pub sweeps: Vec<Sweep>,
}

impl PointArgs {
    /// The numbers of tasks.
    pub fn tasks(&self) -> &[usize] {
        self.tasks.as_ref().map_or(&[1], |tasks| &tasks.0)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.tasks().len() * self.sweeps.iter().map(|sweep| sweep.values.len()).product::<usize>()
    }
}

/// How many predictions are made.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Work")]
pub struct WorkArgs {
    /// Keep each finished prediction in this folder, and take from it what was predicted before from the same sources, options
    /// and machines: an interrupted command goes on where it was.
    #[arg(long, value_name = "DIR", conflicts_with = "symbolic", hide_short_help = true)]
    pub resume: Option<PathBuf>,
    /// Predictions made at the same time; default: as many as there are processors.
    #[arg(short, long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..), hide_short_help = true)]
    pub jobs: Option<u32>,
}

impl WorkArgs {
    /// The options of a run without a question of its own.
    pub fn options(&self) -> RunOptions {
        RunOptions {
            jobs: self.jobs,
            resume: self.resume.clone(),
            objects: folders::objects(),
            ..RunOptions::default()
        }
    }
}

/// Where and by which model a program is predicted.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Machine and network")]
pub struct SystemArgs {
    /// Machine [default: native, this processor]; can be repeated.
    ///
    /// The name of a shipped one or a part of it (zen5), the path of a file, or native for this processor; one prediction
    /// for each. A:3,B:1 is one cluster of both.
    #[arg(long = "machine", value_name = "NAME|FILE")]
    pub machines: Vec<String>,
    /// Platform file: nodes, network, placement.
    ///
    /// Nodes of several kinds, their network and placement; one prediction for each.
    #[arg(long = "platform", value_name = "FILE")]
    pub platforms: Vec<String>,
    /// Predict with a part of machine or network so many times better: clock=2, memory.bandwidth=4, network.latency=10; can be repeated.
    #[arg(long = "scale", value_name = "KEY=FACTOR", hide_short_help = true)]
    pub factors: Vec<Factor>,
    #[command(flatten)]
    pub cost_model: CostModelArgs,
    /// Let collective operations use the algorithms that this MPI library picks: openmpi-4.1, mpich-4.0.
    #[arg(long, value_name = "LIBRARY", hide_short_help = true)]
    pub mpi_library: Option<String>,
    /// Network between nodes: a name, a file or a model.
    ///
    /// `chronos network list` has the names; a model is given by its parameters, such as loggops:L=2500,o=1500,g=1000,G=6.
    #[arg(long, value_name = "NAME|FILE", default_value = crate::machine::network::DEFAULT)]
    pub network: String,
    /// Tasks per node, which talk through its memory.
    ///
    /// Tasks of one node talk through its shared memory.
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub tasks_per_node: u32,
}

impl SystemArgs {
    /// Machines and platforms that are named.
    pub fn count(&self) -> usize {
        self.machines.len() + self.platforms.len()
    }

    /// Predictions of the programs on these systems, at each point.
    pub fn predict_options(&self, programs: Vec<ProgramOptions>, points: &PointArgs) -> PredictOptions {
        let flags = self.clone();
        PredictOptions {
            programs,
            systems: SystemOptions {
                machines: flags.machines,
                platforms: flags.platforms,
                factors: flags.factors,
                network: flags.network,
                mpi_library: flags.mpi_library,
            },
            tasks: points.tasks().to_vec(),
            names_tasks: points.tasks.is_some(),
            sweeps: points.sweeps.clone(),
            asks_compilers: flags.cost_model.asks_compilers(),
            model: ModelOptions {
                tasks_per_node: flags.tasks_per_node,
                cost_model: flags.cost_model.name(),
                ..ModelOptions::default()
            },
            ..PredictOptions::default()
        }
    }
}

/// What is written, and where.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// A table, or all that is known for programs.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Write to a file instead of standard output.
    ///
    /// It is replaced whole, at the end.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl OutputArgs {
    /// The file that standard output is replaced by.
    pub fn file(&self) -> Option<&Path> {
        self.output.as_deref()
    }

    /// Columns of a table on a terminal with so many; `None`, without a limit, in a file.
    pub fn width(&self, terminal: Option<usize>) -> Option<usize> {
        terminal.filter(|_| self.output.is_none())
    }
}
