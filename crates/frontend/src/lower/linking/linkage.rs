//! Linkage: functions and variables of several units that are the same.

use crate::lower::codes;
use crate::lower::context::linkage::{Linkage, UnitIndex, placeholder};
use crate::lower::context::lowerer::{PieceInput, UnitInput};
use crate::lower::context::syntax::{aliased, extensions, is_inline, is_static, name_of};
use crate::sources::shifted;
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashSet;
use chronos_base::ids::Table;
use chronos_base::span::Span;
use chronos_ir::raw::{RawFunction, RawItem, RawProgram, RawRegion};
use chronos_ir::{Arg, Call, Callee, Const, FuncId, Operand, VarId};
use lang_c::ast::{ExternalDeclaration, FunctionDefinition};
use lang_c::span::Node;

impl<'a> Linkage<'a> {
    /// Gives the functions that a unit's own files define their ids.
    pub fn index(&mut self, unit: &UnitInput<'a>, program: &mut RawProgram) -> UnitIndex<'a> {
        let mut index = UnitIndex::default();
        let mut statics = FxHashSet::default();
        for (piece, node) in unit.pieces.iter().flat_map(|piece| piece.ast.0.iter().map(move |node| (*piece, node))) {
            match &node.node {
                ExternalDeclaration::Declaration(declaration) if is_static(&declaration.node.specifiers) => {
                    let declarators = &declaration.node.declarators;
                    statics.extend(declarators.iter().filter_map(|d| name_of(&d.node.declarator.node)));
                }
                ExternalDeclaration::FunctionDefinition(definition) => {
                    self.index_function(unit, piece, definition, &statics, &mut index, program);
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
        unit: &UnitInput<'a>,
        piece: PieceInput<'a>,
        node: &'a Node<FunctionDefinition>,
        statics: &FxHashSet<&'a str>,
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

    /// Settles what only the whole program tells: undefined variables, arguments of calls without prototype.
    pub fn finish(mut self, program: &mut RawProgram, diagnostics: &mut Vec<Diagnostic>) {
        for (id, variable) in program.variables.iter_mut() {
            if variable.storage == chronos_ir::Storage::Global && !self.defined.contains(&id) {
                variable.undefined = true;
                variable.init = None;
            }
        }
        self.enter_runtime_arrays(program);
        crate::lower::linking::absent::replace(program, &self.absent(program));
        diagnostics.append(&mut self.diagnostics);
        let signatures = program.functions.values().map(|f| Signature::of(f, program)).collect();
        let mut arguments = Arguments { signatures, diagnostics };
        for (_, function) in program.functions.iter_mut() {
            arguments.region(&mut function.body);
        }
    }
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
    fn absent(&self, program: &RawProgram) -> FxHashSet<VarId> {
        let is_absent = |name: &str| {
            self.weak.contains(name)
                && !chronos_functions::VARIABLES.contains(&name)
                && !crate::lower::expressions::calls::in_common_libraries(name)
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
        let zero = |&id: &VarId| crate::lower::context::constants::zero(program.types.scalar(program.variables[id].ty));
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
