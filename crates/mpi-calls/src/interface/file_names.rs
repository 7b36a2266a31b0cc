//! One name for each file: the C library and MPI are given it by the program, each in its own way.

use std::path::{Component, Path, PathBuf};

/// A name without `.`, doubled slashes, and folders that are left again at once.
pub fn normalized_file_name(name: &str) -> String {
    let mut path = PathBuf::new();
    for part in Path::new(name).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if path.file_name().is_some() => drop(path.pop()),
            part => path.push(part),
        }
    }
    path.to_string_lossy().into_owned()
}
