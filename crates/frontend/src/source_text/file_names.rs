//! What files are called: as compilers name them, and as users know them.

use super::file_text::normalized;
use super::quoting::Quotable;
use chronos_base::hash::FxHashMap;
use std::path::{Path, PathBuf};

/// What files are called in places: temporary directories must not show.
#[derive(Debug, Default)]
pub(crate) struct FileNames {
    pub headers: String,
    pub copies: FxHashMap<PathBuf, String>,
    /// Of the user, which compilers would take for flags.
    pub flag_like_files: Vec<PathBuf>,
    pub quotable: Quotable,
}

impl FileNames {
    /// The name to show for a file that the compiler names so.
    pub(crate) fn shown(&self, name: &str) -> String {
        if let Some(own) = name.strip_prefix(&self.headers).filter(|_| !self.headers.is_empty()) {
            let copy = self.copies.get(&normalized(Path::new(name)));
            return copy.cloned().unwrap_or_else(|| format!("{BUNDLED}{own}"));
        }
        let given =
            name.strip_prefix("./").filter(|given| self.flag_like_files.iter().any(|own| own == Path::new(given)));
        given.unwrap_or(name).to_owned()
    }

    /// The text of a file that the compiler names so; `None` where it may not be quoted.
    pub(crate) fn quoted(&self, name: &str) -> Option<String> {
        self.quotable.text(name)
    }

    /// A compiler's message with temporary names replaced.
    pub(crate) fn cleaned(&self, message: &str) -> String {
        message.replace(&self.headers, BUNDLED)
    }
}

/// What the directory is called in places and messages.
pub const BUNDLED: &str = "<chronos>";
