//! Ranges of memory whose accesses are noticed: what stands there is followed operation by operation, so nobody else may touch it.

use chronos_values::ObjectId;
use std::cell::Cell;

/// Ranges, and whether one of them was touched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traps {
    /// Object, begin and end; few.
    ranges: Vec<(ObjectId, u64, u64)>,
    sprung: Cell<bool>,
}

impl Traps {
    pub(crate) fn set(&mut self, object: ObjectId, begin: u64, bytes: u64) {
        self.clear(object, begin);
        self.ranges.push((object, begin, begin.saturating_add(bytes)));
    }

    /// Takes back the one that begins there.
    pub(crate) fn clear(&mut self, object: ObjectId, begin: u64) {
        self.ranges.retain(|&(other, at, _)| (other, at) != (object, begin));
    }

    /// Whether a range has a part of one of them.
    pub(crate) fn covers(&self, object: ObjectId, begin: u64, bytes: u64) -> bool {
        let end = begin.saturating_add(bytes);
        self.ranges.iter().any(|&(other, first, last)| other == object && first < end && begin < last)
    }

    pub(crate) fn see(&self, object: ObjectId, begin: u64, bytes: u64) {
        if self.covers(object, begin, bytes) {
            self.sprung.set(true);
        }
    }

    /// Whether one was touched.
    pub(crate) fn is_sprung(&self) -> bool {
        self.sprung.get()
    }

    /// One was touched by what looks after it itself.
    pub(crate) fn reset(&self, sprung: bool) {
        self.sprung.set(sprung);
    }
}
