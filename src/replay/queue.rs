//! What is to happen, by simulated time.

use crate::units::Picoseconds;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Kinds of happenings; of those at one time the earlier kind in this list comes first, so that what
/// has arrived at a time is seen by a task that looks at that time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// The first frame of a message reaches the receiver's port.
    Head,
    /// The data of a rendezvous message may leave.
    Data,
    /// A message comes to links that it shares with others.
    Enter,
    /// A message has gone over such links.
    Through,
    /// Such links are shared out anew.
    Share,
    /// A message has arrived that a wildcard or a probe might be waiting for.
    Arrive,
    /// A collective operation continues.
    Frame,
    /// A job on shared processors may have ended; the node stands for the task.
    Processor,
    /// A task begins to compute on shared processors.
    Compute,
    /// A task continues.
    Task,
}

/// Ordered by time, then kind, then task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Happening {
    pub time: Picoseconds,
    pub kind: Kind,
    pub task: u32,
    /// Id of a message or frame; epoch of a task or node.
    pub what: u32,
}

#[derive(Debug, Default)]
pub(super) struct Queue {
    heap: BinaryHeap<Reverse<Happening>>,
}

impl Queue {
    pub fn push(&mut self, time: Picoseconds, kind: Kind, task: u32, what: u32) {
        self.heap.push(Reverse(Happening { time, kind, task, what }));
    }

    pub fn pop(&mut self) -> Option<Happening> {
        self.heap.pop().map(|Reverse(happening)| happening)
    }

    /// Whether something else comes before a happening of this time, kind and task.
    pub fn precedes(&self, time: Picoseconds, kind: Kind, task: u32) -> bool {
        self.heap.peek().is_some_and(|Reverse(first)| (first.time, first.kind, first.task) < (time, kind, task))
    }
}
