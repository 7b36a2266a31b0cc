//! What is to happen, by simulated time.
//!
//! Nothing that is sent from now on comes to a port before the shortest latency has passed (the lookahead). So
//! what comes to ports within one lookahead, a window, is complete when the window opens, and may be dealt with one port
//! after the other instead of in the order of time: a port and its task then stay in the processor's caches,
//! and no order among all of them has to be kept. Whatever else happens in a window is in the order of time, behind the
//! ports; it sees when things came, not when they were dealt with. Where there is no lookahead all is in the order of time.

use super::state::Message;
use crate::units::Picoseconds;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Kinds of happenings; of those at one time the earlier kind in this list comes first, so that what
/// has arrived at a time is seen by a task that looks at that time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// The first frame of a message reaches the receiver's port; the port stands for the task.
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

/// Ordered by time, then kind, then task, then sender and number of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Happening {
    pub time: Picoseconds,
    pub kind: Kind,
    pub task: u32,
    /// Of a message: its sender, and its number there.
    pub from: u32,
    pub order: u32,
    /// Id of a message or frame; epoch of a task or node.
    pub what: u32,
}

/// A message that comes to a port in a later window. With very many tasks these are most of what is to happen, so what tells
/// those of one time apart stays with the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    time: Picoseconds,
    port: u32,
    pub what: u32,
}

/// Sender of a message, and its number there.
type Sender<'s> = &'s dyn Fn(u32) -> (u32, u32);

impl Head {
    /// One number, so that sorting needs no branches; messages of one port and time are dealt with apart.
    fn key(&self) -> u128 {
        u128::from(self.port) << 64 | u128::from(self.time.0)
    }

    /// Last ones first.
    fn sort(heads: &mut [Self], sender: Sender<'_>) {
        heads.sort_unstable_by_key(|head| Reverse(head.key()));
        for ties in heads.chunk_by_mut(|one, other| one.key() == other.key()).filter(|ties| ties.len() > 1) {
            ties.sort_unstable_by_key(|head| Reverse((sender(head.what), head.what)));
        }
    }

    fn happening(self, sender: Sender<'_>) -> Happening {
        let (from, order) = sender(self.what);
        Happening { time: self.time, kind: Kind::Head, task: self.port, from, order, what: self.what }
    }
}

/// What happens in a later window, in any order.
#[derive(Clone, Debug, Default)]
struct Window {
    heads: Vec<Head>,
    others: Vec<Happening>,
}

/// Windows that are kept apart before they open.
const WINDOWS: u64 = 64;

#[derive(Debug, Default)]
pub(super) struct Queue {
    /// Length of a window in picoseconds; 0: all is in the order of time.
    lookahead: u64,
    /// The length while there are windows.
    usual: u64,
    /// The window that is open, counted from time 0.
    open: u64,
    /// What comes to ports in it, last first, by port.
    ports: Vec<Head>,
    /// What else happens in it, or everything.
    near: BinaryHeap<Reverse<Happening>>,
    /// The windows after it.
    later: Vec<Window>,
    /// How much of it waits there.
    waiting: usize,
    /// Room of windows that were dealt with.
    spare: Vec<Window>,
    /// What happens behind those windows.
    far: BinaryHeap<Reverse<Happening>>,
    /// Tasks that have not begun; they all begin at time 0.
    unborn: std::ops::Range<u32>,
}

impl Queue {
    /// So many tasks continue at time 0.
    pub fn new(lookahead: Picoseconds, tasks: u32) -> Self {
        let windows = if lookahead == Picoseconds::ZERO { 0 } else { WINDOWS as usize };
        let later = vec![Window::default(); windows];
        Self { lookahead: lookahead.0, usual: lookahead.0, later, unborn: 0..tasks, ..Self::default() }
    }

    fn next_birth(&self) -> Option<Happening> {
        (!self.unborn.is_empty()).then_some(Happening {
            time: Picoseconds::ZERO,
            kind: Kind::Task,
            task: self.unborn.start,
            from: 0,
            order: 0,
            what: 0,
        })
    }

    pub fn push(&mut self, time: Picoseconds, kind: Kind, task: u32, what: u32) {
        self.enter(Happening { time, kind, task, from: 0, order: 0, what });
    }

    /// A message is at a port at this time.
    #[inline]
    pub fn push_head(&mut self, time: Picoseconds, port: u32, (message, id): (&Message, u32)) {
        let window = self.window(time);
        match window.checked_sub(self.open) {
            Some(1..WINDOWS) => self.delay_head(window, Head { time, port, what: id }),
            _ => self.push_message((time, Kind::Head, port), message, id),
        }
    }

    #[inline]
    fn push_message(&mut self, (time, kind, task): (Picoseconds, Kind, u32), message: &Message, what: u32) {
        self.enter(Happening { time, kind, task, from: message.channel.from, order: message.order, what });
    }

    /// The data of a rendezvous may leave at this time; those of one task in the order in which it sent them.
    pub fn push_data(&mut self, time: Picoseconds, (message, id): (&Message, u32)) {
        self.push_message((time, Kind::Data, message.channel.from), message, id);
    }

    /// A message that may be waited for arrives at this time.
    pub fn push_arrival(&mut self, time: Picoseconds, (message, id): (&Message, u32)) {
        self.push_message((time, Kind::Arrive, message.channel.to), message, id);
    }

    fn enter(&mut self, happening: Happening) {
        match self.window(happening.time).checked_sub(self.open) {
            None | Some(0) => self.near.push(Reverse(happening)),
            Some(ahead) if ahead < WINDOWS => self.delay(happening),
            Some(_) => self.far.push(Reverse(happening)),
        }
    }

    /// From now on all is in the order of time.
    pub fn suspend_windows(&mut self, sender: Sender<'_>) {
        self.lookahead = 0;
        while let Some(birth) = self.next_birth() {
            self.unborn.start += 1;
            self.near.push(Reverse(birth));
        }
        let near = std::mem::take(&mut self.near);
        let far = std::mem::take(&mut self.far);
        let mut heads = std::mem::take(&mut self.ports);
        let mut others = Vec::new();
        for window in &mut self.later {
            heads.append(&mut window.heads);
            others.append(&mut window.others);
        }
        let apart = heads.into_iter().map(|head| head.happening(sender)).chain(others);
        self.near = near.into_iter().chain(far).chain(apart.map(Reverse)).collect();
        self.waiting = 0;
    }

    pub fn resume_windows(&mut self) {
        self.lookahead = self.usual;
        let Some(Reverse(first)) = self.near.peek() else { return };
        self.open = self.window(first.time);
        let all = std::mem::take(&mut self.near);
        all.into_iter().for_each(|Reverse(happening)| self.enter(happening));
    }

    /// What comes to ports in the window that is open, last first.
    pub fn at_ports(&self) -> &[Head] {
        &self.ports
    }

    /// When something happens next; only without windows.
    pub fn first(&self) -> Option<Picoseconds> {
        self.near.peek().map(|Reverse(first)| first.time)
    }

    /// What is to happen, in any order; only without windows.
    pub fn iter(&self) -> impl Iterator<Item = &Happening> {
        self.near.iter().map(|Reverse(happening)| happening)
    }

    /// Whether nothing is to happen but that tasks go on.
    pub fn has_only_tasks(&self) -> bool {
        let all = self.near.iter().chain(&self.far).map(|Reverse(happening)| happening);
        let later = self.later.iter().flat_map(|window| &window.others);
        let at_ports = !self.ports.is_empty() || self.later.iter().any(|window| !window.heads.is_empty());
        !at_ports && all.chain(later).all(|happening| happening.kind == Kind::Task)
    }

    /// Lets all of it happen later; only without windows.
    pub fn shift(&mut self, by: Picoseconds) {
        let all = std::mem::take(&mut self.near);
        self.near =
            all.into_iter().map(|Reverse(first)| Reverse(Happening { time: first.time + by, ..first })).collect();
    }

    #[inline]
    fn window(&self, time: Picoseconds) -> u64 {
        time.0.checked_div(self.lookahead).unwrap_or_default()
    }

    #[inline]
    fn delay(&mut self, happening: Happening) {
        let Happening { time, kind, task: port, what, .. } = happening;
        match kind {
            Kind::Head => self.delay_head(self.window(time), Head { time, port, what }),
            _ => self.delayed(self.window(time)).others.push(happening),
        }
    }

    /// Apart from the others because nearly all is of this kind: what is put together in memory and copied at once has to wait
    /// until all that was written before has come to the caches.
    #[inline]
    fn delay_head(&mut self, window: u64, head: Head) {
        self.delayed(window).heads.push(head);
    }

    /// The window for something more.
    #[inline]
    fn delayed(&mut self, window: u64) -> &mut Window {
        self.waiting += 1;
        let window = &mut self.later[(window % WINDOWS) as usize];
        if window.heads.capacity() == 0
            && let Some(spare) = self.spare.pop()
        {
            let begun = std::mem::replace(window, spare);
            window.others.extend(begun.others);
        }
        window
    }

    /// What happens next; `sender` tells sender and number of a message.
    #[inline]
    pub fn pop(&mut self, sender: Sender<'_>) -> Option<Happening> {
        loop {
            if let Some(Head { time, port: task, what }) = self.ports.pop() {
                return Some(Happening { time, kind: Kind::Head, task, from: 0, order: 0, what });
            }
            let earlier = |birth: &Happening| self.near.peek().is_none_or(|Reverse(first)| birth < first);
            if let Some(birth) = self.next_birth().filter(earlier) {
                self.unborn.start += 1;
                return Some(birth);
            }
            if let Some(Reverse(happening)) = self.near.pop() {
                return Some(happening);
            }
            if !self.open_next(sender) {
                return None;
            }
        }
    }

    /// Opens the next window in which something happens; whether there is one.
    fn open_next(&mut self, sender: Sender<'_>) -> bool {
        if self.waiting == 0 {
            let Some(Reverse(first)) = self.far.peek() else { return false };
            self.open = self.window(first.time);
        } else {
            self.open += 1;
        }
        while let Some(&Reverse(first)) =
            self.far.peek().filter(|first| self.window(first.0.time) < self.open + WINDOWS)
        {
            self.far.pop();
            self.delay(first);
        }
        let mut window = std::mem::take(&mut self.later[(self.open % WINDOWS) as usize]);
        self.waiting -= window.heads.len() + window.others.len();
        self.near.extend(window.others.drain(..).map(Reverse));
        std::mem::swap(&mut self.ports, &mut window.heads);
        if window.heads.capacity() > 0 {
            self.spare.push(window);
        }
        Head::sort(&mut self.ports, sender);
        true
    }

    /// Whether something else comes before a happening of this time, kind and task, or may come.
    pub fn precedes(&self, time: Picoseconds, kind: Kind, task: u32) -> bool {
        let earlier = |first: &Happening| (first.time, first.kind, first.task) < (time, kind, task);
        if self.next_birth().is_some_and(|birth| earlier(&birth)) {
            return true;
        }
        if self.window(time) > self.open && self.waiting + self.far.len() > 0 {
            return true;
        }
        !self.ports.is_empty() || self.near.peek().is_some_and(|Reverse(first)| earlier(first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn popped(mut queue: Queue, times: &[u64]) -> Vec<Happening> {
        for (number, &time) in times.iter().enumerate() {
            queue.enter(Happening {
                time: Picoseconds(time),
                kind: Kind::Head,
                task: number as u32 % 3,
                from: 0,
                order: 0,
                what: number as u32,
            });
            queue.push(Picoseconds(time / 2), Kind::Task, number as u32, 0);
        }
        std::iter::from_fn(|| queue.pop(&|_| (0, 0))).collect()
    }

    proptest! {
        #[test]
        fn each_port_and_all_else_is_in_the_order_of_time(
            times in prop::collection::vec(0u64..100_000, 0..60),
            lookahead in prop_oneof![Just(0u64), 1u64..5000],
        ) {
            let all = popped(Queue::new(Picoseconds(lookahead), 0), &times);
            prop_assert_eq!(all.len(), 2 * times.len());
            for line in 0..4 {
                let on_line = |happening: &&Happening| match happening.kind {
                    Kind::Head => happening.task == line,
                    _ => line == 3,
                };
                let of_line: Vec<Happening> = all.iter().filter(on_line).copied().collect();
                prop_assert!(of_line.is_sorted());
            }
        }

        #[test]
        fn nothing_of_a_later_window_comes_before_an_earlier_one(times in prop::collection::vec(0u64..1_000_000, 0..60)) {
            let all = popped(Queue::new(Picoseconds(1000), 0), &times);
            prop_assert!(all.iter().map(|happening| happening.time.0 / 1000).is_sorted());
        }
    }
}
