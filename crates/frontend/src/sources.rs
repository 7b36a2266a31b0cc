//! What the front end reads, as data: translation units with their syntax trees.

use crate::dialect::Dialect;
use crate::preprocessing::definitions::{MacroDefinition, Setting};
use crate::preprocessing::free_macros::FreeName;
use crate::source_text::line_table::LineTable;
use chronos_base::diag::Diagnostic;
use chronos_base::span::{FileId, SourceFiles, Span};
use chronos_ir::openmp::RuntimeSchedule;
use chronos_ir::{CLibrary, DataModel, Departure};

/// One translation unit.
#[derive(Debug)]
pub struct Unit {
    /// The file that the command line named.
    pub file: FileId,
    /// Its declarations in their order.
    pub pieces: Vec<Piece>,
    /// The way from the unit's text back to the user's lines.
    pub lines: LineTable,
    /// Variables that each thread has for itself (`#pragma omp threadprivate`).
    pub threadprivate: Vec<String>,
    /// Names that `#pragma weak` declares weak.
    pub weak: Vec<String>,
    /// What its flags say about types and layout.
    pub dialect: Dialect,
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

pub(crate) fn shifted(span: lang_c::span::Span, shift: usize) -> lang_c::span::Span {
    if span.is_none() {
        return span;
    }
    lang_c::span::Span::span(span.start.wrapping_add(shift), span.end.wrapping_add(shift))
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
    /// What the flags of the units let their code do otherwise than the source says.
    pub departures: Vec<Departure>,
    /// What `--set` overrides, in the order given.
    pub settings: Vec<Setting>,
    /// Names that are left free, in the order given.
    pub free: Vec<FreeName>,
    /// Object-like macros of the user's files, by place.
    pub macros: Vec<MacroDefinition>,
    /// `options.model`, or what the compiler's flags say.
    pub model: DataModel,
    /// The C library that the program is linked with.
    pub c_library: CLibrary,
    /// Threads of a parallel region that asks for no other number; none where OpenMP is off.
    pub threads: Option<u32>,
    /// The command line says how many.
    pub threads_given: bool,
    /// Of loops that leave their schedule to the runtime of OpenMP.
    pub omp_schedule: Option<RuntimeSchedule>,
}

/// Why sources could not be read.
#[derive(Debug)]
pub struct Failure {
    /// What the places of the diagnostics name.
    pub files: SourceFiles,
    /// At least one error.
    pub diagnostics: Vec<Diagnostic>,
}
