//! Pages of a task's memory that MPI has written: who writes a page first waits until the system has given it.
//!
//! What the program writes itself is not followed here. Whether it was there before MPI is asked of its text, where times
//! are known (crate `chronos_cost`, `source/objects/first_touch.rs`).

use std::collections::BTreeMap;
use std::ops::Range;

/// Bytes that the system gives at once.
pub const PAGE: u64 = 4096;

/// Bytes of the smallest object that is looked at. Smaller ones share pages with others, and allocators give them again and
/// again from what they have; all their pages take less than a message of their size.
pub(crate) const LEAST_OBJECT: u64 = 1 << 16;

/// Ranges of pages that do not touch each other: the first page of each, with the one behind its last.
#[derive(Clone, Debug, Default)]
pub struct Pages(BTreeMap<u64, u64>);

impl Pages {
    /// Adds pages; how many of them are new.
    pub fn add(&mut self, pages: Range<u64>) -> u64 {
        if pages.is_empty() {
            return 0;
        }
        let (mut all, mut known) = (pages.clone(), 0);
        while let Some((&first, &behind)) = self.0.range(..=pages.end).next_back().filter(|found| *found.1 >= all.start)
        {
            let both = pages.start.max(first)..pages.end.min(behind);
            known += both.end.saturating_sub(both.start);
            all = all.start.min(first)..all.end.max(behind);
            if all == (first..behind) {
                return pages.end - pages.start - known;
            }
            self.0.remove(&first);
        }
        self.0.insert(all.start, all.end);
        pages.end - pages.start - known
    }
}

/// The pages of an object that so many bytes of it lie in.
pub(crate) fn pages_of(offset: u64, bytes: u64) -> Range<u64> {
    offset / PAGE..offset.saturating_add(bytes).div_ceil(PAGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(added: &[Range<u64>], new: &[u64], ranges: usize) {
        let mut pages = Pages::default();
        let found: Vec<u64> = added.iter().map(|range| pages.add(range.clone())).collect();
        assert_eq!((found.as_slice(), pages.0.len()), (new, ranges), "{pages:?}");
    }

    #[test]
    fn only_new_pages_count() {
        check(&[0..4, 0..4, 2..6, 1..3], &[4, 0, 2, 0], 1);
        check(&[0..2, 8..10, 4..6], &[2, 2, 2], 3);
        check(&[0..2, 4..6, 8..10, 1..9], &[2, 2, 2, 4], 1);
        check(&[4..6, 2..4, 6..8, 0..100], &[2, 2, 2, 94], 1);
        check(&[0..1, 3..3], &[1, 0], 1);
    }

    #[test]
    fn agrees_with_a_set() {
        let (mut pages, mut set) = (Pages::default(), std::collections::BTreeSet::new());
        let mut state = 1u64;
        for _ in 0..2000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (first, length) = (state >> 33 & 1023, state >> 50 & 15);
            let new = (first..first + length).filter(|&page| set.insert(page)).count() as u64;
            assert_eq!(pages.add(first..first + length), new);
        }
        assert!(pages.0.iter().zip(pages.0.iter().skip(1)).all(|(a, b)| a.1 < b.0));
    }

    #[test]
    fn bytes_lie_in_pages() {
        assert_eq!(pages_of(0, 4096), 0..1);
        assert_eq!(pages_of(4095, 2), 0..2);
        assert_eq!(pages_of(8192, 8192), 2..4);
    }
}
