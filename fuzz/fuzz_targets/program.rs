//! C programs: parsed, lowered, verified and counted within a small budget.
#![no_main]

use chronos::frontend::{self as source, SourceOptions};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = folder.path().join("fuzzed.c");
    std::fs::write(&path, data).expect("a temporary file can be written");
    let options = SourceOptions { files: vec![path], ..SourceOptions::default() };
    let (program, _, diagnostics) = source::program(&options);
    assert!(program.is_some() || diagnostics.iter().any(|found| found.is_error()), "refused without a reason");
});
