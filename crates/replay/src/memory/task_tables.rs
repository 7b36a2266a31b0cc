//! Small tables of all tasks in one piece of memory, each asked for its keys in much the same order again and again.
//!
//! A task goes through the same partners and call sites in every iteration: the entry after the one found last is
//! nearly always the next one wanted, so that neither hashing nor a search is needed. Entries of a task form a ring;
//! with very many tasks a list of each would cost as much as what is in it.

use super::slab::NONE;
use chronos_base::hash::{FxHashMap, FxHasher};
use chronos_base::prefetch::prefetch_at;
use std::hash::{Hash, Hasher};

/// The tables.
#[derive(Clone, Debug)]
pub(crate) struct TaskTables<K, V> {
    entries: Vec<RingEntry<K, V>>,
    /// By task, of tables that are too large to look through: entries by key.
    index: FxHashMap<u32, FxHashMap<K, u32>>,
    /// By task, one bit for some of the keys: what has none is new, and need not be looked for far away.
    key_filters: Vec<u64>,
}

#[derive(Clone, Debug)]
struct RingEntry<K, V> {
    key: K,
    next: u32,
    value: V,
}

/// The entry of a task that was found last.
#[derive(Clone, Copy, Debug)]
pub struct TableCursor(u32);

impl TableCursor {
    /// Of the entry among those of all tasks.
    #[inline]
    pub fn position(self) -> u32 {
        self.0
    }
}

/// So many entries are looked through.
const FEW: usize = 32;

impl Default for TableCursor {
    fn default() -> Self {
        Self(NONE)
    }
}

impl<K, V> Default for TaskTables<K, V> {
    fn default() -> Self {
        Self { entries: Vec::new(), index: FxHashMap::default(), key_filters: Vec::new() }
    }
}

impl<K: Copy + Eq + Hash, V: Default> TaskTables<K, V> {
    /// The value of a key in the table of a task, entered where it is new.
    pub fn entry(&mut self, cursor: &mut TableCursor, task: u32, key: K) -> &mut V {
        cursor.0 = match self.after(cursor.0) {
            Some(expected) if self.entries[expected as usize].key == key => expected,
            _ => self.search(*cursor, task, key),
        };
        &mut self.entries[cursor.0 as usize].value
    }

    fn after(&self, position: u32) -> Option<u32> {
        self.entries.get(position as usize).map(|entry| entry.next)
    }

    fn search(&mut self, cursor: TableCursor, task: u32, key: K) -> u32 {
        let new = self.entries.len() as u32;
        let is_first = self.note_key(task, key);
        if !self.index.contains_key(&task) {
            match if is_first { Err(0) } else { self.find(cursor, key) } {
                Ok(position) => return position,
                Err(known) if known < FEW => {
                    self.insert(cursor, key);
                    return new;
                }
                Err(_) => self.index_ring(cursor.0, task),
            }
        }
        let position = *self.index.entry(task).or_default().entry(key).or_insert(new);
        if position == new {
            self.insert(cursor, key);
        }
        position
    }

    /// Whether the key is certainly new to the task.
    fn note_key(&mut self, task: u32, key: K) -> bool {
        let mut hasher = FxHasher::default();
        key.hash(&mut hasher);
        if self.key_filters.len() <= task as usize {
            self.key_filters.resize(task as usize + 1, 0);
        }
        let (key_filters, bit) = (&mut self.key_filters[task as usize], 1 << (hasher.finish() & 63));
        let is_new = *key_filters & bit == 0;
        *key_filters |= bit;
        is_new
    }

    /// The position of a key in a table without an index, or how many entries were looked through in vain.
    fn find(&self, cursor: TableCursor, key: K) -> Result<u32, usize> {
        let mut position = cursor.0;
        for key_filters in 0..FEW {
            position = self.after(position).ok_or(key_filters)?;
            if self.entries[position as usize].key == key {
                return Ok(position);
            }
            if position == cursor.0 {
                return Err(key_filters + 1);
            }
        }
        Err(FEW)
    }

    /// Behind the one found last, because that is how it will be asked for.
    fn insert(&mut self, cursor: TableCursor, key: K) {
        let position = self.entries.len() as u32;
        let next = self.after(cursor.0).unwrap_or(position);
        self.entries.push(RingEntry { key, next, value: V::default() });
        if let Some(latest) = self.entries.get_mut(cursor.0 as usize) {
            latest.next = position;
        }
    }

    /// Puts all of a ring into the index.
    fn index_ring(&mut self, begin: u32, task: u32) {
        let index = self.index.entry(task).or_default();
        let mut position = begin;
        loop {
            let &RingEntry { key, next, .. } = &self.entries[position as usize];
            index.insert(key, position);
            position = next;
            if position == begin {
                return;
            }
        }
    }
}

impl<K, V> TaskTables<K, V> {
    /// Brings the entry of a task near that was found last.
    #[inline]
    pub fn prefetch(&self, cursor: TableCursor, task: u32) {
        prefetch_at(&self.entries, cursor.0 as usize);
        prefetch_at(&self.key_filters, task as usize);
    }

    /// Brings the entry near that is probably wanted next.
    #[inline]
    pub(crate) fn prefetch_expected(&self, cursor: TableCursor) {
        if let Some(latest) = self.entries.get(cursor.0 as usize) {
            prefetch_at(&self.entries, latest.next as usize);
        }
    }

    /// The value at a position.
    #[inline]
    pub fn at(&self, position: u32) -> &V {
        &self.entries[position as usize].value
    }

    #[inline]
    pub(crate) fn at_mut(&mut self, position: u32) -> &mut V {
        &mut self.entries[position as usize].value
    }

    /// Entries of a task, from the one found last on around the ring.
    pub fn iter(&self, cursor: TableCursor) -> impl Iterator<Item = (&K, &V)> {
        self.positions(cursor).map(|(_, key, value)| (key, value))
    }

    /// The same with their positions.
    pub fn positions(&self, cursor: TableCursor) -> impl Iterator<Item = (u32, &K, &V)> {
        let first = Some(cursor.0).filter(|&first| (first as usize) < self.entries.len());
        let after = move |&position: &u32| Some(self.entries[position as usize].next).filter(|&next| next != cursor.0);
        std::iter::successors(first, after).map(|position| {
            let entry = &self.entries[position as usize];
            (position, &entry.key, &entry.value)
        })
    }

    /// Entries of all tasks.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Those of all tasks, in the order in which they were entered.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.entries.iter().map(|entry| &entry.value)
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.entries.iter_mut().map(|entry| &mut entry.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn they_count_like_maps(keys in prop::collection::vec((0usize..3, 0u32..90), 0..600)) {
            let (mut tables, mut table) = (TaskTables::<u32, u64>::default(), [TableCursor::default(); 3]);
            let mut maps = [const { BTreeMap::new() }; 3];
            for (task, key) in keys {
                *tables.entry(&mut table[task], task as u32, key) += 1;
                *maps[task].entry(key).or_insert(0u64) += 1;
            }
            for (cursor, map) in table.into_iter().zip(maps) {
                let counted: Vec<(u32, u64)> = tables.iter(cursor).map(|(key, value)| (*key, *value)).collect();
                prop_assert_eq!(counted.len(), map.len());
                prop_assert_eq!(counted.into_iter().collect::<BTreeMap<u32, u64>>(), map);
            }
        }
    }
}
