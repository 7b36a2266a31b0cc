//! What is to happen, by simulated time.
//!
//! Nothing that is sent from now on comes to a port before the shortest latency has passed (the lookahead). So what
//! comes to ports within one lookahead, a window, is complete when the window opens, and may be dealt with one port
//! after the other instead of in the order of time: a port and its task then stay in the processor's caches, and no
//! order among all of them has to be kept. Whatever else happens in a window is in the order of time, behind the
//! ports; it sees when things came, not when they were dealt with. Where there is no lookahead all is in the order of
//! time.
use crate::ids::{MsgId, NodeId};
use crate::matching::message::Message;
use chronos_activity::TaskId;
use chronos_base::units::Picoseconds;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Kinds of events; of those at one time the earlier kind in this list comes first, so that what
/// has arrived at a time is seen by a task that looks at that time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EventKind {
    /// The first frame of a message reaches the receiver's port; the port stands for the task.
    PortArrival,
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

/// Ordered by time, then kind, then place, then sender and number of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SimEvent {
    pub time: Picoseconds,
    pub kind: EventKind,
    /// The task that it happens to, or what stands for it: a node, the epoch of a flow.
    pub place: u32,
    /// Of a message: its sender, and its number there.
    pub from: TaskId,
    pub order: u32,
    /// Id of a message or frame; epoch of a task or node.
    pub subject: u32,
}

/// A message that comes to a port in a later window. With very many tasks these are most of what is to happen, so
/// what tells those of one time apart stays with the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PortArrival {
    time: Picoseconds,
    port: u32,
    pub subject: u32,
}

/// Sender of a message, and its number there.
type Sender<'s> = &'s dyn Fn(MsgId) -> (TaskId, u32);

impl PortArrival {
    /// One number, so that sorting needs no branches; messages of one port and time are dealt with apart.
    fn key(&self) -> u128 {
        u128::from(self.port) << 64 | u128::from(self.time.0)
    }

    /// The same order among those of one window, as half as many bytes: the time is counted from its first arrival on.
    fn short_key(&self, first: Picoseconds) -> u64 {
        u64::from(self.port) << 32 | (self.time.0 - first.0)
    }

    /// Last ones first.
    fn sort(port_arrivals: &mut [Self], sender: Sender<'_>) {
        let times = || port_arrivals.iter().map(|arrival| arrival.time);
        let (first, last) = (times().min().unwrap_or_default(), times().max().unwrap_or_default());
        match u32::try_from(last.0 - first.0) {
            Ok(_) => port_arrivals.sort_unstable_by_key(|arrival| Reverse(arrival.short_key(first))),
            Err(_) => port_arrivals.sort_unstable_by_key(|arrival| Reverse(arrival.key())),
        }
        for ties in port_arrivals.chunk_by_mut(|one, other| one.key() == other.key()).filter(|ties| ties.len() > 1) {
            ties.sort_unstable_by_key(|arrival| Reverse((sender(MsgId(arrival.subject)), arrival.subject)));
        }
    }

    fn sim_event(self, sender: Sender<'_>) -> SimEvent {
        let (from, order) = sender(MsgId(self.subject));
        SimEvent { time: self.time, kind: EventKind::PortArrival, place: self.port, from, order, subject: self.subject }
    }
}

/// What happens in a later window, in any order.
#[derive(Clone, Debug, Default)]
struct Bucket {
    port_arrivals: Vec<PortArrival>,
    others: Vec<SimEvent>,
}

/// Windows that are kept apart before they open.
const BUCKETS: u64 = 64;

#[derive(Debug, Default)]
pub(crate) struct Queue {
    /// Windows per 2^64 picoseconds; 0: all is in the order of time. A product instead of a division for each message
    /// (Granlund and Montgomery, PLDI 1994): rounded up, so that no window is longer than the lookahead.
    rate: u64,
    /// The same while there are windows.
    configured_rate: u64,
    /// The window that is open, counted from time 0.
    open: u64,
    /// What comes to ports in it, last first, by port.
    open_port_arrivals: Vec<PortArrival>,
    /// What else happens in it, or everything.
    current: BinaryHeap<Reverse<SimEvent>>,
    /// The windows after it.
    buckets: Vec<Bucket>,
    /// How much of it waits there.
    waiting: usize,
    /// Room of windows that were dealt with.
    free_buckets: Vec<Bucket>,
    /// What happens behind those windows.
    overflow: BinaryHeap<Reverse<SimEvent>>,
    /// How much of all that is not a task that continues.
    messages: usize,
    /// Tasks that have not begun; they all begin at time 0.
    not_started: std::ops::Range<u32>,
}

impl Queue {
    /// So many tasks continue at time 0.
    pub fn new(lookahead: Picoseconds, tasks: u32) -> Self {
        // As many windows as there are picoseconds would order nothing less, and their rate does not fit.
        let (windows, rate) = match lookahead.0 {
            0 | 1 => (0, 0),
            length => (BUCKETS as usize, (1_u128 << 64).div_ceil(u128::from(length)) as u64),
        };
        let buckets = vec![Bucket::default(); windows];
        Self { rate, configured_rate: rate, buckets, not_started: 0..tasks, ..Self::default() }
    }

    fn next_start(&self) -> Option<SimEvent> {
        (!self.not_started.is_empty()).then_some(SimEvent {
            time: Picoseconds::ZERO,
            kind: EventKind::Task,
            place: self.not_started.start,
            from: TaskId(0),
            order: 0,
            subject: 0,
        })
    }

    pub fn push(&mut self, time: Picoseconds, kind: EventKind, place: u32, subject: u32) {
        self.messages += usize::from(kind != EventKind::Task);
        self.enter(SimEvent { time, kind, place, from: TaskId(0), order: 0, subject });
    }

    /// A message is at a port at this time.
    #[inline]
    pub(crate) fn push_head(&mut self, time: Picoseconds, NodeId(port): NodeId, message: &Message, id: MsgId) {
        let window = self.window(time);
        match window.checked_sub(self.open) {
            Some(1..BUCKETS) => {
                self.messages += 1;
                self.delay_port_arrival(window, PortArrival { time, port, subject: id.0 });
            }
            _ => self.push_message(time, EventKind::PortArrival, port, message, id.0),
        }
    }

    #[inline]
    fn push_message(&mut self, time: Picoseconds, kind: EventKind, place: u32, message: &Message, subject: u32) {
        self.messages += 1;
        self.enter(SimEvent { time, kind, place, from: message.channel.from, order: message.order, subject });
    }

    /// The data of a rendezvous may leave at this time; those of one task in the order in which it sent them.
    pub(crate) fn push_data(&mut self, time: Picoseconds, message: &Message, id: MsgId) {
        self.push_message(time, EventKind::Data, message.channel.from.0, message, id.0);
    }

    /// A message that may be waited for arrives at this time.
    pub(crate) fn push_arrival(&mut self, time: Picoseconds, message: &Message, id: MsgId) {
        self.push_message(time, EventKind::Arrive, message.channel.to.0, message, id.0);
    }

    fn enter(&mut self, sim_event: SimEvent) {
        match self.window(sim_event.time).checked_sub(self.open) {
            None | Some(0) => self.current.push(Reverse(sim_event)),
            Some(ahead) if ahead < BUCKETS => self.delay(sim_event),
            Some(_) => self.overflow.push(Reverse(sim_event)),
        }
    }

    /// Whether anything is to happen but that tasks continue.
    pub(crate) fn has_messages(&self) -> bool {
        self.messages > 0
    }

    /// Whether what comes to ports is dealt with by windows now.
    pub(crate) fn has_windows(&self) -> bool {
        self.rate > 0
    }

    /// Takes back what was to happen next; only without windows.
    pub(crate) fn put_back(&mut self, sim_event: SimEvent, sender: Sender<'_>) {
        let SimEvent { time, kind, place, subject, .. } = sim_event;
        let (from, order) = if kind == EventKind::PortArrival { sender(MsgId(subject)) } else { (TaskId(0), 0) };
        self.messages += usize::from(kind != EventKind::Task);
        self.current.push(Reverse(SimEvent { time, kind, place, from, order, subject }));
    }

    /// From now on all is in the order of time.
    pub(crate) fn suspend_windows(&mut self, sender: Sender<'_>) {
        self.rate = 0;
        while let Some(start) = self.next_start() {
            self.not_started.start += 1;
            self.current.push(Reverse(start));
        }
        let current = std::mem::take(&mut self.current);
        let overflow = std::mem::take(&mut self.overflow);
        let mut port_arrivals = std::mem::take(&mut self.open_port_arrivals);
        let mut others = Vec::new();
        for window in &mut self.buckets {
            port_arrivals.append(&mut window.port_arrivals);
            others.append(&mut window.others);
        }
        let extras = port_arrivals.into_iter().map(|arrival| arrival.sim_event(sender)).chain(others);
        self.current = current.into_iter().chain(overflow).chain(extras.map(Reverse)).collect();
        self.waiting = 0;
    }

    pub(crate) fn resume_windows(&mut self) {
        self.rate = self.configured_rate;
        let Some(Reverse(first)) = self.current.peek() else { return };
        self.open = self.window(first.time);
        let all = std::mem::take(&mut self.current);
        all.into_iter().for_each(|Reverse(sim_event)| self.enter(sim_event));
    }

    /// What comes to ports in the window that is open, last first.
    pub(crate) fn upcoming_port_arrivals(&self) -> &[PortArrival] {
        &self.open_port_arrivals
    }

    /// When something happens next; only without windows.
    pub fn first(&self) -> Option<Picoseconds> {
        self.current.peek().map(|Reverse(first)| first.time)
    }

    /// What is to happen, in any order; only without windows.
    pub fn iter(&self) -> impl Iterator<Item = &SimEvent> {
        self.current.iter().map(|Reverse(sim_event)| sim_event)
    }

    /// Whether nothing is to happen but that tasks go on.
    pub(crate) fn has_only_task_events(&self) -> bool {
        let all = self.current.iter().chain(&self.overflow).map(|Reverse(sim_event)| sim_event);
        let buckets = self.buckets.iter().flat_map(|window| &window.others);
        let upcoming_port_arrivals =
            !self.open_port_arrivals.is_empty() || self.buckets.iter().any(|window| !window.port_arrivals.is_empty());
        !upcoming_port_arrivals && all.chain(buckets).all(|sim_event| sim_event.kind == EventKind::Task)
    }

    /// Lets all of it happen later; only without windows.
    pub fn shift(&mut self, by: Picoseconds) {
        let all = std::mem::take(&mut self.current);
        self.current =
            all.into_iter().map(|Reverse(first)| Reverse(SimEvent { time: first.time + by, ..first })).collect();
    }

    #[inline]
    fn window(&self, time: Picoseconds) -> u64 {
        ((u128::from(time.0) * u128::from(self.rate)) >> 64) as u64
    }

    #[inline]
    fn delay(&mut self, sim_event: SimEvent) {
        let SimEvent { time, kind, place: port, subject, .. } = sim_event;
        match kind {
            EventKind::PortArrival => self.delay_port_arrival(self.window(time), PortArrival { time, port, subject }),
            _ => self.bucket_for(self.window(time)).others.push(sim_event),
        }
    }

    /// Apart from the others because nearly all is of this kind: what is put together in memory and copied at once
    /// has to wait until all that was written before has come to the caches.
    #[inline]
    fn delay_port_arrival(&mut self, window: u64, arrival: PortArrival) {
        self.bucket_for(window).port_arrivals.push(arrival);
    }

    /// The window for something more.
    #[inline]
    fn bucket_for(&mut self, window: u64) -> &mut Bucket {
        self.waiting += 1;
        let window = &mut self.buckets[(window % BUCKETS) as usize];
        if window.port_arrivals.capacity() == 0
            && let Some(free_buckets) = self.free_buckets.pop()
        {
            let begun = std::mem::replace(window, free_buckets);
            window.others.extend(begun.others);
        }
        window
    }

    /// The message that comes to a port next, and when; `None` where something else happens first.
    #[inline]
    pub(crate) fn pop_port_arrival(&mut self) -> Option<(MsgId, Picoseconds)> {
        let PortArrival { time, subject, .. } = self.open_port_arrivals.pop()?;
        self.messages -= 1;
        Some((MsgId(subject), time))
    }

    /// What happens next; `sender` tells sender and number of a message.
    #[inline]
    pub fn pop(&mut self, sender: Sender<'_>) -> Option<SimEvent> {
        let sim_event = self.pop_any(sender)?;
        self.messages -= usize::from(sim_event.kind != EventKind::Task);
        Some(sim_event)
    }

    #[inline]
    fn pop_any(&mut self, sender: Sender<'_>) -> Option<SimEvent> {
        loop {
            if let Some(PortArrival { time, port, subject }) = self.open_port_arrivals.pop() {
                return Some(SimEvent {
                    time,
                    kind: EventKind::PortArrival,
                    place: port,
                    from: TaskId(0),
                    order: 0,
                    subject,
                });
            }
            let earlier = |start: &SimEvent| self.current.peek().is_none_or(|Reverse(first)| start < first);
            if let Some(start) = self.next_start().filter(earlier) {
                self.not_started.start += 1;
                return Some(start);
            }
            if let Some(Reverse(sim_event)) = self.current.pop() {
                return Some(sim_event);
            }
            if !self.open_next(sender) {
                return None;
            }
        }
    }

    /// Opens the next window in which something happens; whether there is one.
    fn open_next(&mut self, sender: Sender<'_>) -> bool {
        if self.waiting == 0 {
            let Some(Reverse(first)) = self.overflow.peek() else { return false };
            self.open = self.window(first.time);
        } else {
            self.open += 1;
        }
        while let Some(&Reverse(first)) =
            self.overflow.peek().filter(|first| self.window(first.0.time) < self.open + BUCKETS)
        {
            self.overflow.pop();
            self.delay(first);
        }
        let mut window = std::mem::take(&mut self.buckets[(self.open % BUCKETS) as usize]);
        self.waiting -= window.port_arrivals.len() + window.others.len();
        self.current.extend(window.others.drain(..).map(Reverse));
        std::mem::swap(&mut self.open_port_arrivals, &mut window.port_arrivals);
        if window.port_arrivals.capacity() > 0 {
            self.free_buckets.push(window);
        }
        PortArrival::sort(&mut self.open_port_arrivals, sender);
        true
    }

    /// Whether something else comes before an event of this time, kind and task, or may come.
    pub(crate) fn precedes(&self, time: Picoseconds, kind: EventKind, place: u32) -> bool {
        let earlier = |first: &SimEvent| (first.time, first.kind, first.place) < (time, kind, place);
        if self.next_start().is_some_and(|start| earlier(&start)) {
            return true;
        }
        if self.window(time) > self.open && self.waiting + self.overflow.len() > 0 {
            return true;
        }
        !self.open_port_arrivals.is_empty() || self.current.peek().is_some_and(|Reverse(first)| earlier(first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn popped(mut queue: Queue, times: &[u64]) -> Vec<SimEvent> {
        for (number, &time) in times.iter().enumerate() {
            queue.messages += 1;
            queue.enter(SimEvent {
                time: Picoseconds(time),
                kind: EventKind::PortArrival,
                place: number as u32 % 3,
                from: TaskId(0),
                order: 0,
                subject: number as u32,
            });
            queue.push(Picoseconds(time / 2), EventKind::Task, number as u32, 0);
        }
        std::iter::from_fn(|| queue.pop(&|_| (TaskId(0), 0))).collect()
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
                let on_line = |sim_event: &&SimEvent| match sim_event.kind {
                    EventKind::PortArrival => sim_event.place == line,
                    _ => line == 3,
                };
                let of_line: Vec<SimEvent> = all.iter().filter(on_line).copied().collect();
                prop_assert!(of_line.is_sorted());
            }
        }

        #[test]
        fn nothing_of_a_later_window_comes_before_an_earlier_one(times in prop::collection::vec(0u64..1_000_000, 0..60)) {
            let all = popped(Queue::new(Picoseconds(1000), 0), &times);
            // Windows are a little shorter than the lookahead, so that what is later by more of it is never earlier.
            let latest = all.iter().scan(0, |latest, event| { *latest = event.time.0.max(*latest); Some(*latest) });
            prop_assert!(all.iter().zip(latest).all(|(event, latest)| latest - event.time.0 < 1000));
        }

        #[test]
        fn no_window_is_longer_than_the_lookahead(lookahead in 2u64..1 << 40, time in 0u64..1 << 60) {
            let queue = Queue::new(Picoseconds(lookahead), 0);
            let window = |time| queue.window(Picoseconds(time));
            prop_assert!(window(time + lookahead) > window(time));
        }
    }
}
