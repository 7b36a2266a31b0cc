//! Work of a task so far, by loop, and the counts that it showed.

use chronos_activity::{Count, CountSource, CountValue};
use chronos_base::ids::Id;
use chronos_ir::{BlockId, CounterId};
use std::collections::{BTreeMap, BTreeSet};

/// Work of a task so far, and what it showed.
#[derive(Clone, Debug, Default)]
pub struct Effort {
    pub(crate) region: Option<ChargedLoop>,
    /// Operations by outermost loop.
    pub(crate) spent: BTreeMap<BlockId, u64>,
    pub(crate) given_up: BTreeSet<BlockId>,
    /// What was counted exactly and handed out, by counter.
    pub(crate) counted: Vec<u64>,
    /// The same, with what was not yet handed out, when a loop was given up last; empty where none was.
    pub(crate) before: Vec<u64>,
}

/// The outermost loop without MPI calls that is being executed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChargedLoop {
    pub(crate) block: BlockId,
    /// Position among the loops of the task.
    pub(crate) depth: usize,
    /// Operations of the task before.
    pub(crate) before: u64,
}

impl Effort {
    /// Adds a count of a segment that is handed out.
    pub fn note(&mut self, counter: CounterId, count: Count) {
        if let Count { value: CountValue::Exact(n), source: CountSource::Static } = count {
            add(&mut self.counted, counter, n);
        }
    }

    /// Position of the outermost loop without MPI calls that is being executed.
    pub fn outermost(&self) -> Option<usize> {
        self.region.map(|region| region.depth)
    }

    pub(crate) fn is_given_up(&self, block: BlockId) -> bool {
        self.given_up.contains(&block)
    }

    /// Some loop was given up: what follows from it is taken to be as it was before.
    pub(crate) fn any_given_up(&self) -> bool {
        !self.given_up.is_empty()
    }

    pub(crate) fn seen(&self, counter: CounterId) -> u64 {
        self.before.get(counter.index()).copied().unwrap_or(0)
    }
}

pub(crate) fn add(counts: &mut Vec<u64>, counter: CounterId, n: u128) {
    if counts.len() <= counter.index() {
        counts.resize(counter.index() + 1, 0);
    }
    let n = u64::try_from(n).unwrap_or(u64::MAX);
    counts[counter.index()] = counts[counter.index()].saturating_add(n);
}
