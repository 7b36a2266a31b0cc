//! Schedules in which each operation of a task waits for the one before it, without an event for each of them.
//!
//! Whatever others do from now on reaches a task o + L later at the earliest. So the task that is next in time goes
//! on by itself for that long: of its next operation and the first message that has arrived, the one that can begin
//! first begins; where both can, the one that became known first (`causal_order`). A task that waits for the receive
//! of a large message may be released at any time, and does one thing at a time.

use super::agenda::{Agenda, Visit};
use super::causal_order::{CausalOrder, Cause};
use super::ids::UnexpectedId;
use super::model::{Delivered, LogGopsModel, ReplayLog, TaskOutcome};
use crate::matching::channel::{Channel, ChannelSource};
use crate::matching::linked_queue::QueueItems;
use crate::matching::queues::{MatchingQueues, QueueSide};
use crate::memory::slab::{NONE, Slab};
use crate::result::Part;
use chronos_activity::TaskId;
use chronos_activity::schedule::{Action, Schedule};
use chronos_base::ids::{Id as _, Table};
use chronos_base::prefetch::prefetch;
use rayon::iter::ParallelIterator;
use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::VecDeque;

/// A message under way.
#[derive(Clone, Copy, Debug)]
struct InFlightMessage {
    arrival: u64,
    bytes: u64,
    from: TaskId,
    tag: u32,
}

/// A message that was not taken from the interface.
#[derive(Clone, Copy, Debug)]
struct InboxMessage {
    message: InFlightMessage,
    /// Of its send.
    known: CausalOrder,
}

/// A message that was taken from the interface and has no receive yet.
#[derive(Clone, Copy, Debug)]
struct UnexpectedMessage {
    message: InFlightMessage,
    /// When it was taken.
    taken: u64,
    next: u32,
}

impl QueueItems for Slab<UnexpectedId, UnexpectedMessage> {
    type Id = UnexpectedId;

    fn source(&self, item: UnexpectedId) -> ChannelSource {
        let InFlightMessage { from, tag, .. } = self[item].message;
        channel(TaskId(0), from, tag).source()
    }

    fn next(&self, item: UnexpectedId) -> u32 {
        self[item].next
    }

    fn link(&mut self, item: UnexpectedId, next: u32) {
        self[item].next = next;
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum HostState {
    /// Goes on with its next operation.
    #[default]
    Going,
    /// Waits for a message.
    Awaits(Channel),
    /// Waits for the receive of its message.
    Offers,
}

#[derive(Debug, Default)]
struct SequentialHost {
    position: u32,
    length: u32,
    state: HostState,
    /// When the last operation ended.
    now: u64,
    /// Since when the next one is known.
    known: CausalOrder,
    /// Of what let it go on, if that was the receive of its message.
    freed: Option<Box<CausalOrder>>,
    /// When processor, sending and receiving side of the interface are free.
    processor: u64,
    sends: u64,
    receives: u64,
    /// When it is looked at next; what the queue holds beyond that is void.
    key: u64,
    outcome: TaskOutcome,
    /// By arrival, then sender.
    inbox: VecDeque<InboxMessage>,
    matching_queues: MatchingQueues,
}

struct SequentialSimulation<'a> {
    schedule: &'a Schedule,
    model: &'a LogGopsModel,
    hosts: Table<TaskId, SequentialHost>,
    unexpected: Slab<UnexpectedId, UnexpectedMessage>,
    agenda: Agenda,
    log: &'a mut ReplayLog,
    /// Two things were at one time, and too little is known of what was before to tell which comes first.
    undecided: Cell<bool>,
}

/// What a task can do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NextAction {
    Operation(Action),
    Message,
}

/// Tasks that are looked at at once, and from how many on it pays.
const BATCH: usize = 8;
const MANY: usize = 1 << 12;

const NEVER: u64 = u64::MAX;

/// `None` where an order at one time could not be told and has to be exact.
pub(super) fn run(
    schedule: &Schedule,
    model: &LogGopsModel,
    log: &mut ReplayLog,
    exact: bool,
) -> Option<Vec<TaskOutcome>> {
    let lengths = schedule.tasks().map(|task| task.len() as u32);
    let host = |(id, length)| SequentialHost { length, known: CausalOrder::begin(id), ..SequentialHost::default() };
    let hosts = (0..).map(TaskId).zip(lengths).map(host).collect();
    let waits = schedule.par_tasks().any(|task| task.sends_more_than(model.eager_limit));
    let mut agenda = Agenda::new(model.flight(), waits);
    (0..schedule.len()).map(TaskId::new).for_each(|host| agenda.push(host, 0));
    let (unexpected, undecided) = (Slab::default(), Cell::new(false));
    let mut simulation = SequentialSimulation { schedule, model, hosts, unexpected, agenda, log, undecided };
    while let Some(visit) = simulation.next_visit() {
        if exact && simulation.undecided.get() {
            return None;
        }
        if simulation.hosts[visit.task].key == visit.time {
            simulation.proceed(visit);
        }
    }
    (!exact || !simulation.undecided.get()).then(|| simulation.hosts.values().map(SequentialHost::outcome).collect())
}

impl SequentialSimulation<'_> {
    fn next_visit(&mut self) -> Option<Visit> {
        if self.hosts.len() >= MANY && self.agenda.coming().len().is_multiple_of(BATCH) {
            self.prefetch_upcoming();
        }
        self.agenda.pop()
    }

    /// Prefetches what the next tasks need: the last ones of them themselves, what others lead to, and what that
    /// leads to.
    fn prefetch_upcoming(&self) {
        let mut batches = self.agenda.coming().rchunks(BATCH);
        let mut next = || batches.next().unwrap_or_default().iter().map(|&(task, _)| task);
        next().for_each(|task| self.fetch_receiver(task));
        next().for_each(|task| self.prefetch_operation(task));
        next().for_each(|task| self.hosts[task].prefetch());
    }

    fn prefetch_operation(&self, task: TaskId) {
        let host = &self.hosts[task];
        host.inbox.front().into_iter().for_each(prefetch);
        self.schedule.prefetch(self.schedule.begin(task) + host.position as usize);
    }

    fn fetch_receiver(&self, task: TaskId) {
        let host = &self.hosts[task];
        if host.position < host.length
            && let Action::Send { to, .. } = self.schedule.operation(task, host.position).action
        {
            self.hosts[TaskId(to)].prefetch();
        }
    }

    /// Lets a task go on as long as nothing unknown can reach it.
    fn proceed(&mut self, Visit { task: id, time, until }: Visit) {
        loop {
            let (at, next) = self.next(id);
            let alone = self.hosts[id].state == HostState::Offers;
            if at >= until || (alone && at > time) {
                return self.visit_again(id, at);
            }
            match next {
                NextAction::Message => self.take(id, at),
                NextAction::Operation(action) => self.begin(id, at, action),
            }
        }
    }

    fn visit_again(&mut self, id: TaskId, at: u64) {
        self.hosts[id].key = at;
        if at != NEVER {
            self.agenda.push(id, at);
        }
    }

    /// What can begin first, and when.
    fn next(&self, id: TaskId) -> (u64, NextAction) {
        let host = &self.hosts[id];
        let message = host.inbox.front().map_or(NEVER, |coming| host.takes_at(coming.message.arrival));
        if host.state != HostState::Going || host.position == host.length {
            return (message, NextAction::Message);
        }
        let action = self.schedule.operation(id, host.position).action;
        let at = match action {
            Action::Compute { .. } => host.now.max(host.processor),
            Action::Send { .. } => host.now.max(host.processor).max(host.sends),
            Action::Recv { .. } => host.now,
        };
        let operation_first = || {
            let taken = host.inbox.front().map(|coming| self.taken(coming));
            taken.is_none_or(|taken| self.order(host.known, taken).is_le())
        };
        if at < message || (at == message && operation_first()) {
            return (at, NextAction::Operation(action));
        }
        (message, NextAction::Message)
    }

    fn order(&self, one: CausalOrder, other: CausalOrder) -> Ordering {
        one.order(other).unwrap_or_else(|| {
            self.undecided.set(true);
            Ordering::Equal
        })
    }

    /// Since when it is known that a message will be there.
    fn taken(&self, InboxMessage { message, known }: &InboxMessage) -> CausalOrder {
        known.caused_at(message.arrival.saturating_sub(self.model.flight()), Cause::Other)
    }

    fn begin(&mut self, id: TaskId, at: u64, action: Action) {
        match action {
            Action::Compute { ns } => self.compute(id, at, ns.saturating_mul(1000)),
            Action::Send { to, tag, bytes } => self.send(id, at, TaskId(to), tag, bytes),
            Action::Recv { from, tag, .. } => self.post(id, at, channel(id, TaskId(from), tag)),
        }
    }

    fn compute(&mut self, id: TaskId, at: u64, time: u64) {
        let host = &mut self.hosts[id];
        let ready = host.now;
        host.processor = at.saturating_add(time);
        host.outcome.compute += time;
        host.end_operation(at.saturating_add(time), host.known.caused_at(at, Cause::Own));
        self.log.span(id, Part::Idle, ready, at);
        self.log.span(id, Part::Compute, at, at.saturating_add(time));
    }

    fn send(&mut self, id: TaskId, at: u64, to: TaskId, tag: u32, bytes: u64) {
        let model = self.model;
        let host = &mut self.hosts[id];
        let (ready, end) = (host.now, at.saturating_add(model.sending(bytes)));
        host.sends = at.saturating_add(model.interface(bytes));
        host.processor = end;
        host.outcome.send += model.sending(bytes);
        let known = host.known;
        match model.is_eager(bytes) {
            false => (host.state, host.now) = (HostState::Offers, end),
            true => host.end_operation(end, known.caused_at(at, Cause::Own)),
        }
        self.log.span(id, Part::Idle, ready, at);
        self.log.span(id, Part::Send, at, end);
        let message = InFlightMessage { arrival: at.saturating_add(model.flight()), bytes, from: id, tag };
        self.deliver(to, InboxMessage { message, known });
    }

    /// Lets a message be on its way; the receiver looks earlier than planned where that is needed.
    fn deliver(&mut self, to: TaskId, coming: InboxMessage) {
        let behind = self.hosts[to].inbox.iter().rposition(|other| !self.is_before(&coming, other));
        let host = &mut self.hosts[to];
        host.inbox.insert(behind.map_or(0, |position| position + 1), coming);
        let at = host.takes_at(coming.message.arrival);
        if to != coming.message.from && at < host.key {
            self.visit_again(to, at);
        }
    }

    /// Of two messages to one task; those of one sender come as they were sent.
    fn is_before(&self, coming: &InboxMessage, other: &InboxMessage) -> bool {
        let (message, before) = (&coming.message, &other.message);
        let known_first = || self.order(coming.known, other.known).then(message.from.cmp(&before.from)).is_lt();
        let tie = message.arrival == before.arrival && message.from != before.from;
        message.arrival < before.arrival || (tie && known_first())
    }

    /// A receive is posted; one whose message was taken before has it at once.
    fn post(&mut self, id: TaskId, at: u64, channel: Channel) {
        let host = &mut self.hosts[id];
        let Some(item) = host.matching_queues.pop(QueueSide::Unexpected, channel, &mut self.unexpected) else {
            host.state = HostState::Awaits(channel);
            return;
        };
        let cause = host.known;
        host.end_operation(at, cause.caused_at(at, Cause::Own));
        let UnexpectedMessage { message, taken, .. } = self.unexpected[item];
        self.unexpected.release(item);
        self.received(id, &message, at.max(taken));
        self.release(&message, at, cause);
    }

    /// The first message is taken from the interface, whether or not there is a receive for it.
    fn take(&mut self, id: TaskId, at: u64) {
        let model = self.model;
        let Some(coming) = self.hosts[id].inbox.pop_front() else { return };
        let (message, cause) = (coming.message, self.taken(&coming));
        let is_late = self.is_freed_after(id, at, cause);
        let host = &mut self.hosts[id];
        let (ready, end) = (host.now.max(host.processor), at.saturating_add(model.receiving(message.bytes)));
        if is_late {
            host.now = end;
        }
        host.receives = at.saturating_add(model.interface(message.bytes));
        host.processor = end;
        host.outcome.recv += model.receiving(message.bytes);
        let channel = channel(id, message.from, message.tag);
        let awaited = host.state == HostState::Awaits(channel);
        if awaited {
            host.state = HostState::Going;
            host.end_operation(end, cause.caused_at(at, Cause::Own));
        } else {
            let item = self.unexpected.insert(UnexpectedMessage { message, taken: end, next: NONE });
            host.matching_queues.append(QueueSide::Unexpected, item, &mut self.unexpected);
        }
        self.log.span(id, Part::Idle, ready, at);
        self.log.span(id, Part::Recv, at, end);
        if awaited {
            self.received(id, &message, end);
            self.release(&message, at, cause);
        }
    }

    /// The processor of a task was occupied when the receive of its message let it go on.
    fn is_freed_after(&self, id: TaskId, at: u64, cause: CausalOrder) -> bool {
        let host = &self.hosts[id];
        let freed = host.freed.as_ref().filter(|_| host.state == HostState::Going && host.now == at);
        freed.is_some_and(|freed| self.order(cause, **freed).is_lt())
    }

    fn received(&mut self, id: TaskId, message: &InFlightMessage, at: u64) {
        let left = message.arrival - self.model.latency;
        let InFlightMessage { from, tag, bytes, .. } = *message;
        self.log.message(Delivered { from, to: id, tag, bytes, sent: left, received: at });
    }

    /// The sender of a large message goes on.
    fn release(&mut self, message: &InFlightMessage, at: u64, cause: CausalOrder) {
        if self.model.is_eager(message.bytes) {
            return;
        }
        let sender = &mut self.hosts[message.from];
        let ready = sender.now;
        sender.state = HostState::Going;
        sender.end_operation(at.max(ready), cause.caused_at(at, Cause::Other));
        sender.freed = Some(Box::new(cause));
        self.log.span(message.from, Part::Idle, ready, at);
        let next = self.hosts[message.from].now;
        if next < self.hosts[message.from].key {
            self.visit_again(message.from, next);
        }
    }
}

impl SequentialHost {
    /// Brings it near.
    fn prefetch(&self) {
        prefetch(&self.position);
        prefetch(&self.now);
        prefetch(&self.key);
        prefetch(&self.outcome);
        prefetch(&self.inbox);
        prefetch(&self.matching_queues);
    }

    /// When a message that arrives at this time can be taken.
    fn takes_at(&self, arrival: u64) -> u64 {
        arrival.max(self.processor).max(self.receives)
    }

    /// What comes next, a receive included, begins when the processor is free.
    fn end_operation(&mut self, at: u64, known: CausalOrder) {
        self.now = at.max(self.processor);
        self.known = known;
        self.freed = None;
        self.position += 1;
    }

    fn outcome(&self) -> TaskOutcome {
        let stuck = (self.position < self.length).then_some(self.position);
        TaskOutcome { end: self.now.max(self.processor), stuck, ..self.outcome }
    }
}

fn channel(to: TaskId, from: TaskId, tag: u32) -> Channel {
    Channel::user(to, Some(from), chronos_activity::CommId(0), Some(tag as i32))
}
