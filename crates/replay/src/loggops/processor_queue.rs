//! What waits for a processor, and for an interface where it is a send or a message: all of a line until the same
//! time, and of all lines of a processor one is first, so that one event for that one does. In the order in which
//! they became known.

use super::ids::{QueueEntryId, Subject};
use crate::memory::slab::{NONE, Slab};
use chronos_base::prefetch::prefetch;

#[derive(Clone, Copy, Debug)]
pub(super) struct ProcessorQueue {
    head: u32,
    tail: u32,
}

/// When there is no event for those in lines.
pub(super) const NOTHING: (u64, u64) = (u64::MAX, u64::MAX);

/// Stands in a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueueEntry {
    number: u64,
    what: Subject,
    next: u32,
}

impl Default for ProcessorQueue {
    fn default() -> Self {
        Self { head: NONE, tail: NONE }
    }
}

impl ProcessorQueue {
    pub fn front(self, all: &Slab<QueueEntryId, QueueEntry>) -> Option<(u64, Subject)> {
        (self.head != NONE).then(|| key(all, QueueEntryId(self.head)))
    }

    /// As that of a host.
    #[inline]
    pub fn prefetch(self, all: &Slab<QueueEntryId, QueueEntry>) {
        if self.head != NONE {
            prefetch(&all[QueueEntryId(self.head)]);
        }
    }

    /// Mostly at one of the ends.
    pub fn push(&mut self, all: &mut Slab<QueueEntryId, QueueEntry>, number: u64, what: Subject) {
        let item = all.insert(QueueEntry { number, what, next: NONE });
        if self.tail == NONE || key(all, QueueEntryId(self.tail)) < (number, what) {
            return self.append(all, item);
        }
        let (mut before, mut behind) = (NONE, self.head);
        while key(all, QueueEntryId(behind)) < (number, what) {
            (before, behind) = (behind, all[QueueEntryId(behind)].next);
        }
        all[item].next = behind;
        match before {
            NONE => self.head = item.0,
            before => all[QueueEntryId(before)].next = item.0,
        }
    }

    fn append(&mut self, all: &mut Slab<QueueEntryId, QueueEntry>, item: QueueEntryId) {
        match std::mem::replace(&mut self.tail, item.0) {
            NONE => self.head = item.0,
            last => all[QueueEntryId(last)].next = item.0,
        }
    }

    pub fn pop(&mut self, all: &mut Slab<QueueEntryId, QueueEntry>) {
        if self.head != NONE {
            let head = QueueEntryId(self.head);
            let next = all[head].next;
            all.release(head);
            self.head = next;
            if next == NONE {
                self.tail = NONE;
            }
        }
    }
}

fn key(all: &Slab<QueueEntryId, QueueEntry>, item: QueueEntryId) -> (u64, Subject) {
    (all[item].number, all[item].what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn the_first_stands_in_front(numbers in prop::collection::vec((any::<bool>(), 0u64..40), 0..80)) {
            let (mut all, mut processor_queue, mut set) = (Slab::<QueueEntryId, _>::default(), ProcessorQueue::default(), BTreeSet::new());
            for (what, (pops, number)) in (0..).map(Subject).zip(numbers) {
                processor_queue.push(&mut all, number, what);
                set.insert((number, what));
                if pops {
                    prop_assert_eq!(processor_queue.front(&all), set.pop_first());
                    processor_queue.pop(&mut all);
                }
            }
            while let Some(first) = set.pop_first() {
                prop_assert_eq!(processor_queue.front(&all), Some(first));
                processor_queue.pop(&mut all);
            }
            prop_assert_eq!(processor_queue.front(&all), None);
        }
    }
}
