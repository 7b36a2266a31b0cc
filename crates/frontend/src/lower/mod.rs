//! Lowering: from the syntax trees of all translation units to the program.
//!
//! Names are resolved, types laid out, implicit conversions made explicit, constant expressions
//! folded and control flow brought into regions; the blocks are then formed by
//! [`chronos_ir::build`]. This module must not know costs or the meaning of MPI calls.
//!
//! Functions that the user's files define have their ids before any body is lowered, so whether a
//! name is defined in the program is known at each call. What system headers declare or define is
//! looked at when it is used.

mod absent;
mod affine;
mod assignments;
mod atomics;
mod body;
mod builtins;
mod calls;
mod cleanups;
pub mod codes;
pub use expressions::not_declared;
mod constants;
mod conversions;
mod declarations;
mod declarators;
mod expressions;
mod free_sizes;
mod functions;
mod initialisers;
mod layout;
mod linkage;
mod lists;
mod literals;
mod logic;
mod loops;
mod modes;
mod operators;
mod parameters;
mod places;
mod qualifiers;
mod runtime;
mod scopes;
mod sequence;
mod specifiers;
mod statements;
mod structs;
mod switch;
#[cfg(test)]
mod tests;
mod types;
mod variadic;

use crate::{FreeName, Piece, Sources, shifted};
use body::Body;
use chronos_base::diag::{Code, Diagnostic};
use chronos_base::span::{FileId, Span};
use chronos_ir::raw::RawProgram;
use chronos_ir::types::StructId;
use chronos_ir::{DataModel, Program, StrId, build};
use lang_c::ast;
use linkage::Linkage;
use parameters::Parameters;
use scopes::Scopes;
use std::collections::HashMap;
use std::sync::Arc;
use types::Interner;

/// Deep nesting of the source means deep recursion here.
const STACK_BYTES: usize = 1 << 30;

/// A parsed translation unit.
#[derive(Clone, Copy)]
pub struct LowerInput<'a> {
    /// The syntax tree of the preprocessed text.
    pub ast: &'a ast::TranslationUnit,
    /// The place in the user's files of a range of the preprocessed text.
    pub span: &'a (dyn Fn(lang_c::span::Span) -> Span + Sync),
    /// The file of the unit.
    pub file: FileId,
    /// Whether a file is a system header: what it declares is looked at when used.
    pub is_system: &'a (dyn Fn(FileId) -> bool + Sync),
}

/// A unit in its pieces.
struct UnitInput<'a> {
    pieces: Vec<PieceInput<'a>>,
    span: &'a (dyn Fn(lang_c::span::Span) -> Span + Sync),
    file: FileId,
    is_system: &'a (dyn Fn(FileId) -> bool + Sync),
    /// Names that pragmas declare weak.
    weak: &'a [String],
}

impl<'a> From<&LowerInput<'a>> for UnitInput<'a> {
    fn from(input: &LowerInput<'a>) -> Self {
        let pieces = vec![PieceInput { ast: input.ast, shift: 0 }];
        Self { pieces, span: input.span, file: input.file, is_system: input.is_system, weak: &[] }
    }
}

/// See [`Piece`].
#[derive(Clone, Copy)]
struct PieceInput<'a> {
    ast: &'a ast::TranslationUnit,
    shift: usize,
}

impl<'a> From<&'a Piece> for PieceInput<'a> {
    fn from(piece: &'a Piece) -> Self {
        Self { ast: &piece.ast, shift: piece.shift }
    }
}

/// What the user overrides.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// `--set NAME=VALUE`: initialisers of file-scope scalars and values of enumerators.
    pub set: Vec<(String, String)>,
    /// `--symbolic NAME`: left free by later phases.
    pub symbolic: Vec<FreeName>,
}

/// Lowers and links all units. `files` and `pragmas` of the program are for the caller to fill in.
pub fn lower(units: &[LowerInput<'_>], model: DataModel, settings: &Settings) -> (Program, Vec<Diagnostic>) {
    let units: Vec<_> = units.iter().map(UnitInput::from).collect();
    lower_units(&units, model, settings)
}

fn lower_units(units: &[UnitInput<'_>], model: DataModel, settings: &Settings) -> (Program, Vec<Diagnostic>) {
    let run = || lower_here(units, model, settings);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, run);
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            // No memory for the large stack: ordinary sources do without.
            Err(_) => run(),
        }
    })
}

/// Lowers what the front end read, files and pragmas included.
pub fn lower_sources(sources: &Sources, settings: &Settings) -> (Program, Vec<Diagnostic>) {
    type SpanOf<'a> = Box<dyn Fn(lang_c::span::Span) -> Span + Sync + 'a>;
    type IsSystem<'a> = Box<dyn Fn(FileId) -> bool + Sync + 'a>;
    let maps: Vec<(SpanOf<'_>, IsSystem<'_>)> = sources
        .units
        .iter()
        .map(|unit| {
            let span: SpanOf<'_> = Box::new(|span| unit.lines.span(span));
            let is_system: IsSystem<'_> = Box::new(|file| !unit.lines.is_user_file(file));
            (span, is_system)
        })
        .collect();
    let inputs: Vec<UnitInput<'_>> = sources
        .units
        .iter()
        .zip(&maps)
        .map(|(unit, (span, is_system))| {
            let pieces = unit.pieces.iter().map(PieceInput::from).collect();
            UnitInput { pieces, span, file: unit.file, is_system, weak: &unit.weak }
        })
        .collect();
    let (mut program, diagnostics) = lower_units(&inputs, sources.model, settings);
    program.files = Arc::new(sources.files.clone());
    program.pragmas = sources.pragmas.clone();
    (program, diagnostics)
}

fn lower_here(units: &[UnitInput<'_>], model: DataModel, settings: &Settings) -> (Program, Vec<Diagnostic>) {
    let mut raw = RawProgram { model, ..RawProgram::default() };
    let mut linkage = Linkage::default();
    let indices: Vec<_> = units.iter().map(|unit| linkage.index(unit, &mut raw)).collect();
    if let Some(error) = linkage.several_programs() {
        // That other names are defined twice follows from it.
        return (build::build(RawProgram::default()), vec![error]);
    }
    let mut interner = Interner::new(&mut raw.types);
    let mut strings = HashMap::new();
    let mut free = Parameters::new(&settings.symbolic);
    let mut diagnostics = std::mem::take(&mut linkage.diagnostics);
    for (unit, index) in units.iter().zip(&indices) {
        let mut lowerer = Lowerer {
            unit,
            index,
            settings,
            program: raw,
            diagnostics,
            interner,
            strings,
            free,
            linkage,
            scopes: Scopes::new(),
            body: Body::default(),
            statics: HashMap::new(),
            system_functions: HashMap::new(),
            queue: Vec::new(),
            members: HashMap::new(),
            vectors: Vec::new(),
            prototype: 0,
            shift: 0,
        };
        lowerer.unit();
        Lowerer { program: raw, diagnostics, interner, strings, free, linkage, .. } = lowerer;
    }
    linkage.finish(&mut raw, &mut diagnostics);
    free.finish(&mut raw, &mut diagnostics);
    (build::build(raw), diagnostics)
}

/// Lowers one unit into the program.
pub(crate) struct Lowerer<'a> {
    unit: &'a UnitInput<'a>,
    index: &'a linkage::UnitIndex<'a>,
    settings: &'a Settings,
    program: RawProgram,
    diagnostics: Vec<Diagnostic>,
    interner: Interner,
    strings: HashMap<Vec<u8>, StrId>,
    free: Parameters<'a>,
    linkage: Linkage<'a>,
    scopes: Scopes<'a>,
    /// The function being lowered, or a scratch one at file scope.
    body: Body<'a>,
    /// File-scope statics of the unit.
    statics: HashMap<&'a str, chronos_ir::VarId>,
    /// Functions of system headers that were used, by name.
    system_functions: HashMap<&'a str, chronos_ir::FuncId>,
    /// Those of them that are still to be lowered.
    queue: Vec<linkage::Definition<'a>>,
    /// Members of the structs of this unit, for attributes that follow their braces.
    members: HashMap<StructId, Vec<layout::Member>>,
    /// Vectors of the compiler in this unit.
    vectors: Vec<modes::Vector>,
    /// Depth of parameter lists of functions that are only declared: array sizes do not matter there.
    prototype: u32,
    /// [`Piece::shift`] of what is lowered now.
    shift: usize,
}

impl<'a> Lowerer<'a> {
    fn span(&self, span: lang_c::span::Span) -> Span {
        (self.unit.span)(shifted(span, self.shift))
    }

    /// Lowers something of the piece with this shift.
    fn in_piece<T>(&mut self, shift: usize, lower: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.shift, shift);
        let result = lower(self);
        self.shift = outer;
        result
    }

    fn error(&mut self, code: &'static Code, span: lang_c::span::Span, message: String, help: &str) {
        let place = self.span(span);
        self.diagnostics.push(Diagnostic::error(code, message).label(place, "").help(help));
    }

    fn warning(&mut self, code: &'static Code, span: lang_c::span::Span, message: String, help: &str) {
        let place = self.span(span);
        self.diagnostics.push(Diagnostic::warning(code, message).label(place, "").help(help));
    }

    fn unsupported(&mut self, span: lang_c::span::Span, what: &str) {
        self.warning(
            &codes::UNSUPPORTED,
            span,
            format!("{what} is not supported; its result counts as unknown"),
            "rewrite it in standard C, or accept that values that depend on it are unknown",
        );
    }

    fn invalid(&mut self, span: lang_c::span::Span, message: &str) {
        self.error(
            &codes::INVALID,
            span,
            message.to_owned(),
            "compile the file with your C compiler to see what it says of it",
        );
    }
}
