//! Folding of loops that hold MPI calls: equal iterations become a repeat.

use crate::code::instructions::{FoldShape, LoopCode, Src};
use crate::execute::machine::{Flow, Machine};
use crate::execute::remembered_calls::LEARNING;
use crate::state::by_rank::ByRank;
use crate::state::location::Location;
use crate::state::log::LogEntry;
use crate::state::remembered::folds::{Changed, Fold, Iteration};
use crate::state::task::LoopMode;
use chronos_activity::{Event, Operation, Repeat, Step, TaskId};
use chronos_mpi_calls::Performed;
use chronos_values::arith::wrap;
use chronos_values::{ReasonKind, Value};
use std::sync::Arc;

/// Steps of an iteration that are compared.
const LONGEST: usize = 4096;
/// Iterations of a period that the counter may have.
const LONGEST_PERIOD: u64 = 1000;
/// Multiples of that period that are tried.
const MULTIPLES: usize = 4;
/// The same where iterations poll: many do nothing else between two that do.
const MULTIPLES_OF_POLLS: usize = 64;
/// Iterations until a comparison turns for which it is worth to repeat: a longer period may repeat the turn as well.
const LEAST_REPEATED: u64 = 4 * MULTIPLES as u64;
/// The same where iterations poll: nearly the longest period.
pub(crate) const LEAST_POLLED: u64 = MULTIPLES_OF_POLLS as u64 - 4;
/// Steps of all iterations that are remembered.
const LONGEST_HISTORY: usize = 1 << 17;

/// What a period of a loop did, and how often it happens again.
struct FoldedSteps {
    steps: Vec<Step>,
    times: u64,
    /// Iterations of a period.
    iterations: u64,
}

impl Fold {
    /// Nothing is known of earlier iterations.
    pub fn forget(&mut self) {
        self.history.clear();
        self.runs.clear();
        self.held = 0;
        self.tried = 0;
    }

    pub fn see(&mut self, step: &Step) {
        if self.off || matches!(step, Step::LoopEnter | Step::LoopIteration | Step::LoopExit) {
            return;
        }
        if self.current.len() >= LONGEST {
            self.off = true;
            return;
        }
        match step {
            Step::Event(event) => {
                self.disturbed |= depends_on_arrival(&event.operation);
                self.polls += u64::from(event.operation.is_poll());
            }
            Step::Spin(_) => self.disturbed = true,
            _ => {}
        }
        self.current.push(step.clone());
    }

    /// Multiples of the base period for which the last two periods have the same steps.
    fn find_periods(&mut self, base: usize, multiples: usize, mut by_rank: Option<&mut ByRank>) -> Vec<usize> {
        let Some(newest) = self.history.back() else { return Vec::new() };
        let known = self.history.len();
        self.runs.resize(multiples, 0);
        for (run, period) in self.runs.iter_mut().zip((1..).map(|n| n * base)) {
            let earlier = known.checked_sub(period + 1).and_then(|i| self.history.get(i));
            let same = earlier.is_some_and(|earlier| {
                !newest.steps.is_empty() && are_same(&earlier.steps, &newest.steps, by_rank.as_deref_mut())
            });
            *run = if same { *run + 1 } else { 0 };
        }
        (1..).zip(&self.runs).filter(|&(n, &run)| run >= n * base).map(|(n, _)| n * base).collect()
    }
}

/// Whether the steps are the same; for a task that stands for others, what that depends on is the same for all of them.
fn are_same(earlier: &[Step], newest: &[Step], by_rank: Option<&mut ByRank>) -> bool {
    match by_rank {
        None => earlier == newest,
        Some(by_rank) => {
            earlier.len() == newest.len() && earlier.iter().zip(newest).all(|(a, b)| is_same(a, b, by_rank))
        }
    }
}

fn is_same(a: &Step, b: &Step, by_rank: &mut ByRank) -> bool {
    match (a, b) {
        _ if a == b => true,
        (Step::Repeat(a), Step::Repeat(b)) => a.times == b.times && are_same(&a.steps, &b.steps, Some(by_rank)),
        (Step::Event(a), Step::Event(b)) => {
            if let (Some(one), Some(other)) = (partner(&a.operation), partner(&b.operation))
                && **b == with_partner(a, other)
            {
                by_rank.fix_equal(one, other);
            }
            false
        }
        _ => false,
    }
}

fn with_partner(event: &Event, partner: TaskId) -> Event {
    let mut event = event.clone();
    match &mut event.operation {
        Operation::Send { to, .. } => *to = partner,
        Operation::Recv { from, .. } => *from = Some(partner),
        _ => {}
    }
    event
}

/// Whom a message goes to or comes from.
fn partner(operation: &Operation) -> Option<TaskId> {
    match *operation {
        Operation::Send { to, .. } => Some(to),
        Operation::Recv { from, .. } => from,
        _ => None,
    }
}

fn is_poll(step: &Step) -> bool {
    matches!(step, Step::Event(event) if event.operation.is_poll())
}

/// The outcome may differ from one execution to the next.
fn depends_on_arrival(operation: &Operation) -> bool {
    match operation {
        Operation::Recv { from, .. } => from.is_none(),
        Operation::WaitAny { .. } | Operation::Probe { blocking: true, .. } => true,
        _ => false,
    }
}

/// Adds what others see of `times` executions of some steps.
fn performed(steps: &[Step], times: u64, period: &mut Performed) {
    for step in steps {
        match step {
            Step::Event(event) => match &event.operation {
                Operation::Send { .. } => period.sends = period.sends.saturating_add(times),
                Operation::Collective(collective) => {
                    let number = period.collectives.entry(collective.comm).or_default();
                    *number = number.saturating_add(times);
                }
                _ => {}
            },
            Step::Repeat(inner) => performed(&inner.steps, times.saturating_mul(inner.times), period),
            _ => {}
        }
    }
}

/// The base period: the behaviour of the body repeats with it as far as it depends on the counter.
fn lcm(a: u64, b: u64) -> Option<u64> {
    (a / num_integer::gcd(a, b).max(1)).checked_mul(b)
}

impl<'a> Machine<'a> {
    /// At the begin of an iteration: emits many of the remaining ones at once where that is safe. True where it
    /// emitted all.
    ///
    /// It is safe when, a period ago, the relevant state was what it is now and the steps since then equal those of the
    /// period before: the evaluation is deterministic, so only the counter can make a difference. The body
    /// reads the counter modulo divisors of the period, or in blocks that no iteration of the period executed,
    /// so it makes none.
    pub fn fold(&mut self, code: &'a LoopCode) -> Flow<bool> {
        let at = self.task.loops.len() - 1;
        self.look_for_spin(code, at);
        self.look_for_passing_time(code, at);
        let state = &self.task.loops[at];
        if state.mode != LoopMode::Normal || state.fold.as_ref().is_none_or(|fold| fold.off) {
            return Ok(false);
        }
        self.flush();
        let mut watched = self.end_watch(at);
        if self.pass_time(code, at, &mut watched) {
            self.begin_watch(at);
            return Ok(false);
        }
        let was_watched = watched.is_some();
        let Some(base) = code.fold.as_ref().map_or(Some(1), |shape| self.base_period(shape)) else {
            self.stop_folding(at);
            return Ok(false);
        };
        let periods = self.remember(at, watched, base);
        self.check_by_rank(code, at, &periods);
        if self.has_trial(at) {
            self.go_on_with_trial(code, at, base)?;
        } else if let Some(&period) = periods.first() {
            if self.has_polled(code, at, period) {
                self.begin_spin(code, at, base, &periods)?;
            } else if let Some(shape) = &code.fold {
                let harmless = || self.harmless(code, at, period);
                if self.wraps_around(shape) && harmless().is_some_and(|changed| changed.turn.is_none()) {
                    return Err(self.endless_counter(code));
                }
                if self.fold_by_one(code, shape, at, base, &periods) == Some(true) {
                    return Ok(true);
                }
            }
        }
        if was_watched && self.task.loops[at].fold.as_ref().is_some_and(|fold| fold.history.is_empty()) {
            self.lose_patience(code, at);
        }
        self.begin_watch(at);
        Ok(false)
    }

    /// An operand that decides about repeating.
    pub(super) fn value_to_fold(&self, src: Src) -> Value {
        self.see_by_rank(src);
        self.value(src)
    }

    /// For a task that stands for others, what repeats for it repeats for all of them.
    fn check_by_rank(&mut self, code: &LoopCode, at: usize, periods: &[usize]) {
        let Some(by_rank) = &self.task.by_rank else { return };
        let Some(fold) = &self.task.loops[at].fold else { return };
        for &period in periods {
            let then = fold.history.len().checked_sub(period + 1).and_then(|i| fold.history.get(i));
            let then = then.map_or(0, |iteration| iteration.ended);
            let matters = |place: Location| {
                let is_counter = code.fold.as_ref().is_some_and(|shape| self.is_counter(place, shape));
                self.exists(place) && (is_counter || self.is_relevant_place(place))
            };
            let changes = self.period(at, period).into_iter().flat_map(|last| last.changes().collect::<Vec<_>>());
            for (place, _) in changes {
                if !by_rank.is_as_at(place, then) && matters(place) {
                    by_rank.refuse("a loop changes what depends on the rank");
                }
            }
        }
    }

    fn stop_folding(&mut self, at: usize) {
        if let Some(fold) = &mut self.task.loops[at].fold {
            fold.off = true;
            fold.history.clear();
            fold.current.clear();
        }
    }

    /// Iterations after which all uses of the counter modulo something repeat, but for those with a large divisor that are only
    /// compared: their results seldom change.
    pub(crate) fn base_period(&self, shape: &FoldShape) -> Option<u64> {
        let mut period = 1u64;
        for modulus in &shape.moduli {
            let Value::Int(divisor) = self.value_to_fold(modulus.divisor) else { return None };
            let divisor = u64::try_from(divisor).ok().filter(|&n| n > 0)?;
            match lcm(period, divisor).filter(|&longer| longer <= LONGEST_PERIOD) {
                Some(longer) => period = longer,
                None if modulus.comparisons.is_some() => {}
                None => return None,
            }
        }
        Some(period)
    }

    /// Enters the iteration that ended into the history; gives periods after which everything seems to repeat.
    fn remember(&mut self, at: usize, watched: Option<Vec<LogEntry>>, base: u64) -> Vec<usize> {
        let epoch = self.task.epoch;
        let changes = watched.and_then(|log| self.changes(log));
        let all_failed = self.end_polls(at);
        let missed = self.known.predictor.missed();
        let Some(fold) = self.task.loops[at].fold.as_mut() else { return Vec::new() };
        let steps = std::mem::take(&mut fold.current);
        fold.disturbed |= !all_failed;
        let calm = !std::mem::take(&mut fold.disturbed) && std::mem::replace(&mut fold.epoch, epoch) == epoch;
        let (Some(changes), true) = (changes, calm) else {
            fold.forget();
            return Vec::new();
        };
        let multiples = if steps.iter().any(is_poll) { MULTIPLES_OF_POLLS } else { MULTIPLES };
        fold.held += steps.len();
        let by_rank = self.task.by_rank.as_deref_mut();
        let ended = by_rank.as_ref().map_or(0, |by_rank| by_rank.now());
        fold.history.push_back(Iteration { steps, changes, ended, missed });
        let base = base as usize;
        let (least, most) = (2 * MULTIPLES * base, 2 * multiples * base);
        while fold.history.len() > most || (fold.held > LONGEST_HISTORY && fold.history.len() > least) {
            fold.held -= fold.history.pop_front().map_or(0, |iteration| iteration.steps.len());
        }
        if fold.held > LONGEST_HISTORY {
            fold.off = true;
            fold.history.clear();
            return Vec::new();
        }
        fold.find_periods(base, multiples, by_rank)
    }

    /// Begins to repeat one of the periods: true where nothing remains, `None` where that is safe for none.
    fn fold_by_one(
        &mut self,
        code: &LoopCode,
        shape: &FoldShape,
        at: usize,
        base: u64,
        periods: &[usize],
    ) -> Option<bool> {
        let found = periods.iter().find_map(|&period| self.fold_by(code, shape, at, period));
        if found.is_none() {
            self.await_repetition(at, base, periods);
        }
        found
    }

    /// None of the periods repeats the state as yet: they are looked at again when they were repeated once more. A longer
    /// one may repeat it, where buffers change their parts say, or a comparison that turns.
    pub(crate) fn await_repetition(&mut self, at: usize, base: u64, periods: &[usize]) {
        let Some(fold) = &mut self.task.loops[at].fold else { return };
        for &period in periods {
            if let Some(run) = fold.runs.get_mut(period / base as usize - 1) {
                *run = 0;
            }
        }
    }

    /// Whether branches were mispredicted in the last period: of what repeats, nothing is seen that would teach their
    /// predictor, so it is followed some time longer.
    fn is_learning(&mut self, at: usize, period: usize) -> bool {
        let spent = self.task.spent;
        let Some(fold) = &mut self.task.loops[at].fold else { return false };
        let begun = *fold.spent.get_or_insert(spent);
        let missed =
            |ago: usize| fold.history.len().checked_sub(ago).and_then(|i| fold.history.get(i)).map(|it| it.missed);
        self.shared.tells_predictions_at_end() && missed(1) != missed(period + 1) && spent - begun < LEARNING
    }

    /// Begins to repeat: true where nothing remains, `None` where it is not safe.
    fn fold_by(&mut self, code: &LoopCode, shape: &FoldShape, at: usize, period: usize) -> Option<bool> {
        let changed = self.harmless(code, at, period).filter(|changed| changed.turn() >= LEAST_REPEATED)?;
        let total = self.remaining(shape)?;
        let times = total.min(changed.room()) / period as u64;
        if times == 0 || !self.moduli_agree(shape, total) || self.is_learning(at, period) {
            return None;
        }
        let fold = self.task.loops[at].fold.as_mut()?;
        let first = fold.history.len() - period;
        let steps = fold.history.drain(first..).flat_map(|iteration| iteration.steps).collect();
        let done = times * period as u64 == total;
        fold.forget();
        // Unless a comparison turns, what remains is less than a period.
        fold.off = changed.room() >= total;
        let moved = i64::try_from(times * period as u64).ok()?.checked_mul(shape.step)?;
        let last = self.value(shape.counter).as_int()?.checked_add(moved)?;
        self.task.loops[at].iterations += times * period as u64 - u64::from(done);
        let period = FoldedSteps { steps, times, iterations: period as u64 };
        self.repeat(code, period, shape, last, &changed);
        if done {
            self.set_pc(code.exit);
        }
        Some(done)
    }

    /// The remainders of the counter repeat all the way: nothing wraps around or changes its sign.
    pub(crate) fn moduli_agree(&self, shape: &FoldShape, total: u64) -> bool {
        let Value::Int(now) = self.value(shape.counter) else { return false };
        let end = i128::from(now) + i128::from(total) * i128::from(shape.step);
        shape.moduli.iter().all(|modulus| {
            [i128::from(now), end].into_iter().all(|n| {
                let n = n + i128::from(modulus.addend);
                let fits = i64::try_from(n).is_ok_and(|n| wrap(n, modulus.ty) == n);
                fits && n >= 0
            })
        })
    }

    fn repeat(&mut self, code: &LoopCode, period: FoldedSteps, shape: &FoldShape, last: i64, changed: &Changed) {
        let FoldedSteps { steps, times, iterations: period_length } = period;
        let mut period = Performed::default();
        performed(&steps, 1, &mut period);
        self.calls.repeated(self.task.id, &period, times);
        self.emit(Step::LoopIteration);
        self.emit(Step::Repeat(Arc::new(Repeat { steps, times })));
        let iterations = times.saturating_mul(period_length);
        let reason = self.shared.reason(ReasonKind::NotEvaluated, Some(code.span), None);
        for &place in &changed.lost {
            self.task.set(place, Value::Unknown(reason));
            self.task.put_formula(place, None);
        }
        self.advance(&changed.moving, iterations);
        let counter = match shape.counter {
            Src::Reg(register) => Location::Register(self.base() + register),
            Src::Global(register) => Location::Global(register),
            Src::Const(_) => return,
        };
        self.task.set(counter, Value::Int(last));
    }
}
