//! Declarations in functions.

use crate::lower::codes;
use crate::lower::context::lowerer::Lowerer;
use crate::lower::context::scopes::Entry;
use crate::lower::context::syntax::{declares_noreturn, extensions, name_of};
use crate::lower::types::specifiers::{Specifiers, Storage};
use chronos_ir::types::{Type, TypeId};
use chronos_ir::{self as program, OpKind};
use lang_c::ast::{self, DeclarationSpecifier};
use lang_c::span::Node;

impl<'a> Lowerer<'a> {
    pub(crate) fn local_declaration(&mut self, node: &'a Node<ast::Declaration>) {
        let specifiers = self.specifiers(&node.node.specifiers);
        let start = self.body.region.len();
        for declarator in &node.node.declarators {
            self.local_declarator(specifiers, declarator);
            self.local_attributes(&node.node.specifiers, declarator);
        }
        self.extend(start, node.span);
    }

    fn local_declarator(&mut self, specifiers: Specifiers, node: &'a Node<ast::InitDeclarator>) {
        let declarator = &node.node.declarator;
        let Some(name) = name_of(&declarator.node) else { return };
        let initializer = node.node.initializer.as_ref();
        let base = if specifiers.auto { self.type_of_initializer(initializer) } else { specifiers.ty };
        let ty = self.declarator(base, &declarator.node);
        let is_function = matches!(self.ty(ty), Type::Function { .. });
        match specifiers.storage {
            Some(Storage::Typedef) => self.scopes.insert(name, Entry::Typedef(ty)),
            _ if is_function => {
                let noreturn = specifiers.noreturn || declares_noreturn(&declarator.node.extensions);
                self.declare_function(name, ty, noreturn);
            }
            Some(Storage::Extern) => {
                let id = self.file_variable(name, ty, Some(Storage::Extern), false, declarator.span);
                self.scopes.insert(name, Entry::Variable(id));
            }
            Some(Storage::Static) => self.local_static(name, ty, initializer, declarator.span),
            Some(Storage::Automatic) | None => self.local_variable(name, ty, initializer, node),
        }
    }

    fn local_attributes(&mut self, specifiers: &'a [Node<DeclarationSpecifier>], node: &'a Node<ast::InitDeclarator>) {
        let all = extensions(specifiers, &node.node.declarator.node);
        let Some(name) = name_of(&node.node.declarator.node) else { return };
        match self.scopes.get(name) {
            Some(Entry::Variable(variable)) if self.program.variables[variable].function.is_some() => {
                self.note_section(name, all.clone());
                self.note_cleanup(variable, all);
            }
            _ => self.note_weak(name, all),
        }
    }

    /// What `__auto_type` stands for.
    fn type_of_initializer(&mut self, initializer: Option<&'a Node<ast::Initializer>>) -> TypeId {
        match initializer.map(|i| &i.node) {
            Some(ast::Initializer::Expression(expression)) => {
                let item = self.scratch(|l| l.expression(expression));
                self.value_type(&item)
            }
            _ => self.int(),
        }
    }

    fn local_static(
        &mut self,
        name: &'a str,
        ty: TypeId,
        initializer: Option<&'a Node<ast::Initializer>>,
        at: lang_c::span::Span,
    ) {
        let span = self.span(at);
        let id = self.new_local(name, ty, span);
        let variable = &mut self.program.variables[id];
        variable.storage = program::Storage::Static;
        variable.init = Some(Vec::new());
        self.scopes.insert(name, Entry::Variable(id));
        if let Some(initializer) = initializer {
            self.linkage.initialised.insert(id);
            self.static_initializer(id, initializer);
        }
    }

    fn local_variable(
        &mut self,
        name: &'a str,
        ty: TypeId,
        initializer: Option<&'a Node<ast::Initializer>>,
        node: &'a Node<ast::InitDeclarator>,
    ) {
        let span = self.span(node.span);
        let id = self.new_local(name, ty, span);
        self.scopes.insert(name, Entry::Variable(id));
        if let Some(bytes) = self.body.vla_bytes.get(&ty).cloned() {
            self.emit_effect(OpKind::Allocate { variable: id, bytes }, span);
        }
        if let Some(initializer) = initializer {
            self.local_initializer(id, initializer);
        } else if self.is_incomplete(ty) {
            let help = "include the header that defines the type, or give the array a size";
            self.error(&codes::INCOMPLETE_TYPE, node.span, format!("`{name}` has an incomplete type"), help);
        }
    }
}
