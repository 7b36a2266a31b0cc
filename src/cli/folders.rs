//! Folders of the user for what can be made again.

use std::env;
use std::path::PathBuf;

/// Where machine files of brief calibrations are kept.
pub fn machines() -> Option<PathBuf> {
    Some(own()?.join("machines"))
}

/// Where objects of compilers are kept.
pub fn objects() -> Option<PathBuf> {
    Some(own()?.join("objects"))
}

fn own() -> Option<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let caches = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
    Some(caches.join("chronos"))
}
