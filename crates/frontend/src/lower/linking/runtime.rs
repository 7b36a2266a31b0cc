//! Functions that the runtime calls by itself, and names that stand for others: what attributes of functions say.

use crate::lower::context::linkage::RuntimeArray;
use crate::lower::context::lowerer::Lowerer;
use crate::lower::context::scopes::Entry;
use crate::lower::context::syntax::{aliased, attribute, extensions, name_of, text_of};
use crate::lower::types::specifiers;
use crate::lower::types::specifiers::Specifiers;
use chronos_base::span::{FileId, Span};
use chronos_functions::{Generator, GeneratorUse};
use chronos_ir::types::TypeId;
use chronos_ir::{CLibrary, GeneratorState, ScalarType, Storage, Variable};
use lang_c::ast::{self, DeclarationSpecifier};
use lang_c::span::Node;

/// What `errno` is a macro of.
const ERRNO_LOCATION: &str = "__errno_location";

/// The priority of constructors and destructors that have none: behind all that have one.
const LAST: i64 = 65_536;

/// What the runtime does with a section of this name: `.init_array.101` has a priority, `.preinit_array` comes first.
fn runtime_array(section: &str) -> Option<RuntimeArray> {
    let mut parts = section.trim_start_matches('.').split('.');
    let kind = parts.next()?;
    let priority = parts.next().map_or(Some(LAST), |number| number.parse().ok())?;
    match kind {
        "preinit_array" => Some(RuntimeArray { is_start: true, priority: -1 }),
        "init_array" => Some(RuntimeArray { is_start: true, priority }),
        "fini_array" => Some(RuntimeArray { is_start: false, priority }),
        _ => None,
    }
}

/// A variable of the library, which the program cannot name.
fn hidden(name: &str, ty: TypeId) -> Variable {
    Variable {
        name: name.into(),
        ty,
        storage: Storage::Static,
        function: None,
        span: Span::line(FileId(0), 1),
        address_taken: false,
        init: None,
        undefined: false,
    }
}

impl<'a> Lowerer<'a> {
    /// A declaration of another name of a variable; whether it is one.
    pub(crate) fn variable_alias(
        &mut self,
        words: &'a [Node<DeclarationSpecifier>],
        specifiers: Specifiers,
        node: &'a Node<ast::InitDeclarator>,
    ) -> bool {
        let declarator = &node.node.declarator.node;
        let (Some(name), Some(target)) = (name_of(declarator), aliased(extensions(words, declarator))) else {
            return false;
        };
        if self.index.functions.contains_key(name) {
            return false;
        }
        let known = self.statics.get(target).or_else(|| self.linkage.variables.get(target)).copied();
        let is_static = specifiers.storage == Some(specifiers::Storage::Static);
        let elsewhere = |id| self.linkage.variables.get(name).is_some_and(|&other| other != id);
        let Some(id) = known.filter(|&id| is_static || !elsewhere(id)) else {
            self.unsupported(node.span, "another name of a variable before both are declared");
            return false;
        };
        if is_static {
            self.statics.insert(name, id);
        } else {
            self.linkage.variables.insert(name, id);
        }
        self.scopes.insert(name, Entry::Variable(id));
        true
    }

    /// The variable behind the function by which glibc's headers reach `errno`.
    pub(crate) fn note_errno(&mut self, function: &str) {
        if function != ERRNO_LOCATION || self.body.unevaluated || self.program.errno.is_some() {
            return;
        }
        let ty = self.int();
        let errno = hidden("errno", ty);
        let errno = Variable { storage: Storage::Global, address_taken: true, undefined: true, ..errno };
        self.program.errno = Some(self.program.variables.push(errno));
    }

    /// The state of the generator of random numbers that a function of the library uses.
    pub(crate) fn note_generator(&mut self, function: &str) {
        let used = chronos_functions::lookup(function).and_then(|row| row.generator);
        let Some(generator) = used.map(GeneratorUse::generator).filter(|_| !self.body.unevaluated) else { return };
        let generators = &self.program.generators;
        if generators.state(generator).is_some() || generators.library != CLibrary::Glibc {
            return;
        }
        let ty = self.scalar_type(ScalarType::I64);
        let family = if generator == Generator::Additive { "random" } else { "drand48" };
        let mut part = |name: &str| self.program.variables.push(hidden(&format!("{family}.{name}"), ty));
        let state = GeneratorState { seed: part("seed"), draws: part("draws"), parameters: part("parameters") };
        match generator {
            Generator::Additive => self.program.generators.additive = Some(state),
            Generator::Linear => self.program.generators.linear = Some(state),
        }
    }

    /// Notes a function that is declared a constructor or destructor, here or where it is defined.
    pub(crate) fn note_runtime(&mut self, name: &str, all: impl Iterator<Item = &'a Node<ast::Extension>> + Clone) {
        let Some(&function) = self.index.functions.get(name) else { return };
        for (word, is_constructor) in [("constructor", true), ("destructor", false)] {
            let Some(found) = all.clone().find_map(|extension| attribute(extension, word)) else { continue };
            let priority = found.arguments.first().and_then(|n| self.constant_integer(n)).unwrap_or(LAST);
            let list = if is_constructor { &mut self.program.constructors } else { &mut self.program.destructors };
            if !list.iter().any(|&(_, known)| known == function) {
                list.push((priority, function));
            }
        }
    }

    /// Notes a variable in a section whose functions the runtime calls.
    pub(crate) fn note_section(&mut self, name: &str, mut all: impl Iterator<Item = &'a Node<ast::Extension>>) {
        let section = all.find_map(|extension| text_of(attribute(extension, "section")?));
        if let (Some(Entry::Variable(variable)), Some(array)) = (self.scopes.get(name), section.and_then(runtime_array))
        {
            self.linkage.runtime_arrays.push((variable, array));
        }
    }

    /// A function or variable that is declared weak, defined nowhere and known of no library: its address is null.
    pub(crate) fn note_weak(&mut self, name: &'a str, mut all: impl Iterator<Item = &'a Node<ast::Extension>>) {
        if all.any(|extension| attribute(extension, "weak").is_some()) {
            self.linkage.weak.insert(name);
        }
    }
}
