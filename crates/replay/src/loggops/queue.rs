//! What is to happen, in the order of time.
//!
//! Most happens soon after it becomes known. So time is cut into windows: what happens in a later one is put there in
//! any order, and put in order at once when that window opens. What comes next is then known some time before, so
//! that it can be brought near (`ordered`). A heap keeps what happens in the window that is open, and another one
//! what is far away.

use super::event::HostEvent;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Windows that are kept apart before they open.
const BUCKETS: u64 = 256;

#[derive(Debug)]
pub(super) struct HostEventQueue {
    /// Length of a window; 0: there are none.
    length: u64,
    /// Windows that have been opened, the last of which is open.
    opened: u64,
    /// What happens in that one and was known before, the last first.
    now: Vec<HostEvent>,
    /// What else happens in it.
    near: BinaryHeap<Reverse<HostEvent>>,
    later: Vec<Vec<HostEvent>>,
    /// How much of it waits there.
    waiting: usize,
    /// Room of windows that were dealt with.
    spare: Vec<Vec<HostEvent>>,
    /// What happens behind those windows.
    far: BinaryHeap<Reverse<HostEvent>>,
}

impl HostEventQueue {
    pub fn new(length: u64) -> Self {
        let later = vec![Vec::new(); if length == 0 { 0 } else { BUCKETS as usize }];
        let (now, near, spare, far) = Default::default();
        Self { length, opened: 0, now, near, later, waiting: 0, spare, far }
    }

    #[inline]
    pub fn push(&mut self, event: HostEvent) {
        match event.time.checked_div(self.length).and_then(|window| window.checked_sub(self.opened)) {
            None => self.near.push(Reverse(event)),
            Some(ahead) if ahead < BUCKETS => self.delay(event),
            Some(_) => self.far.push(Reverse(event)),
        }
    }

    #[inline]
    fn delay(&mut self, event: HostEvent) {
        let window = &mut self.later[(event.time / self.length % BUCKETS) as usize];
        if window.capacity() == 0 {
            *window = self.spare.pop().unwrap_or_default();
        }
        window.push(event);
        self.waiting += 1;
    }

    #[inline]
    pub fn pop(&mut self) -> Option<HostEvent> {
        loop {
            match (self.now.last(), self.near.peek()) {
                (Some(first), Some(Reverse(near))) if near < first => {}
                (Some(_), _) => return self.now.pop(),
                (None, Some(_)) => {}
                (None, None) => {
                    self.open_next()?;
                    continue;
                }
            }
            return self.near.pop().map(|Reverse(near)| near);
        }
    }

    /// What happens in the open window, the last first, as far as it was known before.
    #[inline]
    pub fn coming(&self) -> &[HostEvent] {
        &self.now
    }

    /// Whether something else of the open window comes before.
    #[inline]
    pub(crate) fn precedes(&self, event: HostEvent) -> bool {
        self.now.last().is_some_and(|first| *first < event)
            || self.near.peek().is_some_and(|Reverse(first)| *first < event)
    }

    fn open_next(&mut self) -> Option<()> {
        let next = match self.far.peek() {
            _ if self.waiting > 0 => self.opened,
            Some(Reverse(first)) => first.time / self.length,
            None => return None,
        };
        while let Some(Reverse(first)) = self.far.peek().filter(|first| first.0.time / self.length < next + BUCKETS) {
            let first = *first;
            self.far.pop();
            self.delay(first);
        }
        let window = std::mem::take(&mut self.later[(next % BUCKETS) as usize]);
        let room = std::mem::replace(&mut self.now, window);
        if room.capacity() > 0 {
            self.spare.push(room);
        }
        self.waiting -= self.now.len();
        self.now.sort_unstable_by_key(|event| Reverse(event.key()));
        self.opened = next + 1;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::event::HostEventKind;
    use super::super::ids::Subject;
    use super::*;
    use chronos_activity::TaskId;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_comes_in_order(
            steps in prop::collection::vec((any::<bool>(), prop_oneof![0u64..50, 0u64..9000], 0usize..4, any::<bool>()), 0..200),
            length in 0u64..9,
        ) {
            let (mut queue, mut heap) = (HostEventQueue::new(length), BinaryHeap::new());
            let mut now = 0;
            for (number, (takes, after, kind, is_queued)) in (0..).zip(steps) {
                let kind = [HostEventKind::Send, HostEventKind::Recv, HostEventKind::Compute, HostEventKind::Take][kind];
                let event = HostEvent::new((now + after, number), kind, is_queued, (TaskId(0), Subject(0)));
                queue.push(event);
                heap.push(Reverse(event));
                if takes {
                    let first = queue.pop();
                    now = first.map_or(now, |first| first.time);
                    prop_assert_eq!(first, heap.pop().map(|Reverse(first)| first));
                }
            }
            let rest: Vec<HostEvent> = std::iter::from_fn(|| queue.pop()).collect();
            prop_assert!(rest.is_sorted() && rest.len() == heap.len());
        }
    }
}
