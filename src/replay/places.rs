//! Places of a task: where it is in its program and what it waits for. Lists nearly always hold one item, which needs no memory
//! of its own.

use super::packed_steps::RepeatCursor;
use super::requests::{Requests, WaitItem};
use super::slab::NONE;
use super::small_list::SmallList;
use crate::activity::{ContextId, RequestId, Site};
use crate::prefetch::prefetch;
use crate::program::BlockId;
use std::ops::Deref;

/// The call that something belongs to, where it is known, in the room of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CallSite {
    /// `NONE` where it is not.
    context: u32,
    block: u32,
}

impl CallSite {
    #[inline]
    pub fn of(site: &Option<Site>) -> Self {
        match site {
            Some(site) => Self { context: site.context.0, block: site.block.0 },
            None => Self::default(),
        }
    }

    #[inline]
    pub fn get(self) -> Option<Site> {
        let site = Site { context: ContextId(self.context), block: BlockId(self.block) };
        (self.context != NONE).then_some(site)
    }
}

impl Default for CallSite {
    fn default() -> Self {
        Self { context: NONE, block: NONE }
    }
}

/// The repeats that a task is in.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(super) struct RepeatStack {
    innermost: Option<RepeatCursor>,
    /// Those around it, the outermost first.
    #[expect(clippy::box_collection, reason = "the pointer alone stands in every task")]
    outer: Option<Box<Vec<RepeatCursor>>>,
}

impl RepeatStack {
    #[inline]
    pub fn innermost_mut(&mut self) -> Option<&mut RepeatCursor> {
        self.innermost.as_mut()
    }

    pub fn innermost(&self) -> Option<&RepeatCursor> {
        self.innermost.as_ref()
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.innermost.is_none()
    }

    pub fn len(&self) -> usize {
        self.iter().count()
    }

    #[inline]
    pub fn push(&mut self, cursor: RepeatCursor) {
        if let Some(around) = self.innermost.replace(cursor) {
            self.outer.get_or_insert_default().push(around);
        }
    }

    pub fn pop(&mut self) -> Option<RepeatCursor> {
        let around = self.outer.as_mut().and_then(|outer| outer.pop());
        std::mem::replace(&mut self.innermost, around)
    }

    /// The outermost first.
    pub fn iter(&self) -> impl Iterator<Item = &RepeatCursor> {
        self.outer.iter().flat_map(|outer| outer.iter()).chain(&self.innermost)
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut RepeatCursor> {
        self.outer.iter_mut().flat_map(|outer| outer.iter_mut()).chain(&mut self.innermost)
    }
}

/// What a task waits for, and what it may wait for later.
#[derive(Debug)]
pub(super) struct WaitSet {
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
pub(super) struct TakenWaitSet {
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
    pub fn put_back(&mut self, taken: TakenWaitSet) {
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

    /// Brings near what has a piece of memory of its own.
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

    pub fn requests_mut(&mut self) -> &mut Requests {
        &mut self.asked.get_or_insert_default().requests
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::activity::{Repeat, Step, Work};
    use crate::units::Picoseconds;
    use std::sync::Arc;

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

    #[test]
    fn repeats_are_left_in_the_order_in_which_they_were_entered() {
        let steps = vec![Step::Work(Work::Time(Picoseconds(1)))];
        let cursor = |times| RepeatCursor::new(Arc::new(Repeat { steps: steps.clone(), times }), true).unwrap();
        let mut cursors = RepeatStack::default();
        (1..4).for_each(|left| cursors.push(cursor(left)));
        assert!(cursors.iter().map(RepeatCursor::left).eq(1..4));
        assert_eq!(cursors.pop().map(|cursor| cursor.left()), Some(3));
        assert_eq!(cursors.innermost_mut().map(|cursor| cursor.left()), Some(2));
        (0..2).for_each(|_| _ = cursors.pop());
        assert!(cursors.is_empty() && cursors.pop().is_none());
    }
}
