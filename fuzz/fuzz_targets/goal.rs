//! Schedules in the GOAL format: what is read can be written and read again.
#![no_main]

use chronos::tool_formats::goal;

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(schedule) = goal::parse("fuzzed.goal", text) {
        let written = goal::render(&schedule);
        assert!(goal::parse("written.goal", &written).is_ok(), "not read again:\n{written}");
    }
});
