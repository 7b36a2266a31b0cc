//! What members of collectives say about their data.

use chronos_activity::{CommId, TaskId};
use chronos_base::span::Span;
use chronos_mpi::signature::TypedElements;
use chronos_values::Value;
use std::collections::BTreeMap;

/// Collectives that some members have not entered, by communicator and number.
pub(crate) type EnteredCollectives = BTreeMap<(CommId, u64), Vec<Declared>>;

/// What a member says about its data.
#[derive(Clone, Debug)]
pub struct Declared {
    pub(crate) rank: usize,
    pub(crate) task: TaskId,
    pub(crate) span: Span,
    pub(crate) name: &'static str,
    pub(crate) operator: Option<(Value, &'static str)>,
    /// What all members must give alike.
    pub(crate) all: Option<TypedElements>,
    pub(crate) gives: DeclaredBlocks,
    pub(crate) gets: DeclaredBlocks,
}

/// Blocks for or from others: one for all of them alike, or one for each.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeclaredBlocks {
    pub(crate) blocks: Vec<TypedElements>,
    /// There is only this partner.
    pub(crate) only: Option<usize>,
}

impl DeclaredBlocks {
    pub(crate) fn with(&self, rank: usize) -> Option<&TypedElements> {
        match self.blocks.as_slice() {
            _ if self.only.is_some_and(|only| only != rank) => None,
            [one] => Some(one),
            each => each.get(rank),
        }
    }
}
