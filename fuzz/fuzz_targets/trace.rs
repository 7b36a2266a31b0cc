//! The files of a trace: its map and the counts of one task.
#![no_main]

use chronos::trace::map::TraceMap;
use chronos::trace::task::TaskTrace;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let _ = TraceMap::parse(text, "map.json");
    let _ = TaskTrace::parse(text);
});
