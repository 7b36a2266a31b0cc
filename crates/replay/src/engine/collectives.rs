//! Collective operations as they are under way: every member goes through the rounds of its part of the algorithm.

use super::benchmark::benchmark;
use super::dependences::Dependence;
use super::names::{communicator, name};
use super::{Engine, Runnable};
use crate::codes;
use crate::collective::patterns::CollectiveRound;
use crate::collective::plan::{AlgorithmChoice, Plan, deciding_bytes};
use crate::collective::{CollectiveFrame, CommGroup, OpenCollective};
use crate::events::queue::EventKind;
use crate::ids::FrameId;
use crate::matching::channel::Channel;
use crate::matching::completion::{WaitSummary, complete_in_order};
use crate::matching::message::{Message, MessageExtras};
use crate::matching::operation::{Completion, OpKind, Owner, PendingOp};
use crate::memory::call_site::CallSite;
use crate::network::cost::CostFactor;
use crate::network::origins::Origin;
use crate::result::Part;
use crate::task::state::Status;
use chronos_activity::{Collective, CollectiveKind, CommId, Feed, Site, TaskId, Volume};
use chronos_base::diag::Diagnostic;
use chronos_base::units::Picoseconds;
use std::sync::Arc;

/// How much data a member gives a collective operation, and where it calls it.
struct GivenSize {
    task: TaskId,
    bytes: u64,
    site: Option<Site>,
}

impl<F: Feed> Engine<'_, '_, F> {
    /// A task joins a collective operation.
    pub fn collective(&mut self, id: TaskId, collective: &Collective) -> bool {
        let Some((group, rank)) = self.membership(id, collective.comm) else {
            return self.report_non_member(id, collective);
        };
        let count = self.tasks[id].extras_mut().collectives.entry(collective.comm);
        let instance = *count;
        *count = count.wrapping_add(1);
        let Some(decision) = self.join(id, collective, instance, group.len() as u32) else { return false };
        let frame = self.new_frame(id, collective, instance, decision, group, rank);
        self.note_member(&frame);
        let frame = self.collectives.frames.insert(frame);
        let continues = self.begin(id, frame, collective);
        self.begin_frame(frame, collective);
        continues
    }

    fn begin(&mut self, id: TaskId, frame: FrameId, collective: &Collective) -> bool {
        if collective.request.is_none() {
            self.block(id, Status::Frame(frame));
            return false;
        }
        let call = self.costs.call;
        self.tasks[id].pass(Part::Collective, call);
        let channel = Channel::internal(id, id, collective.comm, 0);
        let owner = collective.request.map_or(Owner::Call, Owner::Request);
        let op = self.new_op(id, owner, OpKind::Collective, channel, 0);
        let op = self.ops.insert(op, self.tasks[id].site);
        self.remember(id, collective.request, op);
        self.collectives.frames[frame].op = Some(op);
        self.return_from_call(id);
        true
    }

    fn begin_frame(&mut self, frame: FrameId, collective: &Collective) {
        // A non-blocking collective sends by itself while its task goes on: both use the port.
        if collective.request.is_some() {
            self.port_mut(self.collectives.frames[frame].task).users += 1;
        } else if self.hold_member(frame) {
            return;
        }
        self.ready.push(Runnable::Frame(frame));
    }

    fn new_frame(
        &mut self,
        id: TaskId,
        collective: &Collective,
        instance: u32,
        decision: AlgorithmChoice,
        group: Arc<[TaskId]>,
        rank: u32,
    ) -> CollectiveFrame {
        let root = collective.root.and_then(|root| self.collectives.groups[&collective.comm].rank(root));
        let plan = Plan::new(collective, decision, rank, group.len() as u32, root.unwrap_or(0));
        let plan = plan.with_sums(&mut self.collectives.sums);
        let now = self.tasks[id].now;
        CollectiveFrame {
            task: id,
            site: self.tasks[id].site,
            comm: collective.comm,
            kind: collective.kind,
            entered: now,
            number: instance,
            instance: if collective.request.is_some() { instance.wrapping_add(1) } else { 0 },
            group,
            plan,
            round: 0,
            outstanding: 0,
            clock: now,
            idle: Picoseconds::ZERO,
            partner: now,
            completions: Vec::new(),
            waiting: false,
            reduce: 0,
            binding: None,
            op: None,
            awaits: None,
            decision,
        }
    }

    /// The members of a communicator and the task's rank among them.
    fn membership(&mut self, id: TaskId, comm: CommId) -> Option<(Arc<[TaskId]>, u32)> {
        let nodes = &self.nodes;
        let node = |task: TaskId| nodes.get(task).copied();
        let group = self.collectives.groups.entry(comm).or_insert_with(|| CommGroup::new(self.feed.group(comm), node));
        Some((Arc::clone(&group.members), group.rank(id)?))
    }

    fn report_non_member(&mut self, id: TaskId, collective: &Collective) -> bool {
        let (call, comm) = (name(collective.kind), communicator(collective.comm));
        let text = format!("task {} calls {call} on {comm}, of which it is no member", id.0);
        self.mismatch(text, self.tasks[id].site.get(), None);
        false
    }

    /// Compares with the members that came before; what they agreed on, if the operation is the same.
    fn join(&mut self, id: TaskId, collective: &Collective, instance: u32, size: u32) -> Option<AlgorithmChoice> {
        let site = self.tasks[id].site.get();
        let key = (collective.comm, instance);
        let decision = self.decision(collective, key, size);
        let entry = self.collectives.open.entry(key).or_insert_with(|| OpenCollective {
            kind: collective.kind,
            root: collective.root,
            decision,
            first: id,
            joined: 0,
            site,
        });
        entry.joined += 1;
        if (entry.kind, entry.root) != (collective.kind, collective.root) {
            let text = format!(
                "task {} calls {} and task {} calls {} as operation {} on {}",
                entry.first.0,
                described(entry.kind, entry.root),
                id.0,
                described(collective.kind, collective.root),
                instance + 1,
                communicator(collective.comm)
            );
            let first = entry.site;
            self.mismatch(text, site, first);
            return None;
        }
        let (decision, first, first_site) = (entry.decision, entry.first, entry.site);
        if entry.joined == size {
            self.collectives.open.remove(&key);
        }
        // MPI lets signatures differ in no member but the v-forms (MPI 4.1, chapter 6), whose sizes are many to add up.
        let own = if sizes_must_agree(collective) { deciding_bytes(collective, size) } else { decision.bytes };
        if own != decision.bytes {
            let first = GivenSize { task: first, bytes: decision.bytes, site: first_site };
            self.size_mismatch(collective, &first, &GivenSize { task: id, bytes: own, site });
        }
        Some(decision)
    }

    /// Members of one operation that move different amounts; the replay goes on with what the first one gave.
    fn size_mismatch(&mut self, collective: &Collective, first: &GivenSize, other: &GivenSize) {
        let (call, comm) = (name(collective.kind), communicator(collective.comm));
        let (id, first_id) = (other.task.0, first.task.0);
        let (bytes, own) = (first.bytes, other.bytes);
        let text = format!("in {call} on {comm}, task {first_id} gives {bytes} bytes and task {id} gives {own}");
        let fault = Diagnostic::error(&codes::SIZES, text)
            .help("let all members of the communicator give the same count times the same size of datatype");
        let fault = self.at_site(fault, other.site, &format!("task {id} calls here"));
        let elsewhere = first.site.filter(|_| first.site != other.site);
        let fault = self.at_site(fault, elsewhere, &format!("task {first_id} calls here"));
        self.report_once(fault);
    }

    /// What the first member decides for all; later ones are given the same.
    fn decision(&mut self, collective: &Collective, key: (CommId, u32), size: u32) -> AlgorithmChoice {
        if let Some(instance) = self.collectives.open.get(&key) {
            return instance.decision;
        }
        let network = self.costs.network();
        let mut decision = AlgorithmChoice::of(network, collective, size);
        let on_one_node = self.collectives.groups.get(&key.0).is_some_and(|group| group.on_one_node);
        let corrections = &mut self.collectives.corrections;
        decision.scale = corrections.scale(network, collective, size, decision.bytes, on_one_node, &benchmark);
        let measured = decision.scale != CostFactor::NONE || corrections.trial.is_some();
        let link = if on_one_node { &network.within_node } else { &network.between_nodes };
        let large = self.flows.is_none() && decision.bytes > link.eager_limit_bytes;
        if measured || large { decision.in_turn(collective.kind) } else { decision }
    }

    fn mismatch(&mut self, text: String, here: Option<Site>, first: Option<Site>) {
        let fault = Diagnostic::error(&codes::MISMATCH, text)
            .help("let all members of the communicator call the same operation with the same root");
        let fault = self.at_site(fault, here, "called here");
        let fault = self.at_site(fault, first, "and by another task here");
        self.diagnostics.push(fault);
        self.stopped = true;
    }

    /// Goes through rounds until one waits or others come first.
    pub(crate) fn advance_frame(&mut self, id: FrameId) {
        loop {
            let frame = &self.collectives.frames[id];
            if self.shares_port(frame.task, frame.clock) && self.is_preceded(frame.clock, EventKind::Frame, frame.task)
            {
                return self.queue.push(frame.clock, EventKind::Frame, frame.task.0, id.0);
            }
            let Some(round) = frame.plan.round(frame.round) else {
                let entered = frame.entered;
                return self.end_frame(id, entered);
            };
            self.collectives.frames[id].round += 1;
            self.start_round(id, round);
            if round.wait && !self.wait_round(id, round) {
                return;
            }
        }
    }

    fn start_round(&mut self, id: FrameId, round: CollectiveRound) {
        if let Some(from) = round.recv {
            let frame = &mut self.collectives.frames[id];
            let from = frame.group[from as usize];
            (frame.awaits, frame.outstanding) = (Some(from), frame.outstanding + 1);
            let channel = Channel::internal(frame.task, from, frame.comm, frame.instance);
            let partner = frame.partner;
            let mut op = PendingOp::new(Owner::Frame(id), OpKind::Recv, channel, u64::MAX, frame.clock);
            op.set_partner(partner);
            self.post(op, CallSite::default());
        }
        if let Some((to, bytes)) = round.send {
            self.send_round_message(id, to, bytes);
        }
    }

    fn send_round_message(&mut self, id: FrameId, to: u32, bytes: u64) {
        let frame = &self.collectives.frames[id];
        let (task, to) = (frame.task, frame.group[to as usize]);
        let (scale, site) = (frame.decision.scale, frame.site);
        let cost = scale.of(self.cost(task, to, bytes));
        let cost = self.of_call(site, cost);
        let frame = &mut self.collectives.frames[id];
        // o of LogGP, for every message of a round.
        frame.clock += cost.send_overhead;
        let channel = Channel::internal(to, task, frame.comm, frame.instance);
        let message = Message::new(channel, bytes, frame.partner, frame.clock);
        let mut extras = MessageExtras { scale, ..MessageExtras::default() };
        if self.options.faster.is_some() {
            extras.site = site;
        }
        // Above the eager limit the round waits for its receiver too.
        if !cost.eager {
            frame.outstanding += 1;
            frame.awaits = Some(to);
            let op = PendingOp::new(Owner::Frame(id), OpKind::Send, channel, bytes, frame.clock);
            extras.send = Some(self.ops.insert(op, CallSite::default()));
        }
        self.launch(message, extras, &cost);
    }

    /// Whether everything that the round waits for is already complete.
    fn wait_round(&mut self, id: FrameId, round: CollectiveRound) -> bool {
        let frame = &mut self.collectives.frames[id];
        frame.reduce = round.reduce;
        if frame.outstanding > 0 {
            frame.waiting = true;
            return false;
        }
        self.finish_round(id);
        true
    }

    fn finish_round(&mut self, id: FrameId) {
        let frame = &mut self.collectives.frames[id];
        frame.waiting = false;
        let summary = complete_in_order(frame.clock, &mut frame.completions);
        let mut origin = None;
        if let Some(origins) = &mut self.origins {
            let waited = |completion: &Completion| (frame.task, completion.from, completion.left);
            origin = summary.binding.as_ref().map(|binding| origins.of(waited(binding)));
            frame.completions.iter().for_each(|completion| origins.forget(waited(completion)));
        }
        if let Some(waiting) = self.waiting.as_mut().filter(|_| frame.op.is_none()) {
            waiting.note_round(frame, self.tasks[frame.task].site.get());
        }
        frame.idle += summary.idle;
        let depended = |binding: Completion| {
            origin.map_or(binding, |Origin { task, left }| Completion { from: task, left, ..binding })
        };
        frame.binding = summary.binding.map(depended).or(frame.binding);
        let blocking = frame.op.is_none().then_some(frame.task);
        frame.partner =
            frame.completions.iter().fold(frame.partner, |latest, completion| latest.max(completion.partner));
        frame.completions.clear();
        // The operand of a reduction is combined when it has come: gamma in the cost model of Thakur, Rabenseifner and Gropp (2005).
        frame.clock = summary.end + self.costs.reduction(frame.reduce);
        if let Some(task) = blocking {
            self.note_round(task, &summary, origin);
        }
    }

    /// Remembers what ended a round, where the critical path goes through the rounds.
    fn note_round(&mut self, task: TaskId, summary: &WaitSummary, origin: Option<Origin>) {
        let Some(binding) = summary.binding.filter(|_| self.goes_through_rounds()) else { return };
        if self.may_keep_dependences(1) {
            let site = self.tasks[task].site.get();
            let (at, partner) = (summary.end, binding.from);
            let Origin { task: from, left } = origin.unwrap_or(Origin { task: partner, left: binding.left });
            self.dependences.push(Dependence { task, at, from, left, partner, site });
        }
    }

    fn goes_through_rounds(&self) -> bool {
        self.options.critical_path && self.options.path_in_collectives
    }

    /// A message of the operation is complete.
    pub(crate) fn frame_progress(&mut self, id: FrameId, completion: Completion) {
        let frame = &mut self.collectives.frames[id];
        frame.completions.push(completion);
        frame.outstanding -= 1;
        if frame.outstanding == 0 && frame.waiting {
            self.finish_round(id);
            self.ready.push(Runnable::Frame(id));
        }
    }

    pub(super) fn end_frame(&mut self, id: FrameId, entered: Picoseconds) {
        let frame = &self.collectives.frames[id];
        let (task, end, idle, op, binding) = (frame.task, frame.clock, frame.idle, frame.op, frame.binding);
        let partner = frame.partner;
        let late = self.waiting.as_mut().and_then(|waiting| waiting.note_end(frame));
        self.collectives.frames.release(id);
        // The rounds are remembered one by one.
        let last = binding.filter(|_| op.is_some() || !self.goes_through_rounds());
        let whole = wait_summary(end, idle.min(end - entered), last);
        let Some(op) = op else {
            self.settle(task, Part::Collective, &whole);
            self.return_from_call(task);
            return self.schedule(task);
        };
        self.port_mut(task).users -= 1;
        let last = || binding.map_or((task, entered), |completion| (completion.from, completion.left));
        // Where causes of waiting are kept, no critical path is, and who came last is the partner.
        let (from, left) = late.map_or_else(last, |late| (late, partner));
        self.complete(op, Completion { at: end, overhead: Picoseconds::ZERO, partner: partner.min(end), from, left });
    }
}

fn wait_summary(end: Picoseconds, idle: Picoseconds, binding: Option<Completion>) -> WaitSummary {
    WaitSummary { end, idle, binding }
}

/// In the v-forms each member may give what it likes, as long as receiver and sender agree.
fn sizes_must_agree(collective: &Collective) -> bool {
    matches!(collective.volume, Volume::Each(_)) && collective.kind != CollectiveKind::Barrier
}

fn described(kind: CollectiveKind, root: Option<TaskId>) -> String {
    root.map_or_else(|| name(kind).to_owned(), |root| format!("{} with root {}", name(kind), root.0))
}
