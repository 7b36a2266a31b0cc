//! Flags of the small commands.

use super::{FrontEndArgs, PreprocessorArgs};
use clap::builder::Resettable;
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
pub struct SchemaArgs {
    /// For instance report; all formats are listed without one.
    pub name: Option<String>,
}

#[derive(Debug, Args)]
pub struct LspArgs {
    /// Options of `chronos predict`, behind `--`.
    ///
    /// With files, --build or --compile-commands among them, that is the program; else each C file that is opened is one.
    #[arg(last = true, value_name = "OPTIONS", help_heading = Resettable::Reset)]
    pub words: Vec<String>,
}

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// For instance C0101; all codes are listed without one.
    pub code: Option<String>,
}

#[derive(Debug, Args)]
pub struct ExplainCodeArgs {
    /// The C source file.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The function to look at.
    #[arg(long, value_name = "NAME")]
    pub function: String,
    /// The machine whose compiler, flags and processor count, by name or path; default: this processor.
    #[arg(long, value_name = "NAME|FILE")]
    pub machine: Option<String>,
    /// The C compiler with its flags; default: those of --machine, else cc -O2.
    #[arg(long, value_name = "COMMAND")]
    pub cc: Option<String>,
    /// The core to simulate, by name (cortex-a72, golden-cove, neoverse-n1, redwood-cove, skylake, zen4, zen5) or path; default: that of --machine, or of this processor.
    #[arg(long, value_name = "NAME|FILE")]
    pub core: Option<String>,
    /// Use the compiler of a machine file whatever it is.
    #[arg(long)]
    pub trust: bool,
    #[command(flatten)]
    pub preprocessor: PreprocessorArgs,
    /// Text for people, or JSON.
    #[arg(long, value_enum, default_value_t = CodeFormat::Text)]
    pub format: CodeFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CodeFormat {
    Text,
    Json,
}
