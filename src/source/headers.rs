//! The headers of our own that stand in for an installed MPI and OpenMP.
//!
//! They are written to a directory that lives as long as the preprocessor; its name is random
//! and must never show, so places in it are called `<chronos>/mpi.h`.

use std::io;
use std::path::Path;
use tempfile::TempDir;

const FILES: &[(&str, &str)] = &[
    ("mpi.h", include_str!("../../runtime/mpi.h")),
    ("omp.h", include_str!("../../runtime/omp.h")),
    ("chronos.h", include_str!("../../runtime/chronos.h")),
    // glibc asks for these by data model, and installs only those of its own.
    ("gnu/stubs-32.h", ""),
    ("gnu/stubs-x32.h", ""),
];

/// What the directory is called in places and messages.
pub const BUNDLED: &str = "<chronos>";

/// Writes all headers to a directory of their own, removed on drop.
pub fn write() -> io::Result<TempDir> {
    let directory = tempfile::Builder::new().prefix("chronos-headers-").tempdir()?;
    for (name, text) in FILES {
        write_file(&directory.path().join(name), text)?;
    }
    Ok(directory)
}

/// Writes a file and the directories above it.
pub fn write_file(path: &Path, text: &str) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::write(path, text)
}
