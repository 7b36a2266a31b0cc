//! Files that are no longer what the user gave: what tasks wrote, removed or renamed. What is read from them is unknown.
//!
//! Kept for all tasks together, in the order in which they are evaluated: a task that reads what another one writes waits
//! for a message from it, or the program has a race.

use chronos_base::hash::FxHashMap;
use chronos_mpi_calls::normalized_file_name;
use std::path::Path;
use std::sync::Arc;

/// What a task did to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileChange {
    /// It is there, and may hold anything.
    Written,
    /// It was removed, or got another name, or this name.
    Gone,
}

/// All changes so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChangedFiles {
    all: FxHashMap<String, Change>,
    /// What may have changed any file, or what names mean.
    pub disturbed: Option<Arc<str>>,
}

#[derive(Clone, Copy, Debug)]
struct Change {
    kind: FileChange,
    /// MPI's own picture of the file has it.
    is_known_to_mpi: bool,
}

impl ChangedFiles {
    /// No file was changed, as far as anybody knows.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty() && self.disturbed.is_none()
    }

    /// The C library changed a file.
    pub fn note(&mut self, name: &str, kind: FileChange) {
        self.all.insert(normalized_file_name(name), Change { kind, is_known_to_mpi: false });
    }

    /// MPI changed a file.
    pub fn note_of_mpi(&mut self, name: &str, kind: FileChange) {
        self.all.insert(normalized_file_name(name), Change { kind, is_known_to_mpi: true });
    }

    /// What became of the file that a name stands for.
    pub fn of(&self, name: &str) -> Option<FileChange> {
        let name = normalized_file_name(name);
        let exact = self.all.get(&name);
        exact
            .or_else(|| self.all.iter().find(|(other, _)| is_same_file(other, &name)).map(|(_, of)| of))
            .map(|of| of.kind)
    }

    /// The same where MPI does not know it yet; from now on it does.
    pub fn take_for_mpi(&mut self, name: &str) -> Option<FileChange> {
        let name = normalized_file_name(name);
        let found = self.all.iter_mut().find(|(other, _)| **other == name || is_same_file(other, &name))?.1;
        let is_news = !std::mem::replace(&mut found.is_known_to_mpi, true);
        is_news.then_some(found.kind)
    }
}

/// Whether one of two names may be the other one in the folder that the program is started in.
fn is_same_file(one: &str, two: &str) -> bool {
    let (one, two) = (Path::new(one), Path::new(two));
    one.is_absolute() != two.is_absolute() && (one.ends_with(two) || two.ends_with(one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_file_are_one() {
        let mut files = ChangedFiles::default();
        files.note("./out//data.txt", FileChange::Written);
        files.note("/tmp/in.txt", FileChange::Gone);
        let found = ["out/data.txt", "out/../out/data.txt", "in.txt", "tmp/in.txt", "other/data.txt", "data.txt"];
        let found = found.map(|name| files.of(name));
        let (written, gone) = (Some(FileChange::Written), Some(FileChange::Gone));
        assert_eq!(found, [written, written, gone, gone, None, None]);
        assert_eq!([files.take_for_mpi("out/data.txt"), files.take_for_mpi("out/data.txt")], [written, None]);
    }
}
