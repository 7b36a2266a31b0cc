//! Files of library costs, with the expressions in them.
#![no_main]

use chronos::library_costs::CostFile;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let _ = CostFile::parse("fuzzed.json", text);
});
