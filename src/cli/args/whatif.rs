//! Flags of `chronos whatif`.

use super::{CostModelChoice, Format, FrontEndArgs, TraceUse};
use chronos_machine::scale::Factor;
use chronos_pipeline::{Sweep, TaskCounts};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct WhatIfArgs {
    #[command(flatten)]
    pub front_end: FrontEndArgs,
    /// Number of tasks; several as 2,4,8, 1..1024x2 (each twice the one before) or 4..20+4.
    #[arg(short = 'n', value_name = "P", default_value = "1", allow_negative_numbers = true)]
    pub tasks: TaskCounts,
    /// Ask with each of these values of a macro, a constant or an argument (argv1): N=100,200,400 or N=100..1600x2.
    #[arg(long = "sweep", value_name = "NAME=LIST")]
    pub sweeps: Vec<Sweep>,
    /// A machine, by the name of a shipped one or the path of a file; one study for each. A:3,B:1 is one cluster of both.
    #[arg(long = "machine", value_name = "NAME|FILE", required_unless_present = "platforms")]
    pub machines: Vec<String>,
    /// A platform file: nodes of several kinds, their network and placement; one study for each.
    #[arg(long = "platform", value_name = "FILE")]
    pub platforms: Vec<String>,
    /// Predict with a part of machine or network so many times better: clock=2, network.latency=10; can be repeated.
    #[arg(long = "scale", value_name = "KEY=FACTOR")]
    pub factors: Vec<Factor>,
    #[command(flatten)]
    pub trace: TraceUse,
    /// How counts become time; as for predict.
    #[arg(long, value_enum)]
    pub cost_model: Option<CostModelChoice>,
    /// Let collective operations use the algorithms that this MPI library picks: openmpi-4.1, mpich-4.0.
    #[arg(long, value_name = "LIBRARY")]
    pub mpi_library: Option<String>,
    /// The network between nodes, by name, path or the parameters of a model.
    #[arg(long, value_name = "NAME|FILE", default_value = crate::machine::network::DEFAULT)]
    pub network: String,
    /// Tasks per node; tasks of one node talk through its shared memory.
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub tasks_per_node: u32,
    /// Tables beside the changes; default: efficiency and rank where no change is asked for.
    #[arg(long, value_enum, value_name = "TABLE[,TABLE...]", value_delimiter = ',')]
    pub show: Vec<TableChoice>,
    /// Also follow programs that depend on the order of arrival again under each change: another order may be another program.
    #[arg(long)]
    pub re_evaluate: bool,
    /// Each task keeps its work with more tasks (weak scaling), so that computing times of tasks, not their sums, tell how
    /// computation scales.
    #[arg(long)]
    pub weak: bool,
    /// A table for people, or all that is known for programs.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Write to a file instead of standard output; it is replaced whole, at the end.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Rows of each table.
    #[arg(long, value_name = "ROWS", default_value_t = 10)]
    pub top: usize,
}

/// What is shown beside the changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableChoice {
    /// Load balance, serialisation, transfer, and their products.
    Efficiency,
    /// What is on the critical path, and what less of it would save.
    Rank,
    /// Why tasks wait: what the tasks that others waited for did instead.
    Causes,
    /// How much worse network and computing may become before the program takes 1, 2 or 5 % longer.
    Tolerance,
}

/// The positional words are files and changes.
pub fn files_and_changes(arg: clap::Arg) -> clap::Arg {
    arg.index(1).value_name("FILE|CHANGE").help(
        "C source files of the program, all linked together, and changes: place=0,0,1,1, place=N/M, place=cyclic:M, place=best:M, \
         network=NAME, zero=F, speed=F:k, speed=FILE:LINE:k, move=F:FROM->TO[,after][,bytes=B], balance, balance=F, ideal-network, \
         overlap, node=R:k; `A + B` in one argument makes both",
    )
}
