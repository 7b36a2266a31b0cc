//! A loop that jumps back to a label make, while it polls.

use crate::state::task::LoopState;

/// A loop of jumps to a label: it is no block, so it is not among the loops of the task.
#[derive(Clone, Debug)]
pub(crate) struct JumpLoop {
    /// Where the label stands.
    pub(crate) target: u32,
    /// Active calls and loops around it.
    pub(crate) frames: usize,
    pub(crate) loops: usize,
    /// As of other loops; of its logs the first is its own while it watches.
    pub(crate) state: LoopState,
    /// Which log that is.
    pub(crate) log: Option<u64>,
}
