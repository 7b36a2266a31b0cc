//! Files of assumptions.
#![no_main]

use chronos::predict::assumptions::AssumptionFile;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let _ = AssumptionFile::parse("fuzzed.json", text);
});
