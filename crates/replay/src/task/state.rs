//! The state of the simulation: tasks, and operations under way; messages are in `matching::message`.

use super::active_spin::ActiveSpin;
use super::repeats::RepeatStack;
use super::spans::SpanRecorder;
use super::wait_set::WaitSet;
use crate::ids::{FrameId, MsgId};
use crate::matching::channel::Channel;
use crate::matching::queues::MatchingQueues;
use crate::memory::call_site::CallSite;
use crate::memory::keyed_totals::KeyedTotals;
use crate::memory::task_tables::TableCursor;
use crate::result::{ElapsedTime, IdleCauses, Part, Peer};
use chronos_activity::{CommId, Event, Outcome, SegmentId, Step, TaskId, Work};
use chronos_base::hash::FxHashMap;
use chronos_base::units::Picoseconds;
use chronos_ir::BlockId;
use std::collections::VecDeque;
use std::sync::Arc;

/// One task. With many of them each line of a cache that a message touches is fetched from far away, so what is
/// asked for together stands together, in lines of 64 bytes; what few tasks need is kept apart.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Task {
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
    /// Messages sent so far, those inside collective operations too; it may wrap around.
    pub launched: u32,
    /// There is a call in `TaskExtras::held`.
    pub holds: bool,
    /// The latest call was an unsuccessful poll.
    pub polled: bool,
    /// It is in some repeat.
    pub repeats: bool,
    /// There is something in `TaskExtras::spans`.
    pub(crate) shown: bool,
    /// Point-to-point messages sent so far.
    pub sent: u64,

    /// Operations waited for, in the order of the call's requests.
    pub waiting: WaitSet,
    /// The call that the task is in or was in last.
    pub site: CallSite,

    /// Receives and messages that wait for each other.
    pub(crate) matching_queues: MatchingQueues,
    /// By receiver.
    pub(crate) sent_traffic: TableCursor,
    /// Time by call.
    pub sites: TableCursor,
    extras: Option<Box<TaskExtras>>,

    pub parts: [Picoseconds; 5],
    /// Of the idle time, what it waited for.
    pub causes: IdleCauses,
}

/// What a task needs seldom or never.
#[derive(Debug, Default)]
pub(crate) struct TaskExtras {
    /// A call that waits for its turn.
    pub held: Option<Arc<Event>>,
    pub outcome: Outcome,
    /// Of a task that watches, unmatched messages by arrival.
    pub arrived: VecDeque<MsgId>,
    /// Collective operations so far by communicator.
    pub collectives: KeyedTotals<CommId, u32>,
    /// Those of the repeats that the task is in come in when these end.
    pub segments: KeyedTotals<SegmentId, u64>,
    pub clocks: ClockReadings,
    /// Of `Status::Computing`: so much alone.
    pub work: Picoseconds,
    /// So long it could compute while others had the processor.
    pub ready: Picoseconds,
    /// Of `Status::Probe`.
    pub probe: Option<Channel>,
    /// Of `Status::Spin`.
    pub spinning: Option<ActiveSpin>,
    /// Of `Status::Lock`.
    pub lock: Option<(CommId, Option<TaskId>)>,
    /// What it did when, where that is kept.
    spans: Option<Box<SpanRecorder>>,
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
            waiting: WaitSet::default(),
            site: CallSite::default(),
            holds: false,
            repeats: false,
            matching_queues: MatchingQueues::default(),
            sent_traffic: TableCursor::default(),
            sites: TableCursor::default(),
            parts: [Picoseconds::ZERO; 5],
            causes: IdleCauses::default(),
            sent: 0,
            launched: 0,
            polled: false,
            shown: false,
            extras: None,
        }
    }

    #[inline]
    pub fn spans(&self) -> Option<&SpanRecorder> {
        self.extras.as_ref().filter(|_| self.shown)?.spans.as_deref()
    }

    #[inline]
    pub(crate) fn spans_mut(&mut self) -> Option<&mut SpanRecorder> {
        self.extras.as_mut().filter(|_| self.shown)?.spans.as_deref_mut()
    }

    /// Where the spans of the task are, from now on, if they were nowhere.
    pub fn show(&mut self, spans: impl FnOnce() -> SpanRecorder) -> &mut SpanRecorder {
        self.shown = true;
        self.extras_mut().spans.get_or_insert_with(|| Box::new(spans()))
    }

    pub(crate) fn take_spans(&mut self) -> Option<SpanRecorder> {
        self.extras.as_mut()?.spans.take().map(|spans| *spans)
    }

    pub(crate) fn extras(&self) -> Option<&TaskExtras> {
        self.extras.as_deref()
    }

    pub(crate) fn extras_mut(&mut self) -> &mut TaskExtras {
        self.extras.get_or_insert_default()
    }

    /// The outcome of the latest event, for the feed.
    pub(crate) fn take_outcome(&mut self) -> Outcome {
        self.extras.as_mut().map_or(Outcome::None, |extras| std::mem::take(&mut extras.outcome))
    }

    /// How often each segment was computed, sorted.
    pub(crate) fn take_segments(&mut self) -> Vec<(SegmentId, u64)> {
        self.extras.as_mut().map_or_else(Vec::new, |extras| std::mem::take(&mut extras.segments).into_sorted())
    }

    /// Counts what one run over the first steps of a repeat computes, so many times.
    pub(crate) fn count_segments(&mut self, steps: &[Step], times: u64) {
        for step in steps {
            if let Step::Work(Work::Segment(segment)) = step {
                *self.extras_mut().segments.entry(*segment) += times;
            }
        }
    }

    /// Counts what was computed in the repeats that the task is still in.
    pub(crate) fn count_open_repeats(&mut self, cursors: &RepeatStack) {
        for cursor in cursors.iter() {
            let repeat = cursor.repeat();
            self.count_segments(&repeat.steps, repeat.times - cursor.left());
            self.count_segments(&repeat.steps[..cursor.index()], 1);
        }
    }

    /// What it waits for in a probe.
    pub fn probed(&self) -> Option<Channel> {
        self.extras().filter(|_| self.status == Status::Probe)?.probe
    }

    /// The lock of a window that it waits for.
    pub fn locked(&self) -> Option<(CommId, Option<TaskId>)> {
        self.extras().filter(|_| self.status == Status::Lock)?.lock
    }

    /// Lets time pass, so that the parts always add up to the clock. For time without a processor there is
    /// [`Self::pass_ready`].
    #[inline]
    pub fn pass(&mut self, part: Part, time: Picoseconds) {
        if self.shown {
            self.show_span(part, time);
        }
        self.now += time;
        self.parts[part as usize] += time;
    }

    /// Time in which the task is ready and does not run. Only tasks that share processors have any, so it stands apart.
    pub(crate) fn pass_ready(&mut self, time: Picoseconds) {
        if self.shown {
            self.show_span(Part::Ready, time);
        }
        self.now += time;
        self.extras_mut().ready += time;
    }

    fn show_span(&mut self, part: Part, time: Picoseconds) {
        let (begin, end, site) = (self.now, self.now + time, self.site.get());
        if let Some(spans) = self.spans_mut() {
            spans.add(part, begin, end, site.filter(|_| !matches!(part, Part::Compute | Part::Ready)));
        }
    }

    /// It does nothing any more.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self.status, Status::Ended | Status::Stuck)
    }

    /// Differences of clock readings, always in the same order.
    pub(crate) fn elapsed_in_order(&mut self) -> Vec<&mut ElapsedTime> {
        let elapsed = self.extras.iter_mut().flat_map(|extras| extras.clocks.elapsed.values_mut());
        let mut all: Vec<_> = elapsed.collect();
        all.sort_unstable_by_key(|elapsed| (elapsed.from, elapsed.to));
        all
    }

    /// Ends the task from outside: one that waits has waited until then; from one that has gone ahead of this time,
    /// or is computing beyond it, the rest is taken back, computing first.
    pub(crate) fn end_at(&mut self, time: Picoseconds) {
        let part = if self.status == Status::Computing { Part::Compute } else { Part::Idle };
        self.pass(part, Picoseconds(time.0.saturating_sub(self.now.0)));
        for part in [Part::Compute, Part::Send, Part::Recv, Part::Collective, Part::Idle] {
            let surplus = Picoseconds(self.now.0.saturating_sub(time.0)).min(self.parts[part as usize]);
            self.now = self.now - surplus;
            self.parts[part as usize] = self.parts[part as usize] - surplus;
        }
        if let Some(spans) = self.spans_mut() {
            spans.cut(time);
        }
    }

    /// Idle in a call whose time counts as `part`.
    #[inline]
    pub(crate) fn wait_idle(&mut self, time: Picoseconds, part: Part) {
        self.pass(Part::Idle, time);
        if time == Picoseconds::ZERO {
            return;
        }
        let causes = &mut self.causes;
        // Late sender, late receiver, wait at a collective: the wait states of Scalasca.
        match part {
            Part::Send => causes.late_receiver += time,
            Part::Collective => causes.collective += time,
            Part::Recv | Part::Compute | Part::Idle | Part::Ready => causes.late_sender += time,
        }
        self.idle += time;
    }
}

impl Task {
    /// What the call that begins now is about.
    pub(crate) fn note_call(&mut self, event: &Event) {
        if let Some(spans) = self.spans_mut() {
            spans.peer = Peer::of(event);
            // The time of a call that moves no message is not that of the segment before it.
            (spans.segment, spans.call) = (None, event.site);
        }
    }

    pub(crate) fn note_peer(&mut self, peer: Peer) {
        if let Some(spans) = self.spans_mut() {
            spans.peer = peer;
        }
    }

    pub(crate) fn note_segment(&mut self, segment: Option<SegmentId>) {
        if let Some(spans) = self.spans_mut() {
            (spans.segment, spans.call) = (segment, None);
        }
    }
}

/// What the task reads from the clock; most tasks read little.
#[derive(Debug, Default)]
pub(crate) struct ClockReadings {
    pub readings: FxHashMap<BlockId, Picoseconds>,
    pub elapsed: FxHashMap<(BlockId, BlockId), ElapsedTime>,
}

impl ClockReadings {
    /// The program subtracts a reading from a later one. A difference of readings that were not both taken tells nothing.
    pub fn tell(&mut self, from: BlockId, to: BlockId) {
        let Some(difference) = self.difference(from, to) else { return };
        let entry = self.entry(from, to);
        entry.times += 1;
        entry.total += difference;
        entry.least = entry.least.min(difference);
        entry.most = entry.most.max(difference);
    }

    /// The difference of the readings that were taken last.
    pub(crate) fn difference(&self, from: BlockId, to: BlockId) -> Option<Picoseconds> {
        Some(*self.readings.get(&to)? - *self.readings.get(&from)?)
    }

    /// So many differences, each by `step` greater than the one before; the first of them follows `last`.
    pub(crate) fn tell_series(&mut self, from: BlockId, to: BlockId, last: Picoseconds, step: Picoseconds, times: u64) {
        let n = u128::from(times);
        let total = u128::from(last.0) * n + u128::from(step.0) * (n * (n + 1) / 2);
        let entry = self.entry(from, to);
        entry.times += times;
        entry.total = Picoseconds(u64::try_from(u128::from(entry.total.0) + total).unwrap_or(u64::MAX));
        entry.least = entry.least.min(last + step);
        entry.most = entry.most.max(last + step.saturating_mul(times));
    }

    fn entry(&mut self, from: BlockId, to: BlockId) -> &mut ElapsedTime {
        self.elapsed.entry((from, to)).or_insert(ElapsedTime {
            from,
            to,
            times: 0,
            total: Picoseconds::ZERO,
            least: Picoseconds::MAX,
            most: Picoseconds::ZERO,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Ready,
    /// On shared processors, since the task's clock.
    Computing,
    /// For all of `waiting`; what is over and above idle counts as `part`.
    All(Part),
    /// For one of `waiting`.
    Any(Part),
    /// Polls in vain, without any change, until something comes that it looks for.
    Spin,
    Probe,
    /// In a blocking collective operation.
    Frame(FrameId),
    /// For a lock of a window.
    Lock,
    Ended,
    Stuck,
}
