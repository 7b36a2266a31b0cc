//! What an iteration changed beside its counters, and whether repeating it changes that in the same way.

use crate::code::instructions::{CounterRead, FoldShape, LoopCode, Src};
use crate::execute::machine::Machine;
use crate::folding::period::Period;
use crate::state::location::Location;
use crate::state::log::LogEntry;
use crate::state::memory::Memory;
use crate::state::remembered::folds::Changed;
use chronos_ir::CounterId;
use chronos_values::Value;

impl Machine<'_> {
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

    pub(super) fn end_watch(&mut self, at: usize) -> Option<Vec<LogEntry>> {
        let logs = self.task.loops[at].logs as usize;
        let fold = self.task.loops[at].fold.as_mut()?;
        if !std::mem::take(&mut fold.watching) {
            return None;
        }
        Some(self.drop_watch(logs))
    }

    /// The places that an iteration wrote, with their values before; `None` where a relevant object changed as a whole.
    pub(super) fn changes(&self, log: Vec<LogEntry>) -> Option<Vec<(Location, Value)>> {
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
            } else if !Memory::is_alike(now, old) {
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
    pub(super) fn turn(&self, last: &Period, shape: &FoldShape, old: i64, now: i64) -> Option<Option<u64>> {
        let mut times = self.same_results(last, &shape.comparisons, old, now)?;
        for modulus in &shape.moduli {
            times = times.min(self.same_remainders(last, modulus, old, now)?);
        }
        Some((times < u64::MAX).then_some(times.saturating_mul(last.iterations)))
    }

    /// Executions of the blocks that read the counter otherwise for something that matters: what only goes to variables that
    /// nothing follows from is not known after a repeat, and may differ within it.
    pub(super) fn relevant_reads(&self, elsewhere: &[CounterRead]) -> Vec<CounterId> {
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
}
