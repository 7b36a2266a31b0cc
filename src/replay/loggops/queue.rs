//! What is to happen, in the order of time.
//!
//! What the tasks do alike becomes known in the order in which it will happen, if things of one kind are looked at alone: the
//! messages of all sends come equally late. So each kind has a line of its own, to whose end most things can be added; a heap
//! keeps the others.

use super::ordered::Happening;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

#[derive(Debug, Default)]
pub(super) struct Queue {
    /// By kind and by whether they stood in line, each in order.
    lines: [VecDeque<Happening>; LINES],
    /// What came out of order.
    others: BinaryHeap<Reverse<Happening>>,
}

/// Four kinds, twice.
const LINES: usize = 8;

impl Queue {
    #[inline]
    pub fn push(&mut self, happening: Happening) {
        let line = &mut self.lines[happening.kind as usize * 2 + usize::from(happening.in_line)];
        match line.back() {
            Some(last) if (happening.time, happening.number) < (last.time, last.number) => {
                self.others.push(Reverse(happening));
            }
            _ => line.push_back(happening),
        }
    }

    #[inline]
    pub fn pop(&mut self) -> Option<Happening> {
        let firsts = self
            .lines
            .iter()
            .zip(0..)
            .filter_map(|(line, number)| line.front().map(|first| (first.time, first.number, number)));
        let first = firsts.min();
        match (first, self.others.peek()) {
            (Some((time, order, line)), other)
                if other.is_none_or(|Reverse(other)| (time, order) < (other.time, other.number)) =>
            {
                self.lines[line].pop_front()
            }
            _ => self.others.pop().map(|Reverse(other)| other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ordered::Kind;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_comes_in_order(steps in prop::collection::vec((any::<bool>(), 0u64..50, 0usize..4, any::<bool>()), 0..200)) {
            let (mut queue, mut heap) = (Queue::default(), BinaryHeap::new());
            for (number, (takes, time, kind, in_line)) in (0..).zip(steps) {
                let kind = [Kind::Send, Kind::Recv, Kind::Compute, Kind::Take][kind];
                let happening = Happening { time, number, kind, host: 0, what: 0, in_line };
                queue.push(happening);
                heap.push(Reverse(happening));
                if takes {
                    prop_assert_eq!(queue.pop(), heap.pop().map(|Reverse(first)| first));
                }
            }
            let rest: Vec<Happening> = std::iter::from_fn(|| queue.pop()).collect();
            prop_assert!(rest.is_sorted() && rest.len() == heap.len());
        }
    }
}
