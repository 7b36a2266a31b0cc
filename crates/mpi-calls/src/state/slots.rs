//! Tables of what a task has made, by handle.

use std::collections::BinaryHeap;

/// A table whose free entries are used again, lowest first, so that equal iterations of a program
/// see equal handles.
#[derive(Clone, Debug)]
pub(crate) struct Slots<T> {
    items: Vec<Option<T>>,
    free: BinaryHeap<std::cmp::Reverse<usize>>,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self { items: Vec::new(), free: BinaryHeap::new() }
    }
}

impl<T> Slots<T> {
    pub fn insert(&mut self, item: T) -> usize {
        if let Some(std::cmp::Reverse(index)) = self.free.pop() {
            self.items[index] = Some(item);
            return index;
        }
        self.items.push(Some(item));
        self.items.len() - 1
    }

    pub fn remove(&mut self, index: usize) -> Option<T> {
        let item = self.items.get_mut(index)?.take()?;
        self.free.push(std::cmp::Reverse(index));
        Some(item)
    }

    /// Removes without ever using the place again.
    pub fn retire(&mut self, index: usize) {
        if let Some(place) = self.items.get_mut(index) {
            *place = None;
        }
    }

    pub fn get(&self, index: usize) -> Option<&T> {
        self.items.get(index)?.as_ref()
    }

    pub fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        self.items.get_mut(index)?.as_mut()
    }
}

/// Position in a table of handles that begin with `first`.
pub(crate) fn slot(handle: i64, first: i64) -> Option<usize> {
    usize::try_from(handle.checked_sub(first)?).ok()
}

/// The handle of a position.
pub(crate) fn handle(slot: usize, first: i64) -> i64 {
    i64::try_from(slot).unwrap_or(i64::MAX).saturating_add(first)
}

#[cfg(test)]
mod tests {
    use super::Slots;

    #[test]
    fn the_lowest_free_slot_is_used_again() {
        let mut slots = Slots::default();
        assert_eq!([slots.insert('a'), slots.insert('b'), slots.insert('c')], [0, 1, 2]);
        slots.remove(2);
        slots.remove(0);
        assert_eq!([slots.insert('d'), slots.insert('e'), slots.insert('f')], [0, 2, 3]);
    }

    #[test]
    fn a_retired_slot_is_not_used_again() {
        let mut slots = Slots::default();
        slots.insert('a');
        slots.retire(0);
        assert_eq!(slots.insert('b'), 1);
        assert_eq!(slots.get(0), None);
    }
}
