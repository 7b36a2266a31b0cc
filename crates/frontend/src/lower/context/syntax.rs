//! Questions to syntax trees that need no names.

use lang_c::ast::{
    self, DeclarationSpecifier, Declarator, DeclaratorKind, Expression, FunctionSpecifier, StorageClassSpecifier,
    TypeSpecifier,
};
use lang_c::span::{Node, Span};
use lang_c::visit::Visit;

fn has_storage(specifiers: &[Node<DeclarationSpecifier>], wanted: &StorageClassSpecifier) -> bool {
    specifiers.iter().any(|s| matches!(&s.node, DeclarationSpecifier::StorageClass(class) if class.node == *wanted))
}

pub(crate) fn is_static(specifiers: &[Node<DeclarationSpecifier>]) -> bool {
    has_storage(specifiers, &StorageClassSpecifier::Static)
}

/// `inline` without `extern`: each unit has its own.
pub(crate) fn is_inline(specifiers: &[Node<DeclarationSpecifier>]) -> bool {
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

/// `__attribute__((noreturn))`.
pub(crate) fn declares_noreturn(extensions: &[Node<ast::Extension>]) -> bool {
    has_attribute(extensions, "noreturn")
}

/// Whether an attribute is there.
pub(crate) fn has_attribute(extensions: &[Node<ast::Extension>], name: &str) -> bool {
    extensions.iter().any(|extension| attribute(extension, name).is_some())
}

/// The attribute of this name, with underscores around it or without.
pub fn attribute<'a>(extension: &'a Node<ast::Extension>, name: &str) -> Option<&'a ast::Attribute> {
    match &extension.node {
        ast::Extension::Attribute(attribute) if attribute.name.node.trim_matches('_') == name => Some(attribute),
        _ => None,
    }
}

/// The tag of an enumeration, and its values.
#[derive(Clone, Debug)]
pub(crate) struct Enumeration<'a> {
    pub name: Option<&'a str>,
    pub values: Vec<i64>,
}

/// The attributes of a declaration: among its specifiers and behind a declarator.
pub(crate) fn extensions<'a>(
    specifiers: &'a [Node<DeclarationSpecifier>],
    declarator: &'a ast::Declarator,
) -> impl Iterator<Item = &'a Node<ast::Extension>> + Clone {
    let leading = specifiers.iter().filter_map(|specifier| match &specifier.node {
        DeclarationSpecifier::Extension(extensions) => Some(extensions),
        _ => None,
    });
    leading.flatten().chain(&declarator.extensions)
}

/// The function that a declaration makes another name of: `__attribute__((alias("name")))`.
pub fn aliased<'a>(mut extensions: impl Iterator<Item = &'a Node<ast::Extension>>) -> Option<&'a str> {
    text_of(extensions.find_map(|extension| attribute(extension, "alias"))?)
}

/// The text that is the argument of an attribute.
pub(crate) fn text_of(attribute: &ast::Attribute) -> Option<&str> {
    match &attribute.arguments.first()?.node {
        Expression::StringLiteral(literal) => literal.node.first().map(|text| text.trim_matches('"')),
        _ => None,
    }
}

/// Whether what a declaration defines is a union.
pub(crate) fn defines_union(declaration: &ast::Declaration) -> bool {
    defined_struct(declaration).is_some_and(|s| s.kind.node == ast::StructKind::Union)
}

#[derive(Default)]
struct Calls(bool);

impl<'ast> Visit<'ast> for Calls {
    fn visit_call_expression(&mut self, _: &'ast ast::CallExpression, _: &'ast Span) {
        self.0 = true;
    }
}

/// Whether an expression calls a function.
pub(crate) fn contains_call(node: &Node<Expression>) -> bool {
    let mut calls = Calls::default();
    calls.visit_expression(&node.node, &node.span);
    calls.0
}

/// The struct or union that a declaration defines.
pub(crate) fn defined_struct(declaration: &ast::Declaration) -> Option<&ast::StructType> {
    declaration.specifiers.iter().find_map(|specifier| match &specifier.node {
        DeclarationSpecifier::TypeSpecifier(word) => match &word.node {
            TypeSpecifier::Struct(structure) if structure.node.declarations.is_some() => Some(&structure.node),
            _ => None,
        },
        _ => None,
    })
}
