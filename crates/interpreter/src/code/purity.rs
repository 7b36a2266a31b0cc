//! What a call of a function depends on, besides its arguments, and what it changes.

use std::collections::BTreeSet;

/// What a call depends on, besides its arguments, and what it changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Purity {
    /// Globals that are read, or written other than by adding.
    pub reads: BTreeSet<u32>,
    /// Globals that are written other than by adding.
    pub writes: BTreeSet<u32>,
    /// Integer globals that are added to, and read for nothing else.
    pub sums: BTreeSet<u32>,
}

impl Purity {
    pub(crate) fn add(&mut self, other: &Self) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
        self.sums.extend(&other.sums);
    }

    /// What one function adds to and another reads is no mere sum.
    pub(crate) fn settled(mut self) -> Self {
        let used: Vec<u32> = self.sums.iter().copied().filter(|g| self.reads.contains(g)).collect();
        for global in used {
            self.sums.remove(&global);
            self.writes.insert(global);
        }
        self.reads.extend(&self.writes);
        self
    }
}
