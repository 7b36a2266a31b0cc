//! Folding of loops that hold MPI calls: equal iterations become a repeat.

use crate::code::instructions::{CounterRead, FoldShape, LoopCode, Src};
use crate::codes;
use crate::execute::machine::{Flow, Machine, Stop};
use crate::folding::period::{Period, holds, integer_bound};
use crate::state::location::Location;
use crate::state::log::LogEntry;
use crate::state::remembered::folds::{Changed, Fold, Iteration};
use crate::state::task::LoopMode;
use chronos_activity::{Operation, Repeat, Step};
use chronos_base::diag::Diagnostic;
use chronos_ir::{BinaryOp, CounterId};
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
    fn find_periods(&mut self, base: usize, multiples: usize) -> Vec<usize> {
        let Some(newest) = self.history.back() else { return Vec::new() };
        let known = self.history.len();
        self.runs.resize(multiples, 0);
        for (run, period) in self.runs.iter_mut().zip((1..).map(|n| n * base)) {
            let earlier = known.checked_sub(period + 1).and_then(|i| self.history.get(i));
            let same = earlier.is_some_and(|earlier| earlier.steps == newest.steps && !newest.steps.is_empty());
            *run = if same { *run + 1 } else { 0 };
        }
        (1..).zip(&self.runs).filter(|&(n, &run)| run >= n * base).map(|(n, _)| n * base).collect()
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
        let state = &self.task.loops[at];
        if state.mode != LoopMode::Normal || state.fold.as_ref().is_none_or(|fold| fold.off) {
            return Ok(false);
        }
        self.flush();
        let watched = self.end_watch(at);
        let was_watched = watched.is_some();
        let Some(base) = code.fold.as_ref().map_or(Some(1), |shape| self.base_period(shape)) else {
            self.stop_folding(at);
            return Ok(false);
        };
        let periods = self.remember(at, watched, base);
        if self.has_trial(at) {
            self.go_on_with_trial(code, at, base)?;
        } else if let Some(&period) = periods.first() {
            if self.has_polled(at, period) {
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
            let Value::Int(divisor) = self.value(modulus.divisor) else { return None };
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
        fold.history.push_back(Iteration { steps, changes });
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
        fold.find_periods(base, multiples)
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
            self.await_another(code, at, base, periods);
        }
        found
    }

    /// None of the periods is repeated: where only a comparison turns too soon, a longer one may repeat that as well.
    pub(crate) fn await_another(&mut self, code: &LoopCode, at: usize, base: u64, periods: &[usize]) {
        if periods.iter().any(|&period| self.harmless(code, at, period).is_some()) {
            self.await_repetition(at, base, periods);
        } else if let Some(fold) = &mut self.task.loops[at].fold {
            fold.runs.clear();
        }
    }

    /// None of the periods repeats the state as yet: they are looked at again when they were repeated once more.
    pub(crate) fn await_repetition(&mut self, at: usize, base: u64, periods: &[usize]) {
        let Some(fold) = &mut self.task.loops[at].fold else { return };
        for &period in periods {
            if let Some(run) = fold.runs.get_mut(period / base as usize - 1) {
                *run = 0;
            }
        }
    }

    /// Begins to repeat: true where nothing remains, `None` where it is not safe.
    fn fold_by(&mut self, code: &LoopCode, shape: &FoldShape, at: usize, period: usize) -> Option<bool> {
        let changed = self.harmless(code, at, period).filter(|changed| changed.turn() >= LEAST_REPEATED)?;
        let total = self.remaining(shape)?;
        let times = total.min(changed.room()) / period as u64;
        if times == 0 || !self.moduli_agree(shape, total) {
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

    pub(crate) fn begin_watch(&mut self, at: usize) {
        let splits_inside = self.task.splits.len() > self.task.loops[at].splits as usize;
        let off = self.task.loops[at].fold.as_ref().is_none_or(|fold| fold.off);
        if !off && !splits_inside {
            self.task.logs.push();
            if let Some(fold) = &mut self.task.loops[at].fold {
                fold.watching = true;
            }
        }
    }

    fn end_watch(&mut self, at: usize) -> Option<Vec<LogEntry>> {
        let logs = self.task.loops[at].logs as usize;
        let fold = self.task.loops[at].fold.as_mut()?;
        if !std::mem::take(&mut fold.watching) {
            return None;
        }
        Some(self.drop_watch(logs))
    }

    /// The places that an iteration wrote, with their values before; `None` where a relevant object changed as a whole.
    fn changes(&self, log: Vec<LogEntry>) -> Option<Vec<(Location, Value)>> {
        let mut changes = Vec::with_capacity(log.len());
        for entry in log {
            match entry {
                LogEntry::Scalar(place, old) if self.exists(place) => changes.push((place, old)),
                LogEntry::Scalar(..) => {}
                LogEntry::Object(object, _) => {
                    let state = self.task.memory.object(object);
                    if state.live && self.summariser.is_relevant(state.origin) {
                        return None;
                    }
                }
            }
        }
        // The sort is stable: of several writes the first knows the value before the iteration.
        changes.sort_by_key(|&(place, _)| place);
        changes.dedup_by_key(|&mut (place, _)| place);
        Some(changes)
    }

    pub(crate) fn exists(&self, place: Location) -> bool {
        match place {
            Location::Register(at) => (at as usize) < self.task.stack.len(),
            Location::Global(_) => true,
            Location::Memory(object, ..) => self.task.memory.object(object).live,
        }
    }

    /// The places that the last period changed, where none of them is relevant but those that move by a constant; `None`
    /// where one is, where the counter did not move as it should, or where it was read otherwise than modulo something.
    pub fn harmless(&self, code: &LoopCode, at: usize, period: usize) -> Option<Changed> {
        let shape = code.fold.as_ref();
        let last = self.period(at, period)?;
        let reads = |elsewhere: &[CounterRead]| last.executes_any(&self.relevant_reads(elsewhere));
        if shape.is_some_and(|shape| reads(&shape.elsewhere)) {
            return None;
        }
        let mut changed = Changed::default();
        for (place, old) in last.changes() {
            let Some(now) = self.task.get(place) else { continue };
            if let Some(shape) = shape.filter(|shape| self.is_counter(place, shape)) {
                let moved = i64::try_from(period).ok()?.checked_mul(shape.step)?;
                let (old, now) = (old.as_int()?, now.as_int()?);
                if Some(now) != old.checked_add(moved) {
                    return None;
                }
                changed.turn = self.turn(&last, shape, old, now)?;
            } else if now != old {
                if self.is_relevant_place(place) {
                    let (moving, elsewhere) = self.moving(code, &last, place, old, now)?;
                    if reads(elsewhere) {
                        return None;
                    }
                    changed.moving.push(moving);
                } else {
                    changed.lost.push(place);
                }
            }
        }
        Some(changed)
    }

    /// Iterations in which the body does the same with the counter, where they are bounded; `None` where it does not even now.
    fn turn(&self, last: &Period, shape: &FoldShape, old: i64, now: i64) -> Option<Option<u64>> {
        let mut times = self.same_results(last, &shape.comparisons, old, now)?;
        for modulus in &shape.moduli {
            times = times.min(self.same_remainders(last, modulus, old, now)?);
        }
        Some((times < u64::MAX).then_some(times.saturating_mul(last.iterations)))
    }

    /// Executions of the blocks that read the counter otherwise for something that matters: what only goes to variables that
    /// nothing follows from is not known after a repeat, and may differ within it.
    fn relevant_reads(&self, elsewhere: &[CounterRead]) -> Vec<CounterId> {
        let matters = |read: &&CounterRead| match &read.only_to {
            Some(variables) => variables.iter().any(|&variable| self.summariser.relevant_variable(variable)),
            None => true,
        };
        elsewhere.iter().filter(matters).map(|read| read.executions).collect()
    }

    pub(crate) fn is_counter(&self, place: Location, shape: &FoldShape) -> bool {
        match (place, shape.counter) {
            (Location::Register(at), Src::Reg(register)) => at == self.base() + register,
            (Location::Global(at), Src::Global(register)) => at == register,
            _ => false,
        }
    }

    pub(crate) fn is_relevant_place(&self, place: Location) -> bool {
        let base = self.base();
        match place {
            Location::Register(at) if at < base => true,
            Location::Register(at) => {
                let function = self.function();
                let variable = (at - base).checked_sub(function.first_variable);
                let variable = variable.and_then(|i| function.variables.get(i as usize));
                variable.is_some_and(|&variable| self.summariser.relevant_variable(variable))
            }
            Location::Global(at) => self.summariser.relevant_variable(self.code.globals[at as usize]),
            Location::Memory(object, ..) => {
                let state = self.task.memory.object(object);
                state.live && self.summariser.is_relevant(state.origin)
            }
        }
    }

    /// Iterations from now on, where the counter does not wrap around in them.
    pub fn remaining(&self, shape: &FoldShape) -> Option<u64> {
        let (times, last) = self.bounded(shape)?;
        let fits = i64::try_from(last).is_ok_and(|n| holds(shape.ty, n) && wrap(n, shape.own) == n);
        (times > 0 && fits).then_some(u64::try_from(times).ok()?)
    }

    /// The counter has values that are all below its bound, or all above.
    fn wraps_around(&self, shape: &FoldShape) -> bool {
        let fits = |last: i128| i64::try_from(last).is_ok_and(|n| wrap(n, shape.own) == n);
        shape.own.size(self.code.program.model) < 8
            && self.bounded(shape).is_some_and(|(times, last)| times > 0 && !fits(last))
    }

    /// Iterations from now on with the last value of the counter, as if that were an integer of any size.
    fn bounded(&self, shape: &FoldShape) -> Option<(i128, i128)> {
        let now = self.value(shape.counter).as_int()?;
        let bound = integer_bound(shape.op, shape.ty, self.value(shape.bound))?;
        let has_sign = !shape.ty.is_integer() || shape.ty.is_signed();
        let as_it_is = holds(shape.ty, now) && (has_sign || (now >= 0 && bound >= 0));
        if !as_it_is {
            return None;
        }
        let (now, bound, step) = (i128::from(now), i128::from(bound), i128::from(shape.step));
        let up = |distance: i128| if step > 0 { Some((distance + step - 1) / step) } else { None };
        let down = |distance: i128| if step < 0 { Some((distance - step - 1) / -step) } else { None };
        let times = match shape.op {
            BinaryOp::Lt => up(bound - now),
            BinaryOp::Le => up(bound - now + 1),
            BinaryOp::Gt => down(now - bound),
            BinaryOp::Ge => down(now - bound + 1),
            BinaryOp::Ne if step != 0 && (bound - now) % step == 0 => Some((bound - now) / step),
            _ => None,
        }?;
        let last = now + times * step;
        // A comparison without a sign has no values below 0.
        (has_sign || last >= 0).then_some((times, last))
    }

    fn endless_counter(&self, code: &LoopCode) -> Stop {
        let message = format!(
            "the loop in `{}` never ends: its counter wraps around before it comes to the bound",
            self.function().name
        );
        let help = "give the counter a wider type";
        Diagnostic::error(&codes::ENDLESS, message).label(code.span, "this loop").help(help).into()
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
