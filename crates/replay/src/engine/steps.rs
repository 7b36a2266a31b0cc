//! The steps of a task: from the feed, or from the repeats that it is in.

use super::{Engine, PollsInVain, Runnable};
use crate::events::queue::EventKind;
use crate::result::Finish;
use crate::task::packed_steps::{NextStep, PACKING_TASKS, RepeatCursor};
use crate::task::repeats::RepeatStack;
use crate::task::state::Status;
use chronos_activity::{Event, Feed, FeedItem, Operation, Outcome, Repeat, Step, TaskId, Work};
use chronos_base::governor;
use chronos_base::units::Picoseconds;
use std::sync::Arc;

/// Steps that a task goes ahead of others at most, so that no sender fills the memory with messages.
const BURST: u32 = 1 << 8;

/// Steps after which the limits of the command are looked at.
const LOOK: u64 = 1 << 10;

impl<F: Feed> Engine<'_, '_, F> {
    /// Continues a task at its own clock.
    #[inline]
    pub fn schedule(&mut self, id: TaskId) {
        self.ready.push(Runnable::Task(id));
    }

    /// Lets a task wait for its turn.
    fn defer(&mut self, id: TaskId) {
        let task = &self.tasks[id];
        self.queue.push(task.now, EventKind::Task, id.0, task.epoch);
    }

    /// Whether something else may happen before this time.
    pub(crate) fn is_preceded(&self, time: Picoseconds, kind: EventKind, task: TaskId) -> bool {
        !self.ready.is_empty() || self.queue.precedes(time, kind, task.0)
    }

    /// Runs a task until it waits, or must wait for its turn.
    pub(crate) fn proceed(&mut self, id: TaskId) {
        let mut cursors = self.cursors.get_mut(id).map(std::mem::take).unwrap_or_default();
        // Ahead of the others as long as the order cannot matter: no event for each step.
        let is_alone = self.tasks.len() == 1;
        let mut more = true;
        for _ in 0..BURST {
            more = !self.stopped && self.step(id, &mut cursors);
            // A task that is alone waits for nobody: it stops where its iterations are to be compared.
            if !more || is_alone && self.steady.is_due() {
                break;
            }
        }
        self.keep_cursors(id, cursors);
        if more {
            self.defer(id);
        }
    }

    fn keep_cursors(&mut self, id: TaskId, cursors: RepeatStack) {
        if self.cursors.is_empty() {
            if cursors.is_empty() {
                return;
            }
            self.cursors = self.tasks.values().map(|_| RepeatStack::default()).collect();
        }
        self.cursors[id] = cursors;
    }

    /// One step; whether the task can go on at once.
    fn step(&mut self, id: TaskId, cursors: &mut RepeatStack) -> bool {
        let task = &mut self.tasks[id];
        if std::mem::take(&mut task.holds)
            && let Some(event) = task.extras_mut().held.take()
        {
            return match self.rouse(id, &event.operation) {
                true => self.hold(id, event),
                false => self.call(id, &event),
            };
        }
        self.steps += 1;
        if self.steps >= self.next_look && !self.keeps_limits(id) {
            return false;
        }
        while let Some(cursor) = cursors.innermost_mut() {
            if !cursor.advance() {
                self.end_iteration(id, cursors);
                continue;
            }
            let cursor = &*cursor;
            // Where it is, because it was just made.
            match cursor.current() {
                NextStep::Work(work) => {
                    let time = self.price(id, work);
                    return self.compute(id, time);
                }
                NextStep::Event(ref event) => return self.take_turn(id, event, || original(cursor, event)),
                NextStep::Long(Step::Event(event)) => return self.take_turn(id, event, || Arc::clone(event)),
                NextStep::Long(step) => {
                    let step = step.clone();
                    return self.other_step(id, step, cursors);
                }
            }
        }
        let outcome = self.tasks[id].take_outcome();
        self.steady.fed += 1;
        let given = self.feed.next_event(id, outcome);
        // Where it is, because it was just made.
        if let FeedItem::Event(event) = &given {
            return self.take_turn(id, event, || Arc::new(event.clone()));
        }
        let FeedItem::Step(step) = given else { return true };
        match step {
            Step::Work(work) => {
                let time = self.work(id, work, 1);
                self.compute(id, time)
            }
            Step::Event(event) => self.take_turn(id, &event, || Arc::clone(&event)),
            Step::Repeat(repeat) => self.enter(id, repeat, cursors),
            Step::Spin(spin) => self.spin(id, spin),
            Step::LoopEnter | Step::LoopIteration | Step::LoopExit => true,
            Step::End => self.end(id, Status::Ended),
            Step::Stuck => self.end(id, Status::Stuck),
        }
    }

    /// Looks whether the limits of the command are kept, which every step would pay for.
    #[cold]
    fn keeps_limits(&mut self, id: TaskId) -> bool {
        if self.steps > self.options.step_limit {
            return self.give_up();
        }
        self.next_look = next_look(self.steps, self.options.step_limit);
        governor::replayed(LOOK);
        self.bound_waiting();
        if let Some(resource) = governor::exceeded() {
            return self.stop_at(resource);
        }
        if self.tasks[id].now == Picoseconds(u64::MAX) {
            self.end_of_time();
        }
        !self.stopped
    }

    /// A step of a repeat that is no event.
    fn other_step(&mut self, id: TaskId, step: Step, cursors: &mut RepeatStack) -> bool {
        match step {
            Step::Work(work) => {
                let time = self.price(id, work);
                self.compute(id, time)
            }
            Step::Repeat(repeat) => self.enter(id, repeat, cursors),
            _ => true,
        }
    }

    fn end_iteration(&mut self, id: TaskId, cursors: &mut RepeatStack) {
        if cursors.innermost_mut().is_some_and(RepeatCursor::iterate) {
            self.steady.iterated(id, self.tasks[id].now);
        } else {
            self.leave(id, cursors);
        }
    }

    /// Performs an event, now or when it is its turn. `original` gives it to keep.
    #[inline]
    fn take_turn(&mut self, id: TaskId, event: &Event, original: impl FnOnce() -> Arc<Event>) -> bool {
        let waits = self.needs_order(id, &event.operation) && self.is_preceded(self.tasks[id].now, EventKind::Task, id);
        let accesses = matches!(event.operation, Operation::Access { .. });
        if waits || accesses && self.rouse(id, &event.operation) {
            return self.hold(id, original());
        }
        self.call(id, event)
    }

    /// The event is performed when others have come as far; the task cannot go on.
    fn hold(&mut self, id: TaskId, event: Arc<Event>) -> bool {
        let task = &mut self.tasks[id];
        (task.extras_mut().held, task.holds) = (Some(event), true);
        self.defer(id);
        false
    }

    /// Whether what the call does depends on what others did before it in simulated time.
    #[inline]
    fn needs_order(&self, id: TaskId, operation: &Operation) -> bool {
        match operation {
            // A send takes its port: who else uses it may be first.
            Operation::Send { .. } => self.shares_port(id, self.tasks[id].now),
            Operation::Recv { from: Some(_), tag: Some(_), .. } => self.tasks[id].matching_queues.observes_arrivals,
            Operation::Recv { .. }
            | Operation::WaitAny { .. }
            | Operation::TestAll { .. }
            | Operation::TestAny { .. }
            | Operation::Cancel { .. }
            | Operation::Probe { .. }
            | Operation::Access { .. }
            | Operation::Lock { .. }
            | Operation::Unlock { .. }
            | Operation::Storage { .. }
            | Operation::Abort { .. } => true,
            Operation::WaitAll { .. }
            | Operation::Collective(_)
            | Operation::ReadClock { .. }
            | Operation::Elapsed { .. }
            | Operation::Start
            | Operation::Local { .. } => false,
        }
    }

    /// Computing alone is multiplied instead of repeated.
    fn enter(&mut self, id: TaskId, repeat: Arc<Repeat>, cursors: &mut RepeatStack) -> bool {
        if repeat.times == 0 || repeat.steps.is_empty() {
            return true;
        }
        if repeat.steps.iter().all(|step| matches!(step, Step::Work(_))) {
            let mut time = Picoseconds::ZERO;
            for step in &repeat.steps {
                if let Step::Work(work) = step {
                    let one = self.work(id, *work, repeat.times);
                    match self.shares_processors(id) {
                        true => time += one,
                        false => _ = self.compute(id, one),
                    }
                }
            }
            return self.compute(id, time);
        }
        if self.look_again(id, &repeat) {
            return true;
        }
        let far = self.tasks.len() >= PACKING_TASKS;
        let Some(cursor) = RepeatCursor::new(repeat, far) else { return true };
        if cursors.is_empty() {
            self.steady.entered(id);
        }
        cursors.push(cursor);
        self.tasks[id].repeats = true;
        true
    }

    /// A repeat is over; what was computed in it is counted at once.
    fn leave(&mut self, id: TaskId, cursors: &mut RepeatStack) {
        let task = &mut self.tasks[id];
        if let Some(cursor) = cursors.pop() {
            task.count_segments(&cursor.repeat().steps, cursor.repeat().times);
        }
        task.repeats = !cursors.is_empty();
    }

    /// What it takes, and that it was done.
    fn work(&mut self, id: TaskId, work: Work, times: u64) -> Picoseconds {
        let price = self.price(id, work).saturating_mul(times);
        self.tasks[id].count_segments(&[Step::Work(work)], times);
        price
    }

    /// What it takes once.
    pub fn price(&mut self, id: TaskId, work: Work) -> Picoseconds {
        let price = (self.options.pricing)(id, work, self.feed.segments());
        let task = &mut self.tasks[id];
        task.note_segment(if let Work::Segment(segment) = work { Some(segment) } else { None });
        price
    }

    fn end(&mut self, id: TaskId, status: Status) -> bool {
        self.polls_in_vain = PollsInVain::default();
        let task = &mut self.tasks[id];
        task.status = status;
        task.epoch += 1;
        self.steady.ended(id);
        false
    }

    /// Hands the outcome to the feed, unless it does not look at it.
    pub fn report(&mut self, id: TaskId, outcome: Outcome) {
        if self.reports_outcome(id) {
            self.tasks[id].extras_mut().outcome = outcome;
        }
    }

    /// Outcomes of calls inside a repeat are not reported to the feed.
    pub(crate) fn reports_outcome(&self, id: TaskId) -> bool {
        !self.tasks[id].repeats && self.feed.wants_outcome(id)
    }

    pub(crate) fn finish_of(&self, id: TaskId) -> Finish {
        match self.tasks[id].status {
            Status::Ended => Finish::Ended,
            Status::Stuck => Finish::Stuck,
            _ if self.abort.is_some() => Finish::Aborted,
            _ => Finish::Blocked,
        }
    }
}

/// The number of steps at which the limits are looked at next.
pub(crate) fn next_look(steps: u64, limit: u64) -> u64 {
    steps.saturating_add(LOOK).min(limit.saturating_add(1))
}

/// The event that a step was copied from.
fn original(cursor: &RepeatCursor, copy: &Event) -> Arc<Event> {
    match cursor.latest() {
        Some(Step::Event(event)) => Arc::clone(event),
        _ => Arc::new(copy.clone()),
    }
}
