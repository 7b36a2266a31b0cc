//! Spins: loops that poll until something comes, and whose polls change nothing as long as they fail.
//!
//! A period in which every test and probe failed and that left the relevant state as it was, after one with the same steps,
//! comes again and again until a poll succeeds: only the outcome of a poll can make a difference. Whoever knows when
//! something comes is told so (`Step::Spin`), and says how many whole periods went by; the iteration after
//! them is followed as any other.

use crate::code::instructions::{LoopCode, Src};
use crate::execute::machine::{Flow, Machine, Stop};
use crate::folding::fold::LEAST_POLLED;
use crate::state::location::Location;
use crate::state::remembered::folds::{Changed, Fold, Spinning};
use crate::state::task::LoopMode;
use chronos_activity::{Operation, Spin, Step};
use chronos_values::{ReasonKind, Value};
use std::sync::Arc;

/// A step that may be repeated without being looked at.
pub(crate) fn is_idle(step: &Step) -> bool {
    match step {
        Step::Work(_) => true,
        Step::Event(event) => event.operation.is_poll() || matches!(event.operation, Operation::Local { .. }),
        _ => false,
    }
}

impl<'a> Machine<'a> {
    /// An iteration ended in which polls failed: those of a loop without a counter are watched from now on.
    pub(crate) fn look_for_spin(&mut self, code: &LoopCode, at: usize) {
        let (failed, glances) = (self.task.failed, self.glances(code));
        let state = &mut self.task.loops[at];
        let unwatched = code.fold.is_none() && state.fold.is_none() && state.mode == LoopMode::Normal;
        if unwatched && state.watch.is_over(failed, glances) {
            state.fold = Some(Box::new(Fold { failed, ..Fold::default() }));
        }
    }

    /// Whether all tests and probes of the iteration that ended have failed.
    pub(crate) fn end_polls(&mut self, at: usize) -> bool {
        let failed = self.task.failed;
        let Some(fold) = &mut self.task.loops[at].fold else { return true };
        let polls = std::mem::take(&mut fold.polls);
        failed - std::mem::replace(&mut fold.failed, failed) == polls
    }

    /// Whether the loop looks at memory that other tasks may write as it goes on: that of a window.
    fn glances(&self, code: &LoopCode) -> bool {
        code.glances && self.calls.has_window(self.task.id)
    }

    /// An iteration begins of a loop without MPI. One that looks at a window goes on alike until another task accesses that: like
    /// a poll, it is watched and skipped.
    pub(crate) fn watch_glances(&mut self, code: &'a LoopCode) -> Flow<()> {
        // What a remembered call or a way of an unknown branch counts is gathered until it ends.
        let gathers = !self.task.recordings.is_empty() || !self.task.splits.is_empty() || self.is_uncertain();
        if code.fold.is_some() || gathers || !self.glances(code) {
            return Ok(());
        }
        self.look(code);
        self.fold(code)?;
        self.flush();
        Ok(())
    }

    /// What others have written into windows is there when it is looked at.
    fn look(&mut self, code: &LoopCode) {
        let (calls, mut env) = self.calls_and_environment(&[]);
        calls.look(env.task.id, &mut env, code.span);
    }

    /// Whether the last period polled, or looked at a window.
    pub(crate) fn has_polled(&self, code: &LoopCode, at: usize, period: usize) -> bool {
        if self.glances(code) {
            return true;
        }
        let is_poll = |step: &Step| matches!(step, Step::Event(event) if event.operation.is_poll());
        self.last_period(at, period).any(is_poll)
    }

    pub(crate) fn last_period(&self, at: usize, period: usize) -> impl Iterator<Item = &Step> {
        let fold = self.task.loops[at].fold.iter();
        fold.flat_map(move |fold| fold.history.range(fold.history.len() - period..)).flat_map(|one| &one.steps)
    }

    /// Says that the loop spins, where it does.
    pub(crate) fn begin_spin(&mut self, code: &'a LoopCode, at: usize, base: u64, periods: &[usize]) -> Flow<()> {
        let found = periods.iter().find_map(|&period| Some((period, self.spinning(code, at, period)?)));
        match found {
            Some((_, (spinning, most))) => self.say_spin(spinning, most),
            None => {
                if !self.begin_trial(code, at, periods) {
                    self.await_longer_periods(code, at, base, periods);
                }
                Ok(())
            }
        }
    }

    /// An iteration of a period that is tried out has ended.
    pub(crate) fn go_on_with_trial(&mut self, code: &'a LoopCode, at: usize, base: u64) -> Flow<()> {
        let Some(trial) = self.end_iteration_of_trial(at) else { return Ok(()) };
        match self.spin_of_trial(code, at, &trial) {
            Some((spinning, most)) => self.say_spin(spinning, most),
            None => {
                self.await_longer_periods(code, at, base, &[trial.period]);
                Ok(())
            }
        }
    }

    fn say_spin(&mut self, spinning: Spinning, most: u64) -> Flow<()> {
        let (at, period) = (spinning.at, spinning.period as usize);
        let steps = self.last_period(at, period).cloned().collect();
        if spinning.told {
            self.emit(Step::LoopIteration);
        }
        self.emit(Step::Spin(Arc::new(Spin { steps, most })));
        self.task.spinning = Some(spinning);
        Err(Stop::Yield)
    }

    /// The spin that begins here, with its periods at most.
    fn spinning(&self, code: &LoopCode, at: usize, period: usize) -> Option<(Spinning, u64)> {
        if !self.last_period(at, period).all(is_idle) {
            return None;
        }
        let changed = self.harmless(code, at, period).filter(|changed| changed.turn() >= LEAST_POLLED)?;
        let remaining = match &code.fold {
            Some(shape) => Some(self.remaining(shape).filter(|&total| self.moduli_agree(shape, total))?),
            None => None,
        };
        let room = changed.room().min(remaining.unwrap_or(u64::MAX));
        let most = if room == u64::MAX { u64::MAX } else { room / period as u64 };
        (most > 0).then_some((
            Spinning { at, period: period as u64, remaining, changed, jump: code.jump, told: code.is_told() },
            most,
        ))
    }

    /// None of the periods repeats the state: a longer one may, until all that are remembered were tried.
    fn await_longer_periods(&mut self, code: &LoopCode, at: usize, base: u64, periods: &[usize]) {
        let Some(fold) = &mut self.task.loops[at].fold else { return };
        if code.fold.is_none() && fold.history.len() >= 2 * fold.runs.len() {
            self.lose_patience(code, at);
        } else {
            self.await_repetition(at, base, periods);
        }
    }

    /// The loop does not spin: one with a counter is watched on, another one seldom.
    pub(crate) fn lose_patience(&mut self, code: &LoopCode, at: usize) {
        let state = &mut self.task.loops[at];
        if let Some(fold) = &mut state.fold {
            fold.runs.clear();
        }
        if code.fold.is_none() {
            state.watch.lose();
            state.fold = None;
        }
    }

    /// The spin is over after so many whole periods.
    pub fn spun(&mut self, times: u64) -> Flow<()> {
        let Some(spinning) = self.task.spinning.take() else { return Ok(()) };
        if spinning.jump {
            let Some(code) = self.jump_code() else { return Ok(()) };
            return self.in_jump(|machine| machine.go_on_behind(&spinning, code, times));
        }
        let function = self.function();
        let Some(state) = self.task.loops.get(spinning.at) else { return Ok(()) };
        self.go_on_behind(&spinning, &function.loops[state.index as usize], times)
    }

    fn go_on_behind(&mut self, spinning: &Spinning, code: &'a LoopCode, times: u64) -> Flow<()> {
        let &Spinning { at, period, remaining, ref changed, .. } = spinning;
        let Some(state) = self.task.loops.get_mut(at) else { return Ok(()) };
        let iterations = state.iterations;
        if let Some(fold) = &mut state.fold {
            (fold.disturbed, fold.polls) = (false, 0);
            fold.current.clear();
        }
        let gone = times.saturating_mul(period);
        if times > 0 {
            self.skip_periods(code, changed, gone);
            if let Some(fold) = self.task.loops[at].fold.as_mut().filter(|_| !changed.moving.is_empty()) {
                fold.forget();
            }
        }
        if remaining == Some(gone) {
            self.set_pc(code.exit);
            return Ok(());
        }
        self.begin_watch(at);
        self.flush();
        if spinning.jump {
            return Ok(());
        }
        if code.glances {
            self.look(code);
        }
        if spinning.told {
            self.emit(Step::LoopIteration);
        }
        self.begin_iteration(code, iterations)
    }

    /// What the iterations that were not followed have changed.
    fn skip_periods(&mut self, code: &LoopCode, changed: &Changed, iterations: u64) {
        let reason = self.shared.reason(ReasonKind::NotEvaluated, Some(code.span), None);
        for &place in &changed.lost {
            self.task.set(place, Value::Unknown(reason));
        }
        self.advance(&changed.moving, iterations);
        let Some(shape) = &code.fold else { return };
        let counter = match shape.counter {
            Src::Reg(register) => Location::Register(self.base() + register),
            Src::Global(register) => Location::Global(register),
            Src::Const(_) => return,
        };
        let moved = i64::try_from(iterations).ok().and_then(|n| n.checked_mul(shape.step));
        if let (Some(now), Some(moved)) = (self.value(shape.counter).as_int(), moved) {
            self.task.set(counter, Value::Int(now.saturating_add(moved)));
        }
    }
}
