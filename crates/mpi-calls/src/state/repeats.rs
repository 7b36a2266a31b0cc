//! Contents of the messages and collectives of folded loops.
//!
//! A loop is folded where one period leaves the relevant state of its task as it was, so what it gives in one period
//! it gives in all of them. The data of the last period that was followed is therefore kept, and stands for that of
//! the repeats. Loops within loops: what the last period gave may itself be given by a repeat.

use std::collections::{BTreeMap, VecDeque};

/// Repeats of one source that are remembered; what older ones gave is unknown.
const MOST_REPEATS: usize = 4096;
/// Contents of one period that are looked for.
const LONGEST_PERIOD: u64 = 1 << 16;

/// Scalars that are remembered of what each of so many sources gave last.
pub(crate) fn remembered(sources: usize) -> usize {
    ((1 << 24) / sources.max(1)).clamp(1 << 8, 1 << 16)
}

/// What one source has given, by number: a task its messages, a member of a communicator its part in collectives.
#[derive(Clone, Debug)]
pub(crate) struct History<T> {
    /// What was taken by its receivers and may still turn out to be that of a period, with its weight.
    recent: Recent<T>,
    held: usize,
    /// What repeats give.
    kept: BTreeMap<u64, T>,
    /// In the order of their numbers.
    repeats: Vec<Repeat>,
}

/// From `start` on, the `period` items before are given so many times again.
#[derive(Clone, Copy, Debug)]
struct Repeat {
    start: u64,
    period: u64,
    times: u64,
}

impl Repeat {
    /// The number of the item that an item of the repeat is equal to.
    fn source(self, number: u64) -> Option<u64> {
        let within = number.checked_sub(self.start)?;
        (within < self.period.saturating_mul(self.times)).then(|| self.start - self.period + within % self.period)
    }
}

impl<T> Default for History<T> {
    fn default() -> Self {
        Self { recent: Recent::default(), held: 0, kept: BTreeMap::new(), repeats: Vec::new() }
    }
}

impl<T: Clone> History<T> {
    /// An item has been taken; of those that have, no more than `most` scalars are remembered.
    pub fn retire(&mut self, number: u64, item: T, weight: usize, most: usize) {
        let weight = weight + 1;
        if weight > most {
            return;
        }
        self.held += weight;
        self.held -= self.recent.insert(number, item, weight).unwrap_or(0);
        while self.held > most {
            self.held -= self.recent.pop_first().unwrap_or(self.held);
        }
    }

    /// The `period` items before `start` are given `times` times again; `live` has those that were not taken.
    pub fn repeat(&mut self, start: u64, period: u64, times: u64, live: impl Fn(u64) -> Option<T>) {
        if period == 0 || times == 0 || period > start {
            return;
        }
        for number in start - period.min(LONGEST_PERIOD)..start {
            let item = self.recent.get(number).cloned().or_else(|| live(number));
            if let Some(item) = item {
                self.kept.insert(number, item);
            }
        }
        self.repeats.push(Repeat { start, period, times });
        if self.repeats.len() > MOST_REPEATS {
            let first = self.repeats[MOST_REPEATS / 2];
            self.repeats.drain(..MOST_REPEATS / 2);
            self.kept = self.kept.split_off(&(first.start - first.period));
        }
    }

    /// What was given in a repeat, where it is known.
    pub fn find(&self, mut number: u64) -> Option<&T> {
        loop {
            let behind = self.repeats.partition_point(|repeat| repeat.start <= number);
            let repeat = behind.checked_sub(1).map(|last| self.repeats[last]);
            match repeat.and_then(|repeat| repeat.source(number)) {
                Some(source) => number = source,
                None => return self.kept.get(&number),
            }
        }
    }
}

/// Items by number, with their weights. Most come by ascending numbers, and there are many: pieces take half the memory of a
/// table with each of them by itself.
#[derive(Clone, Debug)]
struct Recent<T>(BTreeMap<u64, VecDeque<Weighed<T>>>);

#[derive(Clone, Debug)]
struct Weighed<T> {
    /// Its number within the piece.
    number: u32,
    weight: u32,
    item: T,
}

/// Numbers of a piece.
const PIECE: u64 = 64;

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> Recent<T> {
    /// Enters an item; the weight of the one before it with its number.
    fn insert(&mut self, number: u64, item: T, weight: usize) -> Option<usize> {
        let piece = self.0.entry(number / PIECE).or_default();
        let entry = Weighed { number: (number % PIECE) as u32, weight: weight as u32, item };
        match piece.binary_search_by_key(&entry.number, |one| one.number) {
            Ok(at) => Some(std::mem::replace(&mut piece[at], entry).weight as usize),
            Err(at) => {
                piece.insert(at, entry);
                None
            }
        }
    }

    /// Takes out the item of the lowest number; its weight.
    fn pop_first(&mut self) -> Option<usize> {
        let mut first = self.0.first_entry()?;
        let taken = first.get_mut().pop_front();
        if first.get().is_empty() {
            first.remove();
        }
        taken.map(|taken| taken.weight as usize)
    }

    fn get(&self, number: u64) -> Option<&T> {
        let piece = self.0.get(&(number / PIECE))?;
        let at = piece.binary_search_by_key(&((number % PIECE) as u32), |one| one.number).ok()?;
        Some(&piece[at].item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn recent_items_are_those_of_a_table(steps in prop::collection::vec((0u64..300, 0usize..4, any::<bool>()), 0..400)) {
            let (mut recent, mut table) = (Recent::default(), BTreeMap::new());
            for (number, weight, takes) in steps {
                match takes {
                    true => prop_assert_eq!(recent.pop_first(), table.pop_first().map(|(_, (_, weight))| weight)),
                    false => {
                        let before = table.insert(number, (number + 1, weight)).map(|old: (u64, usize)| old.1);
                        prop_assert_eq!(recent.insert(number, number + 1, weight), before);
                    }
                }
                prop_assert_eq!(recent.get(number), table.get(&number).map(|entry| &entry.0));
            }
        }
    }

    #[test]
    fn repeats_give_what_their_last_period_gave() {
        let mut given = History::default();
        (0..4).for_each(|n| given.retire(n, n * 10, 0, 100));
        given.repeat(6, 2, 3, |n| (n == 5).then_some(50));
        given.retire(4, 40, 0, 100);
        // Of the period, 4 was nowhere when it was repeated.
        let found: Vec<Option<u64>> = (5..13).map(|n| given.find(n).copied()).collect();
        assert_eq!(found, [Some(50), None, Some(50), None, Some(50), None, Some(50), None]);
    }

    #[test]
    fn repeats_repeat_others() {
        let mut given = History::default();
        given.retire(0, 'a', 0, 100);
        given.repeat(1, 1, 3, |_| None);
        given.retire(4, 'b', 0, 100);
        // a aaa b, twice again.
        given.repeat(5, 5, 2, |_| None);
        let found: String = (0..15).filter_map(|n| given.find(n)).collect();
        assert_eq!(found, "aaaabaaaabaaaab");
        assert_eq!(given.find(15), None);
    }

    #[test]
    fn no_more_is_remembered_than_wanted() {
        let mut given = History::default();
        (0..10).for_each(|n| given.retire(n, n, 9, 30));
        given.repeat(10, 10, 1, |_| None);
        let found: Vec<u64> = (10..20).filter_map(|n| given.find(n)).copied().collect();
        assert_eq!(found, [7, 8, 9]);
    }
}
