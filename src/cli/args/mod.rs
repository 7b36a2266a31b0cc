//! The flags, defined once: parser, help, completions and man page come from here.
#![expect(clippy::doc_markdown, reason = "the terminal shows these texts, and knows no Markdown")]

mod examples;
mod groups;
mod limit;
mod machines;
mod predictions;
mod program;
mod runs;
mod scaling;
mod tools;
mod trace_out;
mod whatif;

use clap::{Parser, Subcommand, ValueEnum};
use examples::{
    CALIBRATE_EXAMPLES, CHECK_EXAMPLES, COMPARE_EXAMPLES, COUNT_EXAMPLES, INSTRUMENT_EXAMPLES, LSP_EXAMPLES,
    MACHINE_EXAMPLES, NETWORK_EXAMPLES, PREDICT_EXAMPLES, RECORD_EXAMPLES, REPLAY_EXAMPLES, REPORT_EXAMPLES,
    RUN_EXAMPLES, SCALE_EXAMPLES, TRACE_EXAMPLES, VALIDATE_EXAMPLES, WHATIF_EXAMPLES,
};
pub use groups::*;
pub use limit::Limit;
pub use machines::*;
pub use predictions::*;
pub use program::*;
pub use runs::*;
pub use scaling::*;
pub use tools::*;
pub use trace_out::{TraceKind, TraceOut};
pub use whatif::*;

/// Predicts how long a C/MPI program takes, per task, function and block, without running it.
#[derive(Debug, Parser)]
#[command(name = "chronos", version, max_term_width = 110, after_help = EXIT_CODES)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
    /// When to colour output (NO_COLOR is honoured).
    #[arg(long, global = true, value_enum, default_value_t = Colour::Auto, hide_short_help = true, help_heading = "Everywhere")]
    pub color: Colour,
    /// Print no warnings and notes.
    #[arg(short, long, global = true, help_heading = "Everywhere")]
    pub quiet: bool,
    /// Say what was evaluated, how long that took, and how many classes of tasks were followed.
    #[arg(short, long, global = true, conflicts_with = "quiet", help_heading = "Everywhere")]
    pub verbose: bool,
    /// Columns for tables and text; default: those of the terminal, no limit where output goes elsewhere.
    #[arg(long, global = true, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(20..), hide_short_help = true, help_heading = "Everywhere")]
    pub width: Option<u16>,
    /// How diagnostics are written to standard error: for people, a line each, or a line of JSON each.
    #[arg(long, global = true, value_enum, default_value_t = MessageFormat::Human, hide_short_help = true, help_heading = "Everywhere")]
    pub message_format: MessageFormat,
    /// Time and memory that the command may take: 10min, 8GiB, or both as time=10min,memory=8GiB; default: an hour (none where
    /// programs are run), and three quarters of the memory that is available.
    #[arg(long, global = true, value_name = "LIMIT", value_delimiter = ',', value_parser = limit::limit, hide_short_help = true, help_heading = "Everywhere")]
    pub limit: Vec<Limit>,
}

const EXIT_CODES: &str = "Exit codes: 0 done; 1 the prediction is incomplete or the program is wrong (deadlock, truncation, \
collective mismatch), or --fail-over was exceeded; 2 usage, unreadable or unparsable input.";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    /// With the lines of the source.
    Human,
    /// FILE:LINE:COLUMN: severity[CODE]: message.
    Short,
    /// An object per line, as in the field `diagnostics` of reports.
    Json,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Look through a program: what is covered, what is exact, what to type next.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArgs),
    /// Predict the time of a program on one or more machines.
    #[command(after_help = PREDICT_EXAMPLES, mut_arg("platforms", |platforms| platforms.conflicts_with("symbolic")))]
    Predict(Box<PredictArgs>),
    /// Compare programs, or two saved reports: which is best where.
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(CompareArgs),
    /// How a program scales with the number of tasks: models, the class it resembles, times of larger machines.
    #[command(after_help = SCALE_EXAMPLES, mut_arg("tasks", scaling::numbers_to_fit))]
    Scale(Box<ScaleArgs>),
    /// What changes would save: faster functions, other placements and networks, moved or balanced work; without a change: what is
    /// worth doing, and the efficiencies.
    #[command(name = "whatif", after_help = WHATIF_EXAMPLES, mut_arg("files", whatif::files_and_changes), mut_arg("arguments", |arg| arg.index(2)), mut_arg("model", |arg| arg.hide(true)))]
    WhatIf(Box<WhatIfArgs>),
    /// Count how often every block and line of a program is executed.
    #[command(after_help = COUNT_EXAMPLES, mut_arg("format", predictions::format_of_counts))]
    Count(CountArgs),
    /// Make a page for the browser from a saved report.
    #[command(after_help = REPORT_EXAMPLES)]
    Report(ReportArgs),
    /// Compile and run a program here, and compare its times with the predicted ones.
    #[command(after_help = VALIDATE_EXAMPLES)]
    Validate(ValidateArgs),
    /// Replay a schedule of another tool (GOAL) on a network.
    #[command(after_help = REPLAY_EXAMPLES)]
    Replay(ReplayArgs),
    /// Write the sources with trace points, to be compiled and run anywhere.
    #[command(after_help = INSTRUMENT_EXAMPLES)]
    Instrument(InstrumentArgs),
    /// Run a program once and keep what statics cannot know: instrument, compile, run, collect.
    #[command(after_help = TRACE_EXAMPLES)]
    Trace(TraceArgs),
    /// Run a program here in virtual time: what it computes and sends is executed, how long it takes is simulated.
    ///
    /// For programs that static evaluation cannot follow: any C/MPI program has a complete report. Tasks are processes of this
    /// machine on the bundled MPI.
    #[command(after_help = RUN_EXAMPLES, mut_arg("trace", |arg| arg.hide(true)), mut_arg("share_trace", |arg| arg.hide(true)),
        mut_arg("recorded", |arg| arg.hide(true).conflicts_with("files")), mut_arg("model", |arg| arg.hide(true)), mut_arg("os_share", |arg| arg.hide(true)),
        mut_arg("machine_ratio", |arg| arg.hide(true)), mut_arg("re_match", |arg| arg.hide(true)),
        mut_arg("calibrated_by", |arg| arg.hide(true).conflicts_with("files")), mut_arg("calibrated_on", |arg| arg.hide(true)))]
    Run(Box<RunArgs>),
    /// Record a run on an MPI: processor time between MPI calls, and the calls, for `predict --recorded`.
    ///
    /// The program is compiled as it is, with a recorder in front of MPI, or an executable is run with one (--exe). Other programs
    /// on the machine lengthen the run and not what is recorded of it.
    #[command(after_help = RECORD_EXAMPLES)]
    Record(RecordArgs),
    /// Measure this workstation and write a machine file, or a network with its MPI library and write a network file.
    #[command(after_help = CALIBRATE_EXAMPLES)]
    Calibrate(CalibrateArgs),
    /// List, show, check, compare or scale machine files.
    #[command(after_help = MACHINE_EXAMPLES)]
    Machine(MachineArgs),
    /// List, show or check network files, or make one of measured message times.
    #[command(after_help = NETWORK_EXAMPLES)]
    Network(NetworkArgs),
    /// Print an intermediate form of a program.
    #[command(after_help = "Example:\n  chronos dump pi.c --phase program")]
    Dump(DumpArgs),
    /// Say more about a diagnostic code.
    #[command(after_help = "Example:\n  chronos explain C0306")]
    Explain(ExplainArgs),
    /// Show what the compiler made of a function: instructions beside their lines, loops with cycles per iteration.
    #[command(
        after_help = "Example:\n  chronos explain-code dot.c --function dot --cc \"gcc -O3 -march=native\" --core zen5"
    )]
    ExplainCode(ExplainCodeArgs),
    /// Show counts and times of lines in an editor (language server protocol).
    #[command(after_help = LSP_EXAMPLES)]
    Lsp(LspArgs),
    /// Print the JSON schema of a format, or the list of formats.
    #[command(after_help = "Examples:\n  chronos schema\n  chronos schema report > chronos-report-1.json")]
    Schema(SchemaArgs),
    /// Print chronos.h, for assumptions in the source.
    #[command(after_help = "Example:\n  chronos header > chronos.h")]
    Header,
    /// Print a completion script for a shell.
    #[command(
        after_help = "Example:\n  chronos completions bash > ~/.local/share/bash-completion/completions/chronos\n  chronos completions zsh > ~/.zfunc/_chronos\n  chronos completions fish > ~/.config/fish/completions/chronos.fish"
    )]
    Completions {
        /// The shell that will read it.
        shell: clap_complete::Shell,
    },
    /// Print the man page, of chronos or of one of its commands.
    #[command(
        name = "man",
        after_help = "Examples:\n  chronos man | man -l -\n  chronos man predict > chronos-predict.1\n  chronos man -o ~/.local/share/man/man1"
    )]
    Manual(ManualArgs),
}
