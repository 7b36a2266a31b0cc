//! Places in the user's own files.
//!
//! A span always names a line that the user wrote: text that comes out of a macro carries
//! the place of the macro's use.

use crate::hash::FxHashMap;
use crate::ids::Table;
use std::sync::Arc;

crate::define_ids! {
    /// A source file, the user's or a header.
    FileId = "file";
}

/// A range of source text, lines and columns from 1; the end column is that of the last character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file that the range lies in.
    pub file: FileId,
    /// The first line, from 1.
    pub line_start: u32,
    /// The column of the first character, from 1.
    pub column_start: u32,
    /// The last line, from 1.
    pub line_end: u32,
    /// The column of the last character, from 1.
    pub column_end: u32,
}

impl Span {
    /// A whole-line span, where no column is known.
    pub fn line(file: FileId, line: u32) -> Self {
        Self { file, line_start: line, column_start: 1, line_end: line, column_end: 1 }
    }

    /// The smallest span that holds both; `self` where they lie in different files.
    pub fn to(self, other: Self) -> Self {
        if self.file != other.file {
            return self;
        }
        let start = (self.line_start, self.column_start).min((other.line_start, other.column_start));
        let end = (self.line_end, self.column_end).max((other.line_end, other.column_end));
        Self { file: self.file, line_start: start.0, column_start: start.1, line_end: end.0, column_end: end.1 }
    }
}

/// A file that spans point into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// As the user named it, or as the preprocessor did.
    pub name: Arc<str>,
    /// The user's text; `None` for a file that could not be read again (a system header).
    pub text: Option<Arc<str>>,
}

/// All files of a program; the files given on the command line come first, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceFiles {
    files: Table<FileId, SourceFile>,
    by_name: FxHashMap<Arc<str>, FileId>,
}

impl SourceFiles {
    /// The id of `name`, entered with `text` where it is new.
    pub fn intern(&mut self, name: &str, text: impl FnOnce() -> Option<String>) -> FileId {
        if let Some(&id) = self.by_name.get(name) {
            return id;
        }
        let name: Arc<str> = name.into();
        let id = self.files.push(SourceFile { name: name.clone(), text: text().map(Into::into) });
        self.by_name.insert(name, id);
        id
    }

    /// The file of an id; an id of another program panics or names another file.
    pub fn get(&self, id: FileId) -> &SourceFile {
        &self.files[id]
    }

    /// All files with their ids, in the order in which they were entered.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter()
    }

    /// `file:line`, for messages and tables.
    pub fn locate(&self, span: Span) -> String {
        format!("{}:{}", self.get(span.file).name, span.line_start)
    }
}
