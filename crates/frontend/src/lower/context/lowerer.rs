//! The state of lowering one unit, and how it reports what is wrong.
use super::body::Body;
use super::free_names::Parameters;
use super::interner::{Interner, Vector};
use super::layout::Member;
use super::linkage::{Definition, Linkage, UnitIndex};
use super::scopes::Scopes;
use crate::dialect::Dialect;
use crate::lower::input::{LowerInput, Settings};
use crate::sources::{Piece, shifted};
use chronos_base::diag::{Code, Diagnostic};
use chronos_base::hash::FxHashMap;
use chronos_base::span::{FileId, Span};
use chronos_ir::StrId;
use chronos_ir::raw::RawProgram;
use chronos_ir::types::{ScalarType, StructId};
use lang_c::ast;

/// Lowers one unit into the program.
pub(crate) struct Lowerer<'a> {
    pub unit: &'a UnitInput<'a>,
    pub index: &'a UnitIndex<'a>,
    pub settings: &'a Settings,
    pub program: RawProgram,
    pub diagnostics: Vec<Diagnostic>,
    pub interner: Interner,
    pub strings: FxHashMap<Vec<u8>, StrId>,
    pub free: Parameters<'a>,
    pub linkage: Linkage<'a>,
    pub scopes: Scopes<'a>,
    /// The function being lowered, or a scratch one at file scope.
    pub body: Body<'a>,
    /// File-scope statics of the unit.
    pub statics: FxHashMap<&'a str, chronos_ir::VarId>,
    /// Functions of system headers that were used, by name.
    pub system_functions: FxHashMap<&'a str, chronos_ir::FuncId>,
    /// Those of them that are still to be lowered.
    pub queue: Vec<Definition<'a>>,
    /// Members of the structs of this unit, for attributes that follow their braces.
    pub members: FxHashMap<StructId, Vec<Member>>,
    /// Vectors of the compiler in this unit.
    pub vectors: Vec<Vector>,
    /// Depth of parameter lists of functions that are only declared: array sizes do not matter there.
    pub prototype: u32,
    /// [`Piece::shift`] of what is lowered now.
    pub shift: usize,
}

impl Lowerer<'_> {
    /// `char` without a word on its sign, in this unit.
    pub(crate) fn plain_char(&self) -> ScalarType {
        match self.unit.dialect.unsigned_char {
            Some(true) => ScalarType::U8,
            Some(false) => ScalarType::I8,
            None => self.program.model.plain_char(),
        }
    }

    pub(crate) fn span(&self, span: lang_c::span::Span) -> Span {
        (self.unit.span)(shifted(span, self.shift))
    }

    /// Lowers something of the piece with this shift.
    pub(crate) fn in_piece<T>(&mut self, shift: usize, lower: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.shift, shift);
        let result = lower(self);
        self.shift = outer;
        result
    }

    pub(crate) fn error(&mut self, code: &'static Code, span: lang_c::span::Span, message: String, help: &str) {
        let place = self.span(span);
        self.diagnostics.push(Diagnostic::error(code, message).label(place, "").help(help));
    }

    pub(crate) fn warning(&mut self, code: &'static Code, span: lang_c::span::Span, message: String, help: &str) {
        let place = self.span(span);
        self.diagnostics.push(Diagnostic::warning(code, message).label(place, "").help(help));
    }

    pub(crate) fn unsupported(&mut self, span: lang_c::span::Span, what: &str) {
        self.warning(
            &crate::lower::codes::UNSUPPORTED,
            span,
            format!("{what} is not supported; its result counts as unknown"),
            "rewrite it in standard C, or accept that values that depend on it are unknown",
        );
    }

    pub(crate) fn invalid(&mut self, span: lang_c::span::Span, message: &str) {
        self.error(
            &crate::lower::codes::INVALID,
            span,
            message.to_owned(),
            "compile the file with your C compiler to see what it says of it",
        );
    }
}

/// A unit in its pieces.
pub(crate) struct UnitInput<'a> {
    pub pieces: Vec<PieceInput<'a>>,
    pub span: &'a (dyn Fn(lang_c::span::Span) -> Span + Sync),
    pub file: FileId,
    pub is_system: &'a (dyn Fn(FileId) -> bool + Sync),
    /// Names that pragmas declare weak.
    pub weak: &'a [String],
    /// Variables that each thread has for itself.
    pub threadprivate: &'a [String],
    /// What the unit's flags say about types and layout.
    pub dialect: Dialect,
}

impl<'a> From<&LowerInput<'a>> for UnitInput<'a> {
    fn from(input: &LowerInput<'a>) -> Self {
        let pieces = vec![PieceInput { ast: input.ast, shift: 0 }];
        Self {
            pieces,
            span: input.span,
            file: input.file,
            is_system: input.is_system,
            weak: &[],
            threadprivate: &[],
            dialect: Dialect::default(),
        }
    }
}

/// See [`Piece`].
#[derive(Clone, Copy)]
pub(crate) struct PieceInput<'a> {
    pub ast: &'a ast::TranslationUnit,
    pub shift: usize,
}

impl<'a> From<&'a Piece> for PieceInput<'a> {
    fn from(piece: &'a Piece) -> Self {
        Self { ast: &piece.ast, shift: piece.shift }
    }
}
