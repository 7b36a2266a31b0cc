//! Linkage: functions and variables of several units that are the same.

use super::runtime::{aliased, extensions};
use super::{PieceInput, UnitInput, codes};
use crate::shifted;
use chronos_base::diag::Diagnostic;
use chronos_base::ids::{Id, Table};
use chronos_base::span::{FileId, Span};
use chronos_ir::raw::{RawFunction, RawItem, RawProgram, RawRegion};
use chronos_ir::types::TypeId;
use chronos_ir::{Arg, Call, Callee, Const, FuncId, Operand, VarId};
use lang_c::ast::{
    DeclarationSpecifier, Declarator, DeclaratorKind, ExternalDeclaration, FunctionDefinition, FunctionSpecifier,
    StorageClassSpecifier,
};
use lang_c::span::Node;
use std::collections::{HashMap, HashSet};

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
    pub functions: HashMap<&'a str, FuncId>,
    /// Functions that system headers define (`static inline`), by name; they get an id when used.
    pub system: HashMap<&'a str, (&'a Node<FunctionDefinition>, usize)>,
}

/// What is known of all units.
#[derive(Default)]
pub(crate) struct Linkage<'a> {
    /// Functions with external linkage.
    pub functions: HashMap<&'a str, FuncId>,
    /// Variables with external linkage.
    pub variables: HashMap<&'a str, VarId>,
    /// Variables with an explicit initialiser.
    pub initialised: HashSet<VarId>,
    /// Variables that some unit defines, tentatively or with an initialiser.
    pub defined: HashSet<VarId>,
    pub diagnostics: Vec<Diagnostic>,
    /// Where variadic functions find their variable arguments.
    pub variable_arguments: HashMap<FuncId, VarId>,
    /// Functions and variables that were declared weak.
    pub weak: HashSet<&'a str>,
    /// Variables in sections whose functions the runtime calls, as they follow one another.
    pub(crate) runtime_arrays: Vec<(VarId, RuntimeArray)>,
    /// Where `main` is defined.
    mains: Vec<Span>,
}

impl<'a> Linkage<'a> {
    /// Gives the functions that a unit's own files define their ids.
    pub fn index(&mut self, unit: &UnitInput<'a>, program: &mut RawProgram) -> UnitIndex<'a> {
        let mut index = UnitIndex::default();
        let mut statics = HashSet::new();
        for (piece, node) in unit.pieces.iter().flat_map(|piece| piece.ast.0.iter().map(move |node| (*piece, node))) {
            match &node.node {
                ExternalDeclaration::Declaration(declaration) if is_static(&declaration.node.specifiers) => {
                    let declarators = &declaration.node.declarators;
                    statics.extend(declarators.iter().filter_map(|d| name_of(&d.node.declarator.node)));
                }
                ExternalDeclaration::FunctionDefinition(definition) => {
                    self.index_function((unit, piece), definition, &statics, &mut index, program);
                }
                _ => {}
            }
        }
        self.aliases(unit, &mut index);
        index
    }

    /// Further names of functions that the unit defines.
    fn aliases(&mut self, unit: &UnitInput<'a>, index: &mut UnitIndex<'a>) {
        for node in unit.pieces.iter().flat_map(|piece| piece.ast.0.iter()) {
            let ExternalDeclaration::Declaration(declaration) = &node.node else { continue };
            let specifiers = &declaration.node.specifiers;
            for declarator in declaration.node.declarators.iter().map(|d| &d.node.declarator.node) {
                let target = aliased(extensions(specifiers, declarator)).and_then(|name| index.functions.get(name));
                if let (Some(name), Some(&id)) = (name_of(declarator), target) {
                    index.functions.insert(name, id);
                    if !is_static(specifiers) {
                        self.functions.entry(name).or_insert(id);
                    }
                }
            }
        }
    }

    fn index_function(
        &mut self,
        (unit, piece): (&UnitInput<'a>, PieceInput<'a>),
        node: &'a Node<FunctionDefinition>,
        statics: &HashSet<&'a str>,
        index: &mut UnitIndex<'a>,
        program: &mut RawProgram,
    ) {
        let Some(name) = name_of(&node.node.declarator.node) else { return };
        let place = |span| (unit.span)(shifted(span, piece.shift));
        let span = place(node.node.declarator.span).to(place(node.span));
        if (unit.is_system)(span.file) {
            index.system.insert(name, (node, piece.shift));
            return;
        }
        let is_static = is_static(&node.node.specifiers) || statics.contains(name);
        let local = is_static || is_inline(&node.node.specifiers);
        if name == "main" && !local {
            self.mains.push(span);
        }
        if index.functions.contains_key(name) || (!local && self.functions.contains_key(name)) {
            self.report_duplicate("function", name, span);
            if index.functions.contains_key(name) {
                return;
            }
        }
        let id = program.functions.push(placeholder(name, span, is_static, unit.file));
        index.functions.insert(name, id);
        if !local {
            self.functions.entry(name).or_insert(id);
            if name == "main" {
                program.main.get_or_insert(id);
            }
            // Nothing in the text calls it.
            program.functions[id].address_taken |= name.starts_with(chronos_ir::SPAWNED_MAIN);
        }
    }

    /// The error for sources of several executables.
    pub(crate) fn several_programs(&self) -> Option<Diagnostic> {
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

    /// Settles what only the whole program tells: undefined variables, arguments of calls without prototype.
    pub fn finish(mut self, program: &mut RawProgram, diagnostics: &mut Vec<Diagnostic>) {
        for (id, variable) in program.variables.iter_mut() {
            if variable.storage == chronos_ir::Storage::Global && !self.defined.contains(&id) {
                variable.undefined = true;
                variable.init = None;
            }
        }
        self.enter_runtime_arrays(program);
        crate::lower::absent::replace(program, &self.absent(program));
        diagnostics.append(&mut self.diagnostics);
        let signatures = program.functions.values().map(|f| Signature::of(f, program)).collect();
        let mut arguments = Arguments { signatures, diagnostics };
        for (_, function) in program.functions.iter_mut() {
            arguments.region(&mut function.body);
        }
    }
}

/// A section with addresses of functions that the runtime calls (ELF, gABI, "Initialization and Termination Functions").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RuntimeArray {
    /// They are called before `main`, or else at the end.
    pub(crate) is_start: bool,
    /// The linker sorts by it.
    pub priority: i64,
}

impl Linkage<'_> {
    /// Enters the functions whose addresses objects of special sections hold.
    fn enter_runtime_arrays(&self, program: &mut RawProgram) {
        for &(variable, array) in &self.runtime_arrays {
            let init = program.variables[variable].init.iter().flatten();
            let functions = init.filter_map(|(_, value)| match value {
                Const::Function(id) => Some((array.priority, *id)),
                _ => None,
            });
            let list = if array.is_start { &mut program.constructors } else { &mut program.destructors };
            list.extend(functions);
        }
    }

    /// Variables that are declared weak and that neither the program nor a library defines.
    fn absent(&self, program: &RawProgram) -> HashSet<VarId> {
        let is_absent = |name: &str| {
            self.weak.contains(name)
                && !chronos_functions::VARIABLES.contains(&name)
                && !crate::lower::calls::in_common_libraries(name)
        };
        let found = program.variables.iter().filter(|(_, variable)| variable.undefined && is_absent(&variable.name));
        found.map(|(id, _)| id).collect()
    }
}

/// The parameters of a function, as its definition has them.
struct Signature {
    name: std::sync::Arc<str>,
    zeros: Vec<Const>,
    variadic: bool,
}

impl Signature {
    fn of(function: &RawFunction, program: &RawProgram) -> Self {
        let zero = |&id: &VarId| crate::lower::constants::zero(program.types.scalar(program.variables[id].ty));
        Self {
            name: function.name.clone(),
            zeros: function.params.iter().map(zero).collect(),
            variadic: function.variadic,
        }
    }
}

/// Makes every call of a function of the program pass as many arguments as it has parameters.
struct Arguments<'a> {
    signatures: Table<FuncId, Signature>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Arguments<'_> {
    fn region(&mut self, region: &mut RawRegion) {
        for item in region {
            match item {
                RawItem::Call(raw) => self.call(&mut raw.call, raw.span),
                RawItem::Loop(raw) => {
                    self.region(&mut raw.init);
                    if let Some(condition) = &mut raw.condition {
                        self.region(&mut condition.region);
                    }
                    self.region(&mut raw.step);
                    self.region(&mut raw.body);
                }
                RawItem::Branch(raw) => raw.arms.iter_mut().for_each(|arm| self.region(&mut arm.region)),
                RawItem::Op(_) | RawItem::Label(..) | RawItem::Extend(_) => {}
            }
        }
    }

    fn call(&mut self, call: &mut Call, span: Span) {
        let Callee::Function(id) = call.callee else { return };
        let signature = &self.signatures[id];
        let (given, wanted) = (call.args.len(), signature.zeros.len());
        if given == wanted || (given > wanted && signature.variadic) {
            return;
        }
        let message = format!("`{}` is called with {given} arguments but has {wanted} parameters", signature.name);
        self.diagnostics.push(
            Diagnostic::note(&codes::ARGUMENT_COUNT, message)
                .label(span, "")
                .help("correct the call; missing arguments are taken as zero, superfluous ones are dropped"),
        );
        call.args.truncate(wanted);
        let missing = signature.zeros[call.args.len()..].iter();
        call.args.extend(missing.map(|zero| Arg::Scalar(Operand::Const(zero.clone()))));
    }
}

/// A function whose body is still to come.
pub(crate) fn placeholder(name: &str, span: Span, is_static: bool, unit: FileId) -> RawFunction {
    RawFunction {
        name: name.into(),
        span,
        is_static,
        unit,
        result: TypeId::new(0),
        variadic: false,
        params: Vec::new(),
        locals: Vec::new(),
        values: Table::new(),
        labels: Vec::new(),
        targets: 0,
        body: Vec::new(),
        address_taken: false,
        noreturn: false,
    }
}

fn has_storage(specifiers: &[Node<DeclarationSpecifier>], wanted: &StorageClassSpecifier) -> bool {
    specifiers.iter().any(|s| matches!(&s.node, DeclarationSpecifier::StorageClass(class) if class.node == *wanted))
}

fn is_static(specifiers: &[Node<DeclarationSpecifier>]) -> bool {
    has_storage(specifiers, &StorageClassSpecifier::Static)
}

/// `inline` without `extern`: each unit has its own.
fn is_inline(specifiers: &[Node<DeclarationSpecifier>]) -> bool {
    specifiers
        .iter()
        .any(|s| matches!(&s.node, DeclarationSpecifier::Function(f) if f.node == FunctionSpecifier::Inline))
}

/// The name that a declarator declares.
pub(crate) fn name_of(declarator: &Declarator) -> Option<&str> {
    match &declarator.kind.node {
        DeclaratorKind::Abstract => None,
        DeclaratorKind::Identifier(name) => Some(&name.node.name),
        DeclaratorKind::Declarator(inner) => name_of(&inner.node),
    }
}
