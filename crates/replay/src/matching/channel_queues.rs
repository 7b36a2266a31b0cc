//! What waits at a task in very many channels, each found by its source.
//!
//! Tasks mostly send and receive in the same order, so the channel entered after the one that was asked for last is
//! probably the next one asked for. It is near that one in memory, which a place in a hash table is not.

use super::channel::ChannelSource;
use super::linked_queue::{LinkedQueue, QueueItems};
use crate::memory::slab::{NONE, SlabId};
use chronos_base::hash::FxHasher;
use std::hash::{Hash, Hasher};

#[derive(Debug, Default)]
pub(crate) struct ChannelQueues {
    /// As they were entered; those whose chain is empty are gone.
    entries: Vec<(ChannelSource, LinkedQueue)>,
    index: SourceIndex,
    /// Where the next one is expected.
    hint: usize,
    /// Entries that are not gone.
    live: usize,
}

/// Entries behind the expected one that a guess looks at.
const NEAR: usize = 8;
/// So many may be gone besides as many as are not.
const MOST_EMPTY: usize = 64;

impl ChannelQueues {
    pub fn head<I: SlabId>(&self, source: ChannelSource) -> Option<I> {
        let (_, chain) = self.entries[self.position(source)?];
        (chain.head != NONE).then(|| I::from_raw(chain.head))
    }

    /// The same where it is near the channel that is expected next.
    pub(crate) fn head_if_cheap<I: SlabId>(&self, source: ChannelSource) -> Option<I> {
        let near = self.entries.iter().skip(self.hint).take(NEAR);
        near.filter(|(other, chain)| *other == source && chain.head != NONE)
            .map(|(_, chain)| I::from_raw(chain.head))
            .next()
    }

    fn position(&self, source: ChannelSource) -> Option<usize> {
        match self.entries.get(self.hint) {
            Some((expected, _)) if *expected == source => Some(self.hint),
            _ => self.index.find(source, &self.entries),
        }
    }

    pub fn append<I: QueueItems>(&mut self, item: I::Id, items: &mut I) {
        let source = items.source(item);
        let position = self.position(source).unwrap_or_else(|| self.enter(source));
        let chain = &mut self.entries[position].1;
        self.live += usize::from(chain.head == NONE);
        chain.append(item, items);
    }

    fn enter(&mut self, source: ChannelSource) -> usize {
        if self.entries.len() > 2 * self.live + MOST_EMPTY {
            self.drop_empty_queues();
        }
        self.entries.push((source, LinkedQueue::EMPTY));
        self.index.add_last(&self.entries);
        self.entries.len() - 1
    }

    /// Lets the entries that are gone take no room any more.
    fn drop_empty_queues(&mut self) {
        self.entries.retain(|(_, chain)| chain.head != NONE);
        self.index.rebuild(&self.entries);
        self.hint = 0;
    }

    /// Takes the first of a channel.
    pub fn pop<I: QueueItems>(&mut self, source: ChannelSource, items: &mut I) -> Option<I::Id> {
        let position = self.position(source)?;
        let chain = &mut self.entries[position].1;
        let head = chain.head;
        if head == NONE {
            return None;
        }
        let head = I::Id::from_raw(head);
        chain.remove(NONE, head, items);
        self.live -= usize::from(chain.head == NONE);
        self.hint = position + 1;
        if self.live == 0 {
            self.index.clear(self.entries.len());
            self.entries.clear();
            self.hint = 0;
        }
        Some(head)
    }

    /// Takes an item, wherever it stands in its channel; whether it was there.
    pub fn take<I: QueueItems>(&mut self, item: I::Id, items: &mut I) -> bool {
        let Some(position) = self.position(items.source(item)) else { return false };
        let chain = &mut self.entries[position].1;
        let taken = chain.take(item, items);
        self.live -= usize::from(taken && chain.head == NONE);
        taken
    }

    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// The first of each channel.
    pub fn heads(&self) -> impl Iterator<Item = u32> {
        self.entries.iter().map(|(_, chain)| chain.head).filter(|&head| head != NONE)
    }
}

/// Where the entry of a source is. It holds positions alone, because with very many channels what is in it has to
/// come from far away.
#[derive(Debug, Default)]
struct SourceIndex {
    /// A power of two, at most half of them taken; the others are `NONE`.
    slots: Vec<u32>,
}

type Entries = [(ChannelSource, LinkedQueue)];

/// Slots for each entry from which on they are too many to be made free one by one.
const SPARSE: usize = 16;

impl SourceIndex {
    /// The slot of a source, or the free one that it would have; `None` where there are no slots.
    fn slot(&self, source: ChannelSource, entries: &Entries) -> Option<usize> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut hasher = FxHasher::default();
        source.hash(&mut hasher);
        let mut slot = hasher.finish() as usize & mask;
        while self.slots[slot] != NONE && entries[self.slots[slot] as usize].0 != source {
            slot = (slot + 1) & mask;
        }
        Some(slot)
    }

    fn find(&self, source: ChannelSource, entries: &Entries) -> Option<usize> {
        let position = self.slots[self.slot(source, entries)?];
        (position != NONE).then_some(position as usize)
    }

    /// Adds the last of the entries, whose source is new.
    fn add_last(&mut self, entries: &Entries) {
        if 2 * entries.len() > self.slots.len() {
            return self.rebuild(entries);
        }
        if let Some(&(source, _)) = entries.last()
            && let Some(slot) = self.slot(source, entries)
        {
            self.slots[slot] = entries.len() as u32 - 1;
        }
    }

    /// Removes so many entries, all; room that they did not need by far is given back.
    fn clear(&mut self, entries: usize) {
        match self.slots.len() > SPARSE * entries {
            true => self.slots = Vec::new(),
            false => self.slots.fill(NONE),
        }
    }

    fn rebuild(&mut self, entries: &Entries) {
        let room = 4 * entries.len().next_power_of_two();
        self.slots.clear();
        self.slots.resize(room, NONE);
        for (position, &(source, _)) in (0..).zip(entries) {
            if let Some(slot) = self.slot(source, entries) {
                self.slots[slot] = position;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::MsgId;
    use crate::matching::channel::Channel;
    use chronos_activity::{CommId, TaskId};
    use proptest::prelude::*;
    use std::collections::{BTreeMap, VecDeque};

    /// Sources of items, and the links among them.
    struct Listed(Vec<(ChannelSource, u32)>);

    impl QueueItems for Listed {
        type Id = MsgId;

        fn source(&self, item: MsgId) -> ChannelSource {
            self.0[item.0 as usize].0
        }

        fn next(&self, item: MsgId) -> u32 {
            self.0[item.0 as usize].1
        }

        fn link(&mut self, item: MsgId, next: u32) {
            self.0[item.0 as usize].1 = next;
        }
    }

    proptest! {
        #[test]
        fn each_is_a_queue_of_its_own(steps in prop::collection::vec((0u8..3, 0u32..90), 0..600)) {
            let source = |from: u32| Channel::internal(TaskId(0), TaskId(from), CommId(0), 0).source();
            let (mut channels, mut items) = (ChannelQueues::default(), Listed(Vec::new()));
            let mut queues: BTreeMap<u32, VecDeque<MsgId>> = BTreeMap::new();
            for (step, from) in steps {
                let queue = queues.entry(from).or_default();
                if step == 0 {
                    let item = MsgId(items.0.len() as u32);
                    items.0.push((source(from), NONE));
                    channels.append(item, &mut items);
                    queue.push_back(item);
                } else if step == 1 {
                    let last = queue.pop_back();
                    prop_assert_eq!(last.is_some(), last.is_some_and(|item| channels.take(item, &mut items)));
                } else {
                    let head_if_cheap = channels.head_if_cheap::<MsgId>(source(from));
                    prop_assert!(head_if_cheap.is_none() || head_if_cheap == queue.front().copied());
                    prop_assert_eq!(channels.head(source(from)), queue.front().copied());
                    prop_assert_eq!(channels.pop(source(from), &mut items), queue.pop_front());
                }
                let mut heads: Vec<u32> = channels.heads().collect();
                heads.sort_unstable();
                let mut firsts: Vec<u32> = queues.values().filter_map(|queue| queue.front().map(|item| item.0)).collect();
                firsts.sort_unstable();
                prop_assert_eq!(heads, firsts);
                prop_assert_eq!(channels.is_empty(), queues.values().all(VecDeque::is_empty));
            }
        }
    }
}
