//! A long list of waits that another task ended, 32 bytes each, which grows without being copied.
//!
//! A program that does something else in each iteration has millions of them. A vector that grows takes three times its length
//! for a moment. It must not know what they are for.

use super::dependences::Dependence;
use chronos_activity::{Site, TaskId};
use chronos_base::hash::FxHashMap;
use chronos_base::units::Picoseconds;

/// Waits in the order in which they were appended.
#[derive(Debug, Default)]
pub(crate) struct WaitList {
    /// All but the last one are full.
    chunks: Vec<Vec<PackedWait>>,
    /// Calls by number.
    sites: Vec<Site>,
    numbers: FxHashMap<Site, u32>,
    length: usize,
}

/// Waits of a chunk.
const CHUNK: usize = 1 << 14;

/// A wait with its call by number, from 1.
#[derive(Clone, Copy, Debug)]
struct PackedWait {
    at: Picoseconds,
    left: Picoseconds,
    task: TaskId,
    from: TaskId,
    partner: TaskId,
    site: u32,
}

impl WaitList {
    pub fn len(&self) -> usize {
        self.length
    }

    pub fn push(&mut self, wait: Dependence) {
        let Dependence { task, at, from, left, partner, site } = wait;
        let site = site.map_or(0, |site| self.number(site));
        let packed = PackedWait { at, left, task, from, partner, site };
        self.length += 1;
        if self.chunks.last().is_none_or(|last| last.len() == CHUNK) {
            // A short list takes little room.
            let room = if self.chunks.is_empty() { 0 } else { CHUNK };
            self.chunks.push(Vec::with_capacity(room));
        }
        if let Some(last) = self.chunks.last_mut() {
            last.push(packed);
        }
    }

    /// The wait at a position.
    pub fn get(&self, position: usize) -> Dependence {
        let PackedWait { at, left, task, from, partner, site } = self.chunks[position / CHUNK][position % CHUNK];
        let site = site.checked_sub(1).and_then(|number| self.sites.get(number as usize).copied());
        Dependence { task, at, from, left, partner, site }
    }

    /// Who waited, in order.
    pub fn tasks(&self) -> impl Iterator<Item = TaskId> {
        self.chunks.iter().flatten().map(|wait| wait.task)
    }

    fn number(&mut self, site: Site) -> u32 {
        let sites = &mut self.sites;
        *self.numbers.entry(site).or_insert_with(|| {
            sites.push(site);
            sites.len() as u32
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_activity::ContextId;
    use chronos_ir::BlockId;

    #[test]
    fn waits_come_back_as_they_were() {
        assert_eq!(size_of::<PackedWait>(), 32);
        let wait = |number: u64| {
            let task = |by: u64| TaskId((number / by) as u32);
            let site = Site { context: ContextId(number as u32 % 3), block: BlockId(number as u32 % 2) };
            let site = (!number.is_multiple_of(5)).then_some(site);
            let (at, left) = (Picoseconds(number << 40), Picoseconds(number));
            Dependence { task: task(1), at, from: task(2), left, partner: task(3), site }
        };
        let mut list = WaitList::default();
        let many = 2 * CHUNK as u64 + 7;
        (0..many).for_each(|number| list.push(wait(number)));
        assert_eq!(list.len() as u64, many);
        assert!((0..many).all(|number| list.get(number as usize) == wait(number)));
        assert!(list.tasks().zip(0..).all(|(task, number)| task == TaskId(number)));
    }
}
