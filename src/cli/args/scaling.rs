//! Flags of `chronos scale`.

use super::{FrontEndArgs, OutputArgs, PointArgs, SystemArgs, WorkArgs};
use crate::cli::values::Parameter;
use chronos_pipeline::TaskCounts;
use clap::{Arg, Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct ScaleArgs {
    #[command(flatten)]
    pub front_end: FrontEndArgs,
    #[command(flatten)]
    pub points: PointArgs,
    /// Take the times from a report of `chronos predict --format json`, or from a CSV file with columns tasks and total_s
    /// (measured ones, say), instead of predicting a program.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["machines", "platforms", "model"])]
    pub from: Option<PathBuf>,
    /// Extrapolate up to so many tasks; default: 1024.
    #[arg(long, value_name = "TASKS", conflicts_with = "model", allow_negative_numbers = true, value_parser = crate::cli::values::many)]
    pub to: Option<usize>,
    /// Predict these numbers of tasks as well, and say how far the extrapolation is off; no model is fitted to them.
    /// With --from, the times of the file for them.
    #[arg(long, value_name = "P", conflicts_with = "model")]
    pub verify: Option<TaskCounts>,
    /// What stays the same with more tasks; default: what the computing times say.
    #[arg(long, value_enum, value_name = "WHAT", conflicts_with = "model")]
    pub hold: Option<HoldChoice>,
    /// Show the speedup that a model has by its parameters: --r, or --parameter for each.
    #[arg(long, value_enum, value_name = "NAME")]
    pub model: Option<ModelChoice>,
    /// Ratios of computation to communication, for --model: 100, or 10,50,100.
    #[arg(long = "r", value_name = "RATIO[,RATIO...]", value_delimiter = ',', requires = "model", allow_negative_numbers = true, value_parser = crate::cli::values::ratio)]
    pub ratios: Vec<f64>,
    /// A parameter of --model by its name in the formula, in seconds where it is a time; can be repeated.
    #[arg(long = "parameter", value_name = "NAME=VALUE", requires = "model")]
    pub parameters: Vec<Parameter>,
    /// Levels of groups through which --model hierarchical collects; default: 2.
    #[arg(long, value_name = "K", requires = "model", value_parser = clap::value_parser!(u32).range(2..=16))]
    pub levels: Option<u32>,
    #[command(flatten)]
    pub work: WorkArgs,
    #[command(flatten)]
    pub systems: SystemArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Write a page with the curves as well: one file that needs no network.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub html: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HoldChoice {
    /// All of the work: speedup as Amdahl has it.
    Work,
    /// The work of each task: speedup as Gustafson has it.
    WorkPerTask,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModelChoice {
    /// Results are collected one by one: Tb + Ts/N + N*Tr.
    Flat,
    /// Results are collected through groups: Tb + Ts/N + 2*sqrt(N)*Tr.
    Hierarchical,
    /// Results are combined in a tree: Tb + Ts/N + log2(N)*Tr.
    Tree,
    /// States are sent through one medium, behind computation: max(Ta, (N-1)*Tc)/N.
    StateSpace,
    /// Units of work are sent out and reported: Td + Tu + Tr.
    Massive,
    /// A part is serial: s + p/N.
    Amdahl,
    /// Each task has as much work as one alone: T1 + (N-1)*g.
    Scaled,
    /// Contention and coherency: T1*(1 + a*(N-1) + b*N*(N-1))/N.
    Universal,
}

/// A model is fitted to several numbers of tasks.
pub fn numbers_to_fit(tasks: Arg) -> Arg {
    tasks.default_value("1..64x2").help("Numbers of tasks to predict and to fit models to")
}

impl ScaleArgs {
    /// A program is predicted, not a file of times or a model asked.
    pub fn predicts(&self) -> bool {
        self.has_program() && self.from.is_none() && self.model.is_none()
    }

    /// A program is named, by its files or by how it is built.
    pub fn has_program(&self) -> bool {
        let program = &self.front_end;
        !program.files.is_empty() || program.compile_commands.is_some() || program.build.is_some()
    }
}
