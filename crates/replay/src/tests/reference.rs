//! A second simulator, slow and obvious, made from the model's description alone: whatever is next in time happens
//! next, and nothing else is clever. The engine must end every task at the same picosecond.
//!
//! Of one time come messages at ports first (by port, then sender), then data of rendezvous (by sender), then arrivals,
//! members of collective operations and tasks (by rank). A task takes its turn at its port when it calls.

use super::*;
use crate::collective::plan::{AlgorithmChoice, Plan};
use chronos_activity::{Operation, SendMode, Step};
use chronos_machine::network::Link;

type Time = u64;

/// Communicators from here on are those inside collective operations.
const INSIDE: u32 = 1_000_000;

/// What a member of a collective operation does, and calls of the program, in one language.
#[derive(Clone, Debug)]
enum Action {
    Compute(Time),
    /// Computing inside a collective operation.
    Reduce(Time),
    /// Receiver, channel, bytes, whether it waits for the receive, the name of its completion.
    Send(u32, (u32, i32), u64, bool, Option<u32>),
    /// Sender and tag, if they matter; communicator.
    Recv(Option<u32>, (u32, Option<i32>), Option<u32>),
    /// For everything of these names.
    Wait(Vec<u32>),
    /// What was begun since the last such wait, inside a collective operation.
    Join,
}

struct Message {
    from: u32,
    to: u32,
    channel: (u32, i32),
    bytes: u64,
    arrived: Option<Time>,
    /// The name under which its sender waits for it.
    rendezvous: Option<usize>,
    recv: Option<usize>,
}

struct Receive {
    task: u32,
    from: Option<u32>,
    channel: (u32, Option<i32>),
    posted: Time,
    matched: bool,
}

/// Something that will be complete, and then costs its task so much.
#[derive(Clone, Copy)]
struct Pending {
    completion: Option<(Time, Time)>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Port { time: Time, port: u32, from: u32, message: usize, data: bool },
    Data { time: Time, from: u32, message: usize },
    Arrival { time: Time, to: u32, from: u32, message: usize },
    Member { time: Time, task: u32 },
    Task { time: Time, task: u32 },
}

impl Event {
    fn key(&self) -> (Time, Self) {
        match *self {
            Self::Port { time, .. } | Self::Data { time, .. } | Self::Arrival { time, .. } => (time, self.clone()),
            Self::Member { time, .. } | Self::Task { time, .. } => (time, self.clone()),
        }
    }
}

struct Task {
    actions: Vec<Action>,
    next: usize,
    now: Time,
    named: Vec<(u32, usize)>,
    begun: Vec<usize>,
    /// What it waits for now.
    waits: Option<Vec<usize>>,
}

struct Reference<'n> {
    network: &'n Network,
    nodes: Vec<u32>,
    tasks: Vec<Task>,
    events: Vec<Event>,
    messages: Vec<Message>,
    receives: Vec<Receive>,
    pendings: Vec<Pending>,
    /// The completion of each receive.
    of_receive: Vec<usize>,
    out_free: Vec<Time>,
    in_free: Vec<Time>,
    /// When the last message of two tasks came to its port.
    latest: Vec<((u32, u32), Time)>,
}

pub(super) fn ends(activity: &Activity, network: &Network, nodes: &[u32]) -> Vec<Time> {
    let actions = (0..activity.tasks.len()).map(|task| actions(activity, network, task as u32));
    let task = |actions| Task { actions, next: 0, now: 0, named: vec![], begun: vec![], waits: None };
    let ports = nodes.iter().max().map_or(0, |&node| node as usize + 1);
    let mut reference = Reference {
        network,
        nodes: nodes.to_vec(),
        tasks: actions.map(task).collect(),
        events: (0..activity.tasks.len() as u32).map(|task| Event::Task { time: 0, task }).collect(),
        messages: vec![],
        receives: vec![],
        pendings: vec![],
        of_receive: vec![],
        out_free: vec![0; ports],
        in_free: vec![0; ports],
        latest: vec![],
    };
    while let Some(next) = (0..reference.events.len()).min_by_key(|&event| reference.events[event].key()) {
        let event = reference.events.swap_remove(next);
        reference.handle_event(event);
    }
    let completion = |task: &Task| task.next == task.actions.len() && task.waits.is_none();
    assert!(reference.tasks.iter().all(completion), "the reference comes to the end");
    reference.tasks.iter().map(|task| task.now).collect()
}

/// Repeats written out, collective operations as messages on channels of their own.
fn actions(activity: &Activity, network: &Network, task: u32) -> Vec<Action> {
    let mut actions = Vec::new();
    write_out(&activity.tasks[task as usize], &Caller { activity, network, task }, &mut actions);
    actions
}

/// The task whose activity is written out.
struct Caller<'a> {
    activity: &'a Activity,
    network: &'a Network,
    task: u32,
}

fn write_out(steps: &[Step], on: &Caller<'_>, actions: &mut Vec<Action>) {
    for step in steps {
        match step {
            Step::Work(Work::Time(time)) => actions.push(Action::Compute(time.0)),
            Step::Repeat(repeat) => (0..repeat.times).for_each(|_| write_out(&repeat.steps, on, actions)),
            Step::Event(event) => call(&event.operation, on, actions),
            other => panic!("{other:?}"),
        }
    }
}

fn call(operation: &Operation, on: &Caller<'_>, actions: &mut Vec<Action>) {
    let &Caller { activity, network, task } = on;
    match operation {
        Operation::Send { to, tag, comm, bytes, mode, request } => {
            let waits = *mode == SendMode::Synchronous;
            actions.push(Action::Send(to.0, (comm.0, *tag), bytes.0, waits, request.map(|request| request.0)));
        }
        Operation::Recv { from, tag, comm, request, .. } => {
            let from = from.map(|from| from.0);
            actions.push(Action::Recv(from, (comm.0, *tag), request.map(|request| request.0)));
        }
        Operation::WaitAll { requests } => actions.push(Action::Wait(requests.iter().map(|r| r.0).collect())),
        Operation::Collective(collective) => {
            let members = activity.groups.get(&collective.comm).cloned();
            let members = members.unwrap_or_else(|| (0..activity.tasks.len() as u32).map(TaskId).collect());
            let rank = |task: TaskId| members.iter().position(|&member| member == task).unwrap() as u32;
            let size = members.len() as u32;
            let root = collective.root.map_or(0, rank);
            let plan =
                Plan::new(collective, AlgorithmChoice::of(network, collective, size), rank(TaskId(task)), size, root);
            let channel = (collective.comm.0 + INSIDE, 0);
            for round in (0..).map_while(|k| plan.round(k)) {
                if let Some(from) = round.recv {
                    actions.push(Action::Recv(Some(members[from as usize].0), (channel.0, Some(0)), None));
                }
                if let Some((to, bytes)) = round.send {
                    actions.push(Action::Send(members[to as usize].0, channel, bytes, false, None));
                }
                if round.wait {
                    actions.push(Action::Join);
                }
                if round.reduce > 0 {
                    let ns = network.reduction_ns_per_byte * round.reduce as f64;
                    actions.push(Action::Reduce(Picoseconds::from_nanoseconds(ns).0));
                }
            }
        }
        other => panic!("{other:?}"),
    }
}

impl Reference<'_> {
    fn link(&self, from: u32, to: u32) -> &Link {
        let same = self.nodes[from as usize] == self.nodes[to as usize];
        if same { &self.network.within_node } else { &self.network.between_nodes }
    }

    fn handle_event(&mut self, event: Event) {
        match event {
            Event::Member { task, .. } | Event::Task { task, .. } => self.act(task),
            Event::Port { time, message, data, .. } => self.at_port(time, message, data),
            Event::Data { time, message, .. } => self.send_data(time, message),
            Event::Arrival { time, message, .. } => self.look_for_receive(time, message),
        }
    }

    fn act(&mut self, id: u32) {
        let task = &mut self.tasks[id as usize];
        let Some(action) = task.actions.get(task.next).cloned() else { return };
        task.next += 1;
        let inside = |(comm, _): (u32, i32)| comm >= 1_000_000;
        match action {
            Action::Compute(time) | Action::Reduce(time) => task.now += time,
            Action::Send(to, channel, bytes, waits, name) => {
                let pending = self.send(id, to, channel, bytes, waits);
                match (name, inside(channel)) {
                    (Some(name), _) => self.tasks[id as usize].named.push((name, pending)),
                    (None, true) => self.tasks[id as usize].begun.push(pending),
                    (None, false) => return self.wait(id, vec![pending]),
                }
            }
            Action::Recv(from, channel, name) => {
                if name.is_some() {
                    task.now += Picoseconds::from_nanoseconds(self.network.call_ns).0;
                }
                let pending = self.receive(id, from, channel);
                match (name, inside((channel.0, 0))) {
                    (Some(name), _) => self.tasks[id as usize].named.push((name, pending)),
                    (None, true) => self.tasks[id as usize].begun.push(pending),
                    (None, false) => return self.wait(id, vec![pending]),
                }
            }
            Action::Wait(names) => {
                let named = |name: &u32| task.named.iter().position(|(other, _)| other == name).unwrap();
                let places: Vec<usize> = names.iter().map(named).collect();
                let pendings = places.iter().map(|&place| task.named[place].1).collect();
                task.named.retain(|(name, _)| !names.contains(name));
                return self.wait(id, pendings);
            }
            Action::Join => {
                let pendings = std::mem::take(&mut task.begun);
                return self.wait(id, pendings);
            }
        }
        self.go_on(id);
    }

    fn go_on(&mut self, task: u32) {
        let Task { ref actions, next, now: time, .. } = self.tasks[task as usize];
        let inside = match actions.get(next) {
            Some(Action::Send(_, channel, ..)) => channel.0 >= INSIDE,
            Some(Action::Recv(_, channel, _)) => channel.0 >= INSIDE,
            Some(Action::Join | Action::Reduce(_)) => true,
            _ => false,
        };
        self.events.push(if inside { Event::Member { time, task } } else { Event::Task { time, task } });
    }

    fn send(&mut self, id: u32, to: u32, channel: (u32, i32), bytes: u64, synchronous: bool) -> usize {
        let link = self.link(id, to).clone();
        self.tasks[id as usize].now += link.send_overhead_ns.at(bytes).0;
        let left = self.tasks[id as usize].now;
        let eager = bytes <= link.eager_limit_bytes && !synchronous;
        self.pendings.push(Pending { completion: eager.then_some((left, 0)) });
        let pending = self.pendings.len() - 1;
        let rendezvous = (!eager).then_some(pending);
        self.messages.push(Message { from: id, to, channel, bytes, arrived: None, rendezvous, recv: None });
        let message = self.messages.len() - 1;
        let head =
            if eager { self.leave(message, left) } else { left + Picoseconds::from_nanoseconds(link.request_ns).0 };
        let head = if channel.0 < INSIDE { self.behind_the_last((id, to), head) } else { head };
        self.bind_posted(message);
        match link.ports {
            true => self.go_to_port(head, message, false),
            false => self.arrived(message, head),
        }
        pending
    }

    fn go_to_port(&mut self, time: Time, message: usize, data: bool) {
        let Message { from, to, .. } = self.messages[message];
        self.events.push(Event::Port { time, port: self.nodes[to as usize], from, message, data });
    }

    /// When the first frame of what leaves now, or as soon as its port is free, is at the receiver's port; without
    /// ports all of it.
    fn leave(&mut self, message: usize, ready: Time) -> Time {
        let Message { from, to, bytes, .. } = self.messages[message];
        let link = self.link(from, to).clone();
        let transfer = link.transfer_ns.at(bytes).0;
        let frame = link.store_and_forward_bytes.map_or(0, |frame| link.transfer_ns.at(bytes.min(frame)).0);
        let head = link.latency_ns.at(bytes).0 + frame;
        if !link.ports {
            return ready + head + transfer;
        }
        let port = &mut self.out_free[self.nodes[from as usize] as usize];
        let start = ready.max(*port);
        *port = start + transfer.max(link.gap_ns.at(bytes).0);
        start + head
    }

    fn behind_the_last(&mut self, pair: (u32, u32), head: Time) -> Time {
        let head = match self.latest.iter().find(|(other, _)| *other == pair) {
            Some(&(_, latest)) => head.max(latest + 1),
            None => head,
        };
        self.latest.retain(|(other, _)| *other != pair);
        self.latest.push((pair, head));
        head
    }

    fn at_port(&mut self, time: Time, message: usize, data: bool) {
        let Message { from, to, bytes, rendezvous, .. } = self.messages[message];
        let link = self.link(from, to).clone();
        let port = &mut self.in_free[self.nodes[to as usize] as usize];
        let begin = time.max(*port);
        if rendezvous.is_some() && !data {
            return self.arrived(message, begin);
        }
        let transfer = link.transfer_ns.at(bytes).0;
        *port = begin + transfer.max(link.gap_ns.at(bytes).0);
        match data {
            true => self.received(message, begin + transfer),
            false => self.arrived(message, begin + transfer),
        }
    }

    fn arrived(&mut self, message: usize, time: Time) {
        self.messages[message].arrived = Some(time);
        let Message { from, to, recv, .. } = self.messages[message];
        match recv {
            Some(_) => self.meet(message),
            None => self.events.push(Event::Arrival { time, to, from, message }),
        }
    }

    fn meet(&mut self, message: usize) {
        let Message { from, to, bytes, rendezvous, arrived, recv, .. } = self.messages[message];
        let (Some(arrived), Some(recv)) = (arrived, recv) else { return };
        let Some(send) = rendezvous else { return self.received(message, arrived) };
        let link = self.link(from, to).clone();
        let time = arrived.max(self.receives[recv].posted) + Picoseconds::from_nanoseconds(link.grant_ns).0;
        if link.ports {
            return self.events.push(Event::Data { time, from, message });
        }
        let at = self.leave(message, time);
        debug_assert_eq!(self.messages[message].bytes, bytes);
        self.complete(send, (at, 0), from);
        self.received(message, at);
    }

    fn send_data(&mut self, time: Time, message: usize) {
        let head = self.leave(message, time);
        let Message { from, to, bytes, rendezvous, .. } = self.messages[message];
        let link = self.link(from, to);
        let frame = link.store_and_forward_bytes.map_or(0, |frame| link.transfer_ns.at(bytes.min(frame)).0);
        let start = head - link.latency_ns.at(bytes).0 - frame;
        let end = start + link.transfer_ns.at(bytes).0;
        self.complete(rendezvous.unwrap(), (end, 0), from);
        self.go_to_port(head, message, true);
    }

    fn received(&mut self, message: usize, time: Time) {
        let Message { from, to, bytes, recv, .. } = self.messages[message];
        let overhead = self.link(from, to).recv_overhead_ns.at(bytes).0;
        let pending = self.of_receive[recv.unwrap()];
        self.complete(pending, (time, overhead), to);
    }

    fn fits(&self, message: usize, receive: usize) -> bool {
        let (message, receive) = (&self.messages[message], &self.receives[receive]);
        let same = message.to == receive.task && message.channel.0 == receive.channel.0;
        same && receive.from.is_none_or(|from| from == message.from)
            && receive.channel.1.is_none_or(|tag| tag == message.channel.1)
    }

    fn is_wild(&self, receive: usize) -> bool {
        self.receives[receive].from.is_none() || self.receives[receive].channel.1.is_none()
    }

    /// A receive that names its message waits for it alone, so it is found before the message arrives.
    fn bind_posted(&mut self, message: usize) {
        let first = (0..self.receives.len())
            .find(|&receive| !self.receives[receive].matched && !self.is_wild(receive) && self.fits(message, receive));
        if let Some(receive) = first.filter(|_| !self.is_contested(message)) {
            self.bind(message, receive);
        }
    }

    /// Whether the order of arrival may decide who gets the message.
    fn is_contested(&self, message: usize) -> bool {
        let earlier = |other: usize| {
            let same = |a: &Message, b: &Message| (a.from, a.to, a.channel) == (b.from, b.to, b.channel);
            self.messages[other].recv.is_none() && same(&self.messages[other], &self.messages[message])
        };
        let wild = |receive: usize| !self.receives[receive].matched && self.is_wild(receive);
        (0..message).any(earlier)
            || (0..self.receives.len()).any(|receive| wild(receive) && self.fits(message, receive))
    }

    fn bind(&mut self, message: usize, receive: usize) {
        self.receives[receive].matched = true;
        self.messages[message].recv = Some(receive);
        self.meet(message);
    }

    fn receive(&mut self, task: u32, from: Option<u32>, channel: (u32, Option<i32>)) -> usize {
        let posted = self.tasks[task as usize].now;
        self.receives.push(Receive { task, from, channel, posted, matched: false });
        let receive = self.receives.len() - 1;
        self.pendings.push(Pending { completion: None });
        self.of_receive.push(self.pendings.len() - 1);
        let there = |message: &Message| message.arrived.is_some_and(|arrived| arrived <= posted);
        let fitting = (0..self.messages.len()).filter(|&message| {
            self.messages[message].recv.is_none()
                && self.fits(message, receive)
                && (there(&self.messages[message]) || !self.is_wild(receive))
        });
        let order = |&message: &usize| match self.is_wild(receive) {
            true => (self.messages[message].arrived, self.messages[message].from, message),
            false => (None, 0, message),
        };
        if let Some(message) = fitting.min_by_key(order) {
            self.bind(message, receive);
        }
        self.of_receive[receive]
    }

    fn look_for_receive(&mut self, _: Time, message: usize) {
        if self.messages[message].recv.is_some() {
            return;
        }
        let open = |&receive: &usize| !self.receives[receive].matched && self.fits(message, receive);
        if let Some(receive) = (0..self.receives.len()).find(open) {
            self.bind(message, receive);
        }
    }

    fn complete(&mut self, pending: usize, completion: (Time, Time), task: u32) {
        self.pendings[pending].completion = Some(completion);
        let waits = self.tasks[task as usize].waits.take();
        if let Some(waits) = waits {
            self.wait(task, waits);
        }
    }

    /// Completions are dealt with as they come, each taking its time.
    fn wait(&mut self, id: u32, pendings: Vec<usize>) {
        let completions: Option<Vec<_>> = pendings.iter().map(|&pending| self.pendings[pending].completion).collect();
        let Some(mut completions) = completions else {
            self.tasks[id as usize].waits = Some(pendings);
            return;
        };
        completions.sort_by_key(|&(at, _)| at);
        let task = &mut self.tasks[id as usize];
        for (at, overhead) in completions {
            task.now = task.now.max(at) + overhead;
        }
        self.go_on(id);
    }
}

impl Clone for Message {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

#[test]
fn it_plays_the_schedules_that_were_computed_by_hand() {
    let ends_of = |text: &str| {
        let activity = activity(text);
        let nodes: Vec<u32> = (0..activity.tasks.len() as u32).collect();
        ends(&activity, &round_network(), &nodes).iter().map(|end| end / 1000).collect::<Vec<_>>()
    };
    assert_eq!(ends_of("0: send 1 8\n1: recv 0 8"), [10, 128]);
    assert_eq!(ends_of("0: send 1 2000\n1: calc 500; recv 0 2000"), [2610, 2720]);
    assert_eq!(ends_of("0: send 1 500; send 2 8\n1: recv 0 500\n2: recv 0 8"), [20, 620, 628]);
}
