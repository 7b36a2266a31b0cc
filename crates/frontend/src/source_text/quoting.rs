//! Which files may be quoted where places name them.
//!
//! A place has the name of a file that the source itself can choose (`#line 1 "FILE"`), and reports quote the lines of places.
//! So text is only taken of regular files below the folders of the sources and of headers that the user names, and of those that
//! the preprocessor has really opened: a source cannot bring other files into a report than it could include.

use super::file_text::{canonical, decode};
use super::markers::Marker;
use crate::SourceOptions;
use chronos_base::hash::FxHashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// No source is longer, in bytes.
pub(crate) const MAX_SOURCE_BYTES: u64 = 256 << 20;

#[derive(Debug, Default)]
pub(crate) struct Quotable {
    folders: Vec<PathBuf>,
    opened: Mutex<FxHashSet<PathBuf>>,
}

impl Quotable {
    pub(crate) fn new(options: &SourceOptions, headers: &Path) -> Self {
        let of_sources = options.files.iter().filter_map(|file| Some(canonical(file).parent()?.to_owned()));
        let named = options.includes.iter().map(|folder| canonical(folder));
        let folders = of_sources.chain(named).chain([canonical(headers)]).collect::<FxHashSet<_>>();
        Self { folders: folders.into_iter().collect(), opened: Mutex::default() }
    }

    /// The text of a file that a place names, where it may be quoted.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        let path = canonical(Path::new(name));
        let may = self.is_below(&path) || self.opened().contains(&path);
        (may && is_source(&path)).then(|| std::fs::read(&path).ok().map(decode)).flatten()
    }

    /// Whether preprocessed text names files of which only the preprocessor can tell whether it opened them.
    pub(crate) fn is_unsure(&self, text: &str) -> bool {
        let mut seen = FxHashSet::default();
        let markers = text.lines().filter(|line| line.starts_with('#')).filter_map(Marker::parse);
        let mut files = markers.filter(|marker| !marker.system && !marker.file.starts_with('<'));
        files.any(|marker| {
            let path = canonical(Path::new(&marker.file));
            seen.insert(marker.file) && !self.is_below(&path) && !self.opened().contains(&path) && is_source(&path)
        })
    }

    /// Enters the files of a rule of make (`cc -M`).
    pub(crate) fn enter(&self, rule: &str) {
        let files = prerequisites(rule).into_iter().map(|file| canonical(Path::new(&file)));
        self.opened().extend(files);
    }

    fn is_below(&self, path: &Path) -> bool {
        self.folders.iter().any(|folder| path.starts_with(folder))
    }

    fn opened(&self) -> MutexGuard<'_, FxHashSet<PathBuf>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reading it ends.
fn is_source(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.len() <= MAX_SOURCE_BYTES)
}

/// What stands behind the colon: blanks are escaped by backslashes, dollars doubled.
fn prerequisites(rule: &str) -> Vec<String> {
    let Some((_, list)) = rule.split_once(": ").or_else(|| rule.split_once(":\n")) else { return Vec::new() };
    let mut words = vec![String::new()];
    let mut chars = list.chars().peekable();
    while let Some(c) = chars.next() {
        let escaped = matches!((c, chars.peek()), ('\\', Some(' ' | '#' | ':')) | ('$', Some('$')));
        let word = words.last_mut().into_iter();
        match c {
            _ if escaped => word.for_each(|word| word.extend(chars.next())),
            '\\' if chars.next_if_eq(&'\n').is_some() => words.push(String::new()),
            c if c.is_whitespace() => words.push(String::new()),
            c => word.for_each(|word| word.push(c)),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_make_are_read() {
        let rule = "a.o: a.c ../inc/x.h \\\n /usr/my\\ headers/a$$b.h \\\n c\\#.h\n";
        assert_eq!(prerequisites(rule), ["a.c", "../inc/x.h", "/usr/my headers/a$b.h", "c#.h"]);
        assert!(prerequisites("").is_empty());
    }

    #[test]
    fn files_elsewhere_are_quoted_only_if_they_were_opened() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("p")).expect("made");
        for name in ["p/a.c", "p/near.h", "far.h", "secret"] {
            std::fs::write(path(name), name).expect("written");
        }
        std::os::unix::fs::symlink(path("secret"), path("p/link.h")).expect("made");
        let options = SourceOptions { files: vec![path("p/a.c")], ..SourceOptions::default() };
        let quotable = Quotable::new(&options, &path("headers"));
        quotable.enter(&format!("a.o: {}", path("far.h").display()));
        let text = |name: &str| quotable.text(&path(name).display().to_string());
        let names = ["p/near.h", "far.h", "p/../secret", "p/link.h", "p"];
        let expected = [Some("p/near.h"), Some("far.h"), None, None, None];
        assert_eq!(names.map(text), expected.map(|text| text.map(str::to_owned)));
        let marked = |name: &str| quotable.is_unsure(&format!("# 1 \"{}\"\n", path(name).display()));
        assert_eq!(["p/near.h", "far.h", "secret", "none"].map(marked), [false, false, true, false]);
    }
}
