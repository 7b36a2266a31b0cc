//! What the analyses remember between calls.
//!
//! State alone, so that the state of MPI can hold it ([`MpiState`](crate::MpiState)) and the analyses can know both. This room
//! must not know calls in progress.

pub(crate) mod clocks;
pub(crate) mod declarations;
pub(crate) mod lifetimes;
pub(crate) mod ready_sends;
pub(crate) mod uses;
pub(crate) mod windows;

use crate::checks::state::clocks::Clocks;
use crate::checks::state::declarations::EnteredCollectives;
use crate::checks::state::lifetimes::{OpenRequests, Resources};
use crate::checks::state::ready_sends::ReadySends;
use crate::checks::state::uses::BufferUse;
use crate::checks::state::windows::{Fences, MixedEpochs, OpenAccesses, WindowAccesses};

/// What the analyses know, by task.
#[derive(Clone, Debug)]
pub(crate) struct Checks {
    /// What the call that a task is in reads and writes.
    pub(crate) uses: Vec<Vec<BufferUse>>,
    pub(crate) requests: Vec<OpenRequests>,
    pub(crate) resources: Vec<Resources>,
    /// Collectives in which members are compared.
    pub(crate) entered: EnteredCollectives,
    pub(crate) clocks: Clocks,
    pub(crate) ready: ReadySends,
    pub(crate) shared: WindowAccesses,
    pub(crate) origins: Vec<OpenAccesses>,
    pub(crate) mixed: Vec<MixedEpochs>,
    pub(crate) fences: Fences,
}

impl Checks {
    pub(crate) fn new(tasks: usize) -> Self {
        Self {
            uses: vec![Vec::new(); tasks],
            requests: vec![OpenRequests::default(); tasks],
            resources: vec![Resources::default(); tasks],
            entered: EnteredCollectives::default(),
            clocks: Clocks::new(tasks),
            ready: ReadySends::default(),
            shared: WindowAccesses::default(),
            origins: vec![OpenAccesses::default(); tasks],
            mixed: vec![MixedEpochs::default(); tasks],
            fences: Fences::default(),
        }
    }
}
