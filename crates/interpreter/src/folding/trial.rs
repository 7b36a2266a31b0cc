//! Periods of polls that move places in ways that the text of the loop does not show: in functions that it calls, through
//! pointers, between jumps.
//!
//! Where two periods had the same steps and all that matters has moved by constants, one more period is followed operation
//! by operation, each such place being a linear function of the number of periods (`execute::linear`). It shows whether they move
//! on by as much, and for how many periods all conditions stay as they are.

use crate::code::instructions::LoopCode;
use crate::execute::machine::Machine;
use crate::folding::fold::LEAST_POLLED;
use crate::folding::spin::is_idle;
use crate::state::location::Location;
use crate::state::memory::Memory;
use crate::state::remembered::folds::{Changed, Moving, Spinning, Trial};
use crate::state::remembered::linear::Linear;
use crate::state::traps::Traps;
use chronos_values::Value;

impl Machine<'_> {
    /// Begins to try out the shortest of the periods that may go on; whether there is one.
    pub(crate) fn begin_trial(&mut self, code: &LoopCode, at: usize, periods: &[usize]) -> bool {
        if self.task.linear.is_some() || self.task.by_rank.is_some() || self.is_uncertain() {
            return false;
        }
        let Some(tried) = self.task.loops[at].fold.as_ref().map(|fold| fold.tried) else { return false };
        let mut candidates = periods.iter().filter(|&&period| period > tried);
        let found = candidates.find_map(|&period| Some((period, self.moved(code, at, period)?)));
        let Some((period, changed)) = found.filter(|(period, _)| self.is_idle_period(code, at, *period)) else {
            return false;
        };
        self.trap(&changed.moving);
        if let Some(fold) = &mut self.task.loops[at].fold {
            fold.trial = Some(Trial { period, left: period, moving: changed.moving });
        }
        true
    }

    fn trap(&mut self, moving: &[Moving]) {
        self.task.linear = Some(Box::new(Linear::new(moving.iter().map(|one| (one.place, one.step)))));
        let model = self.task.memory.model;
        let mut traps = Traps::default();
        for one in moving {
            if let Location::Memory(object, begin, ty) = one.place {
                traps.set(object, begin, ty.size(model));
            }
        }
        self.task.memory.traps = Some(Box::new(traps));
    }

    /// What the last period changed, where all that matters has moved by constants.
    fn moved(&self, code: &LoopCode, at: usize, period: usize) -> Option<Changed> {
        let last = self.period(at, period)?;
        let mut changed = Changed::default();
        for (place, old) in last.changes() {
            let Some(now) = self.task.get(place).filter(|&now| !Memory::is_alike(now, old)) else { continue };
            if self.matters(code, place) {
                let (Value::Int(old), Value::Int(now)) = (old, now) else { return None };
                let step = now.checked_sub(old)?;
                let period = last.iterations;
                changed.moving.push(Moving { place, step, period, room: u64::MAX, turn: u64::MAX });
            } else {
                changed.lost.push(place);
            }
        }
        Some(changed)
    }

    fn matters(&self, code: &LoopCode, place: Location) -> bool {
        self.is_relevant_place(place) || code.fold.as_ref().is_some_and(|shape| self.is_counter(place, shape))
    }

    fn is_idle_period(&self, code: &LoopCode, at: usize, period: usize) -> bool {
        self.has_polled(code, at, period) && self.last_period(at, period).all(is_idle)
    }

    /// Whether a period is being tried out.
    pub(crate) fn has_trial(&self, at: usize) -> bool {
        self.task.loops[at].fold.as_ref().is_some_and(|fold| fold.trial.is_some())
    }

    /// An iteration of a period that is tried out has ended; the trial, where that was the last one.
    pub(crate) fn end_iteration_of_trial(&mut self, at: usize) -> Option<Trial> {
        let fold = self.task.loops[at].fold.as_mut()?;
        let trial = fold.trial.as_mut()?;
        trial.left = trial.left.saturating_sub(1);
        // Something came, so that the iterations before do not tell what comes next.
        let broken = fold.history.is_empty() || self.task.linear.is_none();
        if !broken && trial.left > 0 {
            return None;
        }
        fold.tried = fold.tried.max(trial.period);
        let trial = fold.trial.take().filter(|_| !broken);
        if broken {
            self.task.give_up_linear();
        }
        trial
    }

    /// The spin that goes on as the period did that was tried out, with its periods at most.
    pub(crate) fn spin_of_trial(&mut self, code: &LoopCode, at: usize, trial: &Trial) -> Option<(Spinning, u64)> {
        let linear = self.task.end_linear()?;
        let period = trial.period;
        let fold = self.task.loops[at].fold.as_ref()?;
        let begin = fold.history.len().checked_sub(2 * period)?;
        let (before, last) = (fold.history.range(begin..begin + period), fold.history.range(begin + period..));
        let same = before.zip(last).all(|(a, b)| a.steps == b.steps);
        let mut changed = self.moved(code, at, period).filter(|changed| changed.moving == trial.moving)?;
        let goes_on = self.goes_on(code, &linear, &changed.moving);
        let room = linear.room.saturating_mul(period as u64);
        if !same || !goes_on || !self.is_idle_period(code, at, period) || room < LEAST_POLLED {
            return None;
        }
        // The counter of the loop moves with its iterations.
        let shape = code.fold.as_ref();
        changed.moving.retain(|one| shape.is_none_or(|shape| !self.is_counter(one.place, shape)));
        let period = period as u64;
        Some((Spinning { at, period, remaining: None, changed, jump: code.jump, told: code.is_told() }, linear.room))
    }

    /// All that matters gains what it has moved by.
    fn goes_on(&self, code: &LoopCode, linear: &Linear, moving: &[Moving]) -> bool {
        let step = |place: Location| moving.iter().find(|one| one.place == place).map_or(0, |one| one.step);
        moving.iter().all(|one| linear.gain(one.place) == one.step)
            && linear.gains().all(|(place, gain)| !self.matters_still(code, place) || step(place) == gain)
    }

    fn matters_still(&self, code: &LoopCode, place: Location) -> bool {
        self.exists(place) && self.matters(code, place)
    }
}
