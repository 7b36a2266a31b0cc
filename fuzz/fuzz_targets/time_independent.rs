//! Time-independent traces.
#![no_main]

use chronos::tool_formats::ti;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let _ = ti::parse([("fuzzed.txt", text)], 1e9);
});
