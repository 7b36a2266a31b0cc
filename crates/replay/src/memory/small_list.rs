//! A list of operations that needs no memory of its own as long as it is short: with very many tasks each has one.

use std::ops::Deref;

#[derive(Debug, Default)]
pub(crate) struct SmallList {
    inline: [u32; INLINE],
    count: u8,
    /// All of them, once they were more.
    #[expect(clippy::box_collection, reason = "the pointer alone stands in every list")]
    heap: Option<Box<Vec<u32>>>,
}

/// So many have room.
const INLINE: usize = 4;
/// Room that is kept for the next ones.
const KEPT_CAPACITY: usize = 64;

impl Deref for SmallList {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        match &self.heap {
            Some(heap) => heap,
            None => &self.inline[..usize::from(self.count)],
        }
    }
}

impl SmallList {
    #[inline]
    pub fn push(&mut self, item: u32) {
        match &mut self.heap {
            Some(heap) => heap.push(item),
            None if usize::from(self.count) < INLINE => {
                self.inline[usize::from(self.count)] = item;
                self.count += 1;
            }
            None => {
                let all = self.inline.iter().copied().chain([item]).collect();
                self.heap = Some(Box::new(all));
            }
        }
    }

    /// Another one takes its place; whether it was there.
    #[inline]
    pub fn replace(&mut self, item: u32, by: u32) -> bool {
        let all = match &mut self.heap {
            Some(heap) => &mut heap[..],
            None => &mut self.inline[..usize::from(self.count)],
        };
        let mut found = false;
        for place in all.iter_mut().filter(|place| **place == item) {
            (*place, found) = (by, true);
        }
        found
    }

    #[inline]
    pub fn clear(&mut self) {
        self.count = 0;
        match &mut self.heap {
            Some(heap) if heap.capacity() <= KEPT_CAPACITY => heap.clear(),
            heap => *heap = None,
        }
    }
}
