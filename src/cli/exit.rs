//! Exit codes.

use std::process::{ExitCode, Termination};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// The command did what it was asked to.
    Done = 0,
    /// The prediction is incomplete, the program is wrong, or a threshold was exceeded.
    Incomplete = 1,
    /// Usage, unreadable or unparsable input.
    Usage = 2,
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self as u8)
    }
}
