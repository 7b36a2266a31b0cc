//! Operations under way as numbers, for the search for periods (`engine::steady`).

use super::plan::AlgorithmChoice;
use super::{CollectiveFrame, OpenCollective};
use crate::matching::operation::Completion;
use crate::memory::slab::NONE;
use chronos_base::units::Picoseconds;

impl CollectiveFrame {
    pub(crate) fn is_blocking(&self) -> bool {
        self.op.is_none()
    }

    /// What it does and how far it is, without times.
    pub fn words(&self) -> [u64; 10] {
        let [bytes, algorithm, segment, scale] = self.decision.words();
        let place = u64::from(self.round) << 32 | u64::from(self.outstanding);
        let (kind, waiting) = (self.kind as u64, u64::from(self.waiting));
        let links = u64::from(self.instance) << 32 | u64::from(self.awaits.map_or(NONE, |task| task.0));
        let comm = u64::from(self.task.0) << 32 | u64::from(self.comm.0);
        [comm, kind << 1 | waiting, links, place, self.idle.0, self.reduce, bytes, algorithm, segment, scale]
    }

    pub fn times(&self) -> [Picoseconds; 3] {
        [self.entered, self.clock, self.partner]
    }

    /// Of messages that it waits for, and the one that it waited for last.
    pub fn completions(&self) -> impl Iterator<Item = Completion> {
        self.completions.iter().copied().chain(self.binding)
    }

    /// All its times, to be changed.
    pub(crate) fn moments(&mut self) -> ([&mut Picoseconds; 3], impl Iterator<Item = &mut Completion>) {
        let times = [&mut self.entered, &mut self.clock, &mut self.partner];
        (times, self.completions.iter_mut().chain(&mut self.binding))
    }
}

impl OpenCollective {
    pub fn words(&self) -> [u64; 7] {
        let [bytes, algorithm, segment, scale] = self.decision.words();
        let root = self.root.map_or(u64::MAX, |root| u64::from(root.0));
        let members = u64::from(self.first.0) << 32 | u64::from(self.joined);
        [self.kind as u64, root, members, bytes, algorithm, segment, scale]
    }
}

impl AlgorithmChoice {
    fn words(self) -> [u64; 4] {
        [self.bytes, self.algorithm as u64, self.segment, self.scale.word()]
    }
}
