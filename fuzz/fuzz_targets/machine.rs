//! Machine files: read, and where they are taken, checked, scaled and written.
#![no_main]

use chronos::machine::Machine;

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(machine) = Machine::parse("fuzzed.json", text) {
        let _ = machine.check("fuzzed.json");
        let _ = machine.to_json();
    }
});
