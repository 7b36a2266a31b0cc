//! Spins: polls that are repeated without any change until something comes that they look for.
//!
//! The feed has found that no poll of a period changes its task, so that the same steps come again as long as all of
//! them fail. A period always takes the same time. The task therefore sleeps until something is there for one of its
//! polls, and goes on from the begin of the period in which that came: the whole periods before are counted as what
//! they are, and the one in which it came is replayed step by step. So the clock, the parts of the time and the
//! counts are those of the full replay. On shared processors a period takes the time that it would take alone,
//! because tasks that wait are taken to leave their processor to others.
//!
//! One-sided accesses by others may change what a task does, so they end its spin before they have an effect. Where
//! no call is made in a period, as by a loop that only looks at memory in a window, the spin ends with the first period
//! that begins when the access has arrived.

use super::Engine;
use crate::events::queue::EventKind;
use crate::ids::OpId;
use crate::matching::channel::{ANY_SOURCE, Channel};
use crate::matching::completion::completion_of;
use crate::result::Part;
use crate::task::active_spin::ActiveSpin;
use crate::task::state::Status;
use chronos_activity::{Feed, Operation, Outcome, Spin, Step, TaskId};
use chronos_base::units::Picoseconds;
use std::sync::Arc;

impl<F: Feed> Engine<'_, '_, F> {
    /// Begins to spin.
    pub fn spin(&mut self, id: TaskId, spin: Arc<Spin>) -> bool {
        let now = self.tasks[id].now;
        self.materialize_lazy_receives(id);
        self.observe_arrivals(id, now);
        let period = self.period(id, &spin.steps);
        let spinning = ActiveSpin { spin, period, accessed: None };
        let end = spinning.end(now);
        let ready = self.ready_at(id, &spinning, now);
        self.tasks[id].extras_mut().spinning = Some(spinning);
        self.block(id, Status::Spin);
        let epoch = self.tasks[id].epoch;
        let seen = self.look_at_accesses(id);
        let wakes = [ready, seen, Some(end).filter(|&end| end < Picoseconds::MAX)];
        for at in wakes.into_iter().flatten() {
            self.queue.push(at.max(now), EventKind::Task, id.0, epoch);
        }
        false
    }

    /// An access that was made to the task since it looked last: what it did then may have come before that.
    fn look_at_accesses(&mut self, id: TaskId) -> Option<Picoseconds> {
        let at = self.remote.arrived.remove(&id)?;
        let spinning = self.tasks[id].extras_mut().spinning.as_mut().filter(|spinning| spinning.only_looks())?;
        let first = spinning.accessed.map_or(at, |known| known.min(at));
        spinning.accessed = Some(first);
        Some(first)
    }

    /// An access to the memory of a task arrives there.
    pub(crate) fn note_access(&mut self, to: TaskId, at: Picoseconds) {
        let first = self.remote.arrived.entry(to).or_insert(at);
        *first = at.min(*first);
        let task = &self.tasks[to];
        if task.status == Status::Spin
            && let Some(at) = self.look_at_accesses(to)
        {
            let task = &self.tasks[to];
            self.queue.push(at.max(task.now), EventKind::Task, to.0, task.epoch);
        }
    }

    fn period(&mut self, id: TaskId, steps: &[Step]) -> Picoseconds {
        let mut period = Picoseconds::ZERO;
        for step in steps {
            period += match step {
                Step::Work(work) => self.price(id, *work),
                Step::Event(event) => self.fruitless_call(&event.operation),
                _ => Picoseconds::ZERO,
            };
        }
        period
    }

    /// A call in a period, of which no poll is successful.
    fn fruitless_call(&self, operation: &Operation) -> Picoseconds {
        if operation.is_poll() { self.costs.poll } else { self.costs.call }
    }

    /// When the first of the polls would succeed, as far as that is known now.
    fn ready_at(&mut self, id: TaskId, spinning: &ActiveSpin, now: Picoseconds) -> Option<Picoseconds> {
        let ready = spinning.polls().filter_map(|poll| self.poll_ready_at(id, poll, now)).min();
        self.tasks[id].waiting.clear();
        ready
    }

    fn poll_ready_at(&mut self, id: TaskId, poll: &Operation, now: Picoseconds) -> Option<Picoseconds> {
        match poll {
            Operation::TestAll { requests } => {
                self.gather(id, requests);
                let open = self.tasks[id].waiting.iter();
                let mut ends = open.map(|&item| Some(completion_of(&self.ops, &self.messages, item)?.at));
                ends.try_fold(Picoseconds::ZERO, |latest, at| Some(latest.max(at?)))
            }
            Operation::TestAny { requests } => {
                self.gather(id, requests);
                let open = self.tasks[id].waiting.iter();
                open.filter_map(|&item| Some(completion_of(&self.ops, &self.messages, item)?.at)).min()
            }
            &Operation::Probe { from, tag, comm, .. } => {
                let found = self.arrived_message(Channel::user(id, from, comm, tag), now)?;
                self.messages[found].arrival()
            }
            _ => None,
        }
    }

    /// Something has come, or the spin ends by itself.
    pub fn spun(&mut self, id: TaskId, time: Picoseconds) {
        let Some(spinning) = self.tasks[id].extras_mut().spinning.take() else { return };
        let now = self.tasks[id].now;
        let ready = self.ready_at(id, &spinning, time).filter(|&at| at <= time);
        let end = spinning.end(now);
        let accessed = spinning.accessed.filter(|&at| at <= time);
        let times = match ready {
            None if accessed.is_some() => spinning.periods_until(now, time),
            Some(at) => whole_periods(at.0.saturating_sub(now.0), spinning.period).min(spinning.spin.most),
            None if time >= end => spinning.spin.most,
            None => {
                self.tasks[id].extras_mut().spinning = Some(spinning);
                return;
            }
        };
        if spinning.period == Picoseconds::ZERO && (ready.is_some() || spinning.only_looks()) {
            let left = Picoseconds(ready.unwrap_or(time).0.saturating_sub(now.0));
            self.note_wait_for_nobody(id, left);
            self.tasks[id].wait_idle(left, Part::Recv);
        }
        self.end_spin(id, &spinning, times);
    }

    /// Another task is about to access the memory of one that spins, which may change what that does: it goes on step by step from
    /// the begin of the period that it is in by then. Whether it has to come first.
    #[inline]
    pub(crate) fn rouse(&mut self, by: TaskId, operation: &Operation) -> bool {
        match *operation {
            Operation::Access { to, .. } => self.rouse_spinning(by, to),
            _ => false,
        }
    }

    fn rouse_spinning(&mut self, by: TaskId, id: TaskId) -> bool {
        let time = self.tasks[by].now;
        if self.tasks[id].status != Status::Spin {
            return false;
        }
        let Some(spinning) = self.tasks[id].extras_mut().spinning.take_if(|spinning| !spinning.only_looks()) else {
            return false;
        };
        let now = self.tasks[id].now;
        let until = self.ready_at(id, &spinning, time).map_or(time, |ready| ready.min(time));
        let left = Picoseconds(until.0.saturating_sub(now.0));
        let times = whole_periods(left.0, spinning.period).min(spinning.spin.most);
        let takes_time = spinning.period > Picoseconds::ZERO;
        if !takes_time {
            self.note_wait_for_nobody(id, left);
            self.tasks[id].wait_idle(left, Part::Recv);
        }
        self.end_spin(id, &spinning, times);
        // Polls that take no time would come first for ever.
        takes_time
    }

    /// So many whole periods went by; what comes is replayed step by step.
    fn end_spin(&mut self, id: TaskId, spinning: &ActiveSpin, times: u64) {
        self.pass_periods(id, &spinning.spin.steps, times);
        self.block(id, Status::Ready);
        self.report(id, Outcome::Spun { times });
        self.schedule(id);
    }

    /// Counts what the steps did so many times.
    fn pass_periods(&mut self, id: TaskId, steps: &[Step], times: u64) {
        self.tasks[id].count_segments(steps, times);
        for step in steps.iter().filter(|_| times > 0) {
            match step {
                Step::Work(work) => {
                    let time = self.price(id, *work).saturating_mul(times);
                    self.tasks[id].pass(Part::Compute, time);
                }
                Step::Event(event) => self.pass_calls(id, event, times),
                _ => {}
            }
        }
        self.steps += times.saturating_mul(steps.len() as u64);
    }

    fn pass_calls(&mut self, id: TaskId, event: &chronos_activity::Event, times: u64) {
        let part = match &event.operation {
            Operation::TestAll { requests } | Operation::TestAny { requests } => self.gather(id, requests),
            Operation::Probe { .. } => Part::Recv,
            _ => Part::Compute,
        };
        let time = self.fruitless_call(&event.operation).saturating_mul(times);
        let task = &mut self.tasks[id];
        task.waiting.clear();
        task.site = crate::memory::call_site::CallSite::of(event.site.as_ref());
        task.pass(part, time);
        if let Some(site) = event.site {
            let entry = self.sites.entry(&mut task.sites, id.0, site);
            entry.calls += times;
            entry.time += time;
        }
    }

    /// The operations that a spinning task polls, where it is one alone.
    pub(crate) fn sole_poll(&self, id: TaskId) -> Option<&Operation> {
        let task = &self.tasks[id];
        let spinning = task.extras().filter(|_| task.status == Status::Spin)?.spinning.as_ref()?;
        let mut polls = spinning.polls();
        polls.next().filter(|first| polls.all(|other| other == *first))
    }

    /// A spinning task polls by loads of memory alone.
    pub(crate) fn only_looks(&self, id: TaskId) -> bool {
        let spinning = self.tasks[id].extras().and_then(|extras| extras.spinning.as_ref());
        spinning.is_some_and(ActiveSpin::only_looks)
    }

    /// Whom a spinning task waits for, where it is one task.
    pub(crate) fn polled_task(&self, id: TaskId) -> Option<TaskId> {
        match self.sole_poll(id)? {
            Operation::Probe { from, .. } => *from,
            Operation::TestAll { requests } => self.open_requests(id, requests).find_map(|op| self.partner(op)),
            Operation::TestAny { requests } => {
                let mut partners = self.open_requests(id, requests).map(|op| self.partner(op));
                let first = partners.next()??;
                partners.all(|partner| partner == Some(first)).then_some(first)
            }
            _ => None,
        }
        .filter(|&from| from != ANY_SOURCE)
    }

    /// Those of a task's requests that are not complete.
    pub(crate) fn open_requests<'r>(
        &'r self,
        id: TaskId,
        requests: &'r [chronos_activity::RequestId],
    ) -> impl Iterator<Item = OpId> + 'r {
        let open = self.tasks[id].waiting.requests();
        let items = requests.iter().filter_map(move |&request| open?.get(request).map(OpId));
        items.filter(|&op| self.ops[op].completion().is_none())
    }
}

/// Periods that are over before something comes.
fn whole_periods(until: u64, period: Picoseconds) -> u64 {
    until.saturating_sub(1).checked_div(period.0).unwrap_or(0)
}
