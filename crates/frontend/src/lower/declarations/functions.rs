//! Function definitions: parameters, body, what remains open at the end.

use crate::lower::context::body::Body;
use crate::lower::context::item::ExprResult;
use crate::lower::context::linkage::Definition;
use crate::lower::context::lowerer::Lowerer;
use crate::lower::context::scopes::Entry;
use crate::lower::context::syntax::{declares_noreturn, extensions, name_of};
use crate::lower::expressions::calls::default_promoted;
use chronos_base::ids::Id;
use chronos_ir::types::{Type, TypeId};
use chronos_ir::{FuncId, Storage, VarId, Variable};
use lang_c::ast::{self, DeclaratorKind, DerivedDeclarator};
use lang_c::span::Node;

impl<'a> Lowerer<'a> {
    /// A definition at its place in the file: the user's are lowered, those of system headers wait until they are used.
    pub(crate) fn file_function(&mut self, node: &'a Node<ast::FunctionDefinition>) {
        let Some(name) = name_of(&node.node.declarator.node) else { return };
        let specifiers = self.specifiers(&node.node.specifiers);
        self.prototype += 1;
        let ty = self.declarator(specifiers.ty, &node.node.declarator.node);
        self.prototype -= 1;
        self.declare_function(name, ty, false);
        self.note_runtime(name, extensions(&node.node.specifiers, &node.node.declarator.node));
        // A second definition of the same name has no function of its own.
        let id = self.index.functions.get(name).copied();
        if let Some(id) = id.filter(|&id| self.is_definition_of(id, node)) {
            self.function(Definition { id, shift: self.shift, node });
        }
    }

    fn is_definition_of(&self, id: FuncId, node: &'a Node<ast::FunctionDefinition>) -> bool {
        let span = self.span(node.node.declarator.span).to(self.span(node.span));
        self.program.functions[id].span == span
    }

    pub(crate) fn function(&mut self, definition: Definition<'a>) {
        let node = &definition.node.node;
        let Some(name) = name_of(&node.declarator.node) else { return };
        let specifiers = self.specifiers(&node.specifiers);
        self.prototype += 1;
        let ty = self.declarator(specifiers.ty, &node.declarator.node);
        self.prototype -= 1;
        let Type::Function { result, variadic, .. } = *self.ty(ty) else { return };
        let statement = Some(&node.statement);
        let body = Body { name, function: Some(definition.id), result: Some(result), statement, ..Body::default() };
        let outer = std::mem::replace(&mut self.body, body);
        self.enter_scope(node.statement.span);
        let (params, prototyped) = self.parameters(definition);
        if variadic && prototyped {
            let span = self.span(node.declarator.span);
            self.take_variable_arguments(definition.id, span);
        }
        match &node.statement.node {
            ast::Statement::Compound(items) => self.block_items(items),
            _ => self.statement(&node.statement),
        }
        self.leave_scope();
        self.close_labels();
        let body = std::mem::replace(&mut self.body, outer);
        let noreturn = specifiers.noreturn
            || declares_noreturn(&node.declarator.node.extensions)
            || self.program.noreturn.contains(name);
        let function = &mut self.program.functions[definition.id];
        function.result = result;
        function.variadic = variadic && prototyped;
        function.params = params;
        function.locals = body.locals;
        function.values = body.values.into_iter().collect();
        function.labels = body.labels.into_iter().map(|label| label.name).collect();
        function.targets = body.targets;
        function.body = body.region;
        function.noreturn = noreturn;
    }

    /// Labels that a goto names and that stand nowhere are put at the end.
    fn close_labels(&mut self) {
        for index in 0..self.body.labels.len() {
            let label = &self.body.labels[index];
            if label.defined {
                continue;
            }
            let (name, used) = (label.name.clone(), label.used);
            self.diagnostics.push(
                chronos_base::diag::Diagnostic::error(
                    &crate::lower::codes::INVALID,
                    format!("label `{name}` is not defined"),
                )
                .label(used, "used here")
                .help("define the label in this function"),
            );
            self.place_label(Id::new(index), used);
        }
    }

    /// Enters the parameters; false with them where an ellipsis is only the lack of a prototype.
    fn parameters(&mut self, definition: Definition<'a>) -> (Vec<VarId>, bool) {
        let node = &definition.node.node;
        match function_declarator(&node.declarator.node) {
            Some(DerivedDeclarator::Function(function)) => {
                let parameters = &function.node.parameters;
                let ellipsis = function.node.ellipsis == ast::Ellipsis::Some;
                (self.prototyped_parameters(definition.id, parameters), ellipsis)
            }
            Some(DerivedDeclarator::KRFunction(names)) => (self.old_parameters(definition, names), false),
            _ => (Vec::new(), false),
        }
    }

    fn prototyped_parameters(
        &mut self,
        function: FuncId,
        parameters: &'a [Node<ast::ParameterDeclaration>],
    ) -> Vec<VarId> {
        let mut params = Vec::new();
        for node in parameters {
            let base = self.specifiers(&node.node.specifiers).ty;
            let declarator = node.node.declarator.as_ref();
            let ty = match declarator {
                Some(declarator) => self.parameter_declarator(base, &declarator.node),
                None => self.adjusted(base),
            };
            if matches!(self.ty(ty), Type::Void) {
                continue;
            }
            let name = declarator.and_then(|d| name_of(&d.node));
            let parameter = self.parameter(function, params.len(), name.unwrap_or(""), ty, node.span);
            if declarator.is_some_and(|d| is_restricted(&d.node)) {
                self.program.restricted.insert(parameter);
            }
            params.push(parameter);
        }
        params
    }

    /// K&R: names first, declarations behind the list; what is not declared is int.
    fn old_parameters(&mut self, definition: Definition<'a>, names: &'a [Node<ast::Identifier>]) -> Vec<VarId> {
        let mut params = Vec::new();
        for (position, name) in names.iter().enumerate() {
            let int = self.int();
            params.push(self.parameter(definition.id, position, &name.node.name, int, name.span));
        }
        for declaration in &definition.node.node.declarations {
            let base = self.specifiers(&declaration.node.specifiers).ty;
            for declarator in &declaration.node.declarators {
                let declarator = &declarator.node.declarator;
                let position = names.iter().position(|n| name_of(&declarator.node) == Some(&n.node.name));
                let ty = self.parameter_declarator(base, &declarator.node);
                if let Some(position) = position {
                    let variable = &mut self.program.variables[params[position]];
                    variable.ty = ty;
                    variable.address_taken = self.program.types.scalar(ty).is_none();
                }
            }
        }
        for (name, &parameter) in names.iter().zip(&params) {
            self.narrow(&name.node.name, parameter);
        }
        params
    }

    /// Without a prototype a call passes promoted arguments, which are converted where the function begins (C17,
    /// 6.9.1, paragraph 10).
    fn narrow(&mut self, name: &'a str, parameter: VarId) {
        let variable = self.program.variables[parameter].clone();
        let Some(narrow) = self.scalar(variable.ty) else { return };
        let passed = default_promoted(narrow);
        if passed != narrow {
            self.program.variables[parameter].ty = self.scalar_type(passed);
            let local = self.new_local(name, variable.ty, variable.span);
            let (to, from) = (self.variable_place(local), self.variable_place(parameter));
            self.assign(to, ExprResult::Place(from), variable.span);
            self.scopes.insert(name, Entry::Variable(local));
        }
    }

    fn parameter(
        &mut self,
        function: FuncId,
        position: usize,
        name: &'a str,
        ty: TypeId,
        at: lang_c::span::Span,
    ) -> VarId {
        let span = self.span(at);
        let id = self.program.variables.push(Variable {
            name: name.into(),
            ty,
            storage: Storage::Parameter(u32::try_from(position).unwrap_or(u32::MAX)),
            function: Some(function),
            span,
            address_taken: self.scalar(ty).is_none(),
            init: None,
            undefined: false,
        });
        if !name.is_empty() {
            self.scopes.insert(name, Entry::Variable(id));
        }
        id
    }
}

/// Whether a parameter's own pointer is `restrict`, also as an array's (`double x[restrict n]`).
fn is_restricted(declarator: &ast::Declarator) -> bool {
    if let DeclaratorKind::Declarator(inner) = &declarator.kind.node {
        return is_restricted(&inner.node);
    }
    let says_so = |qualifier: &ast::TypeQualifier| *qualifier == ast::TypeQualifier::Restrict;
    let of_pointer = |qualifier: &Node<ast::PointerQualifier>| match &qualifier.node {
        ast::PointerQualifier::TypeQualifier(qualifier) => says_so(&qualifier.node),
        ast::PointerQualifier::Extension(_) => false,
    };
    // The derivation next to the name comes first of arrays, last of pointers.
    let array = declarator.derived.iter().find(|derived| !matches!(derived.node, DerivedDeclarator::Pointer(_)));
    match array.or(declarator.derived.last()).map(|derived| &derived.node) {
        Some(DerivedDeclarator::Array(array)) => array.node.qualifiers.iter().any(|q| says_so(&q.node)),
        Some(DerivedDeclarator::Pointer(qualifiers)) => qualifiers.iter().any(of_pointer),
        _ => false,
    }
}

/// The parameter list of the function that a declarator names: the innermost one.
fn function_declarator(declarator: &ast::Declarator) -> Option<&DerivedDeclarator> {
    if let DeclaratorKind::Declarator(inner) = &declarator.kind.node
        && let Some(found) = function_declarator(&inner.node)
    {
        return Some(found);
    }
    let is_function = |d: &&Node<DerivedDeclarator>| {
        matches!(d.node, DerivedDeclarator::Function(_) | DerivedDeclarator::KRFunction(_))
    };
    declarator.derived.iter().find(is_function).map(|d| &d.node)
}
