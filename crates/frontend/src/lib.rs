//! The C front end: from source files to the intermediate representation, with the user's own places.
//!
//! # Purpose
//!
//! `program` preprocesses, parses and lowers all translation units, and links them to one `chronos_ir::Program`. The
//! crate knows neither costs nor what an MPI call means.
//!
//! # How it works
//!
//! 1. **Commands** (`flags`, `database`, `trust`): the compiler and the flags come from `--cc` or from
//!    `compile_commands.json`. A database comes with a project, so only known C compilers of the search path are run
//!    for it, and only with flags that are known to be harmless.
//! 2. **Preprocessing** (`preprocess`, `headers`): the user's C compiler runs with `-E`, so its own headers, macros
//!    and flags apply. Bundled `mpi.h`, `omp.h` and `chronos.h` stand in for installed ones. `macros` overrides macros
//!    of the source for `--set`.
//! 3. **Text** (`neutralise`, `trim`, `packing`, `nesting`): extensions that the parser does not take are rewritten
//!    within their line, unused prototypes of headers are left out, and the depth of nesting is checked before
//!    anything recurses.
//! 4. **Parsing** (`parse`, `pieces`, `reader`): lang-c parses long units in pieces, side by side. `lines` and
//!    `lines/align.rs` lead from preprocessed text back to line and column of the user's own text.
//! 5. **Lowering** (`lower`): names are resolved, types laid out, implicit conversions made explicit, constant
//!    expressions folded and control flow brought into regions. Blocks are formed by `chronos_ir::build`.
//!    `lower/linkage.rs` joins functions and variables of several units.
//!
//! **Parameters.** For `--symbolic NAME` the text of a macro gets a marker that is 0 in an `#if` and a name elsewhere
//! (`symbolic.rs`). So directives see the value that the source gives, while the lowering reads a variable that
//! nothing writes (`lower/parameters.rs`). Macros in terms of others stay symbolic by expansion. Static initialisers
//! become sums of parameters (`lower/affine.rs`). Where C wants a constant, the source's own value is used and
//! reported.
//!
//! **Offsets.** Crate `chronos_instrument` needs places as offsets into the preprocessed text; `offsets` lowers the
//! same text with them. Its blocks are those of every other command. With `SourceOptions::constants_as_names` the
//! constants of `mpi.h` stay names.
//!
//! # Invariants
//!
//! - There is no program exactly where a diagnostic is an error.
//! - Block numbers and diagnostics do not depend on the number of threads: ids of files are given unit by unit in the
//!   order of the files.
//! - Rewriting the text keeps its lines, or leaves a marker that says where they were; columns are found again by
//!   token.
//! - The random name of the folder with the bundled headers never appears in output; places in it are
//!   `<chronos>/mpi.h`.
//! - A source cannot bring files into a report that it could not include (`quoting`).
//! - An unsupported construct is an operation with an unknown result and a diagnostic (C0152), and the rest of the
//!   program is analysed as usual.
//!
//! # Limits
//!
//! - The parser takes C11 with GNU extensions, old definitions among them: 99.6 % of what gcc accepts after
//!   preprocessing. It takes no nested
//!   functions, computed `goto`, vendor intrinsics or C23 (C0105).
//! - Nesting is limited to 20,000 levels of blocks, brackets and operators (docs/limits.md); the parser has a stack of
//!   1 GiB.
//! - Complex numbers have layout and copies, but their arithmetic is unknown.
//! - Layout is that of the System V ABIs for x86, for LP64 and ILP32, and of AAPCS64 for aarch64.
//! - Pragmas are reported and not modelled, `#pragma pack` and those of OpenMP apart (`parsing::openmp`).
//! - `va_arg` reads what direct calls stored; after a call through a pointer its values are unknown.
//!
//! # Literature
//!
//! - ISO/IEC 9899:2011 (C11): 5.2.4.1 (translation limits), 6.5.2.2 and 6.5.16 (order of evaluation).
//! - System V Application Binary Interface for i386 and AMD64: layout of types and `va_list`.
//! - The GCC manual, "Structure-Layout Pragmas": `#pragma pack`.

#![forbid(unsafe_code)]

pub mod codes;
mod database;
pub mod dialect;
pub mod flags;
pub mod lower;
pub mod offsets;
mod options;
mod parameters;
mod parsing;
mod preprocessing;
mod reader;
mod source_text;
mod sources;
#[cfg(test)]
mod tests;
pub mod trust;

pub use database::{Database, FILE_NAME as DATABASE_NAME};
pub use flags::{Command, split as split_command};
pub use options::SourceOptions;
pub use parsing::neutralise::{AUTO_TYPE, SAME_AS_CONDITION};
pub use preprocessing::definitions::{MacroDefinition, Setting};
pub use preprocessing::free_macros::FreeName;
pub use preprocessing::headers;
pub use reader::Preprocessed;
pub use source_text::file_text::normalized;
pub use source_text::line_table::LineTable;
pub use sources::{Failure, Piece, Sources, Unit};
pub use trust::Trust;

use chronos_base::diag::Diagnostic;
use chronos_base::governor::{self, Phase};
use chronos_base::span::SourceFiles;
use chronos_ir::Program;
use std::sync::Arc;

/// Reads and lowers all files to one program. `None` exactly where a diagnostic is an error; the
/// files are those that the diagnostics' places name.
pub fn program(options: &SourceOptions) -> (Option<Program>, Arc<SourceFiles>, Vec<Diagnostic>) {
    let preprocessed = {
        let _phase = governor::enter(Phase::Preprocessing, None);
        preprocess(options)
    };
    match preprocessed {
        Ok(preprocessed) => program_of(&preprocessed),
        Err(failure) => (None, Arc::new(failure.files), failure.diagnostics),
    }
}

/// [`program`], from text that is preprocessed already.
pub fn program_of(preprocessed: &Preprocessed) -> (Option<Program>, Arc<SourceFiles>, Vec<Diagnostic>) {
    let parsed = {
        let _phase = governor::enter(Phase::Parsing, None);
        preprocessed.parse()
    };
    match parsed {
        Ok((sources, diagnostics)) => {
            let _phase = governor::enter(Phase::Lowering, None);
            let result = lowered(&sources, diagnostics);
            discard(sources);
            result
        }
        Err(failure) => (None, Arc::new(failure.files), failure.diagnostics),
    }
}

/// Frees the trees aside: it takes as long as lowering them, and as much stack as parsing them.
fn discard(sources: Sources) {
    let spawned = std::thread::Builder::new().stack_size(parsing::parser::STACK_BYTES).spawn(move || drop(sources));
    // Without a thread they were freed by the failed attempt.
    drop(spawned);
}

fn lowered(
    sources: &Sources,
    mut diagnostics: Vec<Diagnostic>,
) -> (Option<Program>, Arc<SourceFiles>, Vec<Diagnostic>) {
    let constants = sources.settings.iter().filter(|setting| !setting.is_macro);
    let set = constants.map(|setting| (setting.name.clone(), setting.value.clone())).collect();
    let settings = lower::Settings { set, symbolic: sources.free.clone(), c_library: sources.c_library };
    let (mut program, found) = lower::lower_sources(sources, &settings);
    program.settable.extend(sources.macros.iter().map(|definition| definition.name.clone()));
    diagnostics.extend(undeclared_values(found, &sources.settings));
    diagnostics.extend(parsing::pragmas::not_modelled(&sources.pragmas));
    diagnostics.extend(parsing::pragmas::threads_not_given(&program));
    diagnostics.extend(parsing::pragmas::symbolic_threads(&program, !sources.free.is_empty()));
    let unused = sources.settings.iter().filter(|s| !s.is_macro && !program.settable.contains(&s.name));
    diagnostics.extend(unused.map(|setting| parameters::unused_in(&program, &setting.name)));
    // A name that was refused is not told to be missing as well.
    if diagnostics.iter().all(|diagnostic| diagnostic.code != &codes::BAD_SYMBOLIC) {
        diagnostics.extend(parameters::without_parameter(&program, &sources.free));
    }
    let files = program.files.clone();
    let wrong = diagnostics.iter().any(Diagnostic::is_error);
    ((!wrong).then_some(program), files, diagnostics)
}

/// Names that the value of a `--set` brings into the source are told once, not wherever the macro stands.
fn undeclared_values(found: Vec<Diagnostic>, settings: &[Setting]) -> Vec<Diagnostic> {
    let mut told: Vec<Diagnostic> = Vec::new();
    for diagnostic in found {
        let of_setting = settings.iter().find(|setting| {
            let name = setting.value.trim();
            diagnostic.code == &lower::codes::UNDECLARED && diagnostic.message == lower::not_declared(name)
        });
        let Some(Setting { name, value, .. }) = of_setting.filter(|setting| setting.is_macro) else {
            told.push(diagnostic);
            continue;
        };
        let message = format!("`--set {name}={value}`: {}", diagnostic.message);
        if !told.iter().any(|known| known.message == message) {
            let help = format!("give a number, or an expression that the source knows, for instance --set {name}=1000");
            told.push(Diagnostic { labels: Vec::new(), ..Diagnostic::error(&codes::BAD_SETTING, message).help(help) });
        }
    }
    told
}

/// Preprocesses and parses all files.
///
/// # Errors
/// Exactly where a diagnostic is an error.
pub fn read(options: &SourceOptions) -> Result<(Sources, Vec<Diagnostic>), Box<Failure>> {
    preprocess(options)?.parse()
}

/// Runs the preprocessor alone, for whoever wants to time the rest without it.
///
/// # Errors
/// Where the compiler's command is wrong or there is no room for temporary files; what is wrong with a
/// source is kept for [`Preprocessed::parse`].
pub fn preprocess(options: &SourceOptions) -> Result<Preprocessed, Box<Failure>> {
    let failed =
        |error: Box<Diagnostic>| Box::new(Failure { files: SourceFiles::default(), diagnostics: vec![*error] });
    let mut free = preprocessing::free_macros::free_names(&options.symbolic, &options.settings).map_err(failed)?;
    let mut preprocessor = preprocessing::preprocessor::Preprocessor::new(options).map_err(failed)?;
    preprocessor.free_defines(&mut free).map_err(failed)?;
    Ok(Preprocessed::new(options, preprocessor, free))
}
