//! What of two things at one time comes first: the one that became known first.
//!
//! `ordered` numbers what it learns. Without that numbering, something is told by the time at which it became known, and that
//! again by when what made it known had become known, and so on until the tasks begin, by rank. Only the latest of
//! these times is kept, and a digest of the others: where the digests are equal, everything before was alike.

use std::cmp::Ordering;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    pub time: u64,
    /// Digest of the times before and of what else became known then; 0: the begin.
    older: u32,
    /// The task with whose begin it all began.
    root: u32,
}

impl Known {
    /// Where a task begins.
    pub fn begin(task: u32) -> Self {
        Self { time: 0, older: 0, root: task }
    }

    /// What becomes known when this happens, the `place`th thing of those that do.
    pub fn happens(self, time: u64, place: u32) -> Self {
        const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
        let mix = |digest: u64, word: u64| (digest.rotate_left(29) ^ word).wrapping_mul(MULTIPLIER);
        let digest = mix(mix(u64::from(self.older), self.time), u64::from(place) + 1);
        Self { time, older: (digest >> 32) as u32 | 1, root: self.root }
    }

    /// `None` where more would have to be known of the times before.
    pub fn order(self, other: Self) -> Option<Ordering> {
        let by_time = self.time.cmp(&other.time);
        match (self.older, other.older) {
            _ if by_time.is_ne() => Some(by_time),
            (before, after) if before == after => Some(self.root.cmp(&other.root)),
            (0, _) => Some(Ordering::Less),
            (_, 0) => Some(Ordering::Greater),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_alike_until_the_begin_is_in_the_order_of_tasks() {
        let [first, second] = [Known::begin(1), Known::begin(2)];
        assert_eq!(first.order(second), Some(Ordering::Less));
        let [early, late] = [first.happens(5, 0), second.happens(3, 0)];
        assert_eq!(early.order(late), Some(Ordering::Greater));
        assert_eq!(early.happens(7, 0).order(late.happens(7, 0)), None);
        let same = second.happens(5, 0);
        assert_eq!(early.happens(7, 0).order(same.happens(7, 0)), Some(Ordering::Less));
        assert_eq!(first.order(second.happens(0, 0)), Some(Ordering::Less));
    }
}
