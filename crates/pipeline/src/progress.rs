//! Who wants to know how far the work is.

use std::time::Duration;

/// Hears of the work as it goes on, from any thread. What it is not interested in, it need not implement.
pub trait Progress: Sync {
    /// All programs were preprocessed, parsed and lowered.
    fn programs_read(&self, took: Duration) {
        let _ = took;
    }

    /// Work of so many steps begins.
    fn begin(&self, steps: u64) {
        let _ = steps;
    }

    /// One more step is done.
    fn advance(&self) {}
}

/// Nobody wants to know.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {}
