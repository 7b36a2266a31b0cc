//! What of two things at one time comes first: the one that became known first.
//!
//! `ordered` numbers what it learns. Without that numbering, something is told by the time at which it became known,
//! and that again by when what made it known had become known, and so on until the tasks begin, by rank. The latest
//! of these times are kept, and a digest of the others: where the digests are equal, everything before was alike.

use chronos_activity::TaskId;
use std::cmp::Ordering;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CausalOrder {
    /// One more than the time, so that the begin is before everything.
    time: u64,
    /// How much earlier the times before were, each than the one after it; `MANY`: as much or more.
    earlier: [u32; 3],
    /// Which of the things that became known at each time it was, the latest in the last bit.
    causes: u32,
    /// Digest of what was before all that.
    older: u32,
    /// The number of the task with whose begin it all began.
    root: u32,
}

const MANY: u32 = u32::MAX;

/// Whether it is about the task itself or about another one that has to do with it; the former is known first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    Own,
    Other,
}

impl CausalOrder {
    /// Where a task begins.
    pub fn begin(task: TaskId) -> Self {
        Self { root: task.0, ..Self::default() }
    }

    /// What becomes known when this happens.
    pub(crate) fn caused_at(self, time: u64, place: Cause) -> Self {
        let time = time.saturating_add(1);
        let [first, second, third] = self.earlier;
        let gone = u64::from(third) << 1 | u64::from(self.causes >> 31);
        let digest = (u64::from(self.older).rotate_left(29) ^ gone).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let latest = u32::try_from(time.saturating_sub(self.time)).unwrap_or(MANY);
        Self {
            time,
            earlier: [latest, first, second],
            causes: self.causes << 1 | place as u32,
            older: (digest >> 32) as u32,
            root: self.root,
        }
    }

    /// `None` where more would have to be known of the times before.
    pub fn order(self, other: Self) -> Option<Ordering> {
        if self.time != other.time {
            return Some(self.time.cmp(&other.time));
        }
        for (one, other) in self.earlier.into_iter().zip(other.earlier) {
            match other.cmp(&one) {
                Ordering::Equal if one == MANY => return None,
                Ordering::Equal => {}
                order => return Some(order),
            }
        }
        let alike = self.older == other.older;
        alike.then(|| self.root.cmp(&other.root).then(self.causes.cmp(&other.causes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Cause::{Other, Own};

    #[test]
    fn what_was_alike_until_the_begin_is_in_the_order_of_tasks() {
        let [first, second] = [CausalOrder::begin(TaskId(1)), CausalOrder::begin(TaskId(2))];
        assert_eq!(first.order(second), Some(Ordering::Less));
        assert_eq!(first.caused_at(0, Own).order(second), Some(Ordering::Greater));
        let [early, late] = [first.caused_at(5, Own), second.caused_at(3, Own)];
        assert_eq!(early.order(late), Some(Ordering::Greater));
        assert_eq!(early.caused_at(7, Own).order(late.caused_at(7, Own)), Some(Ordering::Greater));
        let later = |known: CausalOrder| known.caused_at(7, Own).caused_at(8, Own).caused_at(9, Own).caused_at(9, Own);
        assert_eq!(later(early).order(later(late)), None);
        let same = second.caused_at(5, Own);
        assert_eq!(later(early.caused_at(7, Own)).order(later(same.caused_at(7, Own))), Some(Ordering::Less));
        assert_eq!(
            later(same).order(early.caused_at(7, Own).caused_at(8, Own).caused_at(9, Own).caused_at(9, Other)),
            Some(Ordering::Greater)
        );
        assert_eq!(early.caused_at(7, Other).order(early.caused_at(7, Own)), Some(Ordering::Greater));
    }
}
