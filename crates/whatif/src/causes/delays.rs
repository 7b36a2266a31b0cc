//! From waits to delays: which part of whose time made others wait (Böhme, Geimer, Wolf, Arnold: Identifying the root
//! causes of wait states in large-scale parallel applications, ICPP 2010; with formal proofs: Scalasca's delay analysis).
//!
//! A task waits for another one because that one spent more time, since both met last, on its way to their next meeting.
//! So the idle time is divided among what the late task did longer than the waiting one, each part by its surplus. Where
//! the late task was itself idle for longer, that part is passed on to whatever made it wait; waits are therefore dealt
//! with from the last to the first, each with its own idle time and what later ones passed on to it.

use super::meetings::Meetings;
use chronos_activity::{SegmentId, TaskId};
use chronos_base::hash::FxHashMap;
use chronos_base::ids::Id as _;
use chronos_base::units::Picoseconds;
use chronos_ir::{BlockId, FuncId};
use chronos_replay::{Doing, Late, Stretch, Wait, WaitingLog};
use std::collections::BTreeMap;

/// What a task spends its time on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// A function computes that was called at a block; `None`: `main`.
    Function(FuncId, Option<BlockId>),
    /// It is in an MPI call and not idle.
    Call(BlockId),
    /// It computes something of which nothing but the duration is known.
    Duration,
    /// The message by which two tasks met last came to it later than it left the other one.
    Message,
    /// It could compute, and others had the processor.
    Ready,
    /// Of a wait for no task: the call.
    NoTask(Option<BlockId>),
}

/// Picoseconds of idle time that a part of a task's time caused: directly, and passed on.
pub type Caused = BTreeMap<(Part, TaskId), (f64, f64)>;

/// How the time of a segment is divided among functions, as shares of 1.
pub type Shares<'s> = dyn FnMut(TaskId, SegmentId) -> Vec<(Part, f64)> + 's;

/// Charges all idle time of a log to its causes.
pub fn delays(log: &WaitingLog, shares: &mut Shares<'_>) -> Caused {
    let mut of_task = vec![Vec::new(); log.histories.len()];
    for (number, wait) in log.waits.iter().enumerate() {
        of_task[wait.task.index()].push(number);
    }
    let passed_on = vec![0.0; log.waits.len()];
    let meetings = Meetings::new(log);
    let mut delays =
        Delays { log, meetings, of_task, passed_on, shares, known: FxHashMap::default(), caused: Caused::new() };
    (0..log.waits.len()).rev().for_each(|number| delays.charge(number));
    delays.caused
}

struct Delays<'l, 's> {
    log: &'l WaitingLog,
    meetings: Meetings<'l>,
    /// Waits of each task, in order.
    of_task: Vec<Vec<usize>>,
    /// By wait: idle time of later waits that is due to it.
    passed_on: Vec<f64>,
    shares: &'l mut Shares<'s>,
    known: FxHashMap<(TaskId, SegmentId), Vec<(Part, f64)>>,
    caused: Caused,
}

/// Idle time that a wait stands for, in picoseconds.
#[derive(Clone, Copy)]
struct Weight {
    own: f64,
    /// Of waits that this one made later.
    passed_on: f64,
}

impl Delays<'_, '_> {
    fn charge(&mut self, number: usize) {
        let wait = self.log.waits[number];
        let weight = Weight { own: length(wait.begin, wait.end), passed_on: self.passed_on[number] };
        let Some(late) = wait.late else {
            return self.add(Part::NoTask(wait.site.map(|site| site.block)), wait.task, weight, 1.0);
        };
        let (own_since, late_since) = self.meetings.last(&wait, late);
        let surplus = self.surplus(&wait, own_since, late, late_since);
        let idle = self.idle(late.task, late_since, late.came, number);
        let idle_surplus = (idle - self.idle(wait.task, own_since, wait.begin, number)).max(0.0);
        // As long as the wait at least, because both came to their calls by what they did since they met.
        let whole = surplus.values().sum::<f64>() + idle_surplus;
        debug_assert!(whole * (1.0 + 1e-9) >= weight.own, "{whole} of {wait:?}");
        for (part, time) in surplus {
            self.add(part, late.task, weight, time / whole);
        }
        self.pass_on((weight.own + weight.passed_on) * idle_surplus / whole / idle, late, late_since, number);
    }

    fn add(&mut self, part: Part, task: TaskId, weight: Weight, share: f64) {
        let caused = self.caused.entry((part, task)).or_default();
        *caused = (caused.0 + weight.own * share, caused.1 + weight.passed_on * share);
    }

    /// What the late task did for longer than the one that waits, since they met.
    fn surplus(
        &mut self,
        wait: &Wait,
        own_since: Picoseconds,
        late: Late,
        late_since: Picoseconds,
    ) -> BTreeMap<Part, f64> {
        let own = self.spent(wait.task, own_since, wait.begin);
        let mut surplus = self.spent(late.task, late_since, late.came);
        for (part, time) in &mut surplus {
            *time -= own.get(part).copied().unwrap_or(0.0);
        }
        surplus.insert(Part::Message, length(own_since, late_since));
        surplus.retain(|_, time| *time > 0.0);
        surplus
    }

    /// What a task did between two times, without being idle.
    fn spent(&mut self, task: TaskId, from: Picoseconds, to: Picoseconds) -> BTreeMap<Part, f64> {
        let history = &self.log.histories[task.index()];
        let first = history.partition_point(|stretch| stretch.end <= from);
        let mut parts = BTreeMap::new();
        for stretch in history[first..].iter().take_while(|stretch| stretch.begin < to) {
            let time = length(stretch.begin.max(from), stretch.end.min(to));
            self.divide(task, stretch, time, &mut parts);
        }
        parts
    }

    fn divide(&mut self, task: TaskId, stretch: &Stretch, time: f64, parts: &mut BTreeMap<Part, f64>) {
        let mut add = |part, time| *parts.entry(part).or_default() += time;
        match stretch.doing {
            Doing::Call(site) => add(Part::Call(site.block), time),
            Doing::Unknown => add(Part::Duration, time),
            Doing::Ready => add(Part::Ready, time),
            Doing::Segment(id) => {
                let shares = self.known.entry((task, id)).or_insert_with(|| (self.shares)(task, id));
                shares.iter().for_each(|&(part, share)| add(part, time * share));
            }
        }
    }

    /// Waits of a task between two times that may have caused a wait, and how much of them lies there.
    fn waits(&self, task: TaskId, from: Picoseconds, to: Picoseconds, before: usize) -> Vec<(usize, f64)> {
        let own = &self.of_task[task.index()];
        let first = own.partition_point(|&number| self.log.waits[number].end <= from);
        let waits = own[first..].iter().map(|&number| (number, &self.log.waits[number]));
        let inside = waits.take_while(|(_, wait)| wait.begin < to).filter(|(number, _)| *number < before);
        inside.map(|(number, wait)| (number, length(wait.begin.max(from), wait.end.min(to)))).collect()
    }

    fn idle(&self, task: TaskId, from: Picoseconds, to: Picoseconds, before: usize) -> f64 {
        self.waits(task, from, to, before).iter().map(|wait| wait.1).sum()
    }

    /// To the waits of the late task since both met, each by its length.
    fn pass_on(&mut self, weight_of_idle: f64, late: Late, since: Picoseconds, before: usize) {
        for (number, length) in self.waits(late.task, since, late.came, before) {
            self.passed_on[number] += weight_of_idle * length;
        }
    }
}

/// In picoseconds; 0 where the end is before the begin.
fn length(begin: Picoseconds, end: Picoseconds) -> f64 {
    end.0.saturating_sub(begin.0) as f64
}

#[cfg(test)]
mod tests;
