//! Schedules in which each operation of a task waits for the one before it: tasks run ahead until a message is missing.
//!
//! Nothing that one task does changes when another one's messages arrive, so no order in time is needed: a task stops
//! where a message has not been sent yet, and goes on when it has.

use super::{Log, Model, Outcome};
use crate::activity::TaskId;
use crate::activity::schedule::{Action, Schedule};
use crate::replay::matching::{Channel, Mailbox, Side};
use crate::replay::result::Part;
use crate::replay::slab::{NONE, Slab};
use std::collections::VecDeque;

/// A message that waits for its receive.
#[derive(Clone, Copy, Debug)]
struct Message {
    arrival: u64,
    bytes: u64,
    /// The sender waits for the begin of the receive.
    rendezvous: bool,
    next: u32,
}

#[derive(Debug, Default)]
struct Host {
    position: u32,
    /// When the processor and the two sides of the interface are free.
    now: u64,
    sends: u64,
    receives: u64,
    outcome: Outcome,
    /// Messages without a receive.
    mailbox: Mailbox,
    /// What it waits for.
    awaits: Option<Channel>,
}

struct Simulation<'a> {
    schedule: &'a Schedule,
    model: &'a Model,
    hosts: Vec<Host>,
    messages: Slab<Message>,
    ready: VecDeque<u32>,
    log: &'a mut Log,
}

pub(super) fn run(schedule: &Schedule, model: &Model, log: &mut Log) -> Vec<Outcome> {
    let size = schedule.tasks.len();
    let hosts = std::iter::repeat_with(Host::default).take(size).collect();
    let ready = (0..size as u32).rev().collect();
    let mut simulation = Simulation { schedule, model, hosts, messages: Slab::default(), ready, log };
    while let Some(host) = simulation.ready.pop_back() {
        simulation.proceed(host);
    }
    simulation.finish()
}

/// Operations that a task goes ahead of others at most, so that messages do not pile up.
const BURST: usize = 64;

impl Simulation<'_> {
    fn proceed(&mut self, id: u32) {
        let length = self.schedule.tasks[id as usize].len() as u32;
        for _ in 0..BURST {
            let host = &mut self.hosts[id as usize];
            if host.position == length {
                return;
            }
            let goes_on = match self.schedule.operation(TaskId(id), host.position).action {
                Action::Compute { ns } => self.compute(id, ns),
                Action::Send { to, tag, bytes } => self.send(id, to, tag, bytes),
                Action::Recv { from, tag, .. } => self.receive(id, from, tag),
            };
            if !goes_on {
                return;
            }
            self.hosts[id as usize].position += 1;
        }
        self.ready.push_front(id);
    }

    fn compute(&mut self, id: u32, ns: u64) -> bool {
        let host = &mut self.hosts[id as usize];
        let (time, begin) = (ns.saturating_mul(1000), host.now);
        host.now = begin.saturating_add(time);
        host.outcome.compute += time;
        let end = host.now;
        self.log.span(id, Part::Compute, begin, end);
        true
    }

    /// Whether the task goes on at once.
    fn send(&mut self, id: u32, to: u32, tag: u32, bytes: u64) -> bool {
        let model = self.model;
        let host = &mut self.hosts[id as usize];
        let (ready, begin) = (host.now, host.now.max(host.sends));
        host.sends = begin.saturating_add(model.interface(bytes));
        host.now = begin.saturating_add(model.sending(bytes));
        host.outcome.send += model.sending(bytes);
        let end = host.now;
        self.log.span(id, Part::Idle, ready, begin);
        self.log.span(id, Part::Send, begin, end);
        let rendezvous = !model.is_eager(bytes);
        let message = Message { arrival: begin.saturating_add(model.flight()), bytes, rendezvous, next: NONE };
        let channel = channel(to, id, tag);
        if self.hosts[to as usize].awaits == Some(channel) {
            self.hosts[to as usize].awaits = None;
            self.take(to, (id, tag), message);
            self.hosts[to as usize].position += 1;
            self.ready.push_back(to);
            return true;
        }
        let item = self.messages.insert(message);
        if let Some(tail) = self.hosts[to as usize].mailbox.append(Side::Unexpected, channel, item) {
            self.messages[tail].next = item;
        }
        !rendezvous
    }

    fn receive(&mut self, id: u32, from: u32, tag: u32) -> bool {
        let channel = channel(id, from, tag);
        let messages = &self.messages;
        let item = self.hosts[id as usize].mailbox.pop(Side::Unexpected, channel, |item| messages[item].next);
        let Some(item) = item else {
            self.hosts[id as usize].awaits = Some(channel);
            return false;
        };
        let message = self.messages[item];
        self.messages.release(item);
        self.take(id, (from, tag), message);
        if message.rendezvous {
            self.hosts[from as usize].position += 1;
            self.ready.push_back(from);
        }
        true
    }

    /// Receives a message; its sender is past it when the receive begins, if it waits.
    fn take(&mut self, id: u32, (from, tag): (u32, u32), message: Message) {
        let model = self.model;
        let host = &mut self.hosts[id as usize];
        let ready = host.now;
        let begin = ready.max(host.receives).max(message.arrival);
        host.receives = begin.saturating_add(model.interface(message.bytes));
        host.now = begin.saturating_add(model.receiving(message.bytes));
        host.outcome.recv += model.receiving(message.bytes);
        let end = host.now;
        self.log.span(id, Part::Idle, ready, begin);
        self.log.span(id, Part::Recv, begin, end);
        self.log.message((from, id), tag, message.bytes, (message.arrival - model.latency, end));
        if message.rendezvous {
            let sender = &mut self.hosts[from as usize];
            let left = sender.now;
            sender.now = begin.max(left);
            self.log.span(from, Part::Idle, left, begin);
        }
    }

    fn finish(self) -> Vec<Outcome> {
        let lengths = self.schedule.tasks.iter().map(|task| task.len() as u32);
        let outcome = |(host, length): (&Host, u32)| Outcome {
            end: host.now,
            stuck: (host.position < length).then_some(host.position),
            ..host.outcome
        };
        self.hosts.iter().zip(lengths).map(outcome).collect()
    }
}

fn channel(to: u32, from: u32, tag: u32) -> Channel {
    Channel::user(to, Some(TaskId(from)), crate::activity::CommId(0), Some(tag as i32))
}
