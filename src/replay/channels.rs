//! What waits at a task in very many channels, each found by its source.
//!
//! Tasks mostly send and receive in the same order, so the channel entered after the one that was asked for last is
//! probably the next one asked for. It is near that one in memory, which a place in a hash table is not.

use super::hash::FastMap;
use super::matching::{Chain, Items, Source};
use super::slab::NONE;

#[derive(Debug, Default)]
pub(super) struct Channels {
    /// As they were entered; those whose chain is empty are gone.
    entries: Vec<(Source, Chain)>,
    /// Positions in `entries`.
    index: FastMap<Source, u32>,
    /// Where the next one is expected.
    hint: usize,
    /// Entries that are not gone.
    live: usize,
}

/// Entries behind the expected one that a guess looks at.
const NEAR: usize = 8;
/// So many may be gone besides as many as are not.
const GONE: usize = 64;

impl Channels {
    pub fn head(&self, source: Source) -> Option<u32> {
        let (_, chain) = self.entries[self.position(source)?];
        (chain.head != NONE).then_some(chain.head)
    }

    /// The same where it is near the channel that is expected next.
    pub fn guess(&self, source: Source) -> Option<u32> {
        let near = self.entries.iter().skip(self.hint).take(NEAR);
        near.filter(|(other, chain)| *other == source && chain.head != NONE).map(|(_, chain)| chain.head).next()
    }

    fn position(&self, source: Source) -> Option<usize> {
        match self.entries.get(self.hint) {
            Some((expected, _)) if *expected == source => Some(self.hint),
            _ => self.index.get(&source).map(|&position| position as usize),
        }
    }

    pub fn append(&mut self, item: u32, items: &mut impl Items) {
        let source = items.source(item);
        let position = self.position(source).unwrap_or_else(|| self.enter(source));
        let chain = &mut self.entries[position].1;
        self.live += usize::from(chain.head == NONE);
        chain.append(item, items);
    }

    fn enter(&mut self, source: Source) -> usize {
        if self.entries.len() > 2 * self.live + GONE {
            self.forget();
        }
        self.entries.push((source, Chain::EMPTY));
        self.index.insert(source, self.entries.len() as u32 - 1);
        self.entries.len() - 1
    }

    /// Lets the entries that are gone take no room any more.
    fn forget(&mut self) {
        self.entries.retain(|(_, chain)| chain.head != NONE);
        self.index.clear();
        self.index.extend(self.entries.iter().zip(0..).map(|(entry, position)| (entry.0, position)));
        self.hint = 0;
    }

    /// Takes the first of a channel.
    pub fn pop(&mut self, source: Source, items: &mut impl Items) -> Option<u32> {
        let position = self.position(source)?;
        let chain = &mut self.entries[position].1;
        let head = chain.head;
        if head == NONE {
            return None;
        }
        chain.remove(NONE, head, items);
        self.live -= usize::from(chain.head == NONE);
        self.hint = position + 1;
        if self.live == 0 {
            self.entries.clear();
            self.index.clear();
            self.hint = 0;
        }
        Some(head)
    }

    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// The first of each channel.
    pub fn heads(&self) -> impl Iterator<Item = u32> {
        self.entries.iter().map(|(_, chain)| chain.head).filter(|&head| head != NONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::activity::CommId;
    use crate::replay::matching::Channel;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, VecDeque};

    /// Sources of items, and the links among them.
    struct Listed(Vec<(Source, u32)>);

    impl Items for Listed {
        fn source(&self, item: u32) -> Source {
            self.0[item as usize].0
        }

        fn next(&self, item: u32) -> u32 {
            self.0[item as usize].1
        }

        fn link(&mut self, item: u32, next: u32) {
            self.0[item as usize].1 = next;
        }
    }

    proptest! {
        #[test]
        fn each_is_a_queue_of_its_own(steps in prop::collection::vec((any::<bool>(), 0u32..90), 0..600)) {
            let source = |from: u32| Channel::internal(0, from, CommId(0), 0).source();
            let (mut channels, mut items) = (Channels::default(), Listed(Vec::new()));
            let mut queues: BTreeMap<u32, VecDeque<u32>> = BTreeMap::new();
            for (adds, from) in steps {
                let queue = queues.entry(from).or_default();
                if adds {
                    let item = items.0.len() as u32;
                    items.0.push((source(from), NONE));
                    channels.append(item, &mut items);
                    queue.push_back(item);
                } else {
                    let guess = channels.guess(source(from));
                    prop_assert!(guess.is_none() || guess == queue.front().copied());
                    prop_assert_eq!(channels.head(source(from)), queue.front().copied());
                    prop_assert_eq!(channels.pop(source(from), &mut items), queue.pop_front());
                }
                let mut heads: Vec<u32> = channels.heads().collect();
                heads.sort_unstable();
                let mut firsts: Vec<u32> = queues.values().filter_map(|queue| queue.front().copied()).collect();
                firsts.sort_unstable();
                prop_assert_eq!(heads, firsts);
                prop_assert_eq!(channels.is_empty(), queues.values().all(VecDeque::is_empty));
            }
        }
    }
}
