//! Tasks go through their operations until they wait; messages at ports let them go on.

use super::arrivals::{Arrivals, Window};
use super::course::{Courses, DEPTH, NONE, Op, Receive, Way};
use super::frames::Frame;
use super::inbox::{Completed, Inbox, Taken};
use super::messages::{Kind, Message};
use crate::collective::CommGroup;
use crate::collective::plan::AlgorithmChoice;
use crate::engine::dependences::{Dependence, Dependences};
use crate::engine::limits::{MOST_DEPENDENCES, long_path};
use crate::matching::completion::{WaitSummary, complete_in_order};
use crate::matching::operation::Completion;
use crate::memory::task_tables::TableCursor;
use crate::network::origins::Origin;
use crate::network::traffic::TrafficCounters;
use crate::result::{IdleCauses, Part, ReplayResult, SiteTime};
use crate::task::state::ClockReadings;
use chronos_activity::{Activity, CommId, Site, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::governor;
use chronos_base::hash::FxHashMap;
use chronos_base::units::Picoseconds;
use chronos_ir::BlockId;
use chronos_machine::network::Network;
use std::sync::Arc;

/// Operations after which the limits of the command are looked at.
const LOOK: u64 = 1 << 10;

/// One task.
pub(super) struct Task {
    pub now: Picoseconds,
    /// Of the call that it is in.
    started: Picoseconds,
    idle: Picoseconds,
    pub out_free: Picoseconds,
    in_free: Picoseconds,
    pub parts: [Picoseconds; 5],
    pub causes: IdleCauses,
    pub course: u32,
    prices: u32,
    /// The next operation.
    next: u32,
    /// Iterations of the repeats that it is in, with the one that it is in.
    left: [u32; DEPTH],
    depth: u8,
    pub status: Status,
    /// Of the wait that it is in: slots that have no message.
    pending: u32,
    /// Messages sent so far.
    pub order: u32,
    /// The first of its entries in `Simulation::sites`.
    pub sites: u32,
    pub traffic: TableCursor,
    pub outwards: Origin,
    inwards: Origin,
}

/// Where a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Runs,
    /// For slots of its course.
    Waits {
        first: u32,
        count: u32,
        site: u32,
    },
    /// For a receive of a blocking call.
    Receives {
        slot: u16,
        site: u32,
    },
    /// For the receive of what it sends in a blocking call.
    Sends {
        site: u32,
    },
    Inside,
    Ended,
}

/// A task that can go on.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ready {
    /// With the rounds of its collective operation.
    Member(u32),
    /// With the operation behind its call.
    Caller(u32),
}

/// The whole job.
pub(super) struct Simulation<'a> {
    pub network: &'a Network,
    pub activity: &'a Activity,
    pub courses: Courses,
    pub tasks: Vec<Task>,
    pub inbox: Inbox,
    pub arrivals: Arrivals,
    pub traffic: TrafficCounters,
    /// By position in `traffic`: the origin of the last message of a pair.
    pairs: Vec<Origin>,
    pub sites: Vec<SiteTime>,
    pub clocks: FxHashMap<u32, ClockReadings>,
    pub frames: Vec<Frame>,
    pub groups: FxHashMap<CommId, Arc<CommGroup>>,
    /// Of each collective operation of the courses, how it is done.
    pub choices: Vec<Option<AlgorithmChoice>>,
    /// By communicator, the operations that its members have begun.
    pub begun: FxHashMap<CommId, Vec<u32>>,
    pub dependences: Dependences,
    pub keeps_path: bool,
    /// When the last task ends is all that is asked for.
    pub total_alone: bool,
    pub diagnostics: Vec<Diagnostic>,
    pub ready: Vec<Ready>,
    call: Picoseconds,
    operations: u64,
    /// Room for what a wait was for.
    pub scratch: (Vec<Completed>, Vec<Completion>),
    /// As in the result.
    pub other_sizes: bool,
    /// Something came up that is not plain.
    pub failed: bool,
}

impl Task {
    fn new((course, prices): (u32, u32), sites: u32) -> Self {
        let zero = Picoseconds::ZERO;
        Self {
            now: zero,
            started: zero,
            idle: zero,
            out_free: zero,
            in_free: zero,
            parts: [zero; 5],
            causes: IdleCauses::default(),
            course,
            prices,
            next: 0,
            left: [0; DEPTH],
            depth: 0,
            status: Status::Runs,
            pending: 0,
            order: 0,
            sites,
            traffic: TableCursor::default(),
            outwards: Origin::default(),
            inwards: Origin::default(),
        }
    }

    #[inline]
    pub fn pass(&mut self, part: Part, time: Picoseconds) {
        self.now += time;
        self.parts[part as usize] += time;
    }

    /// The rest of a wait whose time counts as `part`.
    fn wait_until(&mut self, part: Part, summary: &WaitSummary) {
        let (whole, idle) = (summary.end - self.now, summary.idle);
        self.pass(Part::Idle, idle);
        match part {
            Part::Collective => self.causes.collective += idle,
            Part::Send => self.causes.late_receiver += idle,
            _ => self.causes.late_sender += idle,
        }
        self.idle += idle;
        self.pass(part, whole - idle);
    }

    /// Takes the port for something that is ready to leave; when it begins to.
    #[inline]
    pub fn leave(&mut self, ready: Picoseconds, occupancy: Picoseconds) -> Picoseconds {
        let start = ready.max(self.out_free);
        self.out_free = start + occupancy;
        start
    }

    fn enter_call(&mut self) {
        (self.started, self.idle) = (self.now, Picoseconds::ZERO);
    }
}

impl<'a> Simulation<'a> {
    pub fn new(activity: &'a Activity, courses: Courses, network: &'a Network, keeps_path: bool) -> Self {
        let (mut tasks, mut sites) = (Vec::with_capacity(courses.of_task.len()), 0);
        for &own in &courses.of_task {
            tasks.push(Task::new(own, sites));
            sites += courses.courses[own.0 as usize].sites.len() as u32;
        }
        let slots = courses.of_task.iter().map(|own| courses.courses[own.0 as usize].slots);
        Self {
            network,
            activity,
            inbox: Inbox::new(slots),
            arrivals: Arrivals::new(network.between_nodes.shortest(), tasks.len()),
            traffic: TrafficCounters::default(),
            pairs: Vec::new(),
            sites: vec![SiteTime::default(); sites as usize],
            clocks: FxHashMap::default(),
            frames: Vec::new(),
            groups: FxHashMap::default(),
            choices: vec![None; courses.collectives.len()],
            begun: FxHashMap::default(),
            dependences: Dependences::default(),
            keeps_path,
            total_alone: false,
            diagnostics: Vec::new(),
            ready: Vec::new(),
            call: Picoseconds::from_nanoseconds(network.call_ns),
            operations: 0,
            scratch: Default::default(),
            other_sizes: false,
            failed: false,
            courses,
            tasks,
        }
    }

    /// To the end; `None` where that is not plain.
    pub fn run(mut self) -> Option<ReplayResult> {
        for task in 0..self.tasks.len() as u32 {
            self.proceed(task);
            self.drain();
        }
        let (mut window, mut order) = (Window::default(), Vec::new());
        while !self.failed && self.arrivals.next(&mut window) {
            for &port in &window.ports {
                self.arrivals.take(&window, port, &mut order);
                for &at in &order {
                    self.head(window.messages[at as usize]);
                    self.drain();
                }
            }
        }
        self.outcome()
    }

    /// Lets go on what can.
    fn drain(&mut self) {
        while let Some(ready) = self.ready.pop() {
            match ready {
                _ if self.failed => {}
                Ready::Member(task) if !self.advance(task) => {}
                Ready::Member(task) | Ready::Caller(task) => self.proceed(task),
            }
        }
    }

    /// Lets a task go on until it waits.
    pub fn proceed(&mut self, id: u32) {
        self.tasks[id as usize].status = Status::Runs;
        while !self.failed && self.step(id) {}
    }

    /// One operation; whether the task can go on at once.
    fn step(&mut self, id: u32) -> bool {
        self.operations += 1;
        if self.operations.is_multiple_of(LOOK) {
            governor::replayed(LOOK);
            self.failed |= governor::exceeded().is_some();
        }
        let task = &mut self.tasks[id as usize];
        let op = self.courses.courses[task.course as usize].ops[task.next as usize];
        task.next += 1;
        match op {
            Op::Compute { work, times } => {
                let price = self.courses.prices[task.prices as usize][work as usize];
                task.pass(Part::Compute, price.saturating_mul(times));
            }
            Op::Send { ahead, tag, comm, size, waits, site } => {
                let kind = if waits { Kind::UserRequest } else { Kind::User };
                self.send(id, Message { tag, comm, kind, ..user_message(id, id.wrapping_add(ahead), size) });
                if waits {
                    self.tasks[id as usize].status = Status::Sends { site };
                    return false;
                }
                self.return_from_call(id, site);
            }
            Op::Recv { receive, site } => return self.receive(id, &receive, site),
            Op::Wait { first, count, site } => return self.wait(id, first, count, site),
            Op::Collective { index, site } => {
                task.enter_call();
                return self.join(id, index, site) && self.advance(id);
            }
            Op::Local { site } => self.local(id, site),
            Op::ReadClock { call, site } => {
                let now = task.now;
                self.clocks.entry(id).or_default().readings.insert(BlockId(call), now);
                self.local(id, site);
            }
            Op::Elapsed { from, to } => self.clocks.entry(id).or_default().tell(BlockId(from), BlockId(to)),
            Op::Enter { times } => {
                task.left[usize::from(task.depth)] = times;
                task.depth += 1;
            }
            Op::Again { from } => {
                let left = &mut task.left[usize::from(task.depth) - 1];
                *left -= 1;
                if *left > 0 {
                    task.next = from;
                } else {
                    task.depth -= 1;
                }
            }
            Op::End => {
                task.status = Status::Ended;
                return false;
            }
        }
        true
    }

    fn local(&mut self, id: u32, site: u32) {
        let call = self.call;
        let task = &mut self.tasks[id as usize];
        task.enter_call();
        task.pass(Part::Compute, call);
        self.return_from_call(id, site);
    }

    /// The call is over: its time is attributed to its place.
    pub fn return_from_call(&mut self, id: u32, site: u32) {
        if site == NONE || self.total_alone {
            return;
        }
        let task = &self.tasks[id as usize];
        let entry = &mut self.sites[(task.sites + site) as usize];
        entry.calls += 1;
        entry.time += task.now - task.started;
        entry.idle += task.idle;
    }

    fn send(&mut self, id: u32, message: Message) {
        let size = self.courses.sizes[message.size];
        let task = &mut self.tasks[id as usize];
        task.enter_call();
        task.pass(Part::Send, size.cost.send_overhead);
        let (left, partner, order) = (task.now, task.started, task.order);
        task.order = order.wrapping_add(1);
        let own = Origin { task: TaskId(id), left };
        let (alone, origin) = match message.kind {
            // A request takes nothing of the port.
            Kind::UserRequest => (left + size.cost.request, own),
            _ => {
                let origin = task.outwards.pass(own, task.out_free > left);
                (task.leave(left, size.cost.occupancy) + size.cost.head, origin)
            }
        };
        let at = self.traffic.in_order(&mut task.traffic, id, message.to, size.bytes, alone);
        let origin = if self.keeps_path {
            let position = task.traffic.position() as usize;
            if self.pairs.len() <= position {
                self.pairs.resize(position + 1, Origin::default());
            }
            self.pairs[position].pass(origin, at > alone)
        } else {
            origin
        };
        self.failed |= !self.arrivals.push(Message { at, left, partner, origin, order, ..message });
    }

    fn receive(&mut self, id: u32, receive: &Receive, site: u32) -> bool {
        let call = self.call;
        let task = &mut self.tasks[id as usize];
        task.enter_call();
        if receive.way == Way::Request {
            task.pass(Part::Recv, call);
        }
        let now = task.now;
        if let Some(message) = self.inbox.post(id, receive, now) {
            let size = self.courses.sizes[message.size];
            self.failed |= size.bytes > receive.room;
            self.other_sizes |= size.bytes != receive.room;
            match message.kind {
                Kind::UserRequest => self.grant_call(message, receive.slot, now),
                _ => _ = self.inbox.complete(id, receive.slot, Completed::received(&message, &size.cost)),
            }
        }
        if receive.way != Way::Blocking {
            self.return_from_call(id, site);
            return true;
        }
        if self.inbox.lacks(id, receive.slot) {
            let task = &mut self.tasks[id as usize];
            (task.status, task.pending) = (Status::Receives { slot: receive.slot, site }, 1);
            return false;
        }
        self.end_wait(id, &[receive.slot], site);
        true
    }

    fn wait(&mut self, id: u32, first: u32, count: u32, site: u32) -> bool {
        let task = &mut self.tasks[id as usize];
        task.enter_call();
        let waits = &self.courses.courses[task.course as usize].waits;
        let mut pending = 0;
        for &slot in &waits[first as usize..][..count as usize] {
            pending += u32::from(self.inbox.lacks(id, slot));
        }
        let status = Status::Waits { first, count, site };
        if pending > 0 {
            (task.status, task.pending) = (status, pending);
            return false;
        }
        self.end_status(id, status);
        true
    }

    /// Ends the wait that a status stands for.
    fn end_status(&mut self, id: u32, status: Status) {
        match status {
            Status::Waits { first, count, site } => {
                let course = self.tasks[id as usize].course;
                let waits = std::mem::take(&mut self.courses.courses[course as usize].waits);
                self.end_wait(id, &waits[first as usize..][..count as usize], site);
                self.courses.courses[course as usize].waits = waits;
            }
            Status::Receives { slot, site } => self.end_wait(id, &[slot], site),
            Status::Sends { .. } | Status::Runs | Status::Inside | Status::Ended => {}
        }
    }

    /// All slots of a wait have their messages.
    fn end_wait(&mut self, id: u32, slots: &[u16], site: u32) {
        let (mut all, mut completions) = std::mem::take(&mut self.scratch);
        all.clear();
        all.extend(slots.iter().map(|&slot| self.inbox.take_completed(id, slot)));
        completions.clear();
        completions.extend(all.iter().map(|one| one.completion));
        let summary = complete_in_order(self.tasks[id as usize].now, &mut completions);
        let binding = summary.binding.and_then(|binding| all.iter().find(|one| one.completion == binding));
        let binding = binding.map(|one| (one.origin, one.completion.from));
        self.scratch = (all, completions);
        self.settle(id, Part::Recv, &summary, binding, site);
        self.return_from_call(id, site);
    }

    /// Lets the wait pass and remembers what ended it: on whom that depended, and whose message it was.
    pub fn settle(&mut self, id: u32, part: Part, summary: &WaitSummary, binding: Option<(Origin, TaskId)>, site: u32) {
        let task = &mut self.tasks[id as usize];
        task.wait_until(part, summary);
        let Some((origin, partner)) = binding.filter(|_| self.keeps_path) else { return };
        let (at, Origin { task: from, left }) = (task.now, origin);
        let site = self.site_of(id, site);
        if self.dependences.len() < MOST_DEPENDENCES {
            return self.dependences.push(Dependence { task: TaskId(id), at, from, left, partner, site });
        }
        (self.dependences, self.keeps_path) = (Dependences::default(), false);
        self.diagnostics.push(long_path());
    }

    fn site_of(&self, id: u32, site: u32) -> Option<Site> {
        let course = &self.courses.courses[self.tasks[id as usize].course as usize];
        course.sites.get(site as usize).copied()
    }

    /// The first frame of a message is at the receiver's port.
    fn head(&mut self, mut message: Message) {
        let size = self.courses.sizes[message.size];
        let task = &mut self.tasks[message.to as usize];
        let is_busy = task.in_free > message.at;
        let begin = message.at.max(task.in_free);
        if matches!(message.kind, Kind::Request | Kind::UserRequest) {
            // A request waits for the port as any frame does, and takes none of its time.
            message.origin = if is_busy { task.inwards } else { message.origin };
            message.at = begin;
            return match message.kind {
                Kind::Request => self.arrive_inside(message),
                _ => self.arrive(message),
            };
        }
        task.in_free = begin + size.cost.occupancy;
        message.origin = task.inwards.pass(message.origin, is_busy);
        message.at = begin + size.cost.transfer;
        match message.kind {
            Kind::User | Kind::UserRequest => self.arrive(message),
            Kind::Data { slot } => self.complete_receive(message, slot),
            Kind::Inside | Kind::Request => self.arrive_inside(message),
            Kind::Granted => self.complete_inside(message.to, Completed::received(&message, &size.cost)),
        }
    }

    /// A message of a call, or its request, is there.
    fn arrive(&mut self, message: Message) {
        let size = self.courses.sizes[message.size];
        let Ok(found) = self.inbox.receive_of(&message, size.bytes) else {
            self.failed = true;
            return;
        };
        let Some(Taken { slot, posted, fills }) = found else { return self.inbox.keep(message) };
        self.other_sizes |= !fills;
        match message.kind {
            Kind::UserRequest => self.grant_call(message, slot, posted),
            _ => self.complete_receive(message, slot),
        }
    }

    /// The receive of a slot has its message.
    fn complete_receive(&mut self, message: Message, slot: u16) {
        let (id, size) = (message.to, self.courses.sizes[message.size]);
        if !self.inbox.complete(id, slot, Completed::received(&message, &size.cost)) {
            return;
        }
        let task = &mut self.tasks[id as usize];
        task.pending -= 1;
        if task.pending == 0 {
            let status = task.status;
            self.end_status(id, status);
            self.proceed(id);
        }
    }
}

fn user_message(from: u32, to: u32, size: u32) -> Message {
    let (at, origin) = (Picoseconds::ZERO, Origin::default());
    Message { at, left: at, partner: at, origin, from, to, order: 0, tag: 0, comm: 0, size, kind: Kind::User }
}
