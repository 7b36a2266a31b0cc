//! Schedules of any shape, in the order of simulated time. What happens at one time happens in the order in which it
//! became known: what has to wait for a processor keeps its place. Of what one operation lets go on, sends come first,
//! then receives, then computing, and its message last.

use super::lines::{ByProcessor, Line};
use super::queue::Queue;
use super::{Log, Model, Outcome};
use crate::activity::TaskId;
use crate::activity::frontier::{Frontier, Place, Sections};
use crate::activity::schedule::{ANY, Action, Schedule, TaskSchedule};
use crate::hash::FastMap;
use crate::replay::ledger::Ledger;
use crate::replay::result::Part;
use std::collections::{BTreeMap, VecDeque};

/// Kinds of happenings in the order of those that become known at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    Send,
    Recv,
    Compute,
    /// A message is taken from the interface, whether or not there is a receive for it.
    Take,
}

/// Ordered by time, then as they became known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Happening {
    pub time: u64,
    pub number: u64,
    pub kind: Kind,
    pub host: u32,
    /// An operation, or a message.
    pub what: u32,
    /// The first of a line may go on now.
    pub in_line: bool,
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
    /// Until when each is busy.
    processors: ByProcessor<u64>,
    /// `None` before the begin.
    frontier: Option<Frontier>,
    /// Receives without a message in the order of posting, messages without a receive as they were taken.
    posted: Ledger<(u32, u32), Posted>,
    /// Of those receives, how many take from anyone or any tag.
    wildcards: u32,
    unexpected: Unexpected,
    /// By kind.
    lines: ByProcessor<[Line; 4]>,
    outcome: Outcome,
}

/// Receives of one kind in the order of posting, with their numbers; mostly one.
#[derive(Debug, Default)]
struct Posted {
    first: Option<(u64, u32)>,
    #[expect(clippy::box_collection, reason = "most have none, and there is an entry for each channel")]
    others: Option<Box<VecDeque<(u64, u32)>>>,
}

impl Posted {
    fn push(&mut self, receive: (u64, u32)) {
        match self.first {
            None => self.first = Some(receive),
            Some(_) => self.others.get_or_insert_default().push_back(receive),
        }
    }

    fn pop(&mut self) -> Option<u32> {
        let next = self.others.as_mut().and_then(|others| others.pop_front());
        std::mem::replace(&mut self.first, next).map(|(_, operation)| operation)
    }
}

/// Messages without a receive, numbered as they were taken.
#[derive(Debug, Default)]
struct Unexpected {
    messages: BTreeMap<u64, u32>,
    by_channel: FastMap<(u32, u32), VecDeque<u64>>,
    taken: u64,
}

impl Unexpected {
    fn push(&mut self, channel: (u32, u32), message: u32) {
        self.taken += 1;
        self.messages.insert(self.taken, message);
        self.by_channel.entry(channel).or_default().push_back(self.taken);
    }

    /// The first message that a receive takes.
    fn take(&mut self, pattern: (u32, u32), all: &[Message]) -> Option<u32> {
        let channel = match pattern {
            (ANY, _) | (_, ANY) => {
                let fits = |&&message: &&u32| accepts(pattern, &all[message as usize]);
                let &message = self.messages.values().find(fits)?;
                (all[message as usize].from, all[message as usize].tag)
            }
            exact => exact,
        };
        let number = self.by_channel.get_mut(&channel)?.pop_front()?;
        self.messages.remove(&number)
    }
}

struct Simulation<'a> {
    schedule: &'a Schedule,
    sections: &'a Sections,
    /// Some operation names another processor than the first, so that each has to be asked.
    several_processors: bool,
    model: &'a Model,
    hosts: Vec<Host>,
    messages: Vec<Message>,
    queue: Queue,
    made: u64,
    log: &'a mut Log,
}

pub(super) fn run(schedule: &Schedule, model: &Model, log: &mut Log) -> Vec<Outcome> {
    let hosts = schedule.tasks().map(|_| Host::default()).collect();
    let sections = &Sections::of(schedule, |_| true);
    let several_processors = schedule.tasks().any(TaskSchedule::has_other_processors);
    let (messages, queue) = Default::default();
    let mut simulation =
        Simulation { schedule, sections, several_processors, model, hosts, messages, queue, made: 0, log };
    simulation.begin();
    while let Some(happening) = simulation.queue.pop() {
        simulation.happen(happening);
    }
    (0..).zip(&simulation.hosts).map(|(host, state)| state.outcome(schedule.length(TaskId(host)))).collect()
}

impl<'a> Simulation<'a> {
    fn begin(&mut self) {
        for host in 0..self.hosts.len() as u32 {
            let mut free = Vec::new();
            let frontier = Frontier::new(self.place(host), |operation| free.push(operation));
            self.hosts[host as usize].frontier = Some(frontier);
            self.line_up(host, free);
        }
    }

    fn place(&self, host: u32) -> Place<'a> {
        Place { schedule: self.schedule, sections: self.sections, task: TaskId(host) }
    }

    /// What is ready from the begin on: often all of a task, so that a happening for each would be many.
    fn line_up(&mut self, host: u32, mut operations: Vec<u32>) {
        operations.sort_by_key(|&operation| self.kind(host, operation));
        for operation in operations {
            self.made += 1;
            let kind = self.kind(host, operation);
            let line = (kind, self.cpu(kind, host, operation));
            let number = self.made;
            self.line(host, line).push(number, operation);
            self.await_first(host, line, 0);
        }
    }

    fn push(&mut self, time: u64, kind: Kind, host: u32, what: u32) {
        self.made += 1;
        self.queue.push(Happening { time, number: self.made, kind, host, what, in_line: false });
    }

    fn line(&mut self, host: u32, (kind, cpu): (Kind, u16)) -> &mut Line {
        &mut self.hosts[host as usize].lines.entry(cpu)[kind as usize]
    }

    /// What cannot begin before a time keeps its place among others.
    fn put_off(&mut self, happening: Happening, cpu: u16, time: u64) {
        let Happening { number, kind, host, what, .. } = happening;
        self.line(host, (kind, cpu)).push(number, what);
        self.await_first(host, (kind, cpu), time);
    }

    /// Sees to it that the first of a line is looked at then.
    fn await_first(&mut self, host: u32, (kind, cpu): (Kind, u16), time: u64) {
        let line = self.line(host, (kind, cpu));
        let Some(&(number, what)) = line.waiting.front() else { return };
        if line.next != Some((time, number)) {
            line.next = Some((time, number));
            self.queue.push(Happening { time, number, kind, host, what, in_line: true });
        }
    }

    /// Takes the first of a line out, where it is still the one that was to be looked at; the next one will be.
    fn leave_line(&mut self, happening: Happening) -> bool {
        let Happening { time, number, kind, host, what, .. } = happening;
        let cpu = self.cpu(kind, host, what);
        let line = self.line(host, (kind, cpu));
        if line.next != Some((time, number)) {
            return false;
        }
        line.next = None;
        line.waiting.pop_front();
        true
    }

    fn cpu(&self, kind: Kind, host: u32, what: u32) -> u16 {
        match kind {
            _ if !self.several_processors => 0,
            Kind::Take => self.messages[what as usize].cpu,
            Kind::Send | Kind::Recv | Kind::Compute => self.schedule.operation(TaskId(host), what).cpu,
        }
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
        operations.sort_unstable_by_key(|&operation| (self.kind(host, operation), operation));
        for operation in operations {
            let kind = self.kind(host, operation);
            let processor = self.free(Kind::Compute, host, self.cpu(kind, host, operation));
            self.push(time.max(processor), kind, host, operation);
        }
    }

    fn happen(&mut self, happening: Happening) {
        if happening.in_line && !self.leave_line(happening) {
            return;
        }
        match happening.kind {
            Kind::Compute => self.compute(happening),
            Kind::Send => self.send(happening),
            Kind::Recv => self.post(happening),
            Kind::Take => self.take(happening),
        }
        if happening.in_line {
            let Happening { time, kind, host, what, .. } = happening;
            let cpu = self.cpu(kind, host, what);
            let free = self.free(kind, host, cpu).max(time);
            self.await_first(host, (kind, cpu), free);
        }
    }

    /// When something of a kind can begin.
    fn free(&self, kind: Kind, host: u32, cpu: u16) -> u64 {
        let host = &self.hosts[host as usize];
        let processor = host.processors.get(cpu).copied().unwrap_or(0);
        match kind {
            Kind::Send => processor.max(host.sends),
            Kind::Take => processor.max(host.receives),
            Kind::Recv => 0,
            Kind::Compute => processor,
        }
    }

    /// Lets those go on that wait for the begin of an operation.
    fn began(&mut self, host: u32, operation: u32, time: u64) {
        let (place, mut free) = (self.place(host), Vec::new());
        if let Some(frontier) = &mut self.hosts[host as usize].frontier {
            frontier.began(place, operation, |after| free.push(after));
        }
        self.ready(host, free, time);
    }

    /// The same for the end.
    fn ended(&mut self, host: u32, operation: u32, time: u64) {
        let (place, mut free) = (self.place(host), Vec::new());
        let state = &mut self.hosts[host as usize];
        state.outcome.end = state.outcome.end.max(time);
        if let Some(frontier) = &mut state.frontier {
            frontier.ended(place, operation, |after| free.push(after));
        }
        self.ready(host, free, time);
    }

    fn compute(&mut self, happening: Happening) {
        let Happening { time, host, what: operation, .. } = happening;
        let Action::Compute { ns } = self.action(host, operation) else { return };
        let cpu = self.cpu(happening.kind, host, operation);
        let free = self.free(happening.kind, host, cpu);
        if free > time {
            return self.put_off(happening, cpu, free);
        }
        let duration = ns.saturating_mul(1000);
        *self.hosts[host as usize].processors.entry(cpu) = time.saturating_add(duration);
        self.hosts[host as usize].outcome.compute += duration;
        self.log.span(host, Part::Compute, time, time.saturating_add(duration));
        self.began(host, operation, time);
        self.ended(host, operation, time.saturating_add(duration));
    }

    fn send(&mut self, happening: Happening) {
        let Happening { time, host, what: operation, .. } = happening;
        let Action::Send { to, tag, bytes } = self.action(host, operation) else { return };
        let cpu = self.cpu(happening.kind, host, operation);
        let free = self.free(happening.kind, host, cpu);
        if free > time {
            return self.put_off(happening, cpu, free);
        }
        let model = self.model;
        let end = time.saturating_add(model.sending(bytes));
        let state = &mut self.hosts[host as usize];
        *state.processors.entry(cpu) = end;
        state.sends = time.saturating_add(model.interface(bytes));
        state.outcome.send += model.sending(bytes);
        state.outcome.end = state.outcome.end.max(end);
        self.log.span(host, Part::Send, time, end);
        let rendezvous = Some(operation).filter(|_| !model.is_eager(bytes));
        self.messages.push(Message { from: host, tag, bytes, left: end, rendezvous, cpu });
        let message = self.messages.len() as u32 - 1;
        self.began(host, operation, time);
        if rendezvous.is_none() {
            self.ended(host, operation, end);
        }
        self.push(time.saturating_add(model.flight()), Kind::Take, to, message);
    }

    fn post(&mut self, happening: Happening) {
        let Happening { time, host, what: operation, number, .. } = happening;
        let Action::Recv { from, tag, .. } = self.action(host, operation) else { return };
        self.began(host, operation, time);
        let messages = &self.messages;
        let state = &mut self.hosts[host as usize];
        match state.unexpected.take((from, tag), messages) {
            Some(message) => self.received(time, time, host, operation, message),
            None => {
                state.wildcards += u32::from(from == ANY || tag == ANY);
                state.posted.entry((from, tag)).push((number, operation));
            }
        }
    }

    fn take(&mut self, happening: Happening) {
        let Happening { time, host, what: id, .. } = happening;
        let message = self.messages[id as usize];
        let model = self.model;
        let free = self.free(happening.kind, host, message.cpu);
        if free > time {
            return self.put_off(happening, message.cpu, free);
        }
        let end = time.saturating_add(model.receiving(message.bytes));
        let state = &mut self.hosts[host as usize];
        *state.processors.entry(message.cpu) = end;
        state.receives = time.saturating_add(model.interface(message.bytes));
        state.outcome.recv += model.receiving(message.bytes);
        state.outcome.end = state.outcome.end.max(end);
        self.log.span(host, Part::Recv, time, end);
        match self.posted_for(host, &message) {
            Some(operation) => self.received(time, end, host, operation, id),
            None => self.hosts[host as usize].unexpected.push((message.from, message.tag), id),
        }
    }

    /// The receive for a message that was posted first.
    fn posted_for(&mut self, host: u32, message: &Message) -> Option<u32> {
        let Message { from, tag, .. } = *message;
        let state = &mut self.hosts[host as usize];
        if state.wildcards == 0 {
            return state.posted.known((from, tag))?.pop();
        }
        let patterns = [(from, tag), (ANY, tag), (from, ANY), (ANY, ANY)];
        let first = |pattern: &(u32, u32)| Some((state.posted.get(*pattern)?.first?.0, *pattern));
        let (_, pattern) = patterns.iter().filter_map(first).min()?;
        state.wildcards -= u32::from(pattern.0 == ANY || pattern.1 == ANY);
        state.posted.known(pattern)?.pop()
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
}

fn accepts((from, tag): (u32, u32), message: &Message) -> bool {
    (from == ANY || from == message.from) && (tag == ANY || tag == message.tag)
}

impl Host {
    fn outcome(&self, length: u32) -> Outcome {
        let open = self.frontier.as_ref().map_or(0, |frontier| frontier.base());
        Outcome { stuck: Some(open).filter(|&open| open < length), ..self.outcome }
    }
}
