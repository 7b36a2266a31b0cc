//! What the units of a program define for each other.

use crate::lower::codes;
use chronos_base::diag::Diagnostic;
use chronos_base::hash::{FxHashMap, FxHashSet};
use chronos_base::ids::Id;
use chronos_base::span::{FileId, Span};
use chronos_ir::raw::RawFunction;
use chronos_ir::types::TypeId;
use chronos_ir::{FuncId, VarId};
use lang_c::ast::FunctionDefinition;
use lang_c::span::Node;

/// A function to lower.
#[derive(Clone, Copy)]
pub struct Definition<'a> {
    pub id: FuncId,
    /// Of the piece that it stands in.
    pub shift: usize,
    pub node: &'a Node<FunctionDefinition>,
}

/// What a unit defines.
#[derive(Default)]
pub(crate) struct UnitIndex<'a> {
    /// The user's functions by name.
    pub functions: FxHashMap<&'a str, FuncId>,
    /// Functions that system headers define (`static inline`), by name; they get an id when used.
    pub system: FxHashMap<&'a str, (&'a Node<FunctionDefinition>, usize)>,
}

/// What is known of all units.
#[derive(Default)]
pub(crate) struct Linkage<'a> {
    /// Functions with external linkage.
    pub functions: FxHashMap<&'a str, FuncId>,
    /// Variables with external linkage.
    pub variables: FxHashMap<&'a str, VarId>,
    /// Variables with an explicit initialiser.
    pub initialised: FxHashSet<VarId>,
    /// Variables that some unit defines, tentatively or with an initialiser.
    pub defined: FxHashSet<VarId>,
    pub diagnostics: Vec<Diagnostic>,
    /// Where variadic functions find their variable arguments.
    pub variable_arguments: FxHashMap<FuncId, VarId>,
    /// Functions and variables that were declared weak.
    pub weak: FxHashSet<&'a str>,
    /// Variables in sections whose functions the runtime calls, as they follow one another.
    pub runtime_arrays: Vec<(VarId, RuntimeArray)>,
    /// Where `main` is defined.
    pub mains: Vec<Span>,
}

/// A section with addresses of functions that the runtime calls (ELF, gABI, "Initialization and Termination Functions").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RuntimeArray {
    /// They are called before `main`, or else at the end.
    pub is_start: bool,
    /// The linker sorts by it.
    pub priority: i64,
}

impl Linkage<'_> {
    /// The error for sources of several executables.
    pub(crate) fn duplicate_main(&self) -> Option<Diagnostic> {
        if self.mains.len() < 2 {
            return None;
        }
        let message = format!("`main` is defined {} times: these are sources of several programs", self.mains.len());
        let help = "name the source files of one of them; beside a compile_commands.json, files and folders select its entries";
        let error = Diagnostic::error(&codes::SEVERAL_PROGRAMS, message).help(help);
        Some(self.mains.iter().fold(error, |error, main| error.label(*main, "")))
    }

    pub(crate) fn report_duplicate(&mut self, what: &str, name: &str, span: Span) {
        self.diagnostics.push(
            Diagnostic::error(&codes::DUPLICATE, format!("{what} `{name}` is defined more than once"))
                .label(span, "defined again here")
                .help("make one of the definitions static, rename it, or leave one of the files out"),
        );
    }
}

/// A function whose body is still to come.
pub(crate) fn placeholder(name: &str, span: Span, is_static: bool, unit: FileId) -> RawFunction {
    RawFunction { is_static, ..RawFunction::empty(name, span, unit, TypeId::new(0)) }
}
