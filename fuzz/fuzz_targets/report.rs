//! Saved reports, rendered as a page.
#![no_main]

use chronos::report::html;

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(report) = serde_json::from_str(text) {
        let _ = html::render(&report);
    }
});
