//! Platform files.
#![no_main]

use chronos::machine::platform::PlatformFile;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let _ = PlatformFile::parse("fuzzed.json", text);
});
