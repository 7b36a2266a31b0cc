//! Schedules of any shape, in the order of simulated time. What happens at one time happens in the order in which it
//! became known: what has to wait for a processor keeps its place. Of what one operation lets go on, sends come first,
//! then receives, then computing, and its message last.

mod foresight;

use super::happening::{Happening, Kind, Several};
use super::host::{Host, Message};
use super::lines::{NOTHING, Waiting};
use super::posted::Receives;
use super::queue::Queue;
use super::{Log, Model, Outcome};
use crate::activity::TaskId;
use crate::activity::frontier::{Frontier, Place, Sections};
use crate::activity::schedule::{Action, Schedule, ScheduledOperation, TaskSchedule};
use crate::replay::result::Part;
use crate::replay::slab::{NONE, Slab};
use rayon::iter::ParallelIterator;

struct Simulation<'a> {
    schedule: &'a Schedule,
    sections: &'a Sections,
    /// Some operation names another processor than the first, so that each has to be asked.
    several_processors: bool,
    model: &'a Model,
    hosts: Vec<Host>,
    messages: Slab<Message>,
    posted: Receives,
    /// What stands in lines.
    waiting: Slab<Waiting>,
    queue: Queue,
    made: u64,
    /// Room for what is free to go on.
    free: Vec<u32>,
    /// What is free at one time, until then.
    several: Slab<Several>,
    /// Room for putting that in order.
    keys: Vec<u64>,
    log: &'a mut Log,
}

/// Windows of the queue for each flight of a message.
const WINDOWS: u64 = 32;
/// Tasks from which on it pays to look ahead.
const MANY: usize = 2048;

pub(super) fn run(schedule: &Schedule, model: &Model, log: &mut Log) -> Vec<Outcome> {
    let sections = &Sections::of(schedule, |_| true);
    let mut simulation = Simulation {
        schedule,
        sections,
        several_processors: schedule.par_tasks().any(TaskSchedule::has_other_processors),
        model,
        hosts: Vec::with_capacity(schedule.len()),
        messages: Slab::default(),
        posted: Receives::default(),
        waiting: Slab::default(),
        queue: Queue::new(model.flight().div_ceil(WINDOWS)),
        made: 0,
        free: Vec::new(),
        several: Slab::default(),
        keys: Vec::new(),
        log,
    };
    simulation.begin();
    let is_wide = schedule.len() >= MANY;
    while let Some(happening) = simulation.queue.pop() {
        if is_wide {
            simulation.foresee();
        }
        simulation.happen(happening);
    }
    (0..).zip(&simulation.hosts).map(|(host, state)| state.outcome(schedule.length(TaskId(host)))).collect()
}

impl<'a> Simulation<'a> {
    fn begin(&mut self) {
        for host in 0..self.schedule.len() as u32 {
            let mut free = Vec::new();
            let frontier = Frontier::new(self.place(host), |operation| free.push(operation));
            self.hosts.push(Host::new(self.schedule.begin(TaskId(host)), frontier));
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
            let cpu = self.cpu(kind, host, operation);
            self.stand_in_line(host, (kind, cpu), (self.made, operation));
            self.await_first(host, cpu, 0);
        }
    }

    fn push(&mut self, time: u64, kind: Kind, host: u32, what: u32) {
        self.made += 1;
        self.queue.push(Happening::new((time, self.made), kind, false, (host, what)));
    }

    fn stand_in_line(&mut self, host: u32, line: (Kind, u16), (number, what): (u64, u32)) {
        self.hosts[host as usize].line_mut(line).push(&mut self.waiting, number, what);
    }

    /// What cannot begin before a time keeps its place among others.
    fn put_off(&mut self, happening: Happening, cpu: u16, free: u64) {
        let Happening { host, what, .. } = happening;
        let (kind, number) = (happening.kind(), happening.number());
        self.stand_in_line(host, (kind, cpu), (number, what));
        let state = &mut self.hosts[host as usize];
        let is_first = state.line_mut((kind, cpu)).front(&self.waiting) == Some((number, what));
        if is_first && (free, number) < *state.next_mut(cpu) {
            self.look_at(host, cpu, ((free, number), kind, what));
        }
    }

    /// Sees to it that what can begin first, of all that waits for a processor, is looked at then.
    fn await_first(&mut self, host: u32, cpu: u16, now: u64) {
        let mut first = None;
        for kind in [Kind::Send, Kind::Recv, Kind::Compute, Kind::Take] {
            let front = self.hosts[host as usize].line((kind, cpu)).and_then(|line| line.front(&self.waiting));
            if let Some((number, what)) = front {
                let one = ((self.free(kind, host, cpu).max(now), number), kind, what);
                first =
                    Some(first.map_or(one, |first: ((u64, u64), Kind, u32)| if first.0 < one.0 { first } else { one }));
            }
        }
        if let Some(first) = first.filter(|first| first.0 != *self.hosts[host as usize].next_mut(cpu)) {
            self.look_at(host, cpu, first);
        }
    }

    /// Looks at the first of a line then, and at no other before.
    fn look_at(&mut self, host: u32, cpu: u16, (next, kind, what): ((u64, u64), Kind, u32)) {
        *self.hosts[host as usize].next_mut(cpu) = next;
        self.queue.push(Happening::new(next, kind, true, (host, what)));
    }

    /// Takes the first of a line out, where it is still the one that was to be looked at and can begin.
    fn leave_line(&mut self, happening: Happening) -> bool {
        let Happening { time, host, what, .. } = happening;
        let kind = happening.kind();
        let cpu = self.cpu(kind, host, what);
        let next = self.hosts[host as usize].next_mut(cpu);
        if *next != (time, happening.number()) {
            return false;
        }
        *next = NOTHING;
        let is_free = self.free(kind, host, cpu) <= time;
        match is_free {
            true => self.hosts[host as usize].line_mut((kind, cpu)).pop(&mut self.waiting),
            false => self.await_first(host, cpu, time),
        }
        is_free
    }

    fn cpu(&self, kind: Kind, host: u32, what: u32) -> u16 {
        match kind {
            _ if !self.several_processors => 0,
            Kind::Take => self.messages[what].cpu,
            Kind::Send | Kind::Recv | Kind::Compute => self.operation(host, what).cpu,
            Kind::Several => 0,
        }
    }

    #[inline]
    fn operation(&self, host: u32, operation: u32) -> ScheduledOperation {
        self.schedule.at(self.hosts[host as usize].begin + operation as usize)
    }

    fn action(&self, host: u32, operation: u32) -> Action {
        self.operation(host, operation).action
    }

    fn kind(&self, host: u32, operation: u32) -> Kind {
        match self.action(host, operation) {
            Action::Send { .. } => Kind::Send,
            Action::Recv { .. } => Kind::Recv,
            Action::Compute { .. } => Kind::Compute,
        }
    }

    /// What is free to go on does so when its processor is.
    #[inline]
    fn ready(&mut self, host: u32, time: u64) {
        if self.free.is_empty() {
            return;
        }
        let mut operations = std::mem::take(&mut self.free);
        match Several::new(&operations).filter(|_| !self.several_processors) {
            Some(several) => self.push_several(time.max(self.hosts[host as usize].busy(0)), host, several),
            None => self.push_each(time, host, &mut operations),
        }
        operations.clear();
        self.free = operations;
    }

    fn push_each(&mut self, time: u64, host: u32, operations: &mut [u32]) {
        if operations.len() > 1 {
            operations.sort_unstable_by_key(|&operation| (self.kind(host, operation), operation));
        }
        for &operation in &*operations {
            let kind = self.kind(host, operation);
            let processor = self.free(Kind::Compute, host, self.cpu(kind, host, operation));
            self.push(time.max(processor), kind, host, operation);
        }
    }

    /// One happening for all of them, with as many numbers.
    fn push_several(&mut self, time: u64, host: u32, several: Several) {
        let first = self.made + 1;
        self.made += u64::from(several.count());
        let what = self.several.insert(several);
        self.queue.push(Happening::new((time, first), Kind::Several, false, (host, what)));
    }

    /// Each of several, by kind, those of one kind in the order of the schedule; where something else comes between, the
    /// others come later.
    fn happen_all(&mut self, happening: Happening) {
        let Happening { time, host, what, .. } = happening;
        let several = self.several[what];
        self.several.release(what);
        let mut keys = std::mem::take(&mut self.keys);
        keys.extend(several.iter().map(|one| (self.kind(host, one) as u64) << u32::BITS | u64::from(one)));
        keys.sort_unstable();
        for (&key, number) in keys.iter().zip(happening.number()..) {
            let one = Happening::new((time, number), Kind::nth(key >> u32::BITS), false, (host, key as u32));
            if self.queue.precedes(one) {
                let what = self.several.insert(several.without(keys.iter().take_while(|&&done| done != key)));
                self.queue.push(Happening::new((time, number), Kind::Several, false, (host, what)));
                break;
            }
            self.happen(one);
        }
        keys.clear();
        self.keys = keys;
    }

    fn happen(&mut self, happening: Happening) {
        if happening.in_line() && !self.leave_line(happening) {
            return;
        }
        let kind = happening.kind();
        match kind {
            Kind::Compute => self.compute(happening),
            Kind::Send => self.send(happening),
            Kind::Recv => self.post(happening),
            Kind::Take => self.take(happening),
            Kind::Several => self.happen_all(happening),
        }
        if happening.in_line() {
            let Happening { time, host, what, .. } = happening;
            self.await_first(host, self.cpu(kind, host, what), time);
        }
    }

    /// When something of a kind can begin.
    #[inline]
    fn free(&self, kind: Kind, host: u32, cpu: u16) -> u64 {
        let host = &self.hosts[host as usize];
        match kind {
            Kind::Send => host.busy(cpu).max(host.sends),
            Kind::Take => host.busy(cpu).max(host.receives),
            Kind::Recv => 0,
            Kind::Compute | Kind::Several => host.busy(cpu),
        }
    }

    /// Lets those go on that wait for the begin of an operation.
    fn began(&mut self, host: u32, operation: u32, time: u64) {
        let place = self.place(host);
        let free = &mut self.free;
        self.hosts[host as usize].frontier.began(place, operation, |after| free.push(after));
        self.ready(host, time);
    }

    /// The same for the end.
    fn ended(&mut self, host: u32, operation: u32, time: u64) {
        let place = self.place(host);
        let (state, free) = (&mut self.hosts[host as usize], &mut self.free);
        state.spent.end = state.spent.end.max(time);
        state.frontier.ended(place, operation, |after| free.push(after));
        self.ready(host, time);
    }

    fn compute(&mut self, happening: Happening) {
        let Happening { time, host, what: operation, .. } = happening;
        let Action::Compute { ns } = self.action(host, operation) else { return };
        let cpu = self.cpu(Kind::Compute, host, operation);
        let free = self.free(Kind::Compute, host, cpu);
        if free > time {
            return self.put_off(happening, cpu, free);
        }
        let duration = ns.saturating_mul(1000);
        let state = &mut self.hosts[host as usize];
        state.occupy(cpu, time.saturating_add(duration));
        state.spent.compute += duration;
        self.log.span(host, Part::Compute, time, time.saturating_add(duration));
        self.began(host, operation, time);
        self.ended(host, operation, time.saturating_add(duration));
    }

    fn send(&mut self, happening: Happening) {
        let Happening { time, host, what: operation, .. } = happening;
        let Action::Send { to, tag, bytes } = self.action(host, operation) else { return };
        let cpu = self.cpu(Kind::Send, host, operation);
        let free = self.free(Kind::Send, host, cpu);
        if free > time {
            return self.put_off(happening, cpu, free);
        }
        let model = self.model;
        let end = time.saturating_add(model.sending(bytes));
        let state = &mut self.hosts[host as usize];
        state.occupy(cpu, end);
        state.sends = time.saturating_add(model.interface(bytes));
        state.spent.send += model.sending(bytes);
        state.spent.end = state.spent.end.max(end);
        self.log.span(host, Part::Send, time, end);
        let is_eager = model.is_eager(bytes);
        let rendezvous = if is_eager { NONE } else { operation };
        let message = Message { from: host, tag, bytes, rendezvous, next: NONE, number: 0, cpu };
        let message = self.messages.insert(message);
        self.log.leaves(message, end);
        self.began(host, operation, time);
        if is_eager {
            self.ended(host, operation, end);
        }
        self.push(time.saturating_add(model.flight()), Kind::Take, to, message);
    }

    fn post(&mut self, happening: Happening) {
        let Happening { time, host, what: operation, .. } = happening;
        let Action::Recv { from, tag, .. } = self.action(host, operation) else { return };
        self.began(host, operation, time);
        let state = &mut self.hosts[host as usize];
        match state.unexpected((from, tag), &mut self.messages) {
            Some(message) => self.received(time, time, host, operation, message),
            None => {
                state.post(self.schedule, operation, &mut self.posted);
            }
        }
    }

    fn take(&mut self, happening: Happening) {
        let Happening { time, host, what: id, .. } = happening;
        let message = self.messages[id];
        let model = self.model;
        let free = self.free(Kind::Take, host, message.cpu);
        if free > time {
            return self.put_off(happening, message.cpu, free);
        }
        let end = time.saturating_add(model.receiving(message.bytes));
        let state = &mut self.hosts[host as usize];
        state.occupy(message.cpu, end);
        state.receives = time.saturating_add(model.interface(message.bytes));
        state.spent.recv += model.receiving(message.bytes);
        state.spent.end = state.spent.end.max(end);
        self.log.span(host, Part::Recv, time, end);
        match state.posted_for(self.schedule, &message, &mut self.posted) {
            Some(operation) => self.received(time, end, host, operation, id),
            None => state.keep(id, &mut self.messages),
        }
    }

    /// Message and receive have met: the sender of a large message goes on now, the receiver then.
    fn received(&mut self, now: u64, then: u64, host: u32, operation: u32, id: u32) {
        let message = self.messages[id];
        self.messages.release(id);
        self.log.message((message.from, host), message.tag, message.bytes, (self.log.left(id), then));
        self.ended(host, operation, then);
        if message.rendezvous != NONE {
            self.ended(message.from, message.rendezvous, now);
        }
    }
}
