//! Declarations: at file scope with linkage, and local ones.

use crate::lower::codes;
use crate::lower::context::lowerer::Lowerer;
use crate::lower::context::scopes::{Entry, Tag};
use crate::lower::context::syntax::{declares_noreturn, defined_struct, extensions, name_of};
use crate::lower::types::specifiers::{Specifiers, Storage};
use chronos_base::diag::Diagnostic;
use chronos_base::span::Span;
use chronos_ir::types::{ScalarType, Type, TypeId};
use chronos_ir::{self as program, Const, VarId, Variable};
use lang_c::ast::{self, DeclarationSpecifier, ExternalDeclaration, TypeSpecifier};
use lang_c::span::Node;

impl<'a> Lowerer<'a> {
    /// Lowers the whole unit.
    pub(crate) fn unit(&mut self) {
        self.linkage.weak.extend(self.unit.weak.iter().map(String::as_str));
        for piece in &self.unit.pieces {
            self.in_piece(piece.shift, |l| piece.ast.0.iter().for_each(|node| l.external(&node.node)));
        }
        while let Some(definition) = self.queue.pop() {
            self.in_piece(definition.shift, |l| l.function(definition));
        }
    }

    fn external(&mut self, node: &'a ExternalDeclaration) {
        match node {
            ExternalDeclaration::Declaration(declaration) => self.file_declaration(declaration),
            ExternalDeclaration::StaticAssert(assertion) => self.static_assert(assertion),
            ExternalDeclaration::FunctionDefinition(definition) => self.file_function(definition),
        }
    }

    fn file_declaration(&mut self, node: &'a Node<ast::Declaration>) {
        let file = self.span(node.span).file;
        if (self.unit.is_system)(file) && can_wait(&node.node) {
            return self.put_off(node);
        }
        let specifiers = self.specifiers(&node.node.specifiers);
        for declarator in &node.node.declarators {
            if self.variable_alias(&node.node.specifiers, specifiers, declarator) {
                continue;
            }
            self.file_declarator(specifiers, declarator);
            if let Some(name) = name_of(&declarator.node.declarator.node) {
                let all = extensions(&node.node.specifiers, &declarator.node.declarator.node);
                self.note_runtime(name, all.clone());
                self.note_section(name, all.clone());
                self.note_weak(name, all);
            }
        }
    }

    /// Enters the names alone.
    fn put_off(&mut self, node: &'a Node<ast::Declaration>) {
        for declarator in &node.node.declarators {
            if let Some(name) = name_of(&declarator.node.declarator.node)
                && !matches!(self.scopes.get(name), Some(Entry::Function(_) | Entry::Variable(_)))
            {
                self.scopes.insert(name, Entry::Pending(node, self.shift));
            }
        }
        let tag = defined_struct(&node.node).and_then(|s| s.identifier.as_ref());
        if let Some(tag) = tag {
            // A type that was only named before is completed at once: others hold its id.
            match self.scopes.tag(&tag.node.name) {
                Some(Tag::Struct(..)) => self.resolve_pending(node, self.shift),
                _ => self.scopes.insert_tag(&tag.node.name, Tag::Pending(node, self.shift)),
            }
        }
    }

    /// Looks at a declaration that was put off, with the names of file scope.
    pub(crate) fn resolve_pending(&mut self, node: &'a Node<ast::Declaration>, shift: usize) {
        self.in_piece(shift, |l| l.resolve(node));
    }

    fn resolve(&mut self, node: &'a Node<ast::Declaration>) {
        let outer = self.scopes.set_file_scope_only(true);
        if let Some(tag) = defined_struct(&node.node).and_then(|s| s.identifier.as_ref()) {
            self.forget_pending(&tag.node.name);
        }
        let specifiers = self.specifiers(&node.node.specifiers);
        for declarator in &node.node.declarators {
            let entry = name_of(&declarator.node.declarator.node).and_then(|name| self.scopes.get(name));
            if matches!(entry, Some(Entry::Pending(pending, _)) if std::ptr::eq(pending, node)) {
                self.file_declarator(specifiers, declarator);
            }
        }
        self.scopes.set_file_scope_only(outer);
    }

    fn file_declarator(&mut self, specifiers: Specifiers, node: &'a Node<ast::InitDeclarator>) {
        let declarator = &node.node.declarator;
        let Some(name) = name_of(&declarator.node) else { return };
        let ty = self.declarator(specifiers.ty, &declarator.node);
        if specifiers.storage == Some(Storage::Typedef) {
            self.scopes.insert(name, Entry::Typedef(ty));
        } else if matches!(self.ty(ty), Type::Function { .. }) {
            let noreturn = specifiers.noreturn || declares_noreturn(&declarator.node.extensions);
            self.declare_function(name, ty, noreturn);
        } else {
            let initializer = node.node.initializer.as_ref();
            let id = self.file_variable(name, ty, specifiers.storage, initializer.is_some(), declarator.span);
            self.scopes.insert(name, Entry::Variable(id));
            if let Some(initializer) = initializer {
                self.file_initializer(id, name, initializer, node.span);
            }
        }
    }

    pub(crate) fn declare_function(&mut self, name: &'a str, ty: TypeId, noreturn: bool) {
        if noreturn {
            self.program.noreturn.insert(name.into());
        }
        // A declaration without prototype does not undo one with.
        let knows_more = match self.scopes.get(name) {
            Some(Entry::Function(old)) => !self.has_prototype(ty) && self.has_prototype(old),
            _ => false,
        };
        if !knows_more {
            self.scopes.insert(name, Entry::Function(ty));
        }
    }

    fn has_prototype(&self, ty: TypeId) -> bool {
        !matches!(self.ty(ty), Type::Function { params, variadic: true, .. } if params.is_empty())
    }

    /// The variable of a file-scope declaration: a new one, or that of an earlier declaration of the same object.
    pub(crate) fn file_variable(
        &mut self,
        name: &'a str,
        ty: TypeId,
        storage: Option<Storage>,
        initialised: bool,
        at: lang_c::span::Span,
    ) -> VarId {
        let span = self.span(at);
        let is_static =
            storage == Some(Storage::Static) || (storage == Some(Storage::Extern) && self.statics.contains_key(name));
        let known = if is_static { self.statics.get(name) } else { self.linkage.variables.get(name) };
        let id = match known {
            Some(&id) => {
                self.merge_type(id, ty);
                id
            }
            None => self.new_file_variable(name, ty, is_static, span),
        };
        if storage != Some(Storage::Extern) || initialised {
            let variable = &mut self.program.variables[id];
            variable.init.get_or_insert_default();
            if self.linkage.defined.insert(id) {
                variable.span = span;
            }
        }
        id
    }

    fn new_file_variable(&mut self, name: &'a str, ty: TypeId, is_static: bool, span: Span) -> VarId {
        let storage = if is_static { program::Storage::Static } else { program::Storage::Global };
        let id = self.program.variables.push(Variable {
            name: name.into(),
            ty,
            storage,
            function: None,
            span,
            address_taken: !matches!(self.ty(ty), Type::Scalar(_) | Type::Pointer(_)),
            init: None,
            undefined: false,
        });
        if is_static {
            self.statics.insert(name, id);
        } else {
            self.linkage.variables.insert(name, id);
        }
        id
    }

    /// `extern int a[];` and `int a[10];` are one array of ten.
    fn merge_type(&mut self, id: VarId, ty: TypeId) {
        let old = self.program.variables[id].ty;
        let completes = self.size(old) == 0 && self.size(ty) != 0;
        if completes || self.leads_to_incomplete(old) {
            self.program.variables[id].ty = ty;
        }
    }

    /// A pointer to a struct that no unit so far defines, as headers declare it that hide its members: the unit
    /// that defines it has another one of the same name.
    fn leads_to_incomplete(&self, ty: TypeId) -> bool {
        match *self.ty(ty) {
            Type::Pointer(target) | Type::Array { element: target, .. } => self.leads_to_incomplete(target),
            Type::Struct(id) => self.program.types.structs[id].fields.is_none(),
            _ => false,
        }
    }

    fn file_initializer(
        &mut self,
        id: VarId,
        name: &'a str,
        initializer: &'a Node<ast::Initializer>,
        at: lang_c::span::Span,
    ) {
        let span = self.span(at);
        if !self.linkage.initialised.insert(id) {
            self.linkage.report_duplicate("variable", name, span);
            return;
        }
        self.static_initializer(id, initializer);
        if let Some(scalar) = self.scalar(self.program.variables[id].ty)
            && !(self.unit.is_system)(span.file)
        {
            self.program.settable.push(name.to_owned());
            if let Some(value) = self.setting(name, scalar, span) {
                self.program.variables[id].init = Some(vec![(0, value)]);
            }
            self.enter_variable(name, id, scalar, span);
        }
    }

    /// The value that `--set` gives to a name.
    fn setting(&mut self, name: &str, ty: ScalarType, span: Span) -> Option<Const> {
        let (_, text) = self.settings.set.iter().rev().find(|(n, _)| n == name)?;
        let number = parse_number(text).and_then(|number| crate::lower::context::constants::convert(&number, ty));
        if number.is_none() {
            self.diagnostics.push(
                Diagnostic::error(&codes::SETTING, format!("`{text}` is no value for `{name}`"))
                    .label(span, "declared here")
                    .help(format!("give a number: --set {name}=100")),
            );
        }
        number
    }

    pub(crate) fn setting_of_enumerator(&mut self, node: &'a Node<ast::Enumerator>) -> Option<i64> {
        let name = node.node.identifier.node.name.as_str();
        let span = self.span(node.span);
        if self.settings.set.is_empty() && self.settings.symbolic.is_empty() || (self.unit.is_system)(span.file) {
            return None;
        }
        self.program.settable.push(name.to_owned());
        match self.setting(name, ScalarType::I64, span)? {
            Const::Int(value, _) => Some(value),
            _ => None,
        }
    }
}

/// Whether the declaration of a system header introduces only names that can be looked up later.
fn can_wait(declaration: &ast::Declaration) -> bool {
    let noreturn = |specifier: &Node<DeclarationSpecifier>| match &specifier.node {
        DeclarationSpecifier::Function(f) => f.node == ast::FunctionSpecifier::Noreturn,
        DeclarationSpecifier::Extension(extensions) => declares_noreturn(extensions),
        _ => false,
    };
    !declaration.specifiers.iter().any(|s| introduces_names(s) || noreturn(s))
        && declaration.declarators.iter().all(|d| d.node.initializer.is_none())
}

/// Whether a specifier introduces names besides the tag of the struct that it defines: enumerators, inner tags.
fn introduces_names(specifier: &Node<DeclarationSpecifier>) -> bool {
    let DeclarationSpecifier::TypeSpecifier(word) = &specifier.node else { return false };
    match &word.node {
        TypeSpecifier::Struct(structure) => match &structure.node.declarations {
            Some(declarations) => declarations.iter().any(|d| field_introduces_names(&d.node)),
            None => false,
        },
        word => word_introduces_names(word),
    }
}

fn field_introduces_names(declaration: &ast::StructDeclaration) -> bool {
    let ast::StructDeclaration::Field(field) = declaration else { return false };
    field.node.specifiers.iter().any(|specifier| match &specifier.node {
        ast::SpecifierQualifier::TypeSpecifier(word) => word_introduces_names(&word.node),
        _ => false,
    })
}

fn word_introduces_names(word: &TypeSpecifier) -> bool {
    match word {
        TypeSpecifier::Enum(_) => true,
        TypeSpecifier::Struct(structure) => match &structure.node.declarations {
            Some(declarations) => {
                structure.node.identifier.is_some() || declarations.iter().any(|d| field_introduces_names(&d.node))
            }
            None => false,
        },
        _ => false,
    }
}

fn parse_number(text: &str) -> Option<Const> {
    let text = text.trim();
    let integer = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    match integer {
        Some(value) => Some(Const::Int(value, ScalarType::I64)),
        None => text.parse().ok().filter(|v: &f64| v.is_finite()).map(|v| Const::Float(v, ScalarType::F64)),
    }
}
