//! A small table that is asked for its keys in much the same order again and again.
//!
//! As in `task_tables`, the entry after the one found last is nearly always the next one wanted; here each table is
//! by itself.

use chronos_base::hash::FxHashMap;
use std::hash::Hash;

#[derive(Debug)]
pub(crate) struct KeyedTotals<K, V> {
    entries: Vec<(K, V)>,
    /// Where the next key is expected.
    hint: u32,
    /// Positions by key, once there are too many to look through.
    index: Option<Box<FxHashMap<K, u32>>>,
}

/// So many entries are looked through.
const FEW: usize = 16;

impl<K, V> Default for KeyedTotals<K, V> {
    fn default() -> Self {
        Self { entries: Vec::new(), hint: 0, index: None }
    }
}

impl<K: Copy + Eq + Hash, V: Default> KeyedTotals<K, V> {
    /// The value of a key, entered where it is new.
    pub fn entry(&mut self, key: K) -> &mut V {
        let position = self.locate(key).unwrap_or_else(|| self.enter(key));
        self.visit(position)
    }

    fn locate(&self, key: K) -> Option<usize> {
        match self.entries.get(self.hint as usize) {
            Some((expected, _)) if *expected == key => Some(self.hint as usize),
            _ => self.find(key),
        }
    }

    fn visit(&mut self, position: usize) -> &mut V {
        self.hint = if position + 1 < self.entries.len() { position as u32 + 1 } else { 0 };
        &mut self.entries[position].1
    }

    fn find(&self, key: K) -> Option<usize> {
        match &self.index {
            Some(index) => index.get(&key).map(|&position| position as usize),
            None => self.entries.iter().position(|(other, _)| *other == key),
        }
    }

    fn enter(&mut self, key: K) -> usize {
        let position = self.entries.len();
        self.entries.push((key, V::default()));
        match &mut self.index {
            Some(index) => {
                index.insert(key, position as u32);
            }
            None if position >= FEW => {
                let positions = self.entries.iter().enumerate().map(|(at, (key, _))| (*key, at as u32));
                self.index = Some(Box::new(positions.collect()));
            }
            None => {}
        }
        position
    }
}

impl<K, V> KeyedTotals<K, V> {
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &(K, V)> {
        self.entries.iter()
    }

    /// All entries by key.
    pub(crate) fn into_sorted(self) -> Vec<(K, V)>
    where
        K: Copy + Ord,
    {
        let mut entries = self.entries;
        entries.sort_unstable_by_key(|&(key, _)| key);
        entries.shrink_to_fit();
        entries
    }

    /// In the order in which they were entered.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.entries.iter_mut().map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn it_counts_like_a_map(keys in prop::collection::vec(0u32..40, 0..200)) {
            let (mut keyed_totals, mut map) = (KeyedTotals::<u32, u64>::default(), BTreeMap::new());
            for key in keys {
                *keyed_totals.entry(key) += 1;
                *map.entry(key).or_insert(0u64) += 1;
            }
            let counted: BTreeMap<u32, u64> = keyed_totals.iter().copied().collect();
            prop_assert_eq!(counted, map);
        }
    }
}
