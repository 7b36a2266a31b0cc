//! Collective operations of all tasks around a ring, or of each with each at once, timed as a whole.
//!
//! Their messages are as many as the square of the tasks. Members that come are held until all have: nobody is through
//! before, so what others do meanwhile sees nothing of the operation but its messages at ports. An event that comes to
//! a port behind the first message that a held member may send there is the end of holding: the members begin as
//! those of any other operation, and their messages are replayed (`release_before`). Where all have come and nothing
//! is on its way, `collective::ring` and `collective::linear` give the times at which they are through, which are those of
//! the replay of the messages as long as nothing that is sent afterwards can come to a port before the last of these.

use super::{Engine, Runnable};
use crate::collective::CollectiveFrame;
use crate::collective::linear::exchange;
use crate::collective::plan::Plan;
use crate::collective::ring::go_round;
use crate::collective::whole::{WholeCompletion, WholeMember};
use crate::events::queue::{EventKind, SimEvent};
use crate::ids::{FrameId, MsgId};
use crate::matching::operation::Completion;
use crate::network::cost::{CostFactor, Distance};
use crate::network::origins::Origin;
use crate::network::ports::{MessagePath, Port};
use chronos_activity::{CommId, Feed};
use chronos_base::units::Picoseconds;
use std::cmp::Reverse;

impl<F: Feed> Engine<'_, '_, F> {
    /// Whether messages of a collective operation meet none but those of its own: each task has a port for itself, and
    /// nobody asks what happens inside the operation.
    pub(crate) fn may_hold(&self) -> bool {
        let alone = self.ports.len() == self.tasks.len() && self.ports.values().all(|port| port.users == 1);
        let options = &self.options;
        let told = self.waiting.is_some() || options.faster.is_some() || options.path_in_collectives;
        let plain = self.message_path == MessagePath::Ports && options.links.is_none();
        self.tasks.len() >= options.collectives_as_a_whole
            && alone
            && plain
            && !told
            && options.network.between_nodes.ports
            && self.pools.values().all(Option::is_none)
    }

    /// Lets a member wait until all have come, if that can be.
    pub(crate) fn hold_member(&mut self, id: FrameId) -> bool {
        if !self.collectives.held.enabled {
            return false;
        }
        let frame = &self.collectives.frames[id];
        let port = &self.ports[self.nodes[frame.task]];
        let whole = frame.group.len() == self.tasks.len() && frame.op.is_none();
        // What else of the task sends meanwhile competes for its port.
        let alone = port.users == 1 && !port.is_shared(Picoseconds::MAX);
        let known = frame.plan.ring_rounds().is_some() || frame.plan.is_linear_exchange();
        if !whole || !known {
            return false;
        }
        if !alone || frame.decision.scale != CostFactor::NONE {
            // Those that wait for a member that has begun would send what nobody here foresees.
            self.release_with((frame.comm, frame.number));
            return false;
        }
        let rank = self.collectives.groups.get(&frame.comm).and_then(|group| group.rank(frame.task));
        rank.is_some_and(|rank| self.collectives.held.hold(id, rank, frame))
    }

    /// No member of the operation is held any more.
    fn release_with(&mut self, operation: (CommId, u32)) {
        if !self.collectives.held.begins(operation) {
            return;
        }
        // What they send may come before what is to be dealt with in this window.
        self.resumes |= self.queue.has_windows();
        self.queue.suspend_windows(&|message| self.messages.sender(message));
        self.release_held();
    }

    /// Lets the held members be through if all have come and nothing else is under way; whether it did.
    pub(crate) fn end_held(&mut self) -> bool {
        if !self.collectives.held.is_complete() || self.queue.has_messages() {
            return false;
        }
        let frames = self.collectives.held.take();
        let members = self.whole_members(&frames);
        match self.timed(&frames, members) {
            Some(members) => self.end_whole(&frames, &members),
            None => self.begin_frames(frames),
        }
        true
    }

    /// Lets the held members begin; whether there were any.
    pub(crate) fn release_held(&mut self) -> bool {
        let frames = self.collectives.held.take();
        let any = !frames.is_empty();
        self.begin_frames(frames);
        any
    }

    fn begin_frames(&mut self, frames: Vec<FrameId>) {
        self.ready.extend(frames.into_iter().rev().map(Runnable::Frame));
    }

    /// Whether a message of a held member may come to a port before what comes there in this event.
    pub(crate) fn comes_behind_held(&mut self, event: &SimEvent) -> bool {
        if event.kind != EventKind::PortArrival {
            return false;
        }
        let held = &self.collectives.held;
        let Some(group) = held.comm().and_then(|comm| self.collectives.groups.get(&comm)) else { return false };
        let Some(rank) = group.rank(self.messages[MsgId(event.subject)].channel.to) else { return false };
        let first = match held.is_ring {
            true => held.left_of(rank).and_then(|frame| self.first_head(frame)),
            false => Some(held.earliest + self.costs.network().between_nodes.shortest()),
        };
        first.is_some_and(|first| event.time >= first)
    }

    /// Before this no message of a held member, nor its request, comes to a port.
    fn first_head(&mut self, id: FrameId) -> Option<Picoseconds> {
        let frame = &self.collectives.frames[id];
        let (_, bytes) = frame.plan.round(0)?.send?;
        let cost = *self.costs.message(bytes, Distance::Network);
        let left = frame.entered + cost.send_overhead;
        if !cost.eager {
            return Some(left + cost.request);
        }
        // The next ones leave when the port is free again, which is not before the first frame is through, and may have
        // another latency.
        let link = &self.costs.network().between_nodes;
        let first_frame = cost.head - link.latency_ns.at(bytes);
        let start = left.max(self.ports[self.nodes[frame.task]].out_free);
        Some(start + first_frame + link.shortest())
    }

    /// Lets the held members begin, whose messages may come before this event.
    pub(crate) fn release_before(&mut self, event: SimEvent) {
        self.resumes |= self.queue.has_windows();
        self.queue.suspend_windows(&|message| self.messages.sender(message));
        self.queue.put_back(event, &|message| self.messages.sender(message));
        self.release_held();
    }

    /// Windows go on that were suspended to let members begin.
    pub(crate) fn resume_windows(&mut self) {
        if std::mem::take(&mut self.resumes) {
            self.queue.resume_windows();
        }
    }

    fn whole_members(&self, frames: &[FrameId]) -> Vec<WholeMember> {
        let member = |&id: &FrameId| {
            let CollectiveFrame { task, clock, idle, partner, .. } = self.collectives.frames[id];
            let node = self.nodes[task];
            let &Port { out_free, in_free, .. } = &self.ports[node];
            let [outwards, inwards] =
                self.origins.as_ref().map_or_else(Default::default, |origins| origins.of_port(node));
            WholeMember { task, clock, idle, partner, out_free, in_free, outwards, inwards, binding: None }
        };
        frames.iter().map(member).collect()
    }

    /// The members when they are through; `None` where the messages must be replayed.
    fn timed(&mut self, frames: &[FrameId], mut members: Vec<WholeMember>) -> Option<Vec<WholeMember>> {
        let plans: Vec<&Plan> = frames.iter().map(|&id| &self.collectives.frames[id].plan).collect();
        let (plan, costs) = (*plans.first()?, &mut self.costs);
        let latest = if plan.is_linear_exchange() && plans.iter().all(|other| other.is_as(plan)) {
            let bytes = |sender: usize, receiver: usize| plans[sender].bytes_for(receiver as u32);
            exchange(&mut members, &bytes, &mut |bytes| *costs.message(bytes, Distance::Network))?
        } else if plans.iter().all(|other| other.is_like(plan)) {
            let mut cost = |bytes| (*costs.message(bytes, Distance::Network), costs.reduction(bytes));
            go_round(&mut members, &plan.ring_blocks(&mut cost)?)?
        } else {
            return None;
        };
        let first = members.iter().map(|member| member.clock).min()?;
        (latest <= first + self.costs.network().between_nodes.shortest()).then_some(members)
    }

    fn end_whole(&mut self, frames: &[FrameId], members: &[WholeMember]) {
        // They go on in the order in which they are through: who comes first to the next operation decides on it.
        let mut order: Vec<usize> = (0..members.len()).collect();
        order.sort_by_key(|&rank| Reverse((members[rank].clock, rank)));
        for (id, member) in order.into_iter().map(|rank| (frames[rank], &members[rank])) {
            let frame = &mut self.collectives.frames[id];
            let rounds = frame.plan.ring_rounds().unwrap_or(members.len() as u32 - 1);
            (frame.clock, frame.idle, frame.partner) = (member.clock, member.idle, member.partner);
            frame.binding = member.binding.map(WholeCompletion::at_its_origin);
            let (task, entered) = (frame.task, frame.entered);
            let port = self.port_mut(task);
            (port.out_free, port.in_free) = (member.out_free, member.in_free);
            let node = self.nodes[task];
            if let Some(origins) = &mut self.origins {
                origins.set_port(node, [member.outwards, member.inwards]);
            }
            self.tasks[task].launched = self.tasks[task].launched.wrapping_add(rounds);
            self.receives = self.receives.wrapping_add(u64::from(rounds));
            self.end_frame(id, entered);
        }
    }
}

impl WholeCompletion {
    /// With whom it depended on, as the critical path follows it.
    fn at_its_origin(self) -> Completion {
        let Self { origin: Origin { task: from, left }, at, partner, overhead } = self;
        Completion { at, overhead, partner, left, from }
    }
}
