//! Files of library costs, with the expressions in them.
#![no_main]

use chronos::predict::library_costs::LibraryCosts;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let _ = LibraryCosts::parse("fuzzed.json", text);
});
