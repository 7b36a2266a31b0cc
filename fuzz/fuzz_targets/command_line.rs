//! Command lines: parsed, not run.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    let _ = chronos::cli::commands().try_get_matches_from(text.split_whitespace());
});
