//! A list of operations that needs no memory of its own as long as it is short: with very many tasks each has one.

use std::ops::Deref;

#[derive(Debug, Default)]
pub(super) struct Several {
    few: [u32; FEW],
    count: u8,
    /// All of them, once they were more.
    #[expect(clippy::box_collection, reason = "the pointer alone stands in every list")]
    many: Option<Box<Vec<u32>>>,
}

/// So many have room.
const FEW: usize = 4;
/// Room that is kept for the next ones.
const KEPT: usize = 64;

impl Deref for Several {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        match &self.many {
            Some(many) => many,
            None => &self.few[..usize::from(self.count)],
        }
    }
}

impl Several {
    #[inline]
    pub fn push(&mut self, item: u32) {
        match &mut self.many {
            Some(many) => many.push(item),
            None if usize::from(self.count) < FEW => {
                self.few[usize::from(self.count)] = item;
                self.count += 1;
            }
            None => {
                let all = self.few.iter().copied().chain([item]).collect();
                self.many = Some(Box::new(all));
            }
        }
    }

    /// Another one takes its place; whether it was there.
    #[inline]
    pub fn replace(&mut self, item: u32, by: u32) -> bool {
        let all = match &mut self.many {
            Some(many) => &mut many[..],
            None => &mut self.few[..usize::from(self.count)],
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
        match &mut self.many {
            Some(many) if many.capacity() <= KEPT => many.clear(),
            many => *many = None,
        }
    }
}
