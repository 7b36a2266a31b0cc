//! Flags of the small commands.

use super::FrontEndArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

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
