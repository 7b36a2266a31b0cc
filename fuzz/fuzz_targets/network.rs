//! Network files.
#![no_main]

use chronos::machine::network::Network;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let _ = Network::parse("fuzzed.json", text);
});
