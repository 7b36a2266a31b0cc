//! Places of a task: where it is in its program and what it waits for. Lists nearly always hold one item, which needs
//! no memory of its own.

use crate::matching::requests::{Requests, WaitItem};
use crate::memory::slab::NONE;
use crate::memory::small_list::SmallList;
use chronos_activity::RequestId;
use chronos_base::prefetch::prefetch;
use std::ops::Deref;

/// What a task waits for, and what it may wait for later.
#[derive(Debug)]
pub(crate) struct WaitSet {
    /// `NONE` where there is none, or where all are in `asked`.
    sole: u32,
    /// One pointer, because with very many tasks most wait in blocking calls.
    asked: Option<Box<WaitList>>,
}

#[derive(Debug, Default)]
struct WaitList {
    several: SmallList,
    requests: Requests,
}

/// What a task waits for, taken from it.
#[derive(Debug)]
pub(crate) struct TakenWaitSet {
    sole: u32,
    several: SmallList,
}

impl Default for WaitSet {
    fn default() -> Self {
        Self { sole: NONE, asked: None }
    }
}

impl Deref for WaitSet {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        match &self.asked {
            _ if self.sole != NONE => std::slice::from_ref(&self.sole),
            Some(asked) => &asked.several,
            None => &[],
        }
    }
}

impl Deref for TakenWaitSet {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        if self.sole == NONE { &self.several } else { std::slice::from_ref(&self.sole) }
    }
}

impl WaitSet {
    #[inline]
    pub fn push(&mut self, op: u32) {
        if self.is_empty() {
            self.sole = op;
            return;
        }
        let several = &mut self.asked.get_or_insert_default().several;
        if self.sole != NONE {
            several.push(std::mem::replace(&mut self.sole, NONE));
        }
        several.push(op);
    }

    #[inline]
    pub fn clear(&mut self) {
        self.sole = NONE;
        if let Some(asked) = &mut self.asked {
            asked.several.clear();
        }
    }

    /// Those waited for, until they are put back.
    pub fn take(&mut self) -> TakenWaitSet {
        let several = self.asked.as_mut().map_or_else(SmallList::default, |asked| std::mem::take(&mut asked.several));
        TakenWaitSet { sole: std::mem::replace(&mut self.sole, NONE), several }
    }

    /// Nothing is waited for any more; the room is kept.
    pub(crate) fn put_back(&mut self, taken: TakenWaitSet) {
        if let Some(asked) = &mut self.asked {
            asked.several = taken.several;
        }
        self.clear();
    }

    /// Waits for the operations of these requests.
    pub fn gather(&mut self, requests: &[RequestId]) {
        self.clear();
        if let Some(WaitList { several, requests: open }) = self.asked.as_deref_mut() {
            requests.iter().filter_map(|&request| open.get(request)).for_each(|op| several.push(op));
        }
    }

    /// A request stands for something else from now on; whether the task waits for that.
    #[inline]
    pub fn resolve(&mut self, request: RequestId, item: WaitItem) -> bool {
        let Some(asked) = &mut self.asked else { return false };
        let before = asked.requests.get(request);
        asked.requests.insert(request, item.number());
        before.is_some_and(|before| asked.several.replace(before, item.number()))
    }

    /// Prefetches what has a piece of memory of its own.
    #[inline]
    pub fn prefetch(&self) {
        if let Some(asked) = &self.asked {
            prefetch(&asked.several);
            prefetch(&asked.requests);
        }
    }

    pub fn requests(&self) -> Option<&Requests> {
        self.asked.as_ref().map(|asked| &asked.requests)
    }

    pub(crate) fn requests_mut(&mut self) -> &mut Requests {
        &mut self.asked.get_or_insert_default().requests
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_with_a_few_requests_needs_one_piece_of_memory() {
        assert_eq!(size_of::<WaitList>(), 104);
        let mut waiting = WaitSet::default();
        (0..4).for_each(|request| waiting.requests_mut().insert(RequestId(request), 10 + request));
        waiting.gather(&[3, 1].map(RequestId));
        assert_eq!(waiting[..], [13, 11]);
    }

    #[test]
    fn operations_stay_in_order_however_many_they_are() {
        let mut waiting = WaitSet::default();
        for round in 0..3 {
            for op in 0..round * 40 {
                waiting.push(op);
            }
            assert!(waiting.iter().copied().eq(0..round * 40));
            waiting.clear();
            assert!(waiting.is_empty());
        }
    }
}
