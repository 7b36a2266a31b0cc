//! What the command line says of the sources.

use crate::flags::Command;
use chronos_base::hash::FxHashMap;
use chronos_ir::openmp::RuntimeSchedule;
use chronos_ir::{CLibrary, DataModel};
use std::path::PathBuf;

/// What the command line says of the sources.
#[derive(Clone, Debug, Default)]
pub struct SourceOptions {
    /// One translation unit each, in the order given.
    pub files: Vec<PathBuf>,
    /// The C compiler's command with flags, quoted as for a shell; empty means `cc`, or that of `commands`.
    pub cc: String,
    /// Commands of single files, by their name in `files`; a [`Database`](crate::Database) has them.
    pub commands: FxHashMap<PathBuf, Command>,
    /// `-D`: `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// `-I`.
    pub includes: Vec<PathBuf>,
    /// `--set`: name and value, for macros and constants that the source itself defines.
    pub settings: Vec<(String, String)>,
    /// `--symbolic`: names of macros, constants and arguments (`argv1`) that have no value.
    pub symbolic: Vec<String>,
    /// MPI's constants stay names in the preprocessed text, for whoever compiles it ([`offsets`](crate::offsets)).
    pub constants_as_names: bool,
    /// Of the machine to predict for; `-m32` among the compiler's flags asks for ILP32 as well.
    pub model: DataModel,
    /// The C library that the program is linked with.
    pub c_library: CLibrary,
    /// Threads of a task: compilers are asked for OpenMP.
    pub threads: Option<u32>,
    /// Of loops that leave their schedule to the runtime of OpenMP.
    pub omp_schedule: Option<RuntimeSchedule>,
}
