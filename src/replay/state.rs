//! The state of the simulation: tasks, operations under way, messages.

use super::collective::Scale;
use super::hash::FastMap;
use super::ledger::Ledger;
use super::matching::{Channel, Mailbox};
use super::places::{Cursors, Waiting};
pub(super) use super::result::Part;
use super::result::{ElapsedTime, IdleCauses, SiteTime};
use super::slab::NONE;
use super::spans::Spans;
use crate::activity::{Arrival, CommId, Event, Outcome, RequestId, SegmentId, Site, Step, TaskId, Work};
use crate::program::BlockId;
use crate::units::Picoseconds;
use std::collections::VecDeque;
use std::sync::Arc;

/// One task. With many of them each line of a cache that a message touches is fetched from far away, so what is
/// asked for together stands together, in lines of 64 bytes; what few tasks need is kept apart.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Task {
    pub now: Picoseconds,
    /// Of the call that the task is in.
    pub started: Picoseconds,
    /// Idle time so far in that call.
    pub idle: Picoseconds,
    pub status: Status,
    /// Rises with every wait, so that what was to wake an earlier one is void.
    pub epoch: u32,
    /// Operations that a wait for all of them still lacks.
    pub pending: u32,
    /// Repeats that the task is in.
    pub depth: u32,
    /// Messages sent so far, those inside collective operations too; it may wrap around.
    pub launched: u32,

    pub cursors: Cursors,
    /// Operations waited for, in the order of the call's requests.
    pub waiting: Waiting,
    /// Point-to-point messages sent so far.
    pub sent: u64,

    /// Receives and messages that wait for each other.
    pub mailbox: Mailbox,
    /// Receives with a wildcard that wait.
    pub wildcards: u32,
    /// There was a wildcard or a probe, so that arrivals matter.
    pub watches: bool,
    /// There is a call in `Extras::held`.
    pub holds: bool,
    /// The latest call was an unsuccessful poll.
    pub polled: bool,

    /// By receiver.
    pub pairs: Ledger<u32, Pair>,
    /// What it did when, where that is kept.
    pub spans: Option<Box<Spans>>,
    account: Option<Box<Account>>,
    extras: Option<Box<Extras>>,

    pub parts: [Picoseconds; 5],
    /// The call that the task is in or was in last.
    pub site: Option<Site>,
    /// Most tasks have none.
    pub requests: Option<Box<FastMap<RequestId, u32>>>,
}

/// Where the time of a task that communicates goes.
#[derive(Debug, Default)]
pub(super) struct Account {
    /// Of the idle time, what it waited for.
    pub causes: IdleCauses,
    pub sites: Ledger<Site, SiteTime>,
}

/// What a task needs seldom or never.
#[derive(Debug, Default)]
pub(super) struct Extras {
    /// A call that waits for its turn.
    pub held: Option<Arc<Event>>,
    /// The test or probe that the task repeats until it succeeds.
    pub polling: Option<Arc<Event>>,
    /// When it did so last.
    pub polled_at: Picoseconds,
    pub outcome: Outcome,
    /// Of a task that watches, unmatched messages by arrival.
    pub arrived: VecDeque<u32>,
    /// Collective operations so far by communicator.
    pub collectives: Ledger<CommId, u32>,
    /// Those of the repeats that the task is in come in when these end.
    pub segments: Ledger<SegmentId, u64>,
    pub clocks: Clocks,
}

impl Task {
    pub fn new() -> Self {
        Self {
            now: Picoseconds::ZERO,
            status: Status::Ready,
            epoch: 0,
            pending: 0,
            started: Picoseconds::ZERO,
            idle: Picoseconds::ZERO,
            waiting: Waiting::default(),
            site: None,
            holds: false,
            cursors: Cursors::default(),
            depth: 0,
            requests: None,
            mailbox: Mailbox::default(),
            pairs: Ledger::default(),
            parts: [Picoseconds::ZERO; 5],
            account: None,
            sent: 0,
            launched: 0,
            wildcards: 0,
            watches: false,
            polled: false,
            spans: None,
            extras: None,
        }
    }

    pub fn account(&self) -> Option<&Account> {
        self.account.as_deref()
    }

    pub fn account_mut(&mut self) -> &mut Account {
        self.account.get_or_insert_default()
    }

    pub fn take_account(&mut self) -> Account {
        self.account.take().map_or_else(Account::default, |account| *account)
    }

    pub fn extras(&self) -> Option<&Extras> {
        self.extras.as_deref()
    }

    pub fn extras_mut(&mut self) -> &mut Extras {
        self.extras.get_or_insert_default()
    }

    /// The outcome of the latest event, for the feed.
    pub fn take_outcome(&mut self) -> Outcome {
        self.extras.as_mut().map_or(Outcome::None, |extras| std::mem::take(&mut extras.outcome))
    }

    /// How often each segment was computed, sorted.
    pub fn take_segments(&mut self) -> Vec<(SegmentId, u64)> {
        self.extras.as_mut().map_or_else(Vec::new, |extras| std::mem::take(&mut extras.segments).into_sorted())
    }

    /// Counts what one run over the first steps of a repeat computes, so many times.
    pub fn count_segments(&mut self, steps: &[Step], times: u64) {
        for step in steps {
            if let Step::Work(Work::Segment(segment)) = step {
                *self.extras_mut().segments.entry(*segment) += times;
            }
        }
    }

    /// Counts what was computed in the repeats that the task is still in.
    pub fn count_open_repeats(&mut self) {
        let cursors = std::mem::take(&mut self.cursors);
        for cursor in cursors.iter() {
            let repeat = cursor.repeat();
            self.count_segments(&repeat.steps, repeat.times - cursor.left());
            self.count_segments(&repeat.steps[..cursor.index()], 1);
        }
    }

    /// Lets time pass, so that the parts always add up to the clock.
    pub fn pass(&mut self, part: Part, time: Picoseconds) {
        if let Some(spans) = &mut self.spans {
            spans.add(part, self.now, self.now + time, self.site.filter(|_| part != Part::Compute));
        }
        self.now += time;
        self.parts[part as usize] += time;
    }

    /// Differences of clock readings, always in the same order.
    pub fn elapsed_in_order(&mut self) -> Vec<&mut ElapsedTime> {
        let elapsed = self.extras.iter_mut().flat_map(|extras| extras.clocks.elapsed.values_mut());
        let mut all: Vec<_> = elapsed.collect();
        all.sort_unstable_by_key(|elapsed| (elapsed.from, elapsed.to));
        all
    }

    /// Ends the task from outside: one that waits has waited until then; from one that has gone ahead of this time,
    /// or is computing beyond it, the rest is taken back, computing first.
    pub fn end_at(&mut self, time: Picoseconds) {
        let part = if matches!(self.status, Status::Computing(_)) { Part::Compute } else { Part::Idle };
        self.pass(part, Picoseconds(time.0.saturating_sub(self.now.0)));
        for part in [Part::Compute, Part::Send, Part::Recv, Part::Collective, Part::Idle] {
            let surplus = Picoseconds(self.now.0.saturating_sub(time.0)).min(self.parts[part as usize]);
            self.now = self.now - surplus;
            self.parts[part as usize] = self.parts[part as usize] - surplus;
        }
        if let Some(spans) = &mut self.spans {
            spans.cut(time);
        }
    }

    /// Idle in a call whose time counts as `part`.
    pub fn wait_idle(&mut self, time: Picoseconds, part: Part) {
        self.pass(Part::Idle, time);
        if time == Picoseconds::ZERO {
            return;
        }
        let causes = &mut self.account_mut().causes;
        match part {
            Part::Send => causes.late_receiver += time,
            Part::Collective => causes.collective += time,
            Part::Recv | Part::Compute | Part::Idle => causes.late_sender += time,
        }
        self.idle += time;
    }
}

/// What the task reads from the clock; most tasks read little.
#[derive(Debug, Default)]
pub(super) struct Clocks {
    pub readings: FastMap<BlockId, Picoseconds>,
    pub elapsed: FastMap<(BlockId, BlockId), ElapsedTime>,
}

/// User messages of one sender to one receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pair {
    pub messages: u64,
    pub bytes: u64,
    /// Arrivals of a pair keep the order of sending.
    pub latest: Picoseconds,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Ready,
    /// On shared processors, since the task's clock; so much alone.
    Computing(Picoseconds),
    /// For all of `waiting`; what is over and above idle counts as `part`.
    All(Part),
    /// For one of `waiting`.
    Any(Part),
    /// A repeated unsuccessful poll waits for whatever comes next.
    Poll,
    Probe(Channel),
    /// In a blocking collective operation.
    Frame(u32),
    /// For a lock of a window.
    Lock(CommId, Option<TaskId>),
    Ended,
    Stuck,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// A blocking call.
    Call,
    Request(RequestId),
    /// A collective operation.
    Frame(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpKind {
    Send,
    Recv,
    Collective,
}

/// A send, receive or non-blocking collective that is not yet complete, or not yet waited for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Op {
    pub task: u32,
    pub owner: Owner,
    pub kind: OpKind,
    /// Of a receive: what it asks for. Of a send: where it goes.
    pub channel: Channel,
    /// Of a receive: the room.
    pub bytes: u64,
    pub posted: Picoseconds,
    /// When its task, or whom that had waited for, came to the call.
    pub partner: Picoseconds,
    /// Rises with every receive posted.
    pub number: u64,
    pub next: u32,
    pub done: Option<Done>,
    /// A wait for all is waiting for it.
    pub awaited: bool,
    pub arrival: Option<Arrival>,
    pub site: Option<Site>,
}

/// How an operation completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Done {
    pub at: Picoseconds,
    /// Processor time that the completing call still takes.
    pub overhead: Picoseconds,
    /// When the partner arrived in its call: idle time ends there.
    pub partner: Picoseconds,
    /// The task that it depended on, and when that let go.
    pub from: u32,
    pub left: Picoseconds,
}

/// A message under way or waiting for its receive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    pub channel: Channel,
    pub bytes: u64,
    pub sequence: u64,
    /// Rises with every message of its sender, those inside collective operations too.
    pub order: u32,
    /// `None` while its way to the receiver's port is not over. Of a rendezvous: of the request.
    pub arrival: Option<Picoseconds>,
    /// When the sender, or whom it had waited for, came to its call.
    pub partner: Picoseconds,
    /// When it left the sender's processor.
    pub left: Picoseconds,
    /// The send that a rendezvous completes; `NONE` for eager messages.
    pub send: u32,
    /// The receive that it is for; `NONE` as long as there is none.
    pub recv: u32,
    /// A rendezvous whose data are on their way.
    pub granted: bool,
    /// Inside a collective operation: by how much its costs differ from those of calls.
    pub scale: Scale,
    /// By how much longer it is on the wire because another one goes the other way.
    pub delay: Picoseconds,
    pub next: u32,
    /// In the receiver's list of arrivals.
    pub listed: bool,
    pub site: Option<Site>,
}

impl Op {
    pub fn new(task: u32, owner: Owner, kind: OpKind, channel: Channel, bytes: u64, posted: Picoseconds) -> Self {
        Self {
            task,
            owner,
            kind,
            channel,
            bytes,
            posted,
            partner: posted,
            number: 0,
            next: NONE,
            done: None,
            awaited: false,
            arrival: None,
            site: None,
        }
    }

    /// Completion with the call that began it.
    pub fn at_once(&self) -> Done {
        let zero = Picoseconds::ZERO;
        Done { at: self.posted, overhead: zero, partner: self.posted, from: self.task, left: self.posted }
    }
}

impl Message {
    /// An eager message that has not left yet.
    pub fn new(channel: Channel, bytes: u64) -> Self {
        Self {
            channel,
            bytes,
            sequence: 0,
            order: 0,
            arrival: None,
            partner: Picoseconds::ZERO,
            left: Picoseconds::ZERO,
            send: NONE,
            recv: NONE,
            granted: false,
            scale: Scale::NONE,
            delay: Picoseconds::ZERO,
            next: NONE,
            listed: false,
            site: None,
        }
    }
}
