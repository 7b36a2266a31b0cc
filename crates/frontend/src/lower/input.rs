//! What is lowered, and what the user overrides of it.

use crate::FreeName;
use chronos_base::span::{FileId, Span};
use chronos_ir::CLibrary;
use lang_c::ast;

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

/// What the user overrides.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// `--set NAME=VALUE`: initialisers of file-scope scalars and values of enumerators.
    pub set: Vec<(String, String)>,
    /// `--symbolic NAME`: left free by later phases.
    pub symbolic: Vec<FreeName>,
    /// The C library that the program is linked with.
    pub c_library: CLibrary,
}
