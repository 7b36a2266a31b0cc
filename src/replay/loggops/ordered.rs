//! Schedules of any shape, in the order of simulated time. What happens at one time happens in the order in which it
//! became known: what has to wait for a processor keeps its place. Of what one operation lets go on, sends come first,
//! then receives, then computing, and its message last.

use super::{Log, Model, Outcome};
use crate::activity::TaskId;
use crate::activity::schedule::{ANY, Action, Dependents, Schedule, TaskSchedule};
use crate::replay::hash::FastMap;
use crate::replay::result::Part;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Kinds of happenings in the order of those that become known at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Send,
    Recv,
    Compute,
    /// A message is taken from the interface, whether or not there is a receive for it.
    Take,
}

/// Ordered by time, then as they became known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Happening {
    time: u64,
    number: u64,
    kind: Kind,
    host: u32,
    /// An operation, or a message.
    what: u32,
}

#[derive(Clone, Copy, Debug)]
struct Message {
    from: u32,
    tag: u32,
    bytes: u64,
    left: u64,
    /// The operation of the sender that waits for the receive.
    rendezvous: Option<u32>,
    /// The processor of its send, which it occupies at the receiver too.
    cpu: u16,
}

#[derive(Debug, Default)]
struct Host {
    sends: u64,
    receives: u64,
    processors: FastMap<u16, u64>,
    waiting: Dependents,
    /// Receives without a message in the order of posting, messages without a receive as they were taken.
    posted: FastMap<(u32, u32), VecDeque<(u64, u32)>>,
    unexpected: VecDeque<u32>,
    done: Vec<bool>,
    outcome: Outcome,
}

struct Simulation<'a> {
    schedule: &'a Schedule,
    model: &'a Model,
    hosts: Vec<Host>,
    messages: Vec<Message>,
    queue: BinaryHeap<Reverse<Happening>>,
    made: u64,
    log: &'a mut Log,
}

pub(super) fn run(schedule: &Schedule, model: &Model, log: &mut Log) -> Vec<Outcome> {
    let hosts = schedule.tasks.iter().map(Host::new).collect();
    let mut simulation =
        Simulation { schedule, model, hosts, messages: Vec::new(), queue: BinaryHeap::new(), made: 0, log };
    simulation.begin();
    while let Some(Reverse(happening)) = simulation.queue.pop() {
        simulation.happen(happening);
    }
    simulation.hosts.iter().map(Host::outcome).collect()
}

impl Simulation<'_> {
    fn begin(&mut self) {
        for host in 0..self.hosts.len() as u32 {
            let free: Vec<u32> = self.hosts[host as usize].waiting.free().collect();
            self.ready(host, free, 0);
        }
    }

    fn push(&mut self, time: u64, kind: Kind, host: u32, what: u32) {
        self.made += 1;
        self.queue.push(Reverse(Happening { time, number: self.made, kind, host, what }));
    }

    /// What cannot begin yet keeps its place among others.
    fn put_off(&mut self, happening: Happening, time: u64) {
        self.queue.push(Reverse(Happening { time, ..happening }));
    }

    fn action(&self, host: u32, operation: u32) -> Action {
        self.schedule.operation(TaskId(host), operation).action
    }

    fn kind(&self, host: u32, operation: u32) -> Kind {
        match self.action(host, operation) {
            Action::Send { .. } => Kind::Send,
            Action::Recv { .. } => Kind::Recv,
            Action::Compute { .. } => Kind::Compute,
        }
    }

    fn ready(&mut self, host: u32, mut operations: Vec<u32>, time: u64) {
        operations.sort_by_key(|&operation| self.kind(host, operation));
        for operation in operations {
            let time = time.max(*self.processor(host, operation));
            self.push(time, self.kind(host, operation), host, operation);
        }
    }

    fn happen(&mut self, happening: Happening) {
        match happening.kind {
            Kind::Compute => self.compute(happening),
            Kind::Send => self.send(happening),
            Kind::Recv => self.post(happening),
            Kind::Take => self.take(happening),
        }
    }

    /// Lets those go on that wait for the begin, or the end, of an operation.
    fn release(&mut self, host: u32, operation: u32, begin: bool, time: u64) {
        let mut free = Vec::new();
        self.hosts[host as usize].waiting.release(operation, begin, |after| free.push(after));
        self.ready(host, free, time);
    }

    fn ended(&mut self, host: u32, operation: u32, time: u64) {
        let state = &mut self.hosts[host as usize];
        state.done[operation as usize] = true;
        state.outcome.end = state.outcome.end.max(time);
        self.release(host, operation, false, time);
    }

    fn compute(&mut self, happening: Happening) {
        let Happening { time, host, what: operation, .. } = happening;
        let Action::Compute { ns } = self.action(host, operation) else { return };
        let processor = self.processor(host, operation);
        if *processor > time {
            let free = *processor;
            return self.put_off(happening, free);
        }
        let duration = ns.saturating_mul(1000);
        *processor = time.saturating_add(duration);
        self.hosts[host as usize].outcome.compute += duration;
        self.log.span(host, Part::Compute, time, time.saturating_add(duration));
        self.release(host, operation, true, time);
        self.ended(host, operation, time.saturating_add(duration));
    }

    fn send(&mut self, happening: Happening) {
        let Happening { time, host, what: operation, .. } = happening;
        let Action::Send { to, tag, bytes } = self.action(host, operation) else { return };
        let free = (*self.processor(host, operation)).max(self.hosts[host as usize].sends);
        if free > time {
            return self.put_off(happening, free);
        }
        let model = self.model;
        let end = time.saturating_add(model.sending(bytes));
        *self.processor(host, operation) = end;
        let state = &mut self.hosts[host as usize];
        state.sends = time.saturating_add(model.interface(bytes));
        state.outcome.send += model.sending(bytes);
        state.outcome.end = state.outcome.end.max(end);
        self.log.span(host, Part::Send, time, end);
        let cpu = self.schedule.operation(TaskId(host), operation).cpu;
        let rendezvous = Some(operation).filter(|_| !model.is_eager(bytes));
        self.messages.push(Message { from: host, tag, bytes, left: end, rendezvous, cpu });
        let message = self.messages.len() as u32 - 1;
        self.release(host, operation, true, time);
        if rendezvous.is_none() {
            self.ended(host, operation, end);
        }
        self.push(time.saturating_add(model.flight()), Kind::Take, to, message);
    }

    fn post(&mut self, happening: Happening) {
        let Happening { time, host, what: operation, number, .. } = happening;
        let Action::Recv { from, tag, .. } = self.action(host, operation) else { return };
        self.release(host, operation, true, time);
        let messages = &self.messages;
        let state = &mut self.hosts[host as usize];
        let fits = |&message: &u32| accepts((from, tag), &messages[message as usize]);
        let found = state.unexpected.iter().position(fits).and_then(|position| state.unexpected.remove(position));
        match found {
            Some(message) => self.received(time, time, host, operation, message),
            None => {
                state.posted.entry((from, tag)).or_default().push_back((number, operation));
            }
        }
    }

    fn take(&mut self, happening: Happening) {
        let Happening { time, host, what: id, .. } = happening;
        let message = self.messages[id as usize];
        let model = self.model;
        let state = &mut self.hosts[host as usize];
        let processor = state.processors.entry(message.cpu).or_insert(0);
        let free = (*processor).max(state.receives);
        if free > time {
            return self.put_off(happening, free);
        }
        let end = time.saturating_add(model.receiving(message.bytes));
        *processor = end;
        state.receives = time.saturating_add(model.interface(message.bytes));
        state.outcome.recv += model.receiving(message.bytes);
        state.outcome.end = state.outcome.end.max(end);
        self.log.span(host, Part::Recv, time, end);
        match self.posted_for(host, &message) {
            Some(operation) => self.received(time, end, host, operation, id),
            None => self.hosts[host as usize].unexpected.push_back(id),
        }
    }

    /// The receive for a message that was posted first.
    fn posted_for(&mut self, host: u32, message: &Message) -> Option<u32> {
        let Message { from, tag, .. } = *message;
        let state = &mut self.hosts[host as usize];
        let patterns = [(from, tag), (ANY, tag), (from, ANY), (ANY, ANY)];
        let first = |pattern: &(u32, u32)| Some((state.posted.get(pattern)?.front()?.0, *pattern));
        let (_, pattern) = patterns.iter().filter_map(first).min()?;
        state.posted.get_mut(&pattern).and_then(VecDeque::pop_front).map(|(_, operation)| operation)
    }

    /// Message and receive have met: the sender of a large message goes on now, the receiver then.
    fn received(&mut self, now: u64, then: u64, host: u32, operation: u32, id: u32) {
        let message = self.messages[id as usize];
        self.log.message((message.from, host), message.tag, message.bytes, (message.left, then));
        self.ended(host, operation, then);
        if let Some(operation) = message.rendezvous {
            self.ended(message.from, operation, now);
        }
    }

    fn processor(&mut self, host: u32, operation: u32) -> &mut u64 {
        let cpu = self.schedule.operation(TaskId(host), operation).cpu;
        self.hosts[host as usize].processors.entry(cpu).or_insert(0)
    }
}

fn accepts((from, tag): (u32, u32), message: &Message) -> bool {
    (from == ANY || from == message.from) && (tag == ANY || tag == message.tag)
}

impl Host {
    fn new(task: &TaskSchedule) -> Self {
        Self { waiting: Dependents::new(task), done: vec![false; task.len()], ..Self::default() }
    }

    fn outcome(&self) -> Outcome {
        let stuck = self.done.iter().position(|&done| !done).map(|position| position as u32);
        Outcome { stuck, ..self.outcome }
    }
}
