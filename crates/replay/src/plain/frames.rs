//! Collective operations: each member goes through the rounds of its part.

use super::inbox::Completed;
use super::messages::{Kind, Message};
use super::simulation::{Ready, Simulation, Status};
use crate::collective::CommGroup;
use crate::collective::patterns::CollectiveRound;
use crate::collective::plan::{AlgorithmChoice, Plan};
use crate::matching::completion::{WaitSummary, complete_in_order};
use crate::network::cost::MessageCosts;
use crate::network::origins::Origin;
use crate::network::ports::nodes_of;
use crate::result::Part;
use chronos_activity::stored::ActivityFeed;
use chronos_activity::{Collective, CommId, Feed, TaskId};
use chronos_base::units::Picoseconds;
use std::sync::Arc;

/// Rounds of a member; operations of more of them are better timed as a whole.
const MOST_ROUNDS: u32 = 64;

/// A member's part in the operation that it is in.
#[derive(Default)]
pub(super) struct Frame {
    plan: Option<Plan>,
    group: Option<Arc<CommGroup>>,
    comm: u32,
    site: u32,
    round: u32,
    entered: Picoseconds,
    clock: Picoseconds,
    idle: Picoseconds,
    /// When the last of those came that its progress depends on so far.
    partner: Picoseconds,
    outstanding: u32,
    waits: bool,
    reduce: u64,
    completed: Vec<Completed>,
    binding: Option<Origin>,
    /// Receives without a message.
    expected: Vec<Expected>,
    /// Operations so far by communicator.
    joined: Vec<(CommId, usize)>,
    /// When the last message that it sent inside the operation came to its port.
    sent: Picoseconds,
    /// The same of earlier operations.
    sent_before: Picoseconds,
}

/// A receive inside the operation.
#[derive(Clone, Copy)]
struct Expected {
    from: u32,
    posted: Picoseconds,
    partner: Picoseconds,
}

impl Frame {
    /// Whether an earlier round of the operation has a message to the member.
    fn has_sent_to(&self, rank: u32) -> bool {
        self.plan.as_ref().is_none_or(|plan| plan.sends_before(self.round.saturating_sub(1), rank))
    }
}

impl Simulation<'_> {
    /// A task joins a collective operation; whether that is plain.
    pub(super) fn join(&mut self, id: u32, index: u32, site: u32) -> bool {
        let is_plain = self.try_join(id, index, site).is_some();
        self.failed |= !is_plain;
        is_plain
    }

    fn try_join(&mut self, id: u32, index: u32, site: u32) -> Option<()> {
        if self.frames.is_empty() {
            self.frames.resize_with(self.tasks.len(), Frame::default);
        }
        let collective = self.courses.collectives[index as usize].clone();
        let group = self.group(collective.comm);
        self.note_begun(id, index, collective.comm)?;
        let rank = group.rank(TaskId(id))?;
        let root = collective.root.and_then(|root| group.rank(root)).unwrap_or(0);
        let size = group.members.len() as u32;
        let plan = Plan::new(&collective, self.choice(index, &collective, size), rank, size, root);
        if plan.rounds() > MOST_ROUNDS {
            return None;
        }
        let now = self.tasks[id as usize].now;
        self.tasks[id as usize].status = Status::Inside;
        let frame = &mut self.frames[id as usize];
        (frame.plan, frame.group, frame.comm, frame.site) = (Some(plan), Some(group), collective.comm.0, site);
        (frame.round, frame.outstanding, frame.waits, frame.binding) = (0, 0, false, None);
        (frame.entered, frame.clock, frame.partner, frame.idle) = (now, now, now, Picoseconds::ZERO);
        (frame.sent_before, frame.sent) = (frame.sent_before.max(frame.sent), Picoseconds::ZERO);
        Some(())
    }

    /// Members go through the same operations in the same order.
    fn note_begun(&mut self, id: u32, index: u32, comm: CommId) -> Option<()> {
        let joined = &mut self.frames[id as usize].joined;
        let at = joined.iter().position(|own| own.0 == comm).unwrap_or_else(|| {
            joined.push((comm, 0));
            joined.len() - 1
        });
        let begun = self.begun.entry(comm).or_default();
        let number = joined[at].1;
        joined[at].1 += 1;
        if number == begun.len() {
            begun.push(index);
        }
        (begun[number] == index).then_some(())
    }

    fn group(&mut self, comm: CommId) -> Arc<CommGroup> {
        let (activity, tasks) = (self.activity, self.tasks.len());
        let new = || {
            let nodes = nodes_of(tasks, &[]);
            CommGroup::new(ActivityFeed::new(activity).group(comm), |task| nodes.get(task).copied())
        };
        Arc::clone(self.groups.entry(comm).or_insert_with(|| Arc::new(new())))
    }

    fn choice(&mut self, index: u32, collective: &Collective, size: u32) -> AlgorithmChoice {
        let network = self.network;
        *self.choices[index as usize].get_or_insert_with(|| {
            let choice = AlgorithmChoice::of(network, collective, size);
            match choice.bytes > network.between_nodes.eager_limit_bytes {
                true => choice.in_turn(collective.kind),
                false => choice,
            }
        })
    }

    /// Goes through rounds until one waits; whether the operation is over.
    pub(super) fn advance(&mut self, id: u32) -> bool {
        while !self.failed {
            let frame = &mut self.frames[id as usize];
            let Some(round) = frame.plan.as_ref().and_then(|plan| plan.round(frame.round)) else {
                self.end(id);
                return true;
            };
            frame.round += 1;
            self.start_round(id, &round);
            let frame = &mut self.frames[id as usize];
            if round.wait {
                (frame.reduce, frame.waits) = (round.reduce, frame.outstanding > 0);
                if frame.waits {
                    return false;
                }
                self.end_round(id);
            }
        }
        false
    }

    fn start_round(&mut self, id: u32, round: &CollectiveRound) {
        if let Some(from) = round.recv {
            let frame = &mut self.frames[id as usize];
            let Some(from) = frame.group.as_ref().map(|group| group.members[from as usize].0) else { return };
            frame.outstanding += 1;
            let expected = Expected { from, posted: frame.clock, partner: frame.partner };
            match self.inbox.take_inside(id, from, frame.comm) {
                Some(message) => self.meet(message, expected),
                None => frame.expected.push(expected),
            }
        }
        if let Some((to, bytes)) = round.send {
            self.send_inside(id, to, bytes, round.wait);
        }
    }

    fn send_inside(&mut self, id: u32, rank: u32, bytes: u64, waits: bool) {
        let size = self.courses.sizes.of(bytes);
        let cost = self.courses.sizes[size].cost;
        let (frame, task) = (&mut self.frames[id as usize], &mut self.tasks[id as usize]);
        let Some(to) = frame.group.as_ref().map(|group| group.members[rank as usize].0) else { return };
        frame.clock += cost.send_overhead;
        let (left, partner, comm, order) = (frame.clock, frame.partner, frame.comm, task.order);
        task.order = order.wrapping_add(1);
        let own = Origin { task: TaskId(id), left };
        let (at, origin, kind) = if cost.eager {
            let origin = task.outwards.pass(own, task.out_free > left);
            (task.leave(left, cost.occupancy) + cost.head, origin, Kind::Inside)
        } else {
            frame.outstanding += 1;
            (left + cost.request, own, Kind::Request)
        };
        // Who waits for a grant sends nothing meanwhile, and messages to one member come in the order in which they were sent.
        let is_ahead = at < frame.sent_before || at < frame.sent && frame.has_sent_to(rank);
        self.failed |= kind == Kind::Request && !waits || is_ahead;
        frame.sent = frame.sent.max(at);
        let message = Message { at, left, partner, origin, from: id, to, order, tag: 0, comm, size, kind };
        self.failed |= !self.arrivals.push(message);
    }

    /// A message inside an operation, or its request, is there.
    pub(super) fn arrive_inside(&mut self, message: Message) {
        let frame = self.frames.get_mut(message.to as usize);
        let expected = frame.filter(|frame| frame.comm == message.comm).and_then(|frame| {
            let at = frame.expected.iter().position(|expected| expected.from == message.from)?;
            Some(frame.expected.remove(at))
        });
        match expected {
            Some(expected) => self.meet(message, expected),
            None => self.inbox.keep(message),
        }
    }

    /// A message and its receive belong together: it is received, or its request granted.
    fn meet(&mut self, message: Message, expected: Expected) {
        if message.kind == Kind::Request {
            return self.grant(message, expected);
        }
        let cost = self.courses.sizes[message.size].cost;
        self.complete_inside(message.to, Completed::received(&message, &cost));
    }

    fn grant(&mut self, message: Message, Expected { posted, partner, .. }: Expected) {
        let completed = self.granted(message, Kind::Granted, posted, partner);
        self.complete_inside(message.from, completed);
    }

    /// Something that a member has begun is complete.
    pub(super) fn complete_inside(&mut self, id: u32, completed: Completed) {
        let frame = &mut self.frames[id as usize];
        frame.completed.push(completed);
        frame.outstanding -= 1;
        if frame.outstanding == 0 && frame.waits {
            frame.waits = false;
            self.end_round(id);
            self.ready.push(Ready::Member(id));
        }
    }

    fn end_round(&mut self, id: u32) {
        let reduction = MessageCosts::reduction_on(self.network, self.frames[id as usize].reduce);
        let frame = &mut self.frames[id as usize];
        let mut completions = std::mem::take(&mut self.scratch.1);
        completions.clear();
        completions.extend(frame.completed.iter().map(|one| one.completion));
        let summary = complete_in_order(frame.clock, &mut completions);
        // Of two that come at once the first to be told counts, which is not known here; when the last task ends does not depend on it.
        self.failed |= !self.total_alone && completions.windows(2).any(|pair| pair[0].at == pair[1].at);
        let binding = summary.binding.and_then(|binding| frame.completed.iter().find(|one| one.completion == binding));
        frame.binding = binding.map(|one| one.origin).or(frame.binding);
        frame.idle += summary.idle;
        frame.partner = completions.iter().fold(frame.partner, |latest, one| latest.max(one.partner));
        frame.completed.clear();
        frame.clock = summary.end + reduction;
        self.scratch.1 = completions;
    }

    fn end(&mut self, id: u32) {
        let frame = &mut self.frames[id as usize];
        frame.plan = None;
        self.failed |= frame.outstanding > 0;
        let idle = frame.idle.min(frame.clock - frame.entered);
        let summary = WaitSummary { end: frame.clock, idle, binding: None };
        let (site, binding) = (frame.site, frame.binding.map(|origin| (origin, origin.task)));
        self.settle(id, Part::Collective, &summary, binding, site);
        self.return_from_call(id, site);
    }
}
