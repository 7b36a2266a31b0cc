//! Files that the program opens and that lie where it is started, as a run would find them.
//!
//! What is not trusted decides which file that is (docs/security.md): so a name must lead to a regular file below the folder,
//! or stand in an argument that the user typed. Each is read once, so that all who follow the program see the same.

use crate::codes;
use crate::state::shared::Shared;
use chronos_activity::TaskId;
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashMap;
use chronos_base::span::Span;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Larger files are not read unasked.
const LARGEST: u64 = 256 << 20;

/// The folder, and what was read of it; all who follow the program share that.
#[derive(Clone, Debug)]
pub struct FilesAtHand {
    folder: PathBuf,
    read: Arc<Mutex<Contents>>,
}

/// By the name that the program opens; `None`: it is not there, or may not be read.
type Contents = FxHashMap<String, Option<Arc<[u8]>>>;

impl FilesAtHand {
    /// Those of a folder.
    pub fn below(folder: PathBuf) -> Self {
        Self { folder, read: Arc::default() }
    }

    /// Whether the program has opened any, also one that is not there.
    pub fn were_asked_for(&self) -> bool {
        !self.read.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// What stands in the file; `None`: it is not there, or may not be read unasked.
    pub(crate) fn content(&self, name: &str, arguments: &[String]) -> Option<Arc<[u8]>> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = read.get(name) {
            return known.clone();
        }
        let is_typed = arguments.iter().any(|argument| argument.ends_with(name));
        let content = read_regular(&self.folder, name, is_typed);
        read.insert(name.to_owned(), content.clone());
        content
    }
}

/// What was given of a file, or lies where the program is started, which is told.
pub(crate) fn given_or_at_hand(shared: &mut Shared, task: TaskId, name: &str, opened: Span) -> Option<Arc<[u8]>> {
    let options = &shared.options;
    if let Some(given) = options.inputs.file(name) {
        return Some(given);
    }
    let found = options.inputs.file_at_hand(name, &options.arguments)?;
    let message = format!("the program opens the file `{name}`, which is read as it lies here");
    let note = Diagnostic::note(&codes::FILE_AT_HAND, message)
        .label(opened, "opened here")
        .help("--only-given-files reads no others than those of --input-file");
    shared.reports.add(task, note);
    Some(found)
}

fn read_regular(folder: &Path, name: &str, is_typed: bool) -> Option<Arc<[u8]>> {
    let path = folder.join(name).canonicalize().ok()?;
    let is_below = || folder.canonicalize().is_ok_and(|folder| path.starts_with(folder));
    if name.is_empty() || !(is_typed || is_below()) {
        return None;
    }
    let found = std::fs::metadata(&path).ok()?;
    let content = (found.is_file() && found.len() <= LARGEST).then(|| std::fs::read(&path).ok())??;
    Some(content.into())
}

#[cfg(test)]
mod tests {
    use super::FilesAtHand;

    #[test]
    fn files_below_the_folder_are_read_and_others_where_they_were_typed() {
        let folder = std::env::temp_dir().join(format!("chronos-files-at-hand-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("run/data")).unwrap();
        std::fs::write(folder.join("run/data/size"), "8").unwrap();
        std::fs::write(folder.join("outside"), "9").unwrap();
        let files = FilesAtHand::below(folder.join("run"));
        assert!(!files.were_asked_for());
        let text = |name: &str, arguments: &[String]| files.content(name, arguments).map(|text| text.to_vec());
        assert_eq!(text("data/size", &[]), Some(b"8".to_vec()));
        assert_eq!(text("data", &[]), None);
        assert_eq!(text("nothing", &[]), None);
        assert_eq!(text("data/../../outside", &[]), None);
        assert_eq!(text("../outside", &["-f../outside".to_owned()]), Some(b"9".to_vec()));
        assert!(files.were_asked_for());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
