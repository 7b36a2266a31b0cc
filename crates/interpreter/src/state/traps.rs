//! Ranges of memory whose accesses are noticed: what stands there is followed operation by operation, so nobody else may touch it.

use chronos_values::ObjectId;
use std::cell::{Cell, RefCell};

/// Ranges, and whether one of them was touched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traps {
    /// Object, begin and end; few.
    ranges: Vec<(ObjectId, u64, u64)>,
    sprung: Cell<bool>,
    /// What was touched, object and begin, where that is asked for.
    touched: Option<RefCell<Vec<(ObjectId, u64)>>>,
}

impl Traps {
    /// Ranges of which is told which of them were touched.
    pub(crate) fn told() -> Self {
        Self { touched: Some(RefCell::default()), ..Self::default() }
    }

    pub(crate) fn set(&mut self, object: ObjectId, begin: u64, bytes: u64) {
        self.clear(object, begin);
        self.ranges.push((object, begin, begin.saturating_add(bytes)));
    }

    /// Takes back the one that begins there.
    pub(crate) fn clear(&mut self, object: ObjectId, begin: u64) {
        self.ranges.retain(|&(other, at, _)| (other, at) != (object, begin));
    }

    /// Objects that they lie in.
    pub(crate) fn objects(&self) -> impl Iterator<Item = ObjectId> + '_ {
        self.ranges.iter().map(|&(object, ..)| object)
    }

    /// Takes back those in an object.
    pub(crate) fn clear_all(&mut self, object: ObjectId) {
        self.ranges.retain(|&(other, ..)| other != object);
    }

    /// Whether a range has a part of one of them.
    pub(crate) fn covers(&self, object: ObjectId, begin: u64, bytes: u64) -> bool {
        let end = begin.saturating_add(bytes);
        self.ranges.iter().any(|&(other, first, last)| other == object && first < end && begin < last)
    }

    // Every access to memory may come here, and hardly any does.
    #[cold]
    #[inline(never)]
    pub(crate) fn see(&self, object: ObjectId, begin: u64, bytes: u64) {
        if !self.covers(object, begin, bytes) {
            return;
        }
        self.sprung.set(true);
        if let Some(touched) = &self.touched {
            let end = begin.saturating_add(bytes);
            let hit =
                self.ranges.iter().filter(|&&(other, first, last)| other == object && first < end && begin < last);
            touched.borrow_mut().extend(hit.map(|&(object, first, _)| (object, first)));
        }
    }

    /// What was touched since this was asked last.
    pub(crate) fn take_touched(&self) -> Vec<(ObjectId, u64)> {
        self.sprung.set(false);
        self.touched.as_ref().map(RefCell::take).unwrap_or_default()
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
