//! Loops that do the same until a time is over.
//!
//! Each of their iterations asks the clock, so none of them may be repeated without an answer. After very many that were
//! alike, a few more are taken to be so as well: such a loop goes on for a thousandth longer at most than it would. What
//! it counts, and the times that it keeps, go on as they did.

use crate::code::instructions::LoopCode;
use crate::execute::machine::Machine;
use crate::folding::spin::is_idle;
use crate::state::location::Location;
use crate::state::log::LogEntry;
use crate::state::memory::Memory;
use crate::state::remembered::folds::AlikeIteration;
use crate::state::task::LoopMode;
use chronos_activity::{Operation, Repeat, Step};
use chronos_values::{Reading, ReasonKind, Value};
use std::sync::Arc;

/// One of so many iterations is not followed.
const PRECISION: u64 = 1024;

/// Steps whose time does not depend on other tasks.
fn is_alone(step: &Step) -> bool {
    let reads = |operation: &Operation| matches!(operation, Operation::ReadClock { .. } | Operation::Elapsed { .. });
    is_idle(step) || matches!(step, Step::Event(event) if reads(&event.operation))
}

impl Machine<'_> {
    /// A loop without a counter is watched once it has asked the clock for long.
    pub(crate) fn look_for_passing_time(&mut self, code: &LoopCode, at: usize) {
        let state = &mut self.task.loops[at];
        let is_long = state.iterations > PRECISION && state.mode == LoopMode::Normal;
        if self.code.program.follows_clocks && code.fold.is_none() && state.fold.is_none() && is_long {
            state.fold = Some(Box::default());
        }
    }

    /// An iteration ended; whether it asked the clock, so that it cannot be repeated but for a few times.
    pub(crate) fn pass_time(&mut self, code: &LoopCode, at: usize, watched: &mut Option<Vec<LogEntry>>) -> bool {
        let Some(fold) = self.task.loops[at].fold.as_mut().filter(|fold| fold.asked_time) else { return false };
        (fold.asked_time, fold.disturbed) = (false, false);
        let steps = std::mem::take(&mut fold.current);
        let before = fold.alike.take();
        fold.forget();
        let Some(changes) = watched.take().and_then(|log| self.changes(log)) else { return true };
        let now = AlikeIteration { steps, changes };
        if let Some(before) = before {
            self.repeat_a_few(code, at, &before, &now);
        }
        if let Some(fold) = &mut self.task.loops[at].fold {
            fold.alike = Some(Box::new(now));
        }
        true
    }

    fn repeat_a_few(&mut self, code: &LoopCode, at: usize, before: &AlikeIteration, last: &AlikeIteration) {
        let left = code.fold.as_ref().map(|shape| self.remaining(shape).map_or(0, |left| left.saturating_sub(1)));
        let times = (self.task.loops[at].iterations / PRECISION).min(left.unwrap_or(u64::MAX));
        if times == 0 || before.steps != last.steps || !last.steps.iter().all(is_alone) {
            return;
        }
        let Some(changed) = self.all_changed(before, last, times) else { return };
        if code.is_told() {
            self.emit(Step::LoopIteration);
        }
        self.emit(Step::Repeat(Arc::new(Repeat { steps: last.steps.clone(), times })));
        self.task.loops[at].iterations += times;
        for (place, value) in changed {
            self.task.set(place, value);
        }
    }

    /// What the places hold after so many further iterations that the last two changed; `None` where that is not known.
    fn all_changed(
        &mut self,
        before: &AlikeIteration,
        last: &AlikeIteration,
        times: u64,
    ) -> Option<Vec<(Location, Value)>> {
        let reason = self.shared.reason(ReasonKind::NotEvaluated, self.span(), None);
        let mut changed = Vec::with_capacity(last.changes.len());
        for &(place, old) in &last.changes {
            let now = self.task.get(place)?;
            if !self.is_relevant_place(place) {
                changed.push((place, Value::Unknown(reason)));
            } else if !Memory::is_alike(old, now) {
                let oldest = before.changes.iter().find(|(other, _)| *other == place)?.1;
                changed.push((place, gone_on(oldest, old, now, times)?));
            }
        }
        Some(changed)
    }
}

/// The value that comes after so many more steps like the last two.
fn gone_on(oldest: Value, old: Value, now: Value, times: u64) -> Option<Value> {
    match (oldest, old, now) {
        (Value::Int(a), Value::Int(b), Value::Int(c)) => {
            let step = c.checked_sub(b).filter(|&step| b.checked_sub(a) == Some(step))?;
            Some(Value::Int(c.checked_add(step.checked_mul(i64::try_from(times).ok()?)?)?))
        }
        (Value::Float(a), Value::Float(b), Value::Float(c)) => {
            let (first, second) = (b - a, c - b);
            let is_steady = (first - second).abs() <= 1e-6 * second.abs() + 1e-12 * c.abs();
            is_steady.then_some(Value::Float(second.mul_add(times as f64, c)))
        }
        (Value::Clock(a), Value::Clock(_), Value::Clock(c)) => {
            // Clocks have ticks, so the steps differ.
            let (first, last) = (a.time()?, c.time()?);
            let time = ((last - first) / 2.0).mul_add(times as f64, last);
            Some(Value::Clock(Reading::at(c.call(), time)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_ir::BlockId;

    #[test]
    fn values_go_on_as_they_did() {
        let int = |n| Value::Int(n);
        assert_eq!(gone_on(int(3), int(5), int(7), 10), Some(int(27)));
        assert_eq!(gone_on(int(3), int(5), int(8), 10), None);
        let float = |x| Value::Float(x);
        assert_eq!(gone_on(float(0.5), float(1.0), float(1.5), 4), Some(float(3.5)));
        assert_eq!(gone_on(float(1.0), float(2.0), float(4.0), 4), None);
        let at = |time| Value::Clock(Reading::at(BlockId(1), time));
        assert_eq!(gone_on(at(1.0), at(1.0), at(3.0), 4), Some(at(7.0)));
    }
}
