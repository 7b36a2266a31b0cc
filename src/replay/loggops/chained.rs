//! Schedules in which each operation of a task waits for the one before it, without an event for each of them.
//!
//! Whatever others do from now on reaches a task o + L later at the earliest. So the task that is next in time goes on by
//! itself for that long: of its next operation and the first message that has arrived, the one that can begin first begins;
//! where both can, the one that became known first (`known`). A task that waits for the receive of a large message may be released
//! at any time, and does one thing at a time.

use super::agenda::{Agenda, Look};
use super::known::{Known, Place};
use super::{Log, Model, Outcome};
use crate::activity::TaskId;
use crate::activity::schedule::{Action, Schedule};
use crate::fetch::fetch;
use crate::replay::matching::{Channel, Items, Mailbox, Side, Source};
use crate::replay::result::Part;
use crate::replay::slab::{NONE, Slab};
use rayon::iter::ParallelIterator;
use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::VecDeque;

/// A message under way.
#[derive(Clone, Copy, Debug)]
struct Message {
    arrival: u64,
    bytes: u64,
    from: u32,
    tag: u32,
}

/// A message that was not taken from the interface.
#[derive(Clone, Copy, Debug)]
struct Coming {
    message: Message,
    /// Of its send.
    known: Known,
}

/// A message that was taken from the interface and has no receive yet.
#[derive(Clone, Copy, Debug)]
struct Unexpected {
    message: Message,
    /// When it was taken.
    taken: u64,
    next: u32,
}

impl Items for Slab<Unexpected> {
    fn source(&self, item: u32) -> Source {
        let Message { from, tag, .. } = self[item].message;
        channel(0, from, tag).source()
    }

    fn next(&self, item: u32) -> u32 {
        self[item].next
    }

    fn link(&mut self, item: u32, next: u32) {
        self[item].next = next;
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Goes on with its next operation.
    #[default]
    Going,
    /// Waits for a message.
    Awaits(Channel),
    /// Waits for the receive of its message.
    Offers,
}

#[derive(Debug, Default)]
struct Host {
    position: u32,
    length: u32,
    state: State,
    /// When the last operation ended.
    now: u64,
    /// Since when the next one is known.
    known: Known,
    /// Of what let it go on, if that was the receive of its message.
    freed: Option<Box<Known>>,
    /// When processor, sending and receiving side of the interface are free.
    processor: u64,
    sends: u64,
    receives: u64,
    /// When it is looked at next; what the queue holds beyond that is void.
    key: u64,
    outcome: Outcome,
    /// By arrival, then sender.
    inbox: VecDeque<Coming>,
    mailbox: Mailbox,
}

struct Simulation<'a> {
    schedule: &'a Schedule,
    model: &'a Model,
    hosts: Vec<Host>,
    unexpected: Slab<Unexpected>,
    agenda: Agenda,
    log: &'a mut Log,
    /// Two things were at one time, and too little is known of what was before to tell which comes first.
    undecided: Cell<bool>,
}

/// What a task can do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Operation(Action),
    Message,
}

/// Tasks that are looked at at once, and from how many on it pays.
const BATCH: usize = 8;
const MANY: usize = 1 << 12;

const NEVER: u64 = u64::MAX;

/// `None` where an order at one time could not be told and has to be exact.
pub(super) fn run(schedule: &Schedule, model: &Model, log: &mut Log, exact: bool) -> Option<Vec<Outcome>> {
    let lengths = schedule.tasks().map(|task| task.len() as u32);
    let host = |(id, length)| Host { length, known: Known::begin(id), ..Host::default() };
    let hosts = (0..).zip(lengths).map(host).collect();
    let waits = schedule.par_tasks().any(|task| task.sends_more_than(model.eager_limit));
    let mut agenda = Agenda::new(model.flight(), waits);
    (0..schedule.len() as u32).for_each(|host| agenda.push(host, 0));
    let (unexpected, undecided) = (Slab::default(), Cell::new(false));
    let mut simulation = Simulation { schedule, model, hosts, unexpected, agenda, log, undecided };
    while let Some(look) = simulation.next_look() {
        if exact && simulation.undecided.get() {
            return None;
        }
        if simulation.hosts[look.task as usize].key == look.time {
            simulation.proceed(look);
        }
    }
    (!exact || !simulation.undecided.get()).then(|| simulation.hosts.iter().map(Host::outcome).collect())
}

impl Simulation<'_> {
    fn next_look(&mut self) -> Option<Look> {
        if self.hosts.len() >= MANY && self.agenda.coming().len().is_multiple_of(BATCH) {
            self.foresee();
        }
        self.agenda.pop()
    }

    /// Brings near what the next tasks need: the last ones of them themselves, what others lead to, and what that leads to.
    fn foresee(&self) {
        let mut batches = self.agenda.coming().rchunks(BATCH);
        let mut next = || batches.next().unwrap_or_default().iter().map(|&(task, _)| task);
        next().for_each(|task| self.fetch_receiver(task));
        next().for_each(|task| self.fetch_parts(task));
        next().for_each(|task| self.hosts[task as usize].fetch());
    }

    fn fetch_parts(&self, task: u32) {
        let host = &self.hosts[task as usize];
        host.inbox.front().into_iter().for_each(fetch);
        self.schedule.fetch(self.schedule.begin(TaskId(task)) + host.position as usize);
    }

    fn fetch_receiver(&self, task: u32) {
        let host = &self.hosts[task as usize];
        if host.position < host.length
            && let Action::Send { to, .. } = self.schedule.operation(TaskId(task), host.position).action
        {
            self.hosts[to as usize].fetch();
        }
    }

    /// Lets a task go on as long as nothing unknown can reach it.
    fn proceed(&mut self, Look { task: id, time, until }: Look) {
        loop {
            let (at, next) = self.next(id);
            let alone = self.hosts[id as usize].state == State::Offers;
            if at >= until || (alone && at > time) {
                return self.look_again(id, at);
            }
            match next {
                Next::Message => self.take(id, at),
                Next::Operation(action) => self.begin(id, at, action),
            }
        }
    }

    fn look_again(&mut self, id: u32, at: u64) {
        self.hosts[id as usize].key = at;
        if at != NEVER {
            self.agenda.push(id, at);
        }
    }

    /// What can begin first, and when.
    fn next(&self, id: u32) -> (u64, Next) {
        let host = &self.hosts[id as usize];
        let message = host.inbox.front().map_or(NEVER, |coming| host.takes_at(coming.message.arrival));
        if host.state != State::Going || host.position == host.length {
            return (message, Next::Message);
        }
        let action = self.schedule.operation(TaskId(id), host.position).action;
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
            return (at, Next::Operation(action));
        }
        (message, Next::Message)
    }

    fn order(&self, one: Known, other: Known) -> Ordering {
        one.order(other).unwrap_or_else(|| {
            self.undecided.set(true);
            Ordering::Equal
        })
    }

    /// Since when it is known that a message will be there.
    fn taken(&self, Coming { message, known }: &Coming) -> Known {
        known.happens(message.arrival.saturating_sub(self.model.flight()), Place::Other)
    }

    fn begin(&mut self, id: u32, at: u64, action: Action) {
        match action {
            Action::Compute { ns } => self.compute(id, at, ns.saturating_mul(1000)),
            Action::Send { to, tag, bytes } => self.send(id, at, (to, tag), bytes),
            Action::Recv { from, tag, .. } => self.post(id, at, channel(id, from, tag)),
        }
    }

    fn compute(&mut self, id: u32, at: u64, time: u64) {
        let host = &mut self.hosts[id as usize];
        let ready = host.now;
        host.processor = at.saturating_add(time);
        host.outcome.compute += time;
        host.end_operation(at.saturating_add(time), host.known.happens(at, Place::Own));
        self.log.span(id, Part::Idle, ready, at);
        self.log.span(id, Part::Compute, at, at.saturating_add(time));
    }

    fn send(&mut self, id: u32, at: u64, (to, tag): (u32, u32), bytes: u64) {
        let model = self.model;
        let host = &mut self.hosts[id as usize];
        let (ready, end) = (host.now, at.saturating_add(model.sending(bytes)));
        host.sends = at.saturating_add(model.interface(bytes));
        host.processor = end;
        host.outcome.send += model.sending(bytes);
        let known = host.known;
        match model.is_eager(bytes) {
            false => (host.state, host.now) = (State::Offers, end),
            true => host.end_operation(end, known.happens(at, Place::Own)),
        }
        self.log.span(id, Part::Idle, ready, at);
        self.log.span(id, Part::Send, at, end);
        let message = Message { arrival: at.saturating_add(model.flight()), bytes, from: id, tag };
        self.deliver(to, Coming { message, known });
    }

    /// Lets a message be on its way; the receiver looks earlier than planned where that is needed.
    fn deliver(&mut self, to: u32, coming: Coming) {
        let behind = self.hosts[to as usize].inbox.iter().rposition(|other| !self.is_before(&coming, other));
        let host = &mut self.hosts[to as usize];
        host.inbox.insert(behind.map_or(0, |position| position + 1), coming);
        let at = host.takes_at(coming.message.arrival);
        if to != coming.message.from && at < host.key {
            self.look_again(to, at);
        }
    }

    /// Of two messages to one task; those of one sender come as they were sent.
    fn is_before(&self, coming: &Coming, other: &Coming) -> bool {
        let (message, before) = (&coming.message, &other.message);
        let known_first = || self.order(coming.known, other.known).then(message.from.cmp(&before.from)).is_lt();
        let tie = message.arrival == before.arrival && message.from != before.from;
        message.arrival < before.arrival || (tie && known_first())
    }

    /// A receive is posted; one whose message was taken before has it at once.
    fn post(&mut self, id: u32, at: u64, channel: Channel) {
        let host = &mut self.hosts[id as usize];
        let Some(item) = host.mailbox.pop(Side::Unexpected, channel, &mut self.unexpected) else {
            host.state = State::Awaits(channel);
            return;
        };
        let cause = host.known;
        host.end_operation(at, cause.happens(at, Place::Own));
        let Unexpected { message, taken, .. } = self.unexpected[item];
        self.unexpected.release(item);
        self.received(id, &message, at.max(taken));
        self.release(&message, at, cause);
    }

    /// The first message is taken from the interface, whether or not there is a receive for it.
    fn take(&mut self, id: u32, at: u64) {
        let model = self.model;
        let Some(coming) = self.hosts[id as usize].inbox.pop_front() else { return };
        let (message, cause) = (coming.message, self.taken(&coming));
        let is_late = self.is_freed_after(id, at, cause);
        let host = &mut self.hosts[id as usize];
        let (ready, end) = (host.now.max(host.processor), at.saturating_add(model.receiving(message.bytes)));
        if is_late {
            host.now = end;
        }
        host.receives = at.saturating_add(model.interface(message.bytes));
        host.processor = end;
        host.outcome.recv += model.receiving(message.bytes);
        let channel = channel(id, message.from, message.tag);
        let awaited = host.state == State::Awaits(channel);
        if awaited {
            host.state = State::Going;
            host.end_operation(end, cause.happens(at, Place::Own));
        } else {
            let item = self.unexpected.insert(Unexpected { message, taken: end, next: NONE });
            host.mailbox.append(Side::Unexpected, item, &mut self.unexpected);
        }
        self.log.span(id, Part::Idle, ready, at);
        self.log.span(id, Part::Recv, at, end);
        if awaited {
            self.received(id, &message, end);
            self.release(&message, at, cause);
        }
    }

    /// The processor of a task was occupied when the receive of its message let it go on.
    fn is_freed_after(&self, id: u32, at: u64, cause: Known) -> bool {
        let host = &self.hosts[id as usize];
        let freed = host.freed.as_ref().filter(|_| host.state == State::Going && host.now == at);
        freed.is_some_and(|freed| self.order(cause, **freed).is_lt())
    }

    fn received(&mut self, id: u32, message: &Message, at: u64) {
        let left = message.arrival - self.model.latency;
        self.log.message((message.from, id), message.tag, message.bytes, (left, at));
    }

    /// The sender of a large message goes on.
    fn release(&mut self, message: &Message, at: u64, cause: Known) {
        if self.model.is_eager(message.bytes) {
            return;
        }
        let sender = &mut self.hosts[message.from as usize];
        let ready = sender.now;
        sender.state = State::Going;
        sender.end_operation(at.max(ready), cause.happens(at, Place::Other));
        sender.freed = Some(Box::new(cause));
        self.log.span(message.from, Part::Idle, ready, at);
        let next = self.hosts[message.from as usize].now;
        if next < self.hosts[message.from as usize].key {
            self.look_again(message.from, next);
        }
    }
}

impl Host {
    /// Brings it near.
    fn fetch(&self) {
        fetch(&self.position);
        fetch(&self.now);
        fetch(&self.key);
        fetch(&self.outcome);
        fetch(&self.inbox);
        fetch(&self.mailbox);
    }

    /// When a message that arrives at this time can be taken.
    fn takes_at(&self, arrival: u64) -> u64 {
        arrival.max(self.processor).max(self.receives)
    }

    /// What comes next, a receive included, begins when the processor is free.
    fn end_operation(&mut self, at: u64, known: Known) {
        self.now = at.max(self.processor);
        self.known = known;
        self.freed = None;
        self.position += 1;
    }

    fn outcome(&self) -> Outcome {
        let stuck = (self.position < self.length).then_some(self.position);
        Outcome { end: self.now.max(self.processor), stuck, ..self.outcome }
    }
}

fn channel(to: u32, from: u32, tag: u32) -> Channel {
    Channel::user(to, Some(TaskId(from)), crate::activity::CommId(0), Some(tag as i32))
}
