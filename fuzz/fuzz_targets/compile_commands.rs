//! Databases of a build's compile commands.
#![no_main]

use chronos::frontend::Database;
use std::path::Path;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("compile_commands.json");
    std::fs::write(&path, data).expect("a temporary file can be written");
    let _ = Database::read(&path, Path::new("/"));
});
