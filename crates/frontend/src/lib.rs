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
//! - The parser takes C11 with GNU extensions: 99.6 % of what gcc accepts after preprocessing. It takes no nested
//!   functions, computed `goto`, vendor intrinsics or C23 (C0105).
//! - Nesting is limited to 20,000 levels of blocks, brackets and operators (docs/limits.md); the parser has a stack of
//!   1 GiB.
//! - Complex numbers have layout and copies, but their arithmetic is unknown.
//! - Layout is that of the System V ABIs for x86, for LP64 and ILP32, and of AAPCS64 for aarch64.
//! - Pragmas are reported and not modelled, `#pragma pack` apart.
//! - `va_arg` reads what direct calls stored; after a call through a pointer its values are unknown.
//! - OpenMP functions answer as for one thread.
//!
//! # Literature
//!
//! - ISO/IEC 9899:2011 (C11): 5.2.4.1 (translation limits), 6.5.2.2 and 6.5.16 (order of evaluation).
//! - System V Application Binary Interface for i386 and AMD64: layout of types and `va_list`.
//! - The GCC manual, "Structure-Layout Pragmas": `#pragma pack`.

#![forbid(unsafe_code)]

pub mod codes;
mod database;
pub mod flags;
pub mod lower;
pub mod offsets;
mod parameters;
mod parsing;
mod preprocessing;
mod reader;
mod source_text;
#[cfg(test)]
mod tests;
pub mod trust;

pub use database::{Database, FILE_NAME as DATABASE_NAME};
pub use flags::{Command, split as split_command};
pub use parsing::neutralise::{AUTO_TYPE, SAME_AS_CONDITION};
pub use preprocessing::free_macros::FreeName;
pub use preprocessing::headers;
pub use reader::Preprocessed;
pub use source_text::line_table::LineTable;
pub use trust::Trust;

use chronos_base::diag::Diagnostic;
use chronos_base::governor::{self, Phase};
use chronos_base::span::{FileId, SourceFiles, Span};
use chronos_base::spelling::nearest;
use chronos_ir::{DataModel, Program};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// What the command line says of the sources.
#[derive(Clone, Debug, Default)]
pub struct SourceOptions {
    /// One translation unit each, in the order given.
    pub files: Vec<PathBuf>,
    /// The C compiler's command with flags, quoted as for a shell; empty means `cc`, or that of `commands`.
    pub cc: String,
    /// Commands of single files, by their name in `files`; a [`Database`] has them.
    pub commands: HashMap<PathBuf, Command>,
    /// `-D`: `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// `-I`.
    pub includes: Vec<PathBuf>,
    /// `--set`: name and value, for macros and constants that the source itself defines.
    pub settings: Vec<(String, String)>,
    /// `--symbolic`: names of macros, constants and arguments (`argv1`) that have no value.
    pub symbolic: Vec<String>,
    /// MPI's constants stay names in the preprocessed text, for whoever compiles it ([`offsets`]).
    pub constants_as_names: bool,
    /// Of the machine to predict for; `-m32` among the compiler's flags asks for ILP32 as well.
    pub model: DataModel,
}

/// One translation unit.
#[derive(Debug)]
pub struct Unit {
    /// The file that the command line named.
    pub file: FileId,
    /// Its declarations in their order.
    pub pieces: Vec<Piece>,
    /// The way from the unit's text back to the user's lines.
    pub lines: LineTable,
    /// Names that `#pragma weak` declares weak.
    pub weak: Vec<String>,
}

/// Declarations that were parsed together.
#[derive(Debug)]
pub struct Piece {
    /// The syntax tree; its spans are offsets before `shift`.
    pub ast: lang_c::ast::TranslationUnit,
    /// What to add, modulo 2^64, to an offset in the tree to get that in the unit's text.
    pub shift: usize,
}

impl Piece {
    /// A range of the unit's text, as a node of the tree has it.
    pub fn range(&self, span: lang_c::span::Span) -> lang_c::span::Span {
        shifted(span, self.shift)
    }
}

fn shifted(span: lang_c::span::Span, shift: usize) -> lang_c::span::Span {
    if span.is_none() {
        return span;
    }
    lang_c::span::Span::span(span.start.wrapping_add(shift), span.end.wrapping_add(shift))
}

/// A `--set`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The macro or constant.
    pub name: String,
    /// The text that replaces its value.
    pub value: String,
    /// A macro of the source was overridden. Where false, it must name a constant
    /// (else [`unused_setting`] is the diagnostic to return).
    pub(crate) is_macro: bool,
}

/// An object-like macro that the user's files define.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MacroDefinition {
    /// The name of the macro.
    pub name: String,
    /// Its replacement as written, comments excluded.
    pub body: String,
    /// Where it is defined.
    pub span: Span,
}

/// All translation units, parsed.
#[derive(Debug)]
pub struct Sources {
    /// The command line's files first, in their order.
    pub files: SourceFiles,
    /// Translation units in the order of the files.
    pub units: Vec<Unit>,
    /// `#pragma` lines of the user's files with their text after `#pragma`, each place once.
    pub pragmas: Vec<(String, Span)>,
    /// What `--set` overrides, in the order given.
    pub settings: Vec<Setting>,
    /// Names that are left free, in the order given.
    pub free: Vec<FreeName>,
    /// Object-like macros of the user's files, by place.
    pub macros: Vec<MacroDefinition>,
    /// `options.model`, or what the compiler's flags say.
    pub model: DataModel,
}

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
    let settings = lower::Settings { set, symbolic: sources.free.clone() };
    let (mut program, found) = lower::lower_sources(sources, &settings);
    program.settable.extend(sources.macros.iter().map(|definition| definition.name.clone()));
    diagnostics.extend(undeclared_values(found, &sources.settings));
    diagnostics.extend(parsing::pragmas::not_modelled(&sources.pragmas));
    let unused = sources.settings.iter().filter(|s| !s.is_macro && !program.settable.contains(&s.name));
    diagnostics.extend(unused.map(|setting| unused_in(&program, &setting.name)));
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

/// Why sources could not be read.
#[derive(Debug)]
pub struct Failure {
    /// What the places of the diagnostics name.
    pub files: SourceFiles,
    /// At least one error.
    pub diagnostics: Vec<Diagnostic>,
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

/// The error for a `--set` that neither a macro nor a constant of the source answers to.
/// `known` are names that could have been meant.
pub(crate) fn unused_setting(name: &str, known: &[String]) -> Diagnostic {
    let help = match nearest(name, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `--set {near}=...`? To define a macro that the source does not, use -D"),
        None => format!(
            "--set overrides a macro or constant that the source itself defines{}; to define another macro, use -D",
            parameters::listed_names(", here ", known)
        ),
    };
    Diagnostic::error(&codes::UNUSED_SETTING, format!("no macro or constant of the program is named `{name}`"))
        .help(help)
}

/// The same, where the name may be that of a local variable.
fn unused_in(program: &Program, name: &str) -> Diagnostic {
    match parameters::local_variable(program, name) {
        Some(span) => {
            Diagnostic::error(&codes::UNUSED_SETTING, format!("no macro or constant of the program is named `{name}`"))
                .label(span, "this is a local variable")
                .help(format!(
                    "initialise it with a macro (`#define SIZE ...`, `{name} = SIZE`), and set that: --set SIZE=..."
                ))
        }
        None => unused_setting(name, &program.settable),
    }
}
