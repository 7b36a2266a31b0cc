//! Names: the ordinary name space and that of tags, with nested scopes.
//!
//! Declarations of system headers are entered as [`Entry::Pending`] and looked at when they are
//! used for the first time: a unit uses few of the thousands that it includes.

use chronos_base::hash::FxHashMap;
use chronos_ir::VarId;
use chronos_ir::types::{ScalarType, StructId, TypeId};
use lang_c::ast;
use lang_c::span::Node;

/// What an ordinary identifier stands for.
#[derive(Clone, Copy, Debug)]
pub enum Entry<'a> {
    Typedef(TypeId),
    Variable(VarId),
    /// A function of this type; who defines it is known by its name.
    Function(TypeId),
    Enumerator(i64, ScalarType),
    /// Introduced by a file-scope declaration that was not needed so far, and the shift of its piece.
    Pending(&'a Node<ast::Declaration>, usize),
}

/// What a tag stands for.
#[derive(Clone, Copy, Debug)]
pub enum Tag<'a> {
    Struct(StructId, TypeId),
    Enum(TypeId),
    /// Defined by such a declaration, with the shift of its piece.
    Pending(&'a Node<ast::Declaration>, usize),
}

/// One name space: for each name its meanings, innermost last, with the depth of their scope.
struct NameSpace<'a, T> {
    meanings: FxHashMap<&'a str, Vec<(u32, T)>>,
}

impl<'a, T: Copy> NameSpace<'a, T> {
    fn get(&self, name: &str, limit: u32) -> Option<(u32, T)> {
        self.meanings.get(name)?.iter().rev().find(|(depth, _)| *depth <= limit).copied()
    }

    /// True where the name is new in its scope.
    fn insert(&mut self, name: &'a str, depth: u32, meaning: T) -> bool {
        let meanings = self.meanings.entry(name).or_default();
        let position = meanings.partition_point(|(d, _)| *d < depth);
        match meanings.get_mut(position) {
            Some(entry) if entry.0 == depth => {
                entry.1 = meaning;
                false
            }
            _ => {
                meanings.insert(position, (depth, meaning));
                true
            }
        }
    }

    fn remove_last(&mut self, name: &str) {
        if let Some(meanings) = self.meanings.get_mut(name) {
            meanings.pop();
        }
    }
}

/// All names that are visible, and what to forget at the end of each scope.
pub(crate) struct Scopes<'a> {
    ordinary: NameSpace<'a, Entry<'a>>,
    tags: NameSpace<'a, Tag<'a>>,
    /// Names declared in each open scope below file scope.
    ordinary_log: Vec<Vec<&'a str>>,
    tag_log: Vec<Vec<&'a str>>,
    /// Names of deeper scopes are not seen: a file-scope declaration is being looked at.
    file_scope_only: bool,
}

impl<'a> Scopes<'a> {
    pub fn new() -> Self {
        Self {
            ordinary: NameSpace { meanings: FxHashMap::default() },
            tags: NameSpace { meanings: FxHashMap::default() },
            ordinary_log: Vec::new(),
            tag_log: Vec::new(),
            file_scope_only: false,
        }
    }

    pub fn push(&mut self) {
        self.ordinary_log.push(Vec::new());
        self.tag_log.push(Vec::new());
    }

    pub fn pop(&mut self) {
        for name in self.ordinary_log.pop().unwrap_or_default() {
            self.ordinary.remove_last(name);
        }
        for name in self.tag_log.pop().unwrap_or_default() {
            self.tags.remove_last(name);
        }
    }

    fn depth(&self) -> u32 {
        if self.file_scope_only { 0 } else { u32::try_from(self.ordinary_log.len()).unwrap_or(u32::MAX) }
    }

    /// Hides the names of inner scopes, or shows them again; returns how it was before.
    pub(crate) fn set_file_scope_only(&mut self, only: bool) -> bool {
        std::mem::replace(&mut self.file_scope_only, only)
    }

    pub fn get(&self, name: &str) -> Option<Entry<'a>> {
        Some(self.ordinary.get(name, self.depth())?.1)
    }

    pub fn insert(&mut self, name: &'a str, entry: Entry<'a>) {
        let depth = self.depth();
        if self.ordinary.insert(name, depth, entry) && depth > 0 {
            self.ordinary_log[depth as usize - 1].push(name);
        }
    }

    /// Enters a meaning at file scope, wherever we are.
    pub(crate) fn insert_at_file_scope(&mut self, name: &'a str, entry: Entry<'a>) {
        self.ordinary.insert(name, 0, entry);
    }

    pub fn tag(&self, name: &str) -> Option<Tag<'a>> {
        Some(self.tags.get(name, self.depth())?.1)
    }

    pub(crate) fn tag_here(&self, name: &str) -> Option<Tag<'a>> {
        let depth = self.depth();
        self.tags.get(name, depth).filter(|(d, _)| *d == depth).map(|(_, tag)| tag)
    }

    pub(crate) fn insert_tag(&mut self, name: &'a str, tag: Tag<'a>) {
        let depth = self.depth();
        if self.tags.insert(name, depth, tag) && depth > 0 {
            self.tag_log[depth as usize - 1].push(name);
        }
    }
}
