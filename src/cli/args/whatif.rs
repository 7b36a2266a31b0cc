//! Flags of `chronos whatif`.

use super::{FrontEndArgs, OutputArgs, PointArgs, RecordUse, SystemArgs, TraceUse};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct WhatIfArgs {
    #[command(flatten)]
    pub front_end: FrontEndArgs,
    #[command(flatten)]
    pub points: PointArgs,
    #[command(flatten)]
    pub systems: SystemArgs,
    #[command(flatten)]
    pub trace: TraceUse,
    #[command(flatten)]
    pub record: RecordUse,
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
    #[command(flatten)]
    pub output: OutputArgs,
    /// Write a page as well, on which one asks and compares: one file that needs no network.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub html: Option<PathBuf>,
    /// Keep each finished study in this folder, and take from it what was studied before of the same sources, options, machines
    /// and changes: an interrupted command goes on where it was.
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub resume: Option<PathBuf>,
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
    let changes = chronos_whatif::syntax();
    arg.index(1).value_name("FILE|CHANGE").help(format!(
        "C source files of the program, all linked together, and changes: {changes}; `A + B` in one argument makes both"
    ))
}
