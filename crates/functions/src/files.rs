//! Functions of POSIX on files that have no row: nothing is known of their calls but that these may change what others read.

/// The argument that names a file which a call may write, make or replace.
pub fn changed_file(function: &str) -> Option<usize> {
    match function {
        "creat" | "creat64" | "truncate" | "truncate64" => Some(0),
        "openat" | "openat64" | "link" | "symlink" => Some(1),
        _ => None,
    }
}

/// Whether a call may move where a descriptor stands: behind it nobody knows where a stream on it reads on.
pub fn moves_descriptors(function: &str) -> bool {
    const NAMES: [&str; 8] = ["readv", "dup", "dup2", "dup3", "fdopen", "ftruncate", "ftruncate64", "mmap"];
    NAMES.contains(&function)
}
